//! Comparisons of every challenger with the baseline, block by block.

pub(crate) mod across;
pub(crate) mod blocks;
pub(crate) mod comparison;
pub(crate) mod curve;
pub(crate) mod family;
pub(crate) mod interim;
pub(crate) mod metric;
pub(crate) mod outcome;
pub(crate) mod precision;
pub(crate) mod primary;
pub(crate) mod sentence;

use std::collections::BTreeSet;

use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_result::{Figure, Metric, Outcome, Together};
use tenbin_stats::{Measured, bonferroni, confidence_together, ratio};

use crate::compare::across::Across;
use crate::compare::blocks::{Blocks, is_observed, log_ratios_across};
use crate::compare::comparison::Comparison;
use crate::compare::curve::{LevelOf, mean_log_ratios, sweeps};
use crate::compare::family::{Family, Member};
use crate::compare::outcome::Scale;
use crate::findings::flags::flags;

/// Compares every target except the baseline, including twins, with the baseline: for every
/// workload, by every metric for the workload's kind of load (closed or open loop). Only complete
/// blocks count: all slices of both targets ran their full time. The trust of each comparison is
/// `Valid` until findings lower the trust.
pub fn compare(plan: &Plan, slices: &[Slice]) -> Vec<Comparison> {
    compare_all(plan, slices).targets
}

/// All comparisons of a run: hypotheses, which [`Plan::hypotheses`] counts, and all others.
#[derive(Debug)]
pub struct Compared {
    /// Comparisons of targets at each workload.
    pub targets: Vec<Comparison>,
    /// Comparisons of targets over all levels of each sweep.
    pub curves: Vec<Comparison>,
    /// Comparisons of workloads with the first workload, on every target except twins. Empty unless
    /// the plan compares workloads.
    pub workloads: Vec<Comparison>,
}

/// Compares targets, curves and workloads, with one correction for all hypotheses together.
pub fn compare_all(plan: &Plan, slices: &[Slice]) -> Compared {
    let flagged: BTreeSet<u32> = flags(plan, slices).iter().map(|flag| flag.slice).collect();
    let family = Family::of(plan);
    let mut comparisons = Vec::new();
    // A maximum-rate search is compared by its rates, in `compare_rates`.
    let compared = plan.workloads.iter().filter(|work| work.search().is_none());
    for workload in compared {
        let blocks = Blocks::of(workload, slices);
        let primary = Metric::primary(plan, workload);
        for metric in Metric::of_workload(plan, workload) {
            // Skip the CPU cost if it was not observed, unless the CPU cost is the primary metric.
            let is_asked = metric == primary;
            if metric == Metric::ServerCpu && !is_asked && !is_observed(plan, &blocks) {
                continue;
            }
            comparisons.extend(by_metric(plan, workload, metric, &blocks, &flagged, family));
        }
    }
    let of_targets = comparisons.len();
    comparisons.extend(curves(plan, slices, family));
    let with_curves = comparisons.len();
    comparisons.extend(across_workloads(plan, slices, &flagged, family));
    decide(plan, &mut comparisons);
    let workloads = comparisons.split_off(with_curves);
    let curves = comparisons.split_off(of_targets);
    ask_levels(&mut comparisons, &curves, Scale::of(plan));
    Compared {
        targets: comparisons,
        curves,
        workloads,
    }
}

/// Compares every target except the baseline, including twins, with the baseline over all levels of
/// each sweep ([`Plan::concurrency_sweeps`]). The ratio of a block is the geometric mean of the
/// ratios of the levels.
fn curves(plan: &Plan, slices: &[Slice], family: Family) -> Vec<Comparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let challengers = || {
        let others = plan.challengers().map(|target| (target, false));
        others.chain(plan.twin().map(|twin| (twin, true)))
    };
    let mut found = Vec::new();
    for levels in sweeps(plan) {
        let blocks: Vec<Blocks<'_>> = levels.iter().map(|work| Blocks::of(work, slices)).collect();
        let Some(first) = levels.first() else {
            continue;
        };
        let metric = Metric::primary(plan, first);
        for (challenger, twin) in challengers() {
            let of_level = |blocks: &Blocks<'_>| {
                blocks.log_ratios_by_block(metric, &baseline.name, &challenger.name)
            };
            let logs = mean_log_ratios(&blocks.iter().map(of_level).collect::<Vec<_>>());
            let confidence = family.confidence(Member::of(true, twin, false));
            let mut curve = Comparison::new(
                (Across::Levels, curve::family(&levels)),
                [&baseline.name, &challenger.name],
                metric,
                &logs,
                confidence,
                plan.rounds_per_block() as usize,
            );
            curve.found.primary = !twin;
            curve.found.twin = twin;
            found.push(curve);
        }
    }
    found
}

