//! Targets that become faster or slower within the quads.

use tenbin_plan::Workload;
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Metric, Severity, Value, message};
use tenbin_stats::{CONFIDENCE, Drift, drift, quad_drift};

use crate::compare::metric::Measure;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Change from the first to the last slice of a quad above which there is a finding.
const NOTICEABLE: f64 = 0.02;

/// Change within a quad above which the drift is seldom linear, so that quads may not cancel it.
const LARGE: f64 = 0.20;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "drift",
    summary: Texts {
        english: "a target became faster or slower while it was measured",
        japanese: "測定中にターゲットが速く、または遅くなった",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("drift"),
    messages: Messages {
        english: r#"
            changes =
                from the first to the last slice of two rounds (A B B A), the primary metric of the same target
                changes by { $change } ({ $rounds ->
                    [one] 1 round
                   *[other] { $rounds } rounds
                })
            avoid =
                the order of the slices cancels a steady change; to avoid it, use a longer --warmup, a fresh
                data set or a fixed CPU frequency
        "#,
        japanese: r#"
            changes =
                同じターゲットの判定に使う値が、2 ラウンド(A B B A)の最初から最後のスライスまでに { $change } 変わる
                ({ $rounds } ラウンド)
            avoid =
                一定の変化はスライスの順序で相殺される。避けるには、--warmup を長くする、新しいデータセットを使う、
                CPU 周波数を固定する
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let workloads = evidence.plan.workloads.iter();
    workloads
        .filter_map(|workload| {
            let found = test(workload, evidence.slices)?;
            let across = found.across_quad();
            (found.is_significant() && across.abs() > NOTICEABLE)
                .then(|| finding_of(workload, across, found.per_slice.n))
        })
        .collect()
}

fn finding_of(workload: &Workload, across: f64, quads: usize) -> Finding {
    let severity = Severity::Note.raised_if(across.abs() > LARGE);
    let changes = message!("changes", change = Value::Share(across), rounds = 2 * quads);
    let finding = RULE.finding(severity, Cause::Setup, changes, message!("avoid"));
    finding.of_workload(&workload.name)
}

fn test(workload: &Workload, slices: &[Slice]) -> Option<Drift> {
    drift(&per_quad(workload, slices, quad_drift), CONFIDENCE)
}

/// One value per quad of a workload, computed by `of` from the default primary metrics of the four
/// slices: first those of the first and last slice, which belong to one target, then those of the
/// two middle slices.
pub(crate) fn per_quad(
    workload: &Workload,
    slices: &[Slice],
    of: fn([f64; 2], [f64; 2]) -> Option<f64>,
) -> Vec<f64> {
    let Some(metric) = Metric::of_load(is_closed(workload)).first() else {
        return Vec::new();
    };
    let mut mine: Vec<&Slice> = slices
        .iter()
        .filter(|slice| slice.workload == workload.name && !slice.end.cut_short)
        .collect();
    mine.sort_by_key(|slice| (slice.block, slice.index));
    mine.chunk_by(|a, b| a.block == b.block)
        .filter_map(|block| {
            let (outer, inner) = figures_of_quad(*metric, block)?;
            of(outer, inner)
        })
        .collect()
}

/// The figures (outer slices, inner slices) of an ABBA or BAAB quad; `None` for any other block.
fn figures_of_quad(metric: Metric, block: &[&Slice]) -> Option<([f64; 2], [f64; 2])> {
    let [first, second, third, last] = block else {
        return None;
    };
    let outer_same = first.target == last.target;
    let inner_same = second.target == third.target;
    if !outer_same || !inner_same || first.target == second.target {
        return None;
    }
    let value = |slice: &Slice| metric.of_block(&[slice])?.first().copied();
    Some((
        [value(first)?, value(last)?],
        [value(second)?, value(third)?],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn drifting(per_slice: f64) -> Run {
        let mut run = Run::pair(8);
        let mut position = 0;
        run.each(|slice| {
            let level = 1.0 + per_slice * f64::from(position % 4);
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            position += 1;
        });
        run
    }

    #[test]
    fn fires_when_every_quad_slows_down() {
        let findings = drifting(-0.03).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let findings = drifting(-0.09).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_it_is_small_or_a_difference_between_the_targets() {
        assert_eq!(drifting(0.004).findings(&RULE), []);
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(run.findings(&RULE), []);
    }
}
