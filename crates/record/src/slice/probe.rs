//! Additional results of a probe of a maximum-rate search or of a continuous stretch.

use crate::slice::late_requests;
use crate::slice::stalls::Stalls;

/// Results of a probe second by second, with signs that the load generator's machine did not keep
/// up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probed {
    /// Seconds of the probe, in order.
    pub seconds: Vec<ProbedSecond>,
}

/// One second of a probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbedSecond {
    /// Number of the second in the window, from 0.
    pub number: u64,
    /// Response times of correct responses: pairs of nanoseconds and count.
    pub responses: Vec<(u64, u64)>,
    /// Service times of correct responses: pairs of nanoseconds and count.
    pub services: Vec<(u64, u64)>,
    /// Failed operations.
    pub failed: u64,
    /// Requests sent late although a connection was free, by delay. Bucket i starts at 2^(16+i) ns.
    pub late: Vec<u64>,
    /// Waits of threads for a core; `None` if not observed.
    pub stalls: Option<Stalls>,
}

impl ProbedSecond {
    /// Number of requests that the load generator sent at least `nanos` nanoseconds late although a
    /// connection was free. `nanos` is rounded down to a power of 2.
    pub fn sent_late(&self, nanos: u64) -> u64 {
        late_requests::count(&self.late, nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_counted_from_a_power_of_two_on() {
        let second = ProbedSecond {
            late: vec![5, 0, 3],
            ..ProbedSecond::default()
        };
        for (nanos, late) in [
            (0, 8),
            (1 << 16, 8),
            (1 << 17, 3),
            (1 << 18, 3),
            (1 << 19, 0),
        ] {
            assert_eq!(second.sent_late(nanos), late, "{nanos}");
        }
    }
}
