//! Seconds of a running slice, for live displays.

use std::collections::BTreeMap;

use tenbin_engine::{ErrorClass, Role};

use crate::histogram::packed::PackedHistogram;
use crate::seconds::counts::{SecondCounts, SecondTimes};
use crate::slice::server::ServerUse;

/// The figures of one operation in one second of a slice's window, just written to the record.
#[derive(Debug, Clone)]
pub struct LiveSecond {
    /// Number of the second in the window, from 0. A late thread adds another part of the same
    /// second.
    pub second: u64,
    /// The last second that every thread has reported; `None` until every thread has reported once.
    pub reached: Option<u64>,
    /// Counts of the operation in the second.
    pub counts: SecondCounts,
    /// Role of the operation: only work counts as throughput.
    pub role: Role,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Resource use of the target since the previous second, if observed. All operations of a
    /// second have the same value.
    pub server: Option<ServerUse>,
    /// Response times of correct operations, nanoseconds; empty in a closed loop.
    pub response: PackedHistogram,
    /// Service times of correct operations, nanoseconds.
    pub service: PackedHistogram,
}

impl LiveSecond {
    /// Adds the figures of a later second of the same operation.
    pub fn add(&mut self, later: &Self) {
        let length = self.counts.length + later.counts.length;
        self.count(later, length);
    }

    /// Adds another part of the same second, with the figures of other threads.
    pub fn join(&mut self, part: &Self) {
        let length = self.counts.length.max(part.counts.length);
        self.count(part, length);
    }

    fn count(&mut self, other: &Self, length: f64) {
        let (sum, more) = (&mut self.counts, &other.counts);
        sum.length = length;
        sum.ok += more.ok;
        sum.payload += more.payload;
        sum.failed += more.failed;
        for (class, count) in &other.errors {
            *self.errors.entry(*class).or_default() += count;
        }
        self.response.add(&other.response);
        self.service.add(&other.service);
        sum.service = SecondTimes::of(&self.service);
    }
}

impl SecondTimes {
    fn of(service: &PackedHistogram) -> Option<Self> {
        (!service.is_empty()).then(|| Self {
            p50_ns: service.value_at_quantile(0.5),
            p99_ns: service.value_at_quantile(0.99),
            min_ns: Some(service.min()),
            mean_ns: Some(service.mean() as u64),
            max_ns: service.max(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(times: impl Iterator<Item = u64>) -> LiveSecond {
        let mut service = PackedHistogram::new();
        times.for_each(|time| service.record(time).unwrap());
        LiveSecond {
            second: 0,
            reached: Some(0),
            counts: SecondCounts {
                slice: 0,
                operation: "GET".to_owned(),
                second: 0,
                length: 1.0,
                ok: service.len(),
                payload: service.len() * 10,
                failed: 1,
                service: SecondTimes::of(&service),
            },
            role: Role::Request,
            errors: BTreeMap::from([(ErrorClass::Status, 1)]),
            server: None,
            response: PackedHistogram::new(),
            service,
        }
    }

    #[test]
    fn percentiles_are_those_of_all_and_no_means() {
        let mut sum = second(1..=1_000);
        let one = sum.counts.service;
        sum.add(&second(9_000..=9_010));
        assert_eq!(sum.counts.length, 2.0);
        assert_eq!(
            (sum.counts.ok, sum.counts.payload, sum.counts.failed),
            (1_011, 10_110, 2)
        );
        assert_eq!(sum.errors[&ErrorClass::Status], 2);
        let times = sum.counts.service.unwrap();
        assert_eq!(
            (one.unwrap().p99_ns, times.p99_ns),
            (990, 9_000 / 8 * 8 + 7)
        );
        assert_eq!((times.min_ns, times.max_ns / 100), (Some(1), 90));
        let mut nothing = second(std::iter::empty());
        nothing.add(&second(std::iter::empty()));
        assert_eq!(nothing.counts.service, None);
        nothing.add(&second(5..=5));
        assert_eq!(nothing.counts.service.unwrap().max_ns, 5);
    }
}
