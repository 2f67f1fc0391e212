//! The input of a rule.

use tenbin_plan::{Pace, Plan, Workload};
use tenbin_record::{Environment, Integrity, Slice};

use crate::cell::Cell;
use crate::compare::comparison::Comparison;

/// The input of a rule.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The experiment.
    pub plan: &'a Plan,
    /// All slices, including those that were cut short, in any order.
    pub slices: &'a [Slice],
    /// Every workload on every target, in the order of the plan; cells may have no slices.
    pub cells: &'a [Cell<'a>],
    /// The comparisons of each challenger with the baseline. Their `trust` is not yet decided,
    /// because it depends on the findings.
    pub comparisons: &'a [Comparison],
    /// Whether the run reached its planned end.
    pub complete: bool,
    /// Cores of the load generator's machine, if known.
    pub cores: Option<usize>,
    /// The load generator's machine, and the versions and settings that targets report.
    pub environment: &'a Environment,
    /// Whether the files of the run are unchanged.
    pub integrity: &'a Integrity,
}

impl<'a> Evidence<'a> {
    /// Every workload on every target, in the order of the plan; cells may have no slices.
    pub fn cells(&self) -> Vec<Cell<'a>> {
        self.cells.to_vec()
    }
}

/// Whether the workload runs in a closed loop.
pub(crate) fn is_closed(workload: &Workload) -> bool {
    matches!(workload.load.pace, Pace::Closed)
}
