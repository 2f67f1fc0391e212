//! What a rule may look at.

use std::rc::Rc;

use hdrhistogram::Histogram;
use tenbin_plan::{Pace, Plan, Reach, Target, Workload};
use tenbin_record::{Environment, Integrity, Slice};

use crate::comparison::Comparison;
use crate::latency::{Pick, Sums};

/// What a rule may look at.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The experiment.
    pub plan: &'a Plan,
    /// All slices, those cut short too, in any order.
    pub slices: &'a [Slice],
    /// Every workload on every target, in the plan's order, also without slices.
    pub cells: &'a [Cell<'a>],
    /// What they say of each challenger. Their `trust` is not yet settled: it
    /// depends on the findings.
    pub comparisons: &'a [Comparison],
    /// Whether the run came to its planned end.
    pub complete: bool,
    /// Cores of the machine that the generator ran on, if known.
    pub cores: Option<usize>,
    /// That machine, and what the targets say of themselves.
    pub environment: &'a Environment,
    /// Whether the files of the run are as the run wrote them.
    pub integrity: &'a Integrity,
}

/// One workload on one target.
#[derive(Debug, Clone)]
pub struct Cell<'a> {
    /// The workload.
    pub workload: &'a Workload,
    /// The target.
    pub target: &'a Target,
    /// Its slices, in the order of the run, those cut short too; of a search for a
    /// rate only the last proof: the other probes are there to fail.
    pub slices: Vec<&'a Slice>,
    /// Of its slices; shared by its clones.
    pub(crate) sums: Sums,
}

impl<'a> Evidence<'a> {
    /// Every workload on every target, in the plan's order, also without slices.
    pub fn cells(&self) -> Vec<Cell<'a>> {
        self.cells.to_vec()
    }
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

    /// The slices that ran their full time: the only ones that give figures.
    pub fn full(&self) -> Vec<&'a Slice> {
        let full = self.slices.iter().filter(|slice| !slice.cut_short);
        full.copied().collect()
    }

    /// What `pick` picks from its full slices, added up; `None` if that is nothing.
    pub(crate) fn merged(&self, pick: &Pick<'_>) -> Option<Rc<Histogram<u64>>> {
        self.sums.of(&self.full(), pick)
    }

    /// Service times of all requests of its full slices; `None` without any request.
    pub(crate) fn request_times(&self) -> Option<Rc<Histogram<u64>>> {
        self.merged(&|slice| slice.requests().map(|op| &op.service).collect())
    }

    /// Whether the target is known to run on the generator's machine.
    pub(crate) fn runs_here(&self) -> bool {
        !matches!(self.target.reach, Reach::Endpoint { .. })
            || self
                .target
                .observe
                .as_ref()
                .is_some_and(|observe| observe.processes().is_some())
    }
}

/// Every workload on every target, in the plan's order, also without slices.
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

/// Whether the workload runs in a closed loop.
pub(crate) fn is_closed(workload: &Workload) -> bool {
    matches!(workload.load.pace, Pace::Closed)
}
