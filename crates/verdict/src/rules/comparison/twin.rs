//! The noise that the comparison of the baseline with its twin shows.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::compare::comparison::{Comparison, is_primary};
use crate::compare::outcome::{NOISE_FLOOR, effect};
use crate::evidence::Evidence;
use crate::findings::messages::{Messages, known};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "twin",
    summary: Texts {
        english: "the baseline differs from its twin, or a difference is smaller than the noise between the two",
        japanese: "基準とその双子プロセスに差がある、または差が両者のノイズより小さい",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("twin"),
    messages: Messages {
        english: r#"
            twin-differs =
                { $twin } is the same server as { $baseline }, but the ratio of their { $metric } is
                { $ratio }{ $interval }
            interval = {" "}({ $low }–{ $high })
            find-out =
                find out why two equal servers differ: stored and cached data, cores, disks, other programs;
                until then, other differences of this size mean nothing
            within-noise =
                the difference between { $size } and { $baseline } is smaller than the possible difference
                between a server and its twin, { $noise }
            not-a-difference =
                do not report it as a difference; more --rounds or longer slices reduce the noise
        "#,
        japanese: r#"
            twin-differs =
                { $twin } は { $baseline } と同じサーバーなのに、{ $metric }の比が { $ratio }{ $interval }
            interval = ({ $low }–{ $high })
            find-out =
                同じサーバーどうしに差が出る理由(保存データやキャッシュ、コア、ディスク、ほかのプログラム)を調べる。
                それまでは、同程度のほかの差にも意味はない
            within-noise =
                { $baseline } との差 { $size } は、同じサーバーどうしで生じうる差 { $noise } より小さい
            not-a-difference =
                差として報告しない。--rounds を増やすかスライスを長くすると、ノイズが減る
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let twins = evidence.comparisons.iter().filter(|c| c.twin);
    let different = twins
        .filter(|twin| is_primary(evidence.plan, twin) && twin.outcome.is_different())
        .map(different);
    let primary = evidence.comparisons.iter().filter(|c| c.primary);
    let within_noise = primary.filter_map(within_noise);
    different.chain(within_noise).collect()
}

fn different(twin: &Comparison) -> Finding {
    let interval = twin.ratio.estimate().map(|found| {
        let (low, high) = (Value::Ratio(found.low), Value::Ratio(found.high));
        message!("interval", low, high)
    });
    let differs = message!(
        "twin-differs",
        twin = &twin.challenger,
        baseline = &twin.baseline,
        metric = twin.metric.message(),
        ratio = known(twin.ratio.value(), Value::Ratio),
        interval
    );
    let (severity, cause) = (Severity::Suspect, Cause::Setup);
    let finding = RULE.finding(severity, cause, differs, message!("find-out"));
    finding.of_workload(&twin.workload)
}

/// Finding on a difference that the noise of the twin can explain.
fn within_noise(comparison: &Comparison) -> Option<Finding> {
    let found = comparison.ratio.estimate()?;
    let size = effect(found.value);
    let floor = comparison.floor();
    if found.contains(1.0) || size <= NOISE_FLOOR || size > floor {
        return None;
    }
    let evidence = message!(
        "within-noise",
        size = Value::Share(size),
        baseline = &comparison.baseline,
        noise = Value::Share(floor)
    );
    let advice = message!("not-a-difference");
    Some(comparison.finding(&RULE, Severity::Note, Cause::Plan, evidence, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run in which `b` is `ratio` times as fast as `a`, and the twin of `a` is `even` times as
    /// fast in even blocks and `odd` times as fast in odd blocks.
    fn run(ratio: f64, even: f64, odd: f64) -> Run {
        let mut run = Run::new(&["a", "b", "a-twin"], &["get"], 48);
        run.plan.comparing.twin = Some(2);
        run.each(|slice| {
            let share = match (slice.0.target.as_str(), slice.0.block % 2) {
                ("a", _) => 1.0,
                ("b", _) => ratio,
                (_, 0) => even,
                (_, _) => odd,
            };
            slice.answers((100_000.0 * share) as u64, 0.000_02 / share);
        });
        run
    }

    #[test]
    fn a_twin_that_differs_makes_the_run_suspect() {
        let run = run(1.2, 1.05, 1.06);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .contains("a-twin is the same server as a")
        );
        assert_eq!(run.assess().trust, tenbin_result::Trust::Suspect);
    }

    #[test]
    fn a_difference_within_the_noise_is_noted() {
        let findings = run(1.03, 1.05, 0.96).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
    }

    #[test]
    fn silent_when_the_twin_is_alike_and_without_one() {
        assert_eq!(run(1.2, 1.002, 0.998).findings(&RULE), []);
        assert_eq!(run(1.0, 1.002, 0.998).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
