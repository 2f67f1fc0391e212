//! Targets whose performance changed during the run.

use tenbin_result::format::{rate, time};
use tenbin_result::{Cause, Finding, Severity};
use tenbin_stats::rank_sum_p;

use crate::cell::Cell;
use crate::compare::metric::Metric;
use crate::evidence::{Evidence, is_closed};
use crate::findings::rule_info::RuleInfo;
use crate::words::middle;

/// Relative difference between the halves of a run above which there is a finding.
const NOTICEABLE: f64 = 0.10;

/// p-value below which chance does not explain a change.
const CHANCE: f64 = 0.01;

/// Difference between the changes of two targets above which their ratio is distorted.
const UNLIKE: f64 = 0.20;

/// Minimum number of slices on each side of a step that the halves of a run do not show.
const FEWEST_AFTER: usize = 3;

/// Minimum number of slices to compare two halves.
const FEWEST: usize = 8;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "slowing",
    summary: "the performance of a target changed during the run (step change)",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("slowing.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let stepped = cells.iter().filter_map(|cell| Some((cell, step_of(cell)?)));
    stepped
        .map(|(cell, step)| {
            let severity = if is_shared(cell, &cells) {
                Severity::Note
            } else {
                Severity::Suspect
            };
            finding_of(cell, &step, severity)
        })
        .collect()
}

fn finding_of(cell: &Cell<'_>, step: &Step, severity: Severity) -> Finding {
    let metric = Metric::default_primary(is_closed(cell.workload));
    let shown = |value| match metric {
        Metric::Throughput => rate(value),
        _ => time(value),
    };
    let way = if step.after < step.before {
        "fell"
    } else {
        "rose"
    };
    Finding {
        rule: RULE.name.to_owned(),
        severity,
        cause: Cause::Setup,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "the {} {way} from {} to {} at slice {} of {}, {} after the start of the run",
            metric.phrase(),
            shown(step.before),
            shown(step.after),
            step.at + 1,
            step.slices,
            time(step.seconds)
        ),
        advice: "find out which resource was used up, or which work started, at that time; use a \
                 --warmup and a run that are long enough to measure the steady state"
            .to_owned(),
    }
}

/// A step change: from one slice on, the performance differs permanently.
pub(crate) struct Step {
    /// Number of slices before the step.
    pub(crate) at: usize,
    /// Start of the first slice after the step, seconds after the start of the run.
    seconds: f64,
    slices: usize,
    before: f64,
    after: f64,
}

/// Whether every target of the workload changed by about the same factor, so that ratios between
/// targets did not change.
fn is_shared(cell: &Cell<'_>, cells: &[Cell<'_>]) -> bool {
    let others = cells.iter().filter(|other| {
        other.workload.name == cell.workload.name && other.target.name != cell.target.name
    });
    let changes: Vec<Option<f64>> = others.map(change).collect();
    let Some(mine) = change(cell).filter(|_| !changes.is_empty()) else {
        return false;
    };
    let alike =
        |other: &Option<f64>| other.is_some_and(|other| (mine - other).abs() <= UNLIKE.ln_1p());
    changes.iter().all(alike)
}

/// Logarithm of (median figure in the second half of the run ÷ median figure in the first half).
fn change(cell: &Cell<'_>) -> Option<f64> {
    let figures = figures(cell)?;
    let (first, second) = figures.split_at(figures.len() / 2);
    Some((middle(second.iter().copied())? / middle(first.iter().copied())?).ln())
}

/// The default primary metric of every full slice; `None` if the figure of a slice is unknown or
/// the cell has fewer than [`FEWEST`] full slices.
fn figures(cell: &Cell<'_>) -> Option<Vec<f64>> {
    let metric = Metric::default_primary(is_closed(cell.workload));
    let full = cell.full().into_iter();
    let figures: Vec<f64> = full
        .map(|slice| metric.of_slice(slice).filter(|figure| *figure > 0.0))
        .collect::<Option<_>>()?;
    (figures.len() >= FEWEST).then_some(figures)
}