/// The sweep that a workload is a level of; `None` outside sweeps.
fn level_of(plan: &Plan, workload: &Workload) -> Option<LevelOf> {
    let is_level = |levels: &Vec<&Workload>| levels.iter().any(|work| work.name == workload.name);
    let levels = sweeps(plan).into_iter().find(is_level)?;
    Some(LevelOf {
        sweep: curve::family(&levels),
        levels: levels.len(),
        differs: false,
    })
}

/// Reports a level as different only if the curve differs. In this hierarchical test, the levels
/// are tested only after the curve, so that the test of the curve alone limits the probability of a
/// false difference (R. Marcus, E. Peritz and K. R. Gabriel, "On closed testing procedures with
/// special reference to ordered analysis of variance", 1976). Applies to primary metrics only;
/// other comparisons are exploratory.
fn ask_levels(comparisons: &mut [Comparison], curves: &[Comparison], scale: Scale) {
    for level in comparisons {
        let Some(of) = &mut level.level else {
            continue;
        };
        let challenger = &level.found.challenger;
        let mut known = curves.iter();
        let curve = known.find(|c| c.workload == of.sweep && c.challenger == *challenger);
        of.differs = curve.is_some_and(|curve| curve.outcome.is_different());
        let differs = of.differs;
        if level.primary && !differs && level.outcome.is_different() {
            let scale = scale.with_floor(level.floor());
            let logs = level.log_ratios();
            level.found.outcome = level.question(&logs, scale, 1).undecided();
        }
        if level.primary
            && !differs
            && let Outcome::Inconclusive { likely, .. } = &mut level.found.outcome
        {
            *likely = None;
        }
    }
}

