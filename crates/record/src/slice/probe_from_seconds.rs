//! Computes the results of a probe (see [`crate::slice::RateProbe`]) from its seconds.

use crate::seconds::second::Interval;
use crate::slice::late_requests;
use crate::slice::probe::{Probed, ProbedSecond};

impl Probed {
    pub(crate) fn add(&mut self, interval: &Interval) {
        // Responses in the drain count for the last second of the window. A thread that reported
        // late adds to a second that is known.
        let known = self
            .seconds
            .iter()
            .rposition(|second| second.number == interval.second);
        let at = match known {
            _ if interval.drain && !self.seconds.is_empty() => self.seconds.len() - 1,
            Some(at) => at,
            None => {
                self.seconds.push(ProbedSecond {
                    number: interval.second,
                    ..ProbedSecond::default()
                });
                self.seconds.len() - 1
            }
        };
        self.seconds[at].add(interval);
    }
}

impl ProbedSecond {
    fn add(&mut self, interval: &Interval) {
        for op in interval.ops.iter().filter(|op| op.role.is_work()) {
            self.failed += op.failed_count();
            self.responses.extend(op.times.response.recorded());
            self.services.extend(op.times.service.recorded());
        }
        let threads = interval.threads.iter();
        threads.for_each(|thread| late_requests::add(&mut self.late, &thread.late));
        let both = self.stalls.into_iter().chain(interval.stalls);
        self.stalls = both.reduce(|sum, part| sum + part);
    }
}
