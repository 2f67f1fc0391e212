//! Whether the primary metrics have reached the precision that the plan requires.

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::Metric;
use tenbin_stats::{Estimate, ratio};

use crate::cell::cells;
use crate::compare::family::{Family, Member};
use crate::compare::metric::Measure;
use crate::compare::primary::primary_ratios;

/// Whether a run has reached the precision at which the plan allows an early end. Every primary
/// ratio (without a comparison, every primary metric) must have an interval within the plan's
/// bound. The values of the ratios do not matter, because a run that stops at a desired result
/// reports differences that do not exist.
///
/// Always `false` for a plan with a fixed number of rounds or a gate.
pub fn is_precise(plan: &Plan, slices: &[Slice]) -> bool {
    let Some(within) = plan.rounds.until.and_then(|until| until.within()) else {
        return false;
    };
    let estimates = match plan.challengers().next() {
        Some(_) => ratios(plan, slices),
        None => figures(plan, slices),
    };
    let limit = within.share();
    let within = |estimate: &Option<Estimate>| {
        estimate.is_some_and(|estimate| half_width(&estimate).is_some_and(|it| it <= limit))
    };
    !estimates.is_empty() && estimates.iter().all(within)
}

/// Distance from the figure to the farther end of the interval, as a ratio minus 1: the larger of
/// high ÷ value and value ÷ low, minus 1.
pub(crate) fn half_width(estimate: &Estimate) -> Option<f64> {
    let Estimate {
        value, low, high, ..
    } = *estimate;
    let width = (high / value).max(value / low) - 1.0;
    width.is_finite().then_some(width)
}

fn ratios(plan: &Plan, slices: &[Slice]) -> Vec<Option<Estimate>> {
    // Use the printed intervals, which hold simultaneously.
    let confidence = Family::of(plan).confidence(Member::Question);
    let all = primary_ratios(plan).into_iter();
    let estimates = all.map(|each| {
        let logs = each.log_ratios(slices);
        ratio(&logs, confidence).estimate().copied()
    });
    estimates.collect()
}

fn figures(plan: &Plan, slices: &[Slice]) -> Vec<Option<Estimate>> {
    let cells = cells(plan, slices);
    let figures = cells.iter().map(|cell| {
        let metric = Metric::primary(plan, cell.workload);
        metric.figure(&cell.full()).estimate().copied()
    });
    figures.collect()
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Goal, Until};

    use crate::testing::Run;

    fn is_precise(run: &Run) -> bool {
        super::is_precise(&run.plan, &run.slices)
    }

    fn asking(mut run: Run, within: &str) -> Run {
        run.plan.rounds.until = Some(Until {
            goal: Goal::Precision(within.parse().unwrap()),
            most: 1_000,
        });
        run
    }

    /// A run in which `b` is twice as fast as `a`, ± 3 %.
    fn noisy(quads: u32) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 2.06 } else { 1.94 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    #[test]
    fn a_run_is_precise_if_the_interval_lies_within_the_bound() {
        assert!(is_precise(&asking(noisy(8), "4%")));
        assert!(!is_precise(&asking(noisy(8), "2%")));
        // A clear difference does not end a run.
        assert!(!is_precise(&asking(noisy(5), "50%")));
        assert!(!is_precise(&noisy(8)));
    }

    #[test]
    fn one_target_alone_is_known_by_its_own_figure() {
        assert!(is_precise(&asking(Run::single(8), "1%")));
        assert!(!is_precise(&asking(Run::single(5), "1%")));
    }

    #[test]
    fn every_workload_must_be_precise() {
        let mut run = Run::new(&["a", "b"], &["get", "put"], 16);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.1 } else { 0.9 };
            if slice.0.workload == "put" {
                slice.answers((1_000.0 * share) as u64, 0.002 / share);
            }
        });
        let run = asking(run, "2%");
        assert!(!is_precise(&run));
    }
}
