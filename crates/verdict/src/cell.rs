//! One workload on one target, with its slices.

use std::rc::Rc;

use hdrhistogram::Histogram;
use tenbin_plan::{Plan, Reach, Target, Workload};
use tenbin_record::{OpFigures, Slice};

use crate::figures::latency::{
    Kind, NANOS_PER_SECOND, Pick, Sums, among_answered, of_operations, printable_quantile, unsent,
};

/// One workload on one target.
#[derive(Debug, Clone)]
pub struct Cell<'a> {
    /// The workload.
    pub workload: &'a Workload,
    /// The target.
    pub target: &'a Target,
    /// The slices in the order of the run, including slices that were cut short. For a maximum-rate
    /// search, only the last proof (the longer probe at the end): the search makes other probes
    /// fail on purpose.
    pub slices: Vec<&'a Slice>,
    /// Merged histograms of `slices`; shared by clones.
    pub(crate) sums: Sums,
}

impl<'a> Cell<'a> {
    pub(crate) fn new(workload: &'a Workload, target: &'a Target, slices: &'a [Slice]) -> Self {
        let mut slices: Vec<&Slice> = slices
            .iter()
            .filter(|slice| slice.workload == workload.name && slice.target == target.name)
            .collect();
        slices.sort_by_key(|slice| slice.index);
        if workload.search().is_some() {
            slices = last_proof(&slices);
        }
        Self {
            workload,
            target,
            slices,
            sums: Sums::default(),
        }
    }

    /// The full slices: slices that ran their full time. Only full slices contribute to figures.
    pub fn full(&self) -> Vec<&'a Slice> {
        let full = self.slices.iter().filter(|slice| !slice.end.cut_short);
        full.copied().collect()
    }

    /// The sum of the histograms that `pick` selects from the full slices; `None` if `pick` selects
    /// no histogram.
    pub(crate) fn merged(&self, pick: &Pick<'_>) -> Option<Rc<Histogram<u64>>> {
        self.sums.merged(&self.full(), pick)
    }

    /// Service times of all requests in the full slices; `None` without requests.
    pub(crate) fn request_times(&self) -> Option<Rc<Histogram<u64>>> {
        self.merged(&|slice| slice.requests().map(|op| &op.times.service).collect())
    }

    /// The quantile `q` of the times that `kind` selects, over the `wanted` operations in the full
    /// slices, seconds, without an interval. `None` with too few samples.
    pub(crate) fn quantile_of(
        &self,
        q: f64,
        kind: Kind,
        wanted: &dyn Fn(&OpFigures) -> bool,
    ) -> Option<f64> {
        let pick: &Pick<'_> = &|slice| of_operations(slice, kind, wanted);
        let merged = self.merged(pick)?;
        let unsent = unsent(&self.full(), pick);
        printable_quantile(&merged, among_answered(q, merged.len(), unsent)?)
    }

    /// The median service time of an operation over the full slices, seconds, even from few
    /// samples. The rules use this median to judge settings; no report shows the median.
    pub(crate) fn median_of(&self, operation: &str) -> Option<f64> {
        let kind: Kind = |op| &op.times.service;
        let all = self.merged(&|slice| of_operations(slice, kind, &|op| op.name == operation))?;
        (!all.is_empty()).then(|| all.value_at_quantile(0.5) as f64 / NANOS_PER_SECOND)
    }

    /// Whether the target is known to run on the load generator's machine.
    pub(crate) fn runs_here(&self) -> bool {
        !matches!(self.target.reach, Reach::Endpoint { .. })
            || self
                .target
                .observe
                .as_ref()
                .is_some_and(|observe| observe.processes().is_some())
    }
}

/// Every workload on every target, in the order of the plan. A cell can be without slices.
pub fn cells<'a>(plan: &'a Plan, slices: &'a [Slice]) -> Vec<Cell<'a>> {
    plan.workloads
        .iter()
        .flat_map(|workload| plan.targets.iter().map(move |target| (workload, target)))
        .map(|(workload, target)| Cell::new(workload, target, slices))
        .collect()
}

fn last_proof<'a>(slices: &[&'a Slice]) -> Vec<&'a Slice> {
    let is_proof = |slice: &&&Slice| slice.probe.is_some_and(|probe| probe.proof);
    slices
        .iter()
        .rev()
        .find(is_proof)
        .copied()
        .into_iter()
        .collect()
}
