//! Evenly spaced arrivals at a rate that changes with time: ramps and steps.

use super::curve::Curve;
use super::{Pacer, Part};

/// Operation `i` is due when the integral of the rate reaches `i`; each thread takes every
/// `stride`-th operation.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    curve: Curve,
    next: u64,
    stride: u64,
    due: u64,
}

impl Profile {
    pub(super) fn new(curve: Curve, part: Part) -> Self {
        let mut profile = Self {
            curve,
            next: part.thread as u64,
            stride: part.threads as u64,
            due: 0,
        };
        profile.due = profile.time_of(profile.next);
        profile
    }

    fn time_of(&self, index: u64) -> u64 {
        self.curve.time_of(index as f64)
    }
}

impl Pacer for Profile {
    fn due(&self) -> u64 {
        self.due
    }

    fn take(&mut self) {
        self.next += self.stride;
        self.due = self.time_of(self.next);
    }

    fn due_before(&self, time: u64) -> u64 {
        // Due times never decrease, so a binary search finds the first operation that is not due.
        let is_due = |k: u64| self.time_of(self.next + k * self.stride) < time;
        let (mut due, mut not_due) = (0, 1);
        while is_due(not_due - 1) {
            due = not_due;
            not_due *= 2;
        }
        while due + 1 < not_due {
            let middle = due + (not_due - due) / 2;
            if is_due(middle - 1) {
                due = middle;
            } else {
                not_due = middle;
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{all_before, part};
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn ramp(from: f64, to: f64, part: Part) -> Profile {
        Profile::new(Curve::ramp(from, to, part), part)
    }

    fn window(open: u64, close: u64) -> Part {
        Part {
            open,
            close,
            ..part(0, 1)
        }
    }

    #[test]
    fn a_ramp_has_the_count_and_the_middle_of_its_integral() {
        for (from, to) in [(1000.0, 5000.0), (5000.0, 1000.0), (700.0, 700.0)] {
            let (open, close) = (SECOND / 2, SECOND / 2 + 10 * SECOND);
            let due = all_before(ramp(from, to, window(open, close)), close);
            let count_before = |time: u64| due.iter().filter(|&&at| at < time).count() as f64;
            let lead = from * 0.5;
            assert_eq!(count_before(open), lead);
            let total = lead + (from + to) / 2.0 * 10.0;
            assert!((due.len() as f64 - total).abs() <= 1.0, "{}", due.len());
            // The mean rate of the first half of a ramp is the rate at a quarter of the ramp.
            let half = lead + (from + (to - from) / 4.0) * 5.0;
            let found = count_before(open + 5 * SECOND);
            assert!((found - half).abs() <= 1.0, "{found} {half}");
        }
    }

    #[test]
    fn a_ramp_is_smooth_at_both_ends() {
        let (open, close) = (SECOND, 3 * SECOND);
        let due = all_before(ramp(100.0, 200.0, window(open, close)), 5 * SECOND);
        let gaps: Vec<u64> = due.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.windows(2).all(|pair| pair[1] <= pair[0] + 1));
        assert_eq!((gaps[0], gaps[gaps.len() - 1]), (10_000_000, 5_000_000));
    }

    #[test]
    fn steps_have_their_rate_for_their_time() {
        let steps = [
            (100.0, Duration::from_secs(2)),
            (1000.0, Duration::from_millis(500)),
            (10.0, Duration::from_secs(1)),
        ];
        let part = window(SECOND, 20 * SECOND);
        let pacer = Profile::new(Curve::steps(&steps, part), part);
        let due = all_before(pacer, 10 * SECOND);
        let between = |from: f64, to: f64| {
            let inside = |&&at: &&u64| (from..to).contains(&(at as f64 / 1e9));
            due.iter().filter(inside).count()
        };
        assert_eq!(between(0.0, 1.0), 100);
        assert_eq!(between(1.0, 3.0), 200);
        assert_eq!(between(3.0, 3.5), 500);
        assert_eq!(between(3.5, 4.5), 10);
        assert_eq!(between(4.5, 9.5), 50);
    }

    #[test]
    fn threads_share_one_schedule_without_gap_or_overlap() {
        let of = |thread, threads| {
            let part = Part {
                close: 2 * SECOND,
                ..part(thread, threads)
            };
            all_before(ramp(1000.0, 3000.0, part), 2 * SECOND)
        };
        let mut shared: Vec<u64> = (0..3).flat_map(|thread| of(thread, 3)).collect();
        shared.sort_unstable();
        assert_eq!(shared, of(0, 1));
    }

    #[test]
    fn counts_what_is_overdue() {
        for (thread, threads) in [(0, 1), (1, 2)] {
            let part = Part {
                open: 1_000_000,
                close: SECOND,
                ..part(thread, threads)
            };
            let mut pacer = ramp(1234.5, 10.0, part);
            for _ in 0..5 {
                let due = all_before(pacer.clone(), 2 * SECOND);
                let edges = due.iter().flat_map(|&at| [at, at + 1]);
                for until in edges.chain([0, 1, SECOND]) {
                    let count = due.iter().filter(|&&at| at < until).count() as u64;
                    assert_eq!(pacer.due_before(until), count, "{until}");
                }
                pacer.take();
            }
        }
    }
}
