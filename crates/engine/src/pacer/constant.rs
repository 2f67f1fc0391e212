//! Evenly spaced arrivals at a constant rate.

use super::Pacer;

/// Operation `i` is due at `i ÷ rate`; each thread takes every `stride`-th operation.
#[derive(Debug)]
pub(super) struct Constant {
    nanos_between: f64,
    next: u64,
    stride: u64,
}

impl Constant {
    pub(super) fn new(per_second: f64, thread: u64, threads: u64) -> Self {
        Self {
            nanos_between: 1e9 / per_second,
            next: thread,
            stride: threads,
        }
    }

    fn time_of(&self, index: u64) -> u64 {
        // Computed from the index, because a running sum would accumulate rounding errors.
        (index as f64 * self.nanos_between) as u64
    }
}

impl Pacer for Constant {
    fn due(&self) -> u64 {
        self.time_of(self.next)
    }

    fn take(&mut self) {
        self.next += self.stride;
    }

    fn due_before(&self, time: u64) -> u64 {
        let due = self.due();
        if due >= time {
            return 0;
        }
        let step = self.nanos_between * self.stride as f64;
        let guess = ((time - due) as f64 / step) as u64;
        // Rounding can make the quotient wrong by one in either direction, so `time_of` is checked.
        (guess.saturating_sub(1)..=guess + 1)
            .take_while(|&k| self.time_of(self.next + k * self.stride) < time)
            .last()
            .map_or(0, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_one_schedule_without_gap_or_overlap() {
        let mut due: Vec<u64> = (0..3)
            .flat_map(|thread| {
                let mut pacer = Constant::new(1000.0, thread, 3);
                (0..100)
                    .map(|_| {
                        let at = pacer.due();
                        pacer.take();
                        at
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        due.sort_unstable();
        let expected: Vec<u64> = (0..300).map(|i| i * 1_000_000).collect();
        assert_eq!(due, expected);
    }

    #[test]
    fn a_long_schedule_does_not_drift() {
        let mut pacer = Constant::new(7.0, 0, 1);
        pacer.next = 7 * 86_400;
        assert_eq!(pacer.due(), 86_400_000_000_000);
    }

    #[test]
    fn counts_what_is_overdue() {
        for rate in [3.0, 1000.0, 12_345.6] {
            for (thread, threads) in [(0, 1), (1, 2), (2, 3)] {
                let pacer = Constant::new(rate, thread, threads);
                for until in [0, 1, 999_999, 1_000_000, 1_000_001, 987_654_321] {
                    let mut walker = Constant::new(rate, thread, threads);
                    let mut count = 0;
                    while walker.due() < until {
                        walker.take();
                        count += 1;
                    }
                    assert_eq!(pacer.due_before(until), count, "{rate} {until}");
                }
            }
        }
    }
}
