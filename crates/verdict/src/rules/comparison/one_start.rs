//! Differences that two starts of the same program could cause.

use tenbin_result::format::ratio;
use tenbin_result::{Cause, Finding, Outcome, Severity};

use crate::compare::comparison::{Comparison, is_question};
use crate::compare::sentence::one_start;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "one_start",
    summary: "the difference may be no larger than between two starts of the same program",
    severities: &[Severity::Note],
    explanation: include_str!("one_start.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let works = &evidence.plan.workloads;
    let advice = if works.iter().all(|work| work.facts().can_relaunch()) {
        "let Tenbin start the servers (--launch): it then restarts them in every block, so \
         that the interval contains the difference between starts; or use --start-noise 0% \
         if you compare exactly these processes"
    } else {
        "restart the servers and run again: a difference that stays in all runs is one of \
         the servers; or use --start-noise 0% if you compare exactly these processes"
    };
    let questions = evidence.comparisons.iter().filter(|it| is_question(it));
    questions
        .filter_map(|comparison| of_comparison(comparison, advice))
        .collect()
}

fn of_comparison(comparison: &Comparison, advice: &str) -> Option<Finding> {
    let Outcome::OneStart { up_to } = comparison.outcome else {
        return None;
    };
    let estimate = comparison.ratio.estimate()?;
    let evidence = format!(
        "the ratio to {} lies between {} and {}, but {}",
        comparison.baseline,
        ratio(estimate.low),
        ratio(estimate.high),
        one_start(up_to)
    );
    let (severity, cause) = (Severity::Note, Cause::Plan);
    Some(comparison.finding(RULE.name, severity, cause, evidence, advice))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Percent, Relaunch};

    use super::*;
    use crate::testing::Run;

    /// A run in which target `b` has `share` times the throughput of `a` in every block.
    fn run(share: f64, relaunch: Relaunch) -> Run {
        let mut run = Run::pair(8);
        run.plan.rounds.relaunch = relaunch;
        run.each_of("b", |slice| {
            let noise = 1.0 + 0.006 * f64::from(slice.0.block % 3);
            let share = share * noise;
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    fn outcome(run: &Run) -> Outcome {
        run.assess().primary().next().unwrap().outcome.clone()
    }

    #[test]
    fn a_difference_between_starts_is_no_difference_between_servers() {
        let once = run(0.945, Relaunch::Never);
        assert_eq!(outcome(&once), Outcome::OneStart { up_to: 0.05 });
        let findings = once.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].evidence.contains("two starts"), "{findings:?}");
        assert!(findings[0].advice.contains("--launch"), "{findings:?}");

        for restarted in [Relaunch::Block, Relaunch::Slice] {
            let run = run(0.945, restarted);
            assert_eq!(outcome(&run), Outcome::Slower, "the interval contains it");
            assert_eq!(run.findings(&RULE), []);
        }
    }

    #[test]
    fn a_larger_difference_is_one_of_any_two_processes() {
        let run = run(0.80, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Slower);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn without_start_noise_the_processes_are_compared() {
        let mut run = run(0.945, Relaunch::Never);
        run.plan.comparing.start_noise = "0%".parse::<Percent>().unwrap();
        assert_eq!(outcome(&run), Outcome::Slower);
    }

    #[test]
    fn a_ratio_within_the_margin_is_equivalent() {
        let run = run(0.975, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Equivalent { within: 0.05 });
    }
}
