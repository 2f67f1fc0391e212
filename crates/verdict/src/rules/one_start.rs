//! A difference that may be one between two starts of the same program.

use tenbin_result::format::ratio;
use tenbin_result::{Blame, Finding, Outcome, Severity};

use super::Rule;
use crate::comparison::{Comparison, is_question};
use crate::evidence::Evidence;
use crate::sentence::one_start;

/// A difference that may be one between two starts of the same program.
pub(super) struct OneStart;

impl Rule for OneStart {
    fn name(&self) -> &'static str {
        "one_start"
    }

    fn summary(&self) -> &'static str {
        "the difference may be one between two starts of the same program"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("one_start.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let works = &evidence.plan.workloads;
        let advice = match works.iter().all(|work| work.facts().can_relaunch()) {
            true => {
                "let Tenbin start the servers with --launch: it then restarts them in every block, \
                 and the interval contains how much starts differ; or use --start-noise 0% if these \
                 processes are the question"
            }
            false => {
                "restart the servers and run again: what stays in all runs is the servers', what \
                 changes is the starts'; or use --start-noise 0% if these processes are the question"
            }
        };
        let questions = evidence.comparisons.iter().filter(|it| is_question(it));
        questions
            .filter_map(|comparison| self.comparison(comparison, advice))
            .collect()
    }
}

impl OneStart {
    fn comparison(&self, comparison: &Comparison, advice: &str) -> Option<Finding> {
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
        let (severity, blame) = (Severity::Note, Blame::Question);
        Some(comparison.finding(self.name(), severity, blame, evidence, advice))
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Percent, Relaunch};

    use super::*;
    use crate::testing::Run;

    /// Two targets, the second of which does this share of the work of the first in every block.
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
    fn what_two_starts_may_differ_by_is_no_difference_between_two_processes() {
        let once = run(0.945, Relaunch::Never);
        assert_eq!(outcome(&once), Outcome::OneStart { up_to: 0.05 });
        let findings = once.findings(&OneStart);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].evidence.contains("two starts"), "{findings:?}");
        assert!(findings[0].advice.contains("--launch"), "{findings:?}");

        for restarted in [Relaunch::Block, Relaunch::Slice] {
            let run = run(0.945, restarted);
            assert_eq!(outcome(&run), Outcome::Slower, "the interval contains it");
            assert_eq!(run.findings(&OneStart), []);
        }
    }

    #[test]
    fn what_is_larger_is_a_difference_of_any_two_processes() {
        let run = run(0.80, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Slower);
        assert_eq!(run.findings(&OneStart), []);
    }

    #[test]
    fn whoever_asks_about_these_processes_gets_an_answer_about_them() {
        let mut run = run(0.945, Relaunch::Never);
        run.plan.comparing.start_noise = "0%".parse::<Percent>().unwrap();
        assert_eq!(outcome(&run), Outcome::Slower);
    }

    #[test]
    fn what_lies_within_the_margin_is_equivalent_all_the_same() {
        let run = run(0.975, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Equivalent { within: 0.05 });
    }
}
