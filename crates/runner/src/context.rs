//! The environment of a run, apart from its plan.

use std::path::PathBuf;

use tenbin_plan::Plan;
use tenbin_record::{Allocated, Slice};

/// Returns the allocations of this process since the first call; `None` if they are not counted.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Whether the deciding figures of the slices so far are as precise as the plan requires.
pub type IsPrecise = fn(&Plan, &[Slice]) -> bool;

/// The environment of a run.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// The directory in which the run directory is created.
    pub root: PathBuf,
    /// The directory for relative paths in the plan.
    pub plan_directory: PathBuf,
    /// The Tenbin executable, which also runs as guard and built-in server.
    pub executable: PathBuf,
    /// Counts the allocations of this process. Supplied by the program, which chooses the
    /// allocator.
    pub count_allocations: CountAllocations,
    /// Decides when a run may end by precision. Supplied by the crate that judges figures.
    pub is_precise: IsPrecise,
    /// Whether the run may choose the slice length, because the user has not set it.
    pub lengthen_slices: bool,
}
