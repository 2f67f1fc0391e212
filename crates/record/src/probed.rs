//! What a probe of a rate search shows beyond the figures of a slice.

use tenbin_engine::LATE_FROM_LOG2;

use crate::fold::Interval;

/// What a probe shows second by second, and whether the load generator kept up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probed {
    /// Its seconds, in order.
    pub seconds: Vec<ProbedSecond>,
    /// Requests sent late though a connection was free, by how late: bucket i from 2^(16+i) ns
    /// on.
    late: Vec<u64>,
}

/// Work of one second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbedSecond {
    /// Response times of correct responses, nanoseconds, with how many there were.
    pub responses: Vec<(u64, u64)>,
    /// Work that failed.
    pub failed: u64,
}

impl Probed {
    /// From its seconds, and the requests sent late by how late: bucket i from 2^(16+i) ns on.
    pub fn new(seconds: Vec<ProbedSecond>, late: Vec<u64>) -> Self {
        Self { seconds, late }
    }

    pub(crate) fn add(&mut self, interval: &Interval) {
        // What came in after the window was due in its last second.
        if !interval.drain || self.seconds.is_empty() {
            self.seconds.push(ProbedSecond::default());
        }
        let work = interval.ops.iter().filter(|op| op.role.is_work());
        for op in work {
            let Some(second) = self.seconds.last_mut() else {
                continue;
            };
            second.failed += op.failed_count();
            second.responses.extend(op.response.recorded());
        }
        for (bucket, count) in interval
            .threads
            .iter()
            .flat_map(|t| t.late.iter().enumerate())
        {
            if self.late.len() <= bucket {
                self.late.resize(bucket + 1, 0);
            }
            self.late[bucket] += count;
        }
    }

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
        let probed = Probed {
            seconds: Vec::new(),
            late: vec![5, 0, 3],
        };
        for (nanos, late) in [
            (0, 8),
            (1 << 16, 8),
            (1 << 17, 3),
            (1 << 18, 3),
            (1 << 19, 0),
        ] {
            assert_eq!(probed.sent_late(nanos), late, "{nanos}");
        }
    }
}
