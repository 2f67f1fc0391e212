//! The primary ratios of a plan: those that the interval of a run's precision is about.

use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_result::Metric;

use crate::compare::blocks::Blocks;
use crate::compare::curve::{mean_log_ratios, sweeps};
use crate::compare::metric::Measure;

/// A ratio of a challenger to the baseline, at a workload or over the levels of a sweep.
pub(crate) struct PrimaryRatio<'a> {
    /// The workload, or the levels of the sweep.
    pub(crate) levels: Vec<&'a Workload>,
    pub(crate) metric: Metric,
    pub(crate) baseline: &'a str,
    pub(crate) challenger: &'a str,
}

impl PrimaryRatio<'_> {
    /// The log ratio of each complete block.
    pub(crate) fn log_ratios(&self, slices: &[Slice]) -> Vec<f64> {
        let of_level = |work: &&Workload| {
            let blocks = Blocks::of(work, slices);
            blocks.log_ratios_by_block(self.metric, self.baseline, self.challenger)
        };
        mean_log_ratios(&self.levels.iter().map(of_level).collect::<Vec<_>>())
    }

    /// Whether a slice leaves a whole run without this ratio: without its value, the figures of the
    /// other slices are biased.
    pub(crate) fn is_biased_by(&self, slice: &Slice) -> bool {
        let is_mine = self.levels.iter().any(|work| work.name == slice.workload)
            && (slice.target == self.baseline || slice.target == self.challenger);
        is_mine && !slice.end.cut_short && self.metric.is_biased_over(&[slice])
    }
}

/// One ratio for each challenger at each workload outside sweeps, and one ratio for each challenger
/// over each sweep.
pub(crate) fn primary_ratios(plan: &Plan) -> Vec<PrimaryRatio<'_>> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let sweeps = sweeps(plan);
    let in_rounds = plan.workloads.iter().filter(|work| work.search().is_none());
    let is_level = |work: &Workload| sweeps.iter().flatten().any(|level| level.name == work.name);
    let alone = in_rounds
        .filter(|work| !is_level(work))
        .map(|work| vec![work]);
    let mut found = Vec::new();
    for levels in alone.chain(sweeps.iter().cloned()) {
        let Some(metric) = levels.first().map(|work| Metric::primary(plan, work)) else {
            continue;
        };
        found.extend(plan.challengers().map(|challenger| PrimaryRatio {
            levels: levels.clone(),
            metric,
            baseline: &baseline.name,
            challenger: &challenger.name,
        }));
    }
    found
}
