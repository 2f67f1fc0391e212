//! Open loops whose slices end before many of their responses arrive.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::target::overload;

/// Share of the responses that arrived after the end of their slice, above which there is a finding.
const NOTICEABLE: f64 = 0.05;

/// Minimum number of slices.
const FEWEST: usize = 4;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unfinished",
    summary: Texts {
        english: "many requests of an open loop are answered only after the end of their slice",
        japanese: "オープンループのリクエストの多くが、スライスの終了後に応答を受けた",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("unfinished"),
    messages: Messages {
        english: r#"
            after-the-end =
                { $share } of the requests that were due in a slice were answered after its end, so
                that the throughput is { $throughput } instead of { $answered }; the next slice starts
                only after these responses, and can fall into step with periodic stalls
            lengthen =
                use a longer --slice: at least twenty times the longest response time, and many times
                the period of stalls
        "#,
        japanese: r#"
            after-the-end =
                スライス内に送信予定だったリクエストの { $share } が、スライスの終了後に応答を受けたため、
                スループットは { $answered } ではなく { $throughput } になった。次のスライスはその応答の後に
                始まるので、周期的な停止と足並みがそろうことがある
            lengthen =
                --slice を長くする。最長の応答時間の 20 倍以上、停止の周期の何倍もの長さにする
        "#,
    },
    tier: Tier::Circumstance,
    explained_by: &[&overload::RULE],
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let (work, full) = (cell.workload, cell.full());
    let has_no_rate = is_closed(work) || work.search().is_some() || work.may_end_early();
    if has_no_rate || full.len() < FEWEST {
        return None;
    }
    let (mut answered, mut in_time, mut seconds) = (0, 0, 0.0);
    for slice in &full {
        for op in slice.requests() {
            answered += op.times.response.len();
            in_time += op.counts.ok;
        }
        seconds += slice.end.seconds;
    }
    let late = answered.saturating_sub(in_time) as f64 / answered.max(1) as f64;
    if late <= NOTICEABLE || seconds <= 0.0 {
        return None;
    }
    let after_the_end = message!(
        "after-the-end",
        share = Value::Share(late),
        throughput = Value::Rate(in_time as f64 / seconds),
        answered = Value::Rate(answered as f64 / seconds)
    );
    let advice = message!("lengthen");
    let finding = RULE.finding(Severity::Suspect, Cause::Plan, after_the_end, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Leaves `late` of 1,000 responses in each slice of target `b` to the time after the slice.
    fn late(run: Run, late: u64) -> Run {
        let mut run = run;
        run.each_of("b", |slice| {
            slice.answers(1_000, 0.01);
            slice.0.ops[0].counts.ok -= late;
        });
        run
    }

    #[test]
    fn responses_after_the_end_of_a_slice_are_missing_from_the_throughput() {
        let run = late(Run::pair(8).open_loop(), 210);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].severity, Severity::Suspect);
        for part in ["21 % of the requests", "790/s instead of 1.00 k/s"] {
            assert!(findings[0].evidence.contains(part), "{findings:?}");
        }
    }

    #[test]
    fn silent_for_a_few_responses_and_in_a_closed_loop() {
        assert_eq!(late(Run::pair(8).open_loop(), 30).findings(&RULE), []);
        assert_eq!(late(Run::pair(8), 210).findings(&RULE), []);
    }
}