fn across_workloads(
    plan: &Plan,
    slices: &[Slice],
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Vec<Comparison> {
    let mut works = plan.compared_workloads();
    let Some(baseline) = works.next() else {
        return Vec::new();
    };
    let twin = plan.twin().map(|twin| twin.name.as_str());
    let targets = plan.targets.iter().map(|target| target.name.as_str());
    let challengers: Vec<&Workload> = works.collect();
    let mut found = Vec::new();
    for target in targets.filter(|target| Some(*target) != twin) {
        for challenger in &challengers {
            for metric in Metric::of_workload(plan, challenger) {
                let sides = [baseline, challenger].map(|work| Blocks::of(work, slices));
                found.extend(across(
                    (metric, Metric::primary(plan, challenger) == metric),
                    target,
                    [baseline, challenger],
                    &sides,
                    flagged,
                    family,
                ));
            }
        }
    }
    found
}

fn across(
    (metric, primary): (Metric, bool),
    target: &str,
    [baseline, challenger]: [&Workload; 2],
    sides: &[Blocks<'_>; 2],
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Option<Comparison> {
    let logs = |wanted: &dyn Fn(&Slice) -> bool| log_ratios_across(metric, target, sides, wanted);
    let log_ratios = logs(&|_| true);
    // Skip a metric that was not observed, unless the metric decides.
    if log_ratios.is_empty() && !primary {
        return None;
    }
    let without_flagged = primary.then(|| logs(&|slice: &Slice| is_clean(slice, flagged)));
    let confidence = family.confidence(Member::of(primary, false, false));
    let mut found = Comparison::new(
        (Across::Workloads, target.to_owned()),
        [&baseline.name, &challenger.name],
        metric,
        &log_ratios,
        confidence,
        sides[1].rounds,
    );
    found.found.primary = primary;
    found.found.without_flagged = without_flagged
        .filter(|left| left.len() < log_ratios.len())
        .and_then(|left| Figure::of(ratio(&left, confidence)));
    Some(found)
}

fn by_metric(
    plan: &Plan,
    workload: &Workload,
    metric: Metric,
    blocks: &Blocks<'_>,
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Vec<Comparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let decides = Metric::primary(plan, workload) == metric;
    let level = level_of(plan, workload);
    let challengers = plan.challengers().map(|target| (target, false));
    challengers
        .chain(plan.twin().map(|twin| (twin, true)))
        .map(|(challenger, twin)| {
            let (a, b) = (baseline.name.as_str(), challenger.name.as_str());
            let log_ratios = blocks.log_ratios(metric, a, b);
            let primary = decides && !twin;
            let confidence = family.confidence(Member::of(decides, twin, level.is_some()));
            let without_flagged = |log_ratios: &[f64]| {
                let left = blocks.log_ratios_of(metric, a, b, |slice| is_clean(slice, flagged));
                let is_less = left.len() < log_ratios.len();
                is_less
                    .then(|| Figure::of(ratio(&left, confidence)))
                    .flatten()
            };
            let mut found = Comparison::new(
                (Across::Targets, workload.name.clone()),
                [a, b],
                metric,
                &log_ratios,
                confidence,
                blocks.rounds,
            );
            found.found.primary = primary;
            found.found.twin = twin;
            found.found.level_of = level.as_ref().map(|level| level.sweep.clone());
            found.found.without_flagged = primary.then(|| without_flagged(&log_ratios)).flatten();
            found.level = level.clone();
            found
        })
        .collect()
}

/// Whether the slice is without a flag.
fn is_clean(slice: &Slice, flagged: &BTreeSet<u32>) -> bool {
    !flagged.contains(&slice.index)
}

/// Decides the outcome of each comparison from the interval: see [`Family`].
fn decide(plan: &Plan, comparisons: &mut [Comparison]) {
    let family = Family::of(plan);
    correct(family, plan, comparisons);
    let twins: Vec<(Across, String, Metric, Measured)> = comparisons
        .iter()
        .filter(|comparison| comparison.twin)
        .map(|twin| (twin.across, twin.workload.clone(), twin.metric, twin.ratio))
        .collect();
    for comparison in comparisons {
        let twin = twins.iter().find(|(across, workload, metric, _)| {
            (*across, workload, *metric)
                == (comparison.across, &comparison.workload, comparison.metric)
        });
        let scale = match twin {
            Some((_, _, _, noise)) if !comparison.twin => Scale::of(plan).with_twin(noise),
            _ => Scale::of(plan),
        };
        let scale = match (comparison.across, comparison.twin) {
            (Across::Targets | Across::Levels, false) => {
                scale.between(plan, [&comparison.baseline, &comparison.challenger])
            }
            // A twin measures the difference between processes, but workloads are compared within
            // one process.
            _ => scale,
        };
        let size = family.size(comparison.member(plan));
        let log_ratios = comparison.log_ratios();
        comparison.found.outcome = comparison.question(&log_ratios, scale, size).outcome();
        comparison.found.noise_floor = Some(scale.floor);
    }
}

/// Corrects the p-values and sets the confidence with which all intervals of a family hold.
fn correct(family: Family, plan: &Plan, comparisons: &mut [Comparison]) {
    for kind in [Member::Question, Member::Control] {
        let size = family.size(kind);
        correct_those(comparisons, |each| each.member(plan) == kind, size);
    }
}

fn correct_those(
    all: &mut [Comparison],
    belongs: impl Fn(&Comparison) -> bool,
    comparisons: usize,
) {
    let mine = all.iter().filter(|each| belongs(each));
    let known = mine.filter_map(|each| Some(each.ratio.estimate()?.confidence));
    let confidence = confidence_together(known);
    for each in all.iter_mut().filter(|each| belongs(each)) {
        each.found.adjusted_p = each.p.map(|p| bonferroni(p, comparisons));
        let is_known = !matches!(each.ratio, Measured::Unknown);
        each.found.together = (comparisons > 1 && is_known).then_some(Together {
            comparisons: comparisons as u64,
            confidence,
        });
    }
}

#[cfg(test)]
mod tests;
