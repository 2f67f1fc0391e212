//! Computes pauses of a target from the pauses that each generator thread observed.

use std::collections::BTreeMap;

use crate::slice::thread_use::ThreadUse;

/// A period of a slice in which requests were in flight on every generator thread and no response
/// arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pause {
    /// Start of the pause, seconds after the start of the run.
    pub start: f64,
    /// Length of the pause, seconds.
    pub seconds: f64,
}

/// The pauses of each thread in order, nanoseconds since the start of the window.
#[derive(Debug, Default)]
pub(crate) struct Pauses(BTreeMap<usize, Vec<(u64, u64)>>);

impl Pauses {
    pub(crate) fn add(&mut self, usage: &ThreadUse) {
        let of_thread = self.0.entry(usage.thread).or_default();
        // A damaged record can hold a pause that ends before its start.
        of_thread.extend(usage.pause_ns.filter(|(start, end)| start < end));
    }

    /// The longest period in which all threads had a pause, if any.
    pub(crate) fn longest(&self, slice_start: f64) -> Option<Pause> {
        let mut threads = self.0.values();
        let first = threads.next()?.clone();
        let common = threads.fold(first, |common, other| overlaps(&common, other));
        let (start, end) = common.into_iter().max_by_key(|(start, end)| end - start)?;
        Some(Pause {
            start: slice_start + start as f64 / 1e9,
            seconds: (end - start) as f64 / 1e9,
        })
    }
}

fn overlaps(some: &[(u64, u64)], others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let pairs = some
        .iter()
        .flat_map(|one| others.iter().map(move |other| (one, other)));
    pairs
        .map(|(one, other)| (one.0.max(other.0), one.1.min(other.1)))
        .filter(|(start, end)| start < end)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(threads: &[&[(u64, u64)]]) -> Option<Pause> {
        let mut pauses = Pauses::default();
        for (thread, of_thread) in threads.iter().enumerate() {
            for pause in of_thread.iter().copied().map(Some).chain([None]) {
                pauses.add(&ThreadUse {
                    thread,
                    start_ns: 0,
                    end_ns: 1_000_000_000,
                    cpu_ns: 0,
                    waited_ns: None,
                    backlog: 0,
                    ok: 0,
                    pause_ns: pause,
                    late: Vec::new(),
                });
            }
        }
        pauses.longest(10.0)
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn a_pause_is_one_of_all_threads_at_once() {
        let found = seen(&[
            &[(5 * MS, 9 * MS), (100 * MS, 1_100 * MS)],
            &[(20 * MS, 60 * MS), (200 * MS, 1_150 * MS)],
        ]);
        let found = found.unwrap();
        assert!((found.start - 10.2).abs() < 1e-9, "{found:?}");
        assert!((found.seconds - 0.9).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_response_on_any_thread_ends_a_pause() {
        assert_eq!(seen(&[&[(0, 500 * MS)], &[]]), None);
        assert_eq!(seen(&[&[(0, 500 * MS)], &[(600 * MS, 700 * MS)]]), None);
        assert_eq!(seen(&[]), None);
        assert_eq!(seen(&[&[(500 * MS, 0)]]), None, "ends before it starts");
        assert_eq!(seen(&[&[(0, 500 * MS)]]).unwrap().seconds, 0.5);
    }
}
