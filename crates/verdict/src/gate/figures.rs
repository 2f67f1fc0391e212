//! The figures of a gate, with what is proven of each.

use tenbin_plan::{Figure, GateFigure as Wanted, Pace, Plan, Quantile, Statistic, Workload};
use tenbin_record::Slice;
use tenbin_result::{GateFigure, GateRole, GateStanding, Metric, MetricName};
use tenbin_stats::{CONFIDENCE, Null, evidence_against, holm, ratio, running_bounds};

use crate::compare::blocks::{Blocks, is_observed};
use crate::compare::outcome::Scale;

/// The error of each decision.
const ALPHA: f64 = 1.0 - CONFIDENCE;
/// The part of the error of passing that a figure has that stands in for another: the two share
/// [`ALPHA`].
const FALLBACK_SHARE: f64 = 0.2;

/// The figures of all workloads, without intervals.
pub(super) fn figures(plan: &Plan, slices: &[Slice]) -> Vec<GateFigure> {
    let mut found: Vec<GateFigure> = plan
        .workloads
        .iter()
        .flat_map(|work| of_workload(plan, work, slices))
        .collect();
    let p_values: Vec<f64> = found.iter().map(|it| 1.0 / it.evidence_worse).collect();
    for (figure, p) in found.iter_mut().zip(holm(&p_values)) {
        figure.adjusted_p = p;
        if p <= ALPHA && !is_within_margin(figure) {
            figure.standing = GateStanding::Worse;
        }
    }
    found
}

/// Whether the estimate lies within the margin; `false` if the ratio is unknown.
pub(super) fn is_within_margin(figure: &GateFigure) -> bool {
    figure.ratio.is_some_and(|ratio| {
        let better = if figure.higher_is_better {
            ratio
        } else {
            1.0 / ratio
        };
        better * (1.0 + figure.margin) > 1.0
    })
}

/// Adds the intervals that hold at every number of blocks. Each end has the error of the test on its
/// side, so that the interval excludes what the test rejects. The test of "worse" requires more: without
/// restarts, for more than the start noise, and always for an estimate beyond the margin.
pub(super) fn set_intervals(plan: &Plan, slices: &[Slice], figures: &mut [GateFigure]) {
    let errors: Vec<f64> = (0..figures.len())
        .map(|at| {
            let is_of_workload = |it: &&GateFigure| it.workload == figures[at].workload;
            let mut mine = figures.iter().filter(is_of_workload);
            let falls_back = mine.any(|it| it.role == GateRole::Fallback);
            let is_first = figures[..at].iter().find(is_of_workload).is_none();
            error_of_passing(figures[at].role, falls_back, is_first)
        })
        .collect();
    for (figure, passing) in figures.iter_mut().zip(errors) {
        let logs = logs_of(plan, slices, figure);
        let (of_low, of_high) = if figure.higher_is_better {
            (passing, error_of_worse(figure))
        } else {
            (error_of_worse(figure), passing)
        };
        figure.low = running_bounds(&logs, of_low).0.map(f64::exp);
        figure.high = running_bounds(&logs, of_high).1.map(f64::exp);
    }
}

/// The error of the test of "not worse" of a figure. `falls_back`: whether the workload has a figure
/// that can decide instead of its first one, which then shares the error with it.
fn error_of_passing(role: GateRole, falls_back: bool, is_first: bool) -> f64 {
    match role {
        GateRole::Fallback => ALPHA * FALLBACK_SHARE,
        GateRole::Required if falls_back && is_first => ALPHA * (1.0 - FALLBACK_SHARE),
        GateRole::Required => ALPHA,
    }
}

/// The error that Holm's correction leaves for the test of "worse" of a figure.
fn error_of_worse(figure: &GateFigure) -> f64 {
    ALPHA / (figure.adjusted_p * figure.evidence_worse).max(1.0)
}

/// The log ratios candidate ÷ base of the blocks of a figure.
pub(super) fn logs_of(plan: &Plan, slices: &[Slice], figure: &GateFigure) -> Vec<f64> {
    let mut workloads = plan.workloads.iter();
    let workload = workloads.find(|workload| workload.name == figure.workload);
    match (workload, &figure.metric) {
        (Some(workload), MetricName::Known(metric)) => {
            log_ratios(plan, &Blocks::of(workload, slices), *metric)
        }
        _ => Vec::new(),
    }
}

