//! The gate: whether a candidate is proven not worse than its base, or proven worse.
//!
//! Every figure has two tests, each on the log ratios of its blocks and valid at every number of
//! blocks ([`evidence_against`]): one of "worse than the margin allows", whose rejection lets the
//! figure pass, and one of "not worse", whose rejection makes the figure a regression if the
//! estimate lies beyond the margin. All required figures must pass, so that a candidate with one bad
//! figure passes with a probability of at most 5 %, without a correction. A single regression fails
//! the gate, so the tests for regressions share their 5 % by Holm's correction.
//!
//! CPU time per operation varies less than throughput on a busy machine. If it is known and not
//! required, it stands in for the first figure of a workload that cannot tell after half of the
//! rounds or of the time.

mod end;
mod figures;
#[cfg(test)]
mod tests;

pub use end::rounds_end;

use tenbin_plan::{CountsAs, Gate as Settings, Plan};
use tenbin_record::Slice;
use tenbin_result::{
    Finding, Gate, GateFigure, GateOutcome, GateRole, GateStanding, Metric, MetricName, Outcome,
    Trust,
};
use tenbin_stats::CONFIDENCE;

use crate::compare::comparison::Comparison;
use crate::findings::trust::trust_in;
use figures::figures;

/// The result of the gate of a plan; `None` without a gate. The findings of the run count if they say
/// something about a required figure.
pub fn gate(
    plan: &Plan,
    slices: &[Slice],
    comparisons: &[Comparison],
    findings: &[Finding],
) -> Option<Gate> {
    let settings = plan.gate.as_ref()?;
    let base = plan.baseline()?.name.clone();
    let candidate = plan.challengers().next()?.name.clone();
    let mut figures = figures(plan, slices);
    let seconds = seconds(slices);
    let decision = decide(plan, settings, slices, &mut figures);
    let required = required_metrics(&figures);
    let in_figures = required.iter().map(|metric| trust_in(*metric, findings));
    let trust = in_figures.max().unwrap_or_else(|| Trust::after(findings));
    let mine = comparisons.iter().filter(|it| it.challenger == candidate);
    let of_figures = mine.clone().filter(|it| required.contains(&it.metric));
    let of_pair = of_figures.map(|it| it.trust).max().unwrap_or(trust);
    let is_withheld = mine
        .clone()
        .any(|it| it.primary && matches!(it.outcome, Outcome::NotSustained { .. }));
    let outcome = match decision {
        _ if trust == Trust::Invalid => GateOutcome::Invalid,
        _ if is_withheld => GateOutcome::CannotTell,
        decision => decision,
    };
    if outcome != decision {
        figures.iter_mut().for_each(|figure| figure.decides = false);
    }
    figures::set_intervals(plan, slices, &mut figures);
    Some(Gate {
        outcome,
        base,
        candidate,
        trust: of_pair,
        confidence: CONFIDENCE,
        tests: figures.len() as u64,
        rounds: slices
            .iter()
            .map(|slice| slice.round + 1)
            .max()
            .unwrap_or(0),
        most_rounds: plan.rounds.most(),
        seconds,
        budget_seconds: settings.budget.as_secs_f64(),
        passes_untold: settings.cannot_tell == CountsAs::Pass,
        fails_suspect: settings.suspect == CountsAs::Fail,
        figures,
    })
}

/// The required figures that this version knows.
fn required_metrics(figures: &[GateFigure]) -> Vec<Metric> {
    let required = figures.iter().filter(|it| it.role == GateRole::Required);
    let known = required.filter_map(|figure| match figure.metric {
        MetricName::Known(metric) => Some(metric),
        MetricName::Other(_) => None,
    });
    known.collect()
}

/// The log ratios of the blocks of each figure of a gate: positive where the candidate is worse.
pub fn worse_logs(plan: &Plan, slices: &[Slice]) -> Vec<(GateFigure, Vec<f64>)> {
    let figures = figures(plan, slices).into_iter();
    let with_logs = figures.map(|figure| {
        let sign = if figure.higher_is_better { -1.0 } else { 1.0 };
        let logs = figures::logs_of(plan, slices, &figure);
        let worse = logs.into_iter().map(|log| sign * log).collect();
        (figure, worse)
    });
    with_logs.collect()
}

