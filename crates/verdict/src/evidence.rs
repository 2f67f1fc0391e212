//! The evidence that rules judge a run by.

use tenbin_plan::{Pace, Plan, Workload};
use tenbin_record::{Environment, Integrity, Slice};

use crate::cell::Cell;
use crate::compare::comparison::Comparison;
use crate::continuous_load::Stretch;

/// Everything that a rule can judge a run by.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// All slices in any order, including slices that were cut short.
    pub slices: &'a [Slice],
    /// Every workload on every target, in the order of the plan; cells may have no slices.
    pub cells: &'a [Cell<'a>],
    /// The continuous load of each workload and target after the rounds.
    pub stretches: &'a [Stretch],
    /// The comparisons of each challenger with the baseline. The `trust` of these comparisons is
    /// not decided yet, because trust depends on the findings.
    pub comparisons: &'a [Comparison],
    /// Whether the run reached its planned end.
    pub complete: bool,
    /// Number of CPU cores of the load generator's machine, if known.
    pub cores: Option<usize>,
    /// Description of the load generator's machine, and versions and settings reported by targets.
    pub environment: &'a Environment,
    /// Whether the files of the run are unchanged since the run wrote them.
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