fn of_workload(plan: &Plan, workload: &Workload, slices: &[Slice]) -> Vec<GateFigure> {
    let blocks = Blocks::of(workload, slices);
    let closed = workload.load.pace == Pace::Closed;
    let usual = [Wanted {
        figure: primary_figure(plan, closed),
        margin: None,
    }];
    let wanted = match plan.gate.as_ref().map(|gate| gate.figures.as_slice()) {
        None | Some([]) => &usual[..],
        Some(wanted) => wanted,
    };
    let is_cpu = |wanted: &Wanted| wanted.figure == Figure::Cpu;
    let falls_back = !wanted.iter().any(is_cpu) && is_observed(plan, &blocks);
    let mut found: Vec<GateFigure> = Vec::new();
    for wanted in wanted {
        let Some(metric) = Metric::of_figure(wanted.figure, closed) else {
            continue;
        };
        let alpha = error_of_passing(GateRole::Required, falls_back, found.is_empty());
        let margin = wanted.margin.unwrap_or(plan.comparing.margin).share();
        let tested = (metric, GateRole::Required, margin);
        found.push(tested_figure(plan, workload, &blocks, tested, alpha));
    }
    if falls_back && !found.is_empty() {
        let margin = plan.comparing.margin.share();
        let tested = (Metric::ServerCpu, GateRole::Fallback, margin);
        let alpha = error_of_passing(GateRole::Fallback, falls_back, false);
        found.push(tested_figure(plan, workload, &blocks, tested, alpha));
    }
    found
}

fn primary_figure(plan: &Plan, closed: bool) -> Figure {
    let median = Figure::Time(Statistic::Quantile(Quantile::percent(50)));
    let usual = if closed { Figure::Throughput } else { median };
    plan.comparing.decide.unwrap_or(usual)
}

fn log_ratios(plan: &Plan, blocks: &Blocks<'_>, metric: Metric) -> Vec<f64> {
    let (base, candidate) = (plan.baseline(), plan.challengers().next());
    base.zip(candidate)
        .map_or_else(Vec::new, |(base, candidate)| {
            blocks.log_ratios(metric, &base.name, &candidate.name)
        })
}

fn tested_figure(
    plan: &Plan,
    workload: &Workload,
    blocks: &Blocks<'_>,
    (metric, role, margin): (Metric, GateRole, f64),
    alpha: f64,
) -> GateFigure {
    let logs = log_ratios(plan, blocks, metric);
    let sign = if metric.higher_is_better() { 1.0 } else { -1.0 };
    let better: Vec<f64> = logs.iter().map(|log| sign * log).collect();
    let noise = start_noise(plan);
    let not_worse = evidence_against(Null::AtMost, -margin.ln_1p(), &better);
    let worse = evidence_against(Null::AtLeast, -noise.ln_1p(), &better);
    let standing = match (logs.is_empty(), not_worse >= 1.0 / alpha) {
        (true, _) => GateStanding::Unknown,
        (false, true) => GateStanding::NotWorse,
        (false, false) => GateStanding::CannotTell,
    };
    GateFigure {
        workload: workload.name.clone(),
        metric: metric.into(),
        higher_is_better: metric.higher_is_better(),
        role,
        margin,
        ratio: ratio(&logs, CONFIDENCE).value(),
        low: None,
        high: None,
        blocks: logs.len() as u64,
        evidence_not_worse: not_worse,
        evidence_worse: worse,
        adjusted_p: 1.0,
        standing,
        decides: false,
    }
}

/// How much the candidate can be worse because two processes of one program differ, as a share: 0 if
/// targets are restarted, so that the blocks contain this difference.
fn start_noise(plan: &Plan) -> f64 {
    let names = plan.baseline().zip(plan.challengers().next());
    let noise = names.and_then(|(base, candidate)| {
        Scale::of(plan)
            .between(plan, [&base.name, &candidate.name])
            .start_noise()
    });
    noise.unwrap_or(0.0)
}
