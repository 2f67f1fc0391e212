//! Arrivals at recorded times.

use std::sync::Arc;

use super::{Pacer, Part};

/// Operation `i` is due at the `i`-th offset after the window opens; each thread takes every
/// `stride`-th operation. The schedule ends after the last offset.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    /// Offsets from the start of the window, nanoseconds, ascending.
    offsets: Arc<[u64]>,
    open: u64,
    next: usize,
    stride: usize,
}

impl Recorded {
    pub(super) fn new(offsets: Arc<[u64]>, part: Part) -> Self {
        Self {
            offsets,
            open: part.open,
            next: part.thread,
            stride: part.threads,
        }
    }
}

impl Pacer for Recorded {
    fn due(&self) -> u64 {
        let offset = self.offsets.get(self.next);
        offset.map_or(u64::MAX, |&offset| self.open.saturating_add(offset))
    }

    fn take(&mut self) {
        self.next = self.next.saturating_add(self.stride);
    }

    fn due_before(&self, time: u64) -> u64 {
        let is_due = |&offset: &u64| self.open.saturating_add(offset) < time;
        let first_not_due = self.offsets.partition_point(is_due);
        let of_all_threads = first_not_due.saturating_sub(self.next);
        of_all_threads.div_ceil(self.stride) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all_before, part};
    use super::*;

    const OFFSETS: [u64; 7] = [0, 10, 10, 10, 25, 40, 1_000];

    fn recorded(thread: usize, threads: usize) -> Recorded {
        let part = Part {
            open: 500,
            ..part(thread, threads)
        };
        Recorded::new(OFFSETS.into(), part)
    }

    #[test]
    fn threads_share_the_trace_without_gap_or_overlap() {
        for threads in 1..=9 {
            let due = |thread| all_before(recorded(thread, threads), u64::MAX);
            let mut all: Vec<u64> = (0..threads).flat_map(due).collect();
            all.sort_unstable();
            assert_eq!(all, OFFSETS.map(|offset| 500 + offset), "{threads}");
        }
        let second_of_three = all_before(recorded(1, 3), u64::MAX);
        assert_eq!(second_of_three, [510, 525]);
    }

    #[test]
    fn after_the_last_there_is_none_for_ever() {
        let mut pacer = recorded(6, 7);
        assert_eq!(pacer.due(), 1_500);
        for _ in 0..3 {
            pacer.take();
            assert_eq!((pacer.due(), pacer.due_before(u64::MAX)), (u64::MAX, 0));
        }
    }

    #[test]
    fn counts_what_is_overdue() {
        for (thread, threads) in [(0, 1), (1, 2), (2, 3), (8, 9)] {
            let mut pacer = recorded(thread, threads);
            for _ in 0..OFFSETS.len() {
                for until in [0, 499, 500, 501, 510, 511, 526, 541, 1_500, 1_501, u64::MAX] {
                    let count = all_before(pacer.clone(), until).len() as u64;
                    assert_eq!(pacer.due_before(until), count, "{thread} {until}");
                }
                pacer.take();
            }
        }
    }
}
