//! The integral of a rate that changes with time: the number of operations due by each time.

use std::sync::Arc;
use std::time::Duration;

use super::Part;

/// A period in which the rate changes linearly.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// Start of the period, nanoseconds since the origin.
    start: f64,
    /// Length of the period, nanoseconds; infinite for the last period.
    length: f64,
    /// Rate at the start of the period, operations per nanosecond.
    rate: f64,
    /// Change of the rate per nanosecond, operations per square nanosecond.
    slope: f64,
    /// Operations due before the start of the period; can be fractional.
    before: f64,
}

impl Stretch {
    /// Operations due in the first `elapsed` nanoseconds of the period: the integral of the rate.
    fn operations(&self, elapsed: f64) -> f64 {
        elapsed * (self.rate + self.slope * elapsed / 2.0)
    }

    /// The time at which this number of the period's operations is due, nanoseconds since the
    /// origin: `start` plus the root t of `slope/2 · t² + rate · t = operations`, in a form that is
    /// accurate for a small slope and valid for a slope of zero.
    fn time_of(&self, operations: f64) -> f64 {
        let root = (self.rate * self.rate + 2.0 * self.slope * operations).max(0.0);
        self.start + 2.0 * operations / (self.rate + root.sqrt())
    }
}

/// The integral of a rate over time, and its inverse. Before the window opens, the rate is the
/// first rate of the window.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    stretches: Arc<[Stretch]>,
}

impl Curve {
    /// A constant rate, operations per second.
    pub(super) fn flat(per_second: f64) -> Self {
        Self::new(&[(f64::INFINITY, per_second, per_second)])
    }

    /// A rate that changes linearly from `from` at the start of the window to `to` at the end,
    /// operations per second. In a window without an end, the rate stays at `from`.
    pub(super) fn ramp(from: f64, to: f64, part: Part) -> Self {
        let open = part.open as f64;
        match part.close {
            u64::MAX => Self::flat(from),
            close => Self::new(&[
                (open, from, from),
                (close as f64 - open, from, to),
                (f64::INFINITY, to, to),
            ]),
        }
    }

    /// Consecutive rates in operations per second, each with a duration. The last rate lasts to the
    /// end of the window.
    pub(super) fn steps(steps: &[(f64, Duration)], part: Part) -> Self {
        let first = steps.first().map(|&(rate, _)| rate);
        let last = steps.last().map(|&(rate, _)| rate);
        let lead = first.map(|rate| (part.open as f64, rate, rate));
        let flat = |&(rate, length): &(f64, Duration)| (length.as_nanos() as f64, rate, rate);
        let rest = last.map(|rate| (f64::INFINITY, rate, rate));
        let stretches: Vec<_> = lead
            .into_iter()
            .chain(steps.iter().map(flat))
            .chain(rest)
            .collect();
        Self::new(&stretches)
    }

    /// A curve of consecutive `stretches`, each given as its length in nanoseconds, its first rate
    /// and its last rate, both in operations per second.
    fn new(stretches: &[(f64, f64, f64)]) -> Self {
        let (mut start, mut before) = (0.0, 0.0);
        let stretches = stretches
            .iter()
            .filter(|&&(length, ..)| length > 0.0)
            .map(|&(length, from, to)| {
                let stretch = Stretch {
                    start,
                    length,
                    rate: from / 1e9,
                    slope: (to - from) / 1e9 / length,
                    before,
                };
                start += length;
                before += stretch.operations(length);
                stretch
            })
            .collect();
        Self { stretches }
    }

    /// The time at which the integral of the rate reaches `operations`, nanoseconds since the
    /// origin.
    pub(super) fn time_of(&self, operations: f64) -> u64 {
        let within = self
            .stretches
            .iter()
            .rev()
            .find(|stretch| stretch.before <= operations);
        // At a rate of zero no operation is ever due.
        within.map_or(u64::MAX, |stretch| {
            let time = stretch.time_of(operations - stretch.before);
            time.min(stretch.start + stretch.length) as u64
        })
    }
}
