//! Requests that a target left unprocessed, and that were sent again.

use tenbin_record::Ledger;
use tenbin_result::format::percent;
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

/// Share of the operations above which requests that were sent again are a finding.
const NOTICEABLE: f64 = 0.001;

/// Share of refused streams above which the latencies include much time of refused attempts.
const LARGE: f64 = 0.01;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "resent",
    summary: "the target left requests unprocessed, and they were sent again",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("resent.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    evidence.cells().iter().filter_map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let mut sum = Ledger::default();
    let mut operations = 0;
    for slice in &cell.slices {
        sum += slice.ledger;
        operations += slice
            .requests()
            .map(|op| op.counts.ok + op.failed_count())
            .sum::<u64>();
    }
    let causes = [
        (sum.resent_refused, "REFUSED_STREAM"),
        (sum.resent_goaway, "GOAWAY"),
        (sum.resent_closed, "closed connection"),
    ];
    let total: u64 = causes.iter().map(|(count, _)| count).sum();
    let share = |count: u64| count as f64 / operations.max(1) as f64;
    if share(total) <= NOTICEABLE {
        return None;
    }
    let listed: Vec<String> = causes
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, cause)| format!("{cause} ×{count}"))
        .collect();
    let is_refused = share(sum.resent_refused) > LARGE;
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: if is_refused {
            Severity::Suspect
        } else {
            Severity::Note
        },
        cause: Cause::Server,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "the target did not process {total} requests, and they were sent again, for \
             {operations} operations ({}): {}; each counts once and is timed from its first start",
            percent(share(total)),
            listed.join(", ")
        ),
        advice: if is_refused {
            "use fewer --streams, or raise the target's limits: a client that does not repeat \
             refused streams sees these requests as errors"
        } else {
            "if a comparison depends on it, raise the target's limit of requests per \
             connection (in nginx: keepalive_requests)"
        }
        .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// 16,000 operations on each target; the first slice of `b` has requests that were sent again.
    fn with(change: fn(&mut Ledger)) -> Vec<Finding> {
        let mut run = Run::pair(8);
        change(&mut run.first_of("b").0.ledger);
        run.findings(&RULE)
    }

    #[test]
    fn refused_streams_are_counted_with_their_share() {
        let findings = with(|ledger| {
            ledger.resent_refused = 1_600;
            ledger.resent_goaway = 16;
        });
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "the target did not process 1616 requests, and they were sent again, for 16000 \
             operations (10.1 %): REFUSED_STREAM ×1600, GOAWAY ×16; each counts once and is timed \
             from its first start"
        );
    }

    #[test]
    fn connections_that_end_by_plan_of_the_server_are_a_note() {
        let findings = with(|ledger| ledger.resent_goaway = 400);
        assert_eq!(findings[0].severity, Severity::Note);
        let findings = with(|ledger| ledger.resent_closed = 400);
        assert!(findings[0].evidence.contains("closed connection ×400"));
    }

    #[test]
    fn silent_below_one_in_a_thousand() {
        assert_eq!(with(|ledger| ledger.resent_refused = 16), []);
    }
}
