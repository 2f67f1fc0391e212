//! Runs whose intervals are too wide for a conclusion.

use tenbin_plan::Plan;
use tenbin_result::format::{percent, plural, ratio};
use tenbin_result::{Cause, Finding, Outcome, Severity};

use crate::compare::compare_all;
use crate::compare::comparison::{Comparison, is_question};
use crate::compare::metric::Metric;
use crate::compare::sentence::size;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::verb;

/// Half width of the interval of a single target's figure, relative to the figure, above which the
/// interval counts as wide.
const WIDE: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "too_wide",
    summary: "the confidence interval is too wide for a verdict",
    severities: &[Severity::Note],
    explanation: include_str!("too_wide.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    if evidence.plan.challengers().next().is_none() {
        return if is_one_stretch(evidence.plan) {
            Vec::new()
        } else {
            single(evidence)
        };
    }
    let family = evidence.plan.hypotheses();
    // In a sweep, the curve is judged instead of the levels.
    let sweeps = !evidence.plan.concurrency_sweeps().is_empty();
    let curves = sweeps.then(|| compare_all(evidence.plan, evidence.slices).curves);
    let alone = evidence.comparisons.iter().filter(|c| is_question(c));
    alone
        .chain(curves.iter().flatten().filter(|c| is_question(c)))
        .filter_map(|comparison| of_comparison(comparison, family))
        .collect()
}

/// Whether the plan has a single slice per target, like the command lines of wrk and ab, so that no
/// interval is expected.
fn is_one_stretch(plan: &Plan) -> bool {
    plan.rounds.count == 1 && plan.rounds.until.is_none()
}

fn of_comparison(comparison: &Comparison, family: usize) -> Option<Finding> {
    let Outcome::Inconclusive {
        detectable,
        aim,
        rounds_needed,
        likely,
    } = &comparison.outcome
    else {
        return None;
    };
    let blocks = comparison.block_ratios.len();
    let interval = match comparison.ratio.estimate() {
        Some(estimate) => format!(
            "the ratio to {} lies between {} and {}",
            comparison.baseline,
            ratio(estimate.low),
            ratio(estimate.high)
        ),
        None => format!(
            "{} {} no interval",
            plural(blocks, "complete block"),
            verb(blocks, "gives", "give")
        ),
    };
    let shown = match detectable {
        Some(detectable) => format!(
            "; with {}, this run would have detected a difference of {} or more",
            plural(blocks, "block"),
            size(*detectable)
        ),
        None if likely.is_some_and(|likely| likely.blocks_missing > 0) => {
            let missing = likely.map_or(0, |likely| likely.blocks_missing);
            format!(
                "; all blocks show the same difference, and {} {} missing for a verdict",
                plural(missing, "block"),
                verb(missing as usize, "is", "are")
            )
        }
        None if family > 1 => {
            format!("; too few blocks to detect any difference in {family} comparisons")
        }
        None => "; too few blocks to detect any difference".to_owned(),
    };
    let advice = match rounds_needed {
        Some(rounds) if likely.is_some() => {
            format!("use --rounds {rounds} or more for a verdict with the usual confidence")
        }
        Some(rounds) => format!(
            "use about --rounds {rounds} to detect a difference of {}, or longer slices, or a \
             machine with less other work",
            size(*aim)
        ),
        None => format!(
            "use longer slices or a machine with less other work: no reasonable number of rounds \
             would detect a difference of {}",
            size(*aim)
        ),
    };
    let (severity, cause) = (Severity::Note, Cause::Plan);
    Some(comparison.finding(RULE.name, severity, cause, interval + &shown, &advice))
}

fn single(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    // The result of a maximum-rate search is a rate, which has its own interval.
    let in_rounds = cells.iter().filter(|cell| cell.workload.search().is_none());
    in_rounds
        .filter_map(|cell| {
            let metric = Metric::primary(evidence.plan, cell.workload);
            let figure = metric.figure(&cell.full());
            figure.value()?;
            let seen = match figure.estimate() {
                Some(estimate) if estimate.relative_spread()? <= WIDE => return None,
                Some(estimate) => format!(
                    "the {} is known only to ± {} ({})",
                    metric.phrase(),
                    percent(estimate.relative_spread()?),
                    plural(estimate.n, "slice")
                ),
                None => format!(
                    "{} {} too few for an interval of the {}",
                    plural(figure.n(), "slice"),
                    verb(figure.n(), "is", "are"),
                    metric.phrase()
                ),
            };
            Some(Finding {
                rule: RULE.name.to_owned(),
                severity: Severity::Note,
                cause: Cause::Plan,
                workload: Some(cell.workload.name.clone()),
                target: Some(cell.target.name.clone()),
                evidence: seen,
                advice: "use more --rounds (an interval needs at least 6), longer slices, or a \
                         machine with less other work"
                    .to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn noisy(quads: u32) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    #[test]
    fn names_what_would_have_shown_and_what_it_takes() {
        let findings = noisy(8).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].cause, Cause::Plan);
        assert!(
            findings[0]
                .evidence
                .contains("would have detected a difference of"),
            "{findings:?}"
        );
        assert!(findings[0].advice.contains("--rounds"), "{findings:?}");
    }

    #[test]
    fn a_likely_difference_says_what_is_missing() {
        let mut run = Run::pair(5);
        run.each_of("b", |slice| slice.answers(300, 0.002 / 0.3));
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "5 complete blocks give no interval; all blocks show the same difference, and 1 block \
             is missing for a verdict"
        );
        assert!(findings[0].advice.starts_with("use --rounds 12 or more"));
    }

    #[test]
    fn of_a_sweep_only_the_curve_is_a_question() {
        let mut run = Run::new(&["a", "b"], &["get-c1", "get-c2", "get-c4"], 16);
        for (at, work) in run.plan.workloads.iter_mut().enumerate() {
            work.load.connections = 1 << at;
        }
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let findings = run.findings(&RULE);
        let about: Vec<_> = findings.iter().map(|it| it.workload.as_deref()).collect();
        assert_eq!(about, [Some("get")]);
    }

    #[test]
    fn fires_when_there_is_no_interval() {
        let findings = Run::pair(3).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("3 complete blocks give no interval")
        );
        let findings = Run::pair(1).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("1 complete block gives no interval")
        );
        let mut run = Run::single(8);
        run.slices.truncate(1);
        let findings = run.findings(&RULE);
        assert!(findings[0].evidence.starts_with("1 slice is too few"));
        let findings = Run::single(3).findings(&RULE);
        assert!(findings[0].evidence.starts_with("3 slices are too few"));
    }

    #[test]
    fn a_wide_figure_of_a_single_target_is_noted() {
        let mut run = Run::single(8);
        let mut count = 600;
        run.each_of("a", |slice| {
            count += 100;
            slice.answers(count, 2.0 / count as f64);
        });
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn silent_where_one_slice_was_asked_for() {
        assert_eq!(Run::single(1).findings(&RULE), []);
    }

    #[test]
    fn silent_when_the_answer_is_clear() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(Run::single(8).findings(&RULE), []);
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(run.findings(&RULE), []);
    }
}
