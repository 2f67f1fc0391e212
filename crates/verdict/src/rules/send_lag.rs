//! Requests that are sent late.

use tenbin_record::{OpFigures, Slice};

use super::Rule;
use crate::evidence::{Cell, Evidence, is_closed};
use crate::finding::{Blame, Finding, Severity};
use crate::latency::quantile;
use crate::words::{count, middle, percent, ratio, time};

/// Share of the median service time that the 99th percentile of the lag may reach.
const LATE: f64 = 0.10;

/// The same beyond which response times are those of the generator.
const VOID: f64 = 1.00;

/// Lag, seconds, that no share of anything makes a finding of.
const UNSEEN: f64 = 0.000_1;

/// Lag, seconds, below which it voids nothing.
const ACCURATE: f64 = 0.001;

/// Requests that are sent late.
pub(super) struct SendLag;

impl Rule for SendLag {
    fn name(&self) -> &'static str {
        "send_lag"
    }

    fn summary(&self) -> &'static str {
        "requests were sent later than they were due"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("send_lag.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let open = cells.iter().filter(|cell| !is_closed(cell.workload));
        // Without keep-alive the lag has the making of connections in it.
        let kept = open.filter(|cell| cell.workload.load.keep_alive);
        kept.filter_map(|cell| self.cell(cell)).collect()
    }
}

impl SendLag {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        let full = cell.full();
        let lag = quantile(&full, 0.99, |op| &op.lag, is_request).value()?;
        let service = quantile(&full, 0.50, |op| &op.service, is_request).value()?;
        let share = lag / service;
        if share <= LATE || lag <= UNSEEN {
            return None;
        }
        let all_in_use = may_all_be_in_use(cell, &full)?;
        let severity = if all_in_use {
            Severity::Note
        } else if share > VOID && lag > ACCURATE {
            Severity::Invalid
        } else {
            Severity::Suspect
        };
        let connections = count(cell.workload.load.connections, "connection");
        let because = if all_in_use {
            format!("all {connections} were in use")
        } else {
            format!("though not all {connections} were in use")
        };
        let size = if share > 1.0 {
            format!("{} times", ratio(share))
        } else {
            format!("{} of", percent(share))
        };
        Some(Finding {
            rule: self.name(),
            severity,
            blame: if all_in_use {
                Blame::Setup
            } else {
                Blame::Generator
            },
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "one request in a hundred was sent {} or more after it was due, {size} the median \
                 service time of {}: {because}",
                time(lag),
                time(service)
            ),
            advice: if all_in_use {
                "use more --connections, so that response times have no waiting for one in them"
            } else {
                "the generator was late: use more --threads, a lower --rate, or a machine with \
                 idle cores; service times stand, response times have its lateness in them"
            }
            .to_owned(),
        })
    }
}

/// Whether one request in a hundred can have found all connections in use: as many are
/// due while one of the slowest in a hundred is answered.
fn may_all_be_in_use(cell: &Cell<'_>, full: &[&Slice]) -> Option<bool> {
    let slow = quantile(full, 0.99, |op| &op.service, is_request).value()?;
    let answered = middle(full.iter().filter_map(|slice| slice.answer_rate()))?;
    let load = &cell.workload.load;
    Some(answered * slow >= (load.connections * load.depth) as f64)
}

fn is_request(op: &OpFigures) -> bool {
    op.role.is_request()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Sixteen connections, 1,000 requests a second of 2 ms, of which one in fifty is
    /// sent so late.
    fn late_by(micros: u64) -> Run {
        let mut run = Run::pair(8).open_loop();
        run.plan.workloads[0].load.connections = 16;
        run.each_of("b", |slice| {
            let lag = &mut slice.0.ops[0].lag;
            lag.record_n(5_000, 980).unwrap();
            lag.record_n(micros * 1_000, 20).unwrap();
        });
        run
    }

    #[test]
    fn a_late_generator_is_suspect_and_a_very_late_one_voids() {
        let findings = late_by(300).findings(&SendLag);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].blame, Blame::Generator);
        assert!(
            findings[0].evidence.starts_with(
                "one request in a hundred was sent 300 µs or more after it was due, 15 % of"
            ),
            "{findings:?}"
        );
        assert_eq!(
            late_by(2_500).findings(&SendLag)[0].severity,
            Severity::Invalid
        );
    }

    #[test]
    fn whoever_waits_for_a_connection_is_told_to_use_more() {
        let mut run = late_by(2_500);
        run.plan.workloads[0].load.connections = 2;
        let findings = run.findings(&SendLag);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].blame, Blame::Setup);
        assert!(
            findings[0]
                .evidence
                .ends_with("all 2 connections were in use")
        );
    }

    #[test]
    fn silent_when_it_is_small_or_not_the_generators() {
        assert_eq!(late_by(150).findings(&SendLag), [], "under a tenth");
        let mut quick = late_by(90);
        quick.each(|slice| {
            slice.0.ops[0].service.clear();
            slice.0.ops[0].service.record_n(100_000, 1_000).unwrap();
        });
        assert_eq!(quick.findings(&SendLag), [], "too little to see");
        let mut reconnecting = late_by(2_500);
        reconnecting.plan.workloads[0].load.keep_alive = false;
        assert_eq!(reconnecting.findings(&SendLag), []);
        assert_eq!(Run::pair(8).findings(&SendLag), []);
    }
}
