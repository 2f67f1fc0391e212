//! What a rule may look at.

use tenbin_plan::{Pace, Plan, Workload};
use tenbin_record::{Environment, Integrity, Slice};

use crate::cell::Cell;
use crate::comparison::Comparison;

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

impl<'a> Evidence<'a> {
    /// Every workload on every target, in the plan's order, also without slices.
    pub fn cells(&self) -> Vec<Cell<'a>> {
        self.cells.to_vec()
    }
}

/// Whether the workload runs in a closed loop.
pub(crate) fn is_closed(workload: &Workload) -> bool {
    matches!(workload.load.pace, Pace::Closed)
}
