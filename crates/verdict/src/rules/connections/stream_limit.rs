//! Servers that allow fewer concurrent HTTP/2 streams than planned.

use tenbin_plan::Workload;
use tenbin_record::Ledger;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "stream_limit",
    summary: Texts {
        english: "a target allows fewer concurrent HTTP/2 streams than planned",
        japanese: "ターゲットが許す HTTP/2 の同時ストリーム数が計画より少ない",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("stream_limit"),
    messages: Messages {
        english: r#"
            limited =
                { $target } allows { $allowed } concurrent streams per connection
                (SETTINGS_MAX_CONCURRENT_STREAMS), { $planned } were planned: at most { $most } requests are in
                flight instead of { $wanted }{ $unlike }
            unlike = , but up to { $most } at { $target }; the ratio compares different concurrency
            same-for-all =
                use --streams { $allowed } for all targets, or raise the limit of { $target } (in nginx:
                http2_max_concurrent_streams); more connections raise the concurrency of all targets
        "#,
        japanese: r#"
            limited =
                { $target } が許す同時ストリーム数は接続あたり { $allowed }(SETTINGS_MAX_CONCURRENT_STREAMS)で、
                計画は { $planned }。同時に処理中のリクエストは { $wanted } ではなく最大 { $most }{ $unlike }
            unlike = 。一方 { $target } では最大 { $most } で、この比は異なる同時実行数を比べている
            same-for-all =
                全ターゲットで --streams { $allowed } を使うか、{ $target } の上限を上げる
                (nginx では http2_max_concurrent_streams)。接続を増やせば全ターゲットの同時実行数が上がる
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let workloads = evidence.plan.workloads.iter();
    workloads
        .flat_map(|workload| {
            let mine = cells
                .iter()
                .filter(|cell| cell.workload.name == workload.name);
            of_workload(workload, &mine.collect::<Vec<_>>())
        })
        .collect()
}

fn of_workload(workload: &Workload, cells: &[&Cell<'_>]) -> Vec<Finding> {
    let planned = workload.load.depth as u64;
    let streams = |cell: &Cell<'_>| allowed(cell).unwrap_or(planned).min(planned);
    let most = cells.iter().map(|cell| streams(cell)).max();
    let limited = cells.iter().filter(|cell| streams(cell) < planned);
    limited
        .map(|cell| {
            let own = streams(cell);
            let unlike = cells.iter().find(|other| Some(streams(other)) == most);
            let unlike = unlike.filter(|other| streams(other) > own);
            finding(
                workload,
                cell,
                own,
                unlike.map(|other| (other.target.name.as_str(), streams(other))),
            )
        })
        .collect()
}

/// The smallest number of streams that the target allowed on a connection; `None` without a limit
/// below the planned number.
fn allowed(cell: &Cell<'_>) -> Option<u64> {
    let mut sum = Ledger::default();
    for slice in &cell.slices {
        sum += slice.ledger;
    }
    sum.streams_allowed
}

fn finding(workload: &Workload, cell: &Cell<'_>, own: u64, unlike: Option<(&str, u64)>) -> Finding {
    let (planned, connections) = (workload.load.depth as u64, workload.load.connections as u64);
    let target = &cell.target.name;
    let in_flight = |streams: u64| Value::Plain(streams * connections);
    let severity = match unlike {
        Some(_) => Severity::Suspect,
        None => Severity::Note,
    };
    let unlike = unlike
        .map(|(other, streams)| message!("unlike", target = other, most = in_flight(streams)));
    let limited = message!(
        "limited",
        target,
        allowed = Value::Plain(own),
        planned = Value::Plain(planned),
        most = in_flight(own),
        wanted = in_flight(planned),
        unlike
    );
    let advice = message!("same-for-all", allowed = Value::Plain(own), target);
    let finding = RULE.finding(severity, Cause::Setup, limited, advice);
    finding.on(&workload.name, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn run(of_a: Option<u64>, of_b: Option<u64>) -> Run {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.depth = 8;
        run.each_of("a", |slice| slice.0.ledger.streams_allowed = of_a);
        run.each_of("b", |slice| slice.0.ledger.streams_allowed = of_b);
        run
    }

    #[test]
    fn a_limit_on_one_side_makes_the_comparison_suspect_and_stands_first() {
        let run = run(Some(1), None);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert_eq!(
            findings[0].evidence,
            "a allows 1 concurrent streams per connection (SETTINGS_MAX_CONCURRENT_STREAMS), 8 \
             were planned: at most 2 requests are in flight instead of 16, but up to 16 at b; the \
             ratio compares different concurrency"
        );
        let assessment = run.assess();
        assert!(
            assessment
                .primary()
                .all(|one| one.trust != tenbin_result::Trust::Valid)
        );
    }

    #[test]
    fn one_limit_for_all_is_a_note_and_different_limits_are_not() {
        let findings = run(Some(4), Some(4)).findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|one| one.severity == Severity::Note));
        let findings = run(Some(4), Some(2)).findings(&RULE);
        let severities: Vec<Severity> = findings.iter().map(|one| one.severity).collect();
        assert_eq!(severities, [Severity::Note, Severity::Suspect]);
    }

    #[test]
    fn silent_when_the_planned_streams_are_allowed() {
        assert_eq!(run(None, None).findings(&RULE), []);
    }
}
