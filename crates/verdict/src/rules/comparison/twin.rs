//! The noise that the comparison of the baseline with its twin shows.

use tenbin_result::format::{percent, ratio};
use tenbin_result::{Cause, Finding, Severity};

use crate::compare::comparison::{Comparison, is_primary};
use crate::compare::outcome::{NOISE_FLOOR, effect};
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "twin",
    summary: "the baseline differs from its twin, or a difference is smaller than the noise between the two",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("twin.md"),
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
    let interval = twin.ratio.estimate().map_or_else(String::new, |found| {
        format!(" ({}–{})", ratio(found.low), ratio(found.high))
    });
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Setup,
        workload: Some(twin.workload.clone()),
        target: None,
        evidence: format!(
            "{} is the same server as {}, but the ratio of their {} is {}{interval}",
            twin.challenger,
            twin.baseline,
            twin.metric.phrase(),
            ratio(twin.ratio.value().unwrap_or(f64::NAN)),
        ),
        advice: "find out why two equal servers differ: stored and cached data, cores, disks, \
                 other programs; until then, other differences of this size mean nothing"
            .to_owned(),
    }
}

/// Finding on a difference that the noise of the twin can explain.
fn within_noise(comparison: &Comparison) -> Option<Finding> {
    let found = comparison.ratio.estimate()?;
    let size = effect(found.value);
    let floor = comparison.floor();
    if found.contains(1.0) || size <= NOISE_FLOOR || size > floor {
        return None;
    }
    let evidence = format!(
        "the difference between {} and {} is smaller than the possible difference between a \
         server and its twin, {}",
        percent(size),
        comparison.baseline,
        percent(floor)
    );
    let advice = "do not report it as a difference; more --rounds or longer slices reduce the \
                  noise";
    let (severity, cause) = (Severity::Note, Cause::Plan);
    Some(comparison.finding(RULE.name, severity, cause, evidence, advice))
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
