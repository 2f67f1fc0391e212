//! Agents that do not measure a slice at the same time.

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Difference between the windows, as a share of the length of a slice, above which there is a
/// finding.
const APART: f64 = 0.01;

const NANOS_PER_SECOND: f64 = 1e9;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "start_skew",
    summary: Texts {
        english: "agents did not measure a slice at the same time",
        japanese: "エージェントが同じスライスを同時に測らなかった",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("start_skew"),
    messages: Messages {
        english: r#"
            apart =
                the windows of the agents were up to { $seconds } apart, { $share } of a slice
                ({ $basis })
            longer-slices =
                use longer slices, or a faster network between the agents and the NATS server
        "#,
        japanese: r#"
            apart =
                エージェントの測定区間に最大 { $seconds } のずれがあり、スライスの長さの { $share } にあたる({ $basis })
            longer-slices =
                スライスを長くする、またはエージェントと NATS サーバーの間により速いネットワークを使う
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let agents = evidence.plan.agents.as_ref();
    // For a single agent, the recorded figure is the error of its clock, not a difference.
    if agents.is_none_or(|agents| agents.count < 2) {
        return Vec::new();
    }
    let cells = evidence.cells();
    cells.iter().filter_map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let full = cell.full();
    let known: Vec<Apart> = full.iter().filter_map(|slice| Apart::of(slice)).collect();
    let share = middle(known.iter().map(|apart| apart.share))?;
    let seconds = middle(known.iter().map(|apart| apart.seconds))?;
    let is_far = share > APART;
    if !is_far {
        return None;
    }
    let apart = message!(
        "apart",
        seconds = Value::Seconds(seconds),
        share = Value::Share(share),
        basis = message!("median-of-slices", slices = known.len())
    );
    let advice = message!("longer-slices");
    let finding = RULE.finding(Severity::Suspect, Cause::Generator, apart, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// Largest possible difference between the windows of a slice on two agents: of their starts and,
/// if they sent a segment of a sequence, of their lengths.
struct Apart {
    seconds: f64,
    /// Share of the length of the slice.
    share: f64,
}

impl Apart {
    /// `None` if the difference is unknown, and for a slice of 0 s.
    fn of(slice: &Slice) -> Option<Self> {
        let seconds = slice.end.start_skew_ns? as f64 / NANOS_PER_SECOND;
        (slice.end.seconds > 0.0).then(|| Self {
            seconds,
            share: seconds / slice.end.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::Agents;

    use super::*;
    use crate::testing::Run;

    /// A run with slices of 1 s on this number of agents; those of `b` start `micros` µs apart.
    fn apart(micros: Option<u64>, count: usize) -> Run {
        let mut run = Run::pair(8);
        run.plan.agents = Some(Agents {
            count,
            nats: "nats://hub:4222".to_owned(),
            creds: None,
            on_loss: tenbin_plan::OnLoss::default(),
            wait: std::time::Duration::ZERO,
        });
        run.each_of("b", |slice| {
            slice.0.end.start_skew_ns = micros.map(|micros| micros * 1_000);
        });
        run
    }

    #[test]
    fn starts_more_than_one_percent_of_a_slice_apart_are_found() {
        let findings = apart(Some(12_000), 2).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].workload.as_deref(), Some("get"));
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "the windows of the agents were up to 12.0 ms apart, 1.2 % of a slice (median of 16 slices)"
        );
        assert_eq!(apart(Some(8_000), 2).findings(&RULE), []);
    }

    #[test]
    fn the_length_of_a_slice_and_the_median_decide() {
        let mut run = apart(Some(12_000), 2);
        run.each(|slice| slice.0.end.seconds = 2.0);
        assert_eq!(run.findings(&RULE), [], "0.6 % of a slice");
        let mut once = apart(Some(100), 2);
        once.first_of("b").0.end.start_skew_ns = Some(500_000_000);
        assert_eq!(once.findings(&RULE), []);
        let mut cut = apart(Some(12_000), 2);
        cut.each(|slice| slice.cut_short());
        assert_eq!(cut.findings(&RULE), [], "no full slice");
    }

    #[test]
    fn silent_when_unknown_and_without_a_second_agent() {
        assert_eq!(apart(None, 2).findings(&RULE), []);
        assert_eq!(apart(Some(12_000), 1).findings(&RULE), []);
        let mut run = apart(Some(12_000), 2);
        run.plan.agents = None;
        assert_eq!(run.findings(&RULE), []);
    }
}
