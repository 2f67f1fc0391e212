//! What a probe of a rate search shows beyond the figures of a slice.

use tenbin_engine::LATE_FROM_LOG2;

use crate::stalls::Stalls;

/// What a probe shows second by second, and whether the machine kept up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probed {
    /// Its seconds, in order.
    pub seconds: Vec<ProbedSecond>,
}

/// Work of one second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbedSecond {
    /// Response times of correct responses, nanoseconds, with how many there were.
    pub responses: Vec<(u64, u64)>,
    /// Service times of the same responses.
    pub services: Vec<(u64, u64)>,
    /// Work that failed.
    pub failed: u64,
    /// Requests sent late though a connection was free, by how late: bucket i from 2^(16+i) ns
    /// on.
    pub late: Vec<u64>,
    /// Long waits for a core; `None` where nobody looked.
    pub stalls: Option<Stalls>,
}

impl ProbedSecond {
    /// Number of requests that the load generator sent at least `nanos` late although a connection
    /// was free. `nanos` is rounded down to a power of 2.
    pub fn sent_late(&self, nanos: u64) -> u64 {
        let log2 = nanos.checked_ilog2().unwrap_or(0);
        let first = log2.saturating_sub(LATE_FROM_LOG2) as usize;
        self.late.iter().skip(first).sum()
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
