//! Targets that perform differently depending on which target ran before.

use tenbin_plan::Workload;
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::{CONFIDENCE, Estimate, quad_carry_over, ratio as ratio_of};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::comparison::drift::per_quad;

/// Relative carry-over above which there is a finding.
const NOTICEABLE: f64 = 0.02;

/// Relative carry-over above which the order of the slices may not cancel the effect.
const LARGE: f64 = 0.20;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "carry_over",
    summary: Texts {
        english: "a target performs differently depending on which target ran before it",
        japanese: "直前にどのターゲットを測ったかで、ターゲットの性能が変わる",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("carry_over"),
    messages: Messages {
        english: r#"
            depends-on-previous =
                the primary metric of a target is { $size } { $way ->
                    [higher] higher
                   *[lower] lower
                } in a slice that follows a slice of the same target than in a slice that follows the other
                target ({ $rounds ->
                    [one] 1 round
                   *[other] { $rounds } rounds
                }; steady drift is removed)
            longer-gap =
                use a longer --gap, so that the targets are idle before the next slice; look for deferred
                work, such as flushing or compaction
        "#,
        japanese: r#"
            depends-on-previous =
                ターゲットの判定に使う値が、同じターゲットに続くスライスでは、
                別のターゲットに続くスライスより { $size } { $way ->
                    [higher] 高い
                   *[lower] 低い
                }({ $rounds } ラウンド、一定の変化は除去済み)
            longer-gap =
                --gap を長くし、次のスライスの前にターゲットを休ませる。フラッシュやコンパクションなど、
                後回しにされた処理を調べる
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let workloads = evidence.plan.workloads.iter();
    workloads
        .filter_map(|workload| of_workload(workload, evidence.slices))
        .collect()
}

fn of_workload(workload: &Workload, slices: &[Slice]) -> Option<Finding> {
    let quads = per_quad(workload, slices, quad_carry_over);
    let found = ratio_of(&quads, CONFIDENCE);
    let Estimate { value, .. } = *found.estimate()?;
    let size = value.ln().abs().exp_m1();
    let is_there = !found.estimate()?.contains(1.0) && size > NOTICEABLE;
    let way = if value > 1.0 { "higher" } else { "lower" };
    is_there.then(|| {
        let severity = Severity::Note.raised_if(size > LARGE);
        let depends = message!(
            "depends-on-previous",
            size = Value::Share(size),
            way = Value::word(way),
            rounds = 2 * quads.len()
        );
        let finding = RULE.finding(severity, Cause::Setup, depends, message!("longer-gap"));
        finding.of_workload(&workload.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::comparison::drift;
    use crate::testing::Run;

    /// A run of eight quads; `levels` are the relative throughputs of the four slices of every
    /// quad.
    fn run(levels: [f64; 4]) -> Run {
        let mut run = Run::pair(8);
        let mut position = 0;
        run.each(|slice| {
            let level = levels[position % 4];
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            position += 1;
        });
        run
    }

    #[test]
    fn fires_when_a_slice_depends_on_the_previous_target() {
        // The first and the third slice of a quad follow a slice of the same target.
        let findings = run([1.0, 0.95, 1.0, 0.95]).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(
            findings[0].evidence.starts_with(
                "the primary metric of a target is 5.3 % higher in a slice that follows a slice"
            ),
            "{findings:?}"
        );
        let findings = run([1.0, 0.7, 1.0, 0.7]).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_for_drift_which_has_a_rule_of_its_own() {
        let drifting = run([1.0, 0.97, 0.97_f64.powi(2), 0.97_f64.powi(3)]);
        assert_eq!(drifting.findings(&RULE), []);
        assert_eq!(drifting.findings(&drift::RULE).len(), 1);
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut faster = Run::pair(8);
        faster.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(faster.findings(&RULE), []);
    }
}