/// The decision of the figures; marks the figures from which it follows.
fn decide(
    plan: &Plan,
    settings: &Settings,
    slices: &[Slice],
    figures: &mut [GateFigure],
) -> GateOutcome {
    let is_late = is_late(plan, settings, slices);
    let is_worse = |figure: &&mut GateFigure| {
        figure.standing == GateStanding::Worse && figure.role == GateRole::Required
    };
    let mut is_regression = false;
    for figure in figures.iter_mut().filter(|figure| is_worse(figure)) {
        figure.decides = true;
        is_regression = true;
    }
    if is_regression {
        return GateOutcome::Regression;
    }
    let mut all_pass = !figures.is_empty();
    for workload in &plan.workloads {
        let mine = || (0..figures.len()).filter(|at| figures[*at].workload == workload.name);
        match of_workload(mine().map(|at| &figures[at]), is_late) {
            OfWorkload::Passes { with_fallback } => {
                let deciding: Vec<usize> = mine()
                    .filter(|at| decides(&figures[*at], with_fallback))
                    .collect();
                deciding
                    .into_iter()
                    .for_each(|at| figures[at].decides = true);
            }
            OfWorkload::CannotTell => all_pass = false,
            OfWorkload::FallbackIsWorse => is_regression = true,
        }
    }
    if is_regression {
        for figure in figures.iter_mut() {
            figure.decides =
                figure.role == GateRole::Fallback && figure.standing == GateStanding::Worse;
        }
        return GateOutcome::Regression;
    }
    if all_pass {
        return GateOutcome::Pass;
    }
    figures.iter_mut().for_each(|figure| figure.decides = false);
    GateOutcome::CannotTell
}

/// Whether a passing gate follows from this figure.
fn decides(figure: &GateFigure, with_fallback: bool) -> bool {
    let wanted = match figure.role {
        GateRole::Required => true,
        GateRole::Fallback => with_fallback,
    };
    wanted && figure.standing == GateStanding::NotWorse
}

/// What the figures of one workload say, if no required figure is worse.
enum OfWorkload {
    Passes { with_fallback: bool },
    FallbackIsWorse,
    CannotTell,
}

fn of_workload<'a>(
    figures: impl Iterator<Item = &'a GateFigure> + Clone,
    is_late: bool,
) -> OfWorkload {
    let mut required = figures
        .clone()
        .filter(|figure| figure.role == GateRole::Required);
    let passes = |figure: &GateFigure| figure.standing == GateStanding::NotWorse;
    let Some(first) = required.next() else {
        return OfWorkload::CannotTell;
    };
    let others_pass = required.all(passes);
    if passes(first) && others_pass {
        return OfWorkload::Passes {
            with_fallback: false,
        };
    }
    let mut all = figures;
    let fallback = all
        .find(|figure| figure.role == GateRole::Fallback)
        .filter(|_| is_late && first.standing == GateStanding::CannotTell);
    match fallback.map(|figure| figure.standing) {
        Some(GateStanding::Worse) => OfWorkload::FallbackIsWorse,
        Some(GateStanding::NotWorse) if others_pass && figures::is_within_margin(first) => {
            OfWorkload::Passes {
                with_fallback: true,
            }
        }
        _ => OfWorkload::CannotTell,
    }
}

/// Whether half of the rounds or of the time is over.
fn is_late(plan: &Plan, settings: &Settings, slices: &[Slice]) -> bool {
    let rounds = slices.iter().map(|slice| slice.round + 1).max();
    let half_of_rounds = rounds.unwrap_or(0).saturating_mul(2) >= plan.rounds.most();
    half_of_rounds || 2.0 * seconds(slices) >= settings.budget.as_secs_f64()
}

/// Time from the start of the first slice to the end of the last, seconds.
fn seconds(slices: &[Slice]) -> f64 {
    match (slices.first(), slices.last()) {
        (Some(first), Some(last)) => (last.start + last.end.seconds - first.start).max(0.0),
        _ => 0.0,
    }
}
