//! The figures of one second on one target, summed over all operations of the workload.

use tenbin_record::{LiveSecond, PackedHistogram};

/// One second of a slice.
#[derive(Debug, Clone)]
pub(super) struct Second {
    /// Number of the second in the measured window of the slice, from 0.
    number: u64,
    /// Measured time within the second, in seconds; less than 1 if the slice ends earlier.
    length: f64,
    /// Correct operations.
    pub(super) ok: u64,
    /// Failed operations.
    pub(super) failed: u64,
    /// Service times of correct operations, nanoseconds.
    service: PackedHistogram,
    /// Response times of correct operations, nanoseconds; empty in a closed loop.
    response: PackedHistogram,
    /// CPU seconds that the target used, and length of the observed interval in seconds.
    cpu: Option<(f64, f64)>,
}

impl Second {
    /// Correct operations per second; `None` if no operation ended.
    pub(super) fn rate(&self) -> Option<f64> {
        (self.length > 0.0 && self.ok + self.failed > 0).then(|| self.ok as f64 / self.length)
    }

    /// The time at this quantile in seconds: response time in an open loop, service time in a
    /// closed loop. `None` without correct operations.
    pub(super) fn time(&self, quantile: f64) -> Option<f64> {
        let times = if self.response.is_empty() {
            &self.service
        } else {
            &self.response
        };
        (!times.is_empty()).then(|| times.value_at_quantile(quantile) as f64 / 1e9)
    }

    /// CPU cores that the target used; `None` if the target is not observed.
    pub(super) fn cores(&self) -> Option<f64> {
        let (used, seconds) = self.cpu?;
        (seconds > 0.0).then(|| used / seconds)
    }

    fn add(&mut self, part: &LiveSecond) {
        self.length = self.length.max(part.counts.length);
        self.ok += part.counts.ok;
        self.failed += part.counts.failed;
        self.service.add(&part.service);
        self.response.add(&part.response);
        if let Some(server) = part.server {
            self.cpu = server.cpu_seconds.zip(server.seconds);
        }
    }
}

/// Sums the figures of all operations (GET, PUT and so on) of each second. The figures of each
/// operation arrive separately.
#[derive(Debug, Default)]
pub(super) struct Seconds {
    pending: Option<Second>,
}

impl Seconds {
    /// Adds the figures of an operation. Returns the current second if the figures are of a
    /// later second. Figures of an earlier second come from a late thread and are ignored.
    pub(super) fn add(&mut self, part: &LiveSecond) -> Option<Second> {
        if !part.role.is_work() {
            return None;
        }
        let complete = match &self.pending {
            Some(pending) if part.second < pending.number => return None,
            Some(pending) if part.second > pending.number => self.pending.take(),
            _ => None,
        };
        let pending = self.pending.get_or_insert_with(|| Second {
            number: part.second,
            length: 0.0,
            ok: 0,
            failed: 0,
            service: PackedHistogram::new(),
            response: PackedHistogram::new(),
            cpu: None,
        });
        pending.add(part);
        complete
    }

    /// Returns the incomplete second at the end of a slice.
    pub(super) fn end(&mut self) -> Option<Second> {
        self.pending.take()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use tenbin_engine::{ErrorClass, Role};
    use tenbin_record::{SecondCounts, ServerUse};

    use super::*;

    /// Figures of an operation: `ok` correct responses of 1 ms, one failure and half a CPU core.
    pub(in crate::telemetry) fn part(second: u64, operation: &str, ok: u64) -> LiveSecond {
        let mut service = PackedHistogram::new();
        service.record_n(1_000_000, ok).unwrap();
        LiveSecond {
            second,
            reached: Some(second),
            counts: SecondCounts {
                slice: 0,
                operation: operation.to_owned(),
                second,
                length: 1.0,
                ok,
                payload: ok * 10,
                failed: 1,
                service: None,
            },
            role: Role::Request,
            errors: BTreeMap::from([(ErrorClass::Status, 1)]),
            server: Some(ServerUse {
                cpu_seconds: Some(0.5),
                seconds: Some(1.0),
                ..ServerUse::default()
            }),
            response: PackedHistogram::new(),
            service,
        }
    }

    #[test]
    fn a_second_has_all_operations_and_is_complete_when_the_next_starts() {
        let mut seconds = Seconds::default();
        assert!(seconds.add(&part(0, "GET", 90)).is_none());
        assert!(seconds.add(&part(0, "PUT", 10)).is_none());
        let first = seconds.add(&part(1, "GET", 5)).unwrap();
        assert_eq!(first.rate(), Some(100.0));
        assert_eq!(first.failed, 2);
        assert_eq!(first.cores(), Some(0.5));
        let p50 = first.time(0.5).unwrap();
        assert!((p50 - 0.001).abs() < 0.000_01, "{p50}");
        assert!(seconds.add(&part(0, "GET", 7)).is_none(), "late");
        assert_eq!(seconds.end().unwrap().ok, 5);
        assert!(seconds.end().is_none());
    }

    #[test]
    fn only_work_counts_and_what_is_unknown_is_not_0() {
        let mut seconds = Seconds::default();
        let step = LiveSecond {
            role: Role::Step,
            ..part(0, "step", 100)
        };
        assert!(seconds.add(&step).is_none());
        assert!(seconds.end().is_none());
        let mut idle = LiveSecond {
            server: None,
            ..part(0, "GET", 0)
        };
        idle.counts.failed = 0;
        seconds.add(&idle);
        let idle = seconds.end().unwrap();
        assert_eq!(
            (idle.rate(), idle.time(0.5), idle.cores()),
            (None, None, None)
        );
    }

    #[test]
    fn an_open_loop_shows_response_times() {
        let mut open = part(0, "GET", 10);
        open.response.record_n(50_000_000, 10).unwrap();
        let mut seconds = Seconds::default();
        seconds.add(&open);
        let p50 = seconds.end().unwrap().time(0.5).unwrap();
        assert!((p50 - 0.05).abs() < 0.001, "{p50}");
    }
}