pub(crate) fn step_of(cell: &Cell<'_>) -> Option<Step> {
    let figures = figures(cell)?;
    let (first, second) = figures.split_at(figures.len() / 2);
    let at = best_split(&figures)?;
    let differ = || {
        change(cell).is_some_and(|change| change.abs() > NOTICEABLE.ln_1p())
            && (lie_apart(first, second) || rank_sum_p(first, second).is_some_and(|p| p < CHANCE))
    };
    if !differ() && !is_clear(&figures, at) {
        return None;
    }
    let (before, after) = figures.split_at(at);
    let step = Step {
        at,
        seconds: cell.full().get(at)?.start,
        slices: figures.len(),
        before: middle(before.iter().copied())?,
        after: middle(after.iter().copied())?,
    };
    let closed = is_closed(cell.workload);
    let better = (step.after > step.before) == closed;
    let only_cold = better && at <= figures.len().div_ceil(3);
    (!only_cold).then_some(step)
}

/// Whether the figures before and after the split, at least [`FEWEST_AFTER`] each, differ by more than
/// [`NOTICEABLE`] and the space between both groups is larger than either group: a step that the
/// medians of the halves of a run do not show.
fn is_clear(figures: &[f64], at: usize) -> bool {
    let (before, after) = figures.split_at(at);
    if before.len().min(after.len()) < FEWEST_AFTER {
        return false;
    }
    let logs = |of: &[f64]| {
        let logs = of.iter().map(|figure| figure.ln());
        logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| {
            (low.min(log), high.max(log))
        })
    };
    let (one, other) = (logs(before), logs(after));
    let space = (one.0 - other.1).max(other.0 - one.1);
    space > NOTICEABLE.ln_1p().max(one.1 - one.0).max(other.1 - other.0)
}

/// Whether all figures of one list lie above all figures of the other list.
fn lie_apart(first: &[f64], second: &[f64]) -> bool {
    let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most(first) < least(second) || most(second) < least(first)
}

/// The position of the step: the split that minimises the sum of squares about the means of the two
/// parts. Returns the number of figures before the step.
fn best_split(figures: &[f64]) -> Option<usize> {
    let squares = |of: &[f64]| {
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        of.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let left = |at: &usize| squares(&figures[..*at]) + squares(&figures[*at..]);
    (1..figures.len()).min_by(|a, b| left(a).total_cmp(&left(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Multiplies the throughput of `targets` by `share` from slice `at` on; all figures vary by 1
    /// %.
    fn stepping(mut run: Run, targets: &[&str], at: usize, share: f64) -> Run {
        for target in ["a", "b"] {
            let mut seen = 0;
            run.each_of(target, |slice| {
                let wobble = [1.0, 1.01, 0.99][seen % 3];
                let moved = targets.contains(&target) && seen >= at;
                let level = if moved { share } else { 1.0 } * wobble;
                slice.answers((1_000.0 * level) as u64, 0.002 / level);
                seen += 1;
            });
        }
        run
    }

    #[test]
    fn a_target_alone_that_slows_down_is_suspect() {
        let run = stepping(Run::single(16), &["a"], 9, 1.0 / 3.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "the throughput fell from 1.00 k/s to 333/s at slice 10 of 16, 13.5 s after the start of the \
             run"
        );
        let run = stepping(Run::single(8), &["a"], 4, 0.5);
        assert_eq!(run.findings(&RULE).len(), 1, "eight that lie apart");
    }

    #[test]
    fn a_late_step_is_found_that_the_halves_do_not_show() {
        let run = stepping(Run::single(16), &["a"], 13, 0.6);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].evidence.contains("at slice 14 of 16"),
            "{findings:?}"
        );
    }

    #[test]
    fn what_all_targets_share_is_a_note() {
        let run = stepping(Run::pair(8), &["a", "b"], 8, 0.7);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Note));
        let run = stepping(Run::pair(8), &["b"], 8, 0.7);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_it_is_small_chance_few_or_a_cold_start() {
        let steady = stepping(Run::single(16), &[], 0, 1.0);
        assert_eq!(steady.findings(&RULE), []);
        let small = stepping(Run::single(16), &["a"], 8, 0.93);
        assert_eq!(small.findings(&RULE), []);
        let one = stepping(Run::single(16), &["a"], 15, 0.3);
        assert_eq!(one.findings(&RULE), []);
        let few = stepping(Run::single(6), &["a"], 3, 0.3);
        assert_eq!(few.findings(&RULE), []);
        let cold = stepping(Run::single(12), &["a"], 4, 2.0);
        assert_eq!(cold.findings(&RULE), []);
    }
}
