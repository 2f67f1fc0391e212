//! What a run needs besides its plan.

use std::path::PathBuf;

use tenbin_plan::Plan;
use tenbin_record::{Allocated, Slice};

/// Tells what this process has allocated since it was first asked; `None` if nobody counts.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Tells from the slices so far whether the deciding figures are known as well as the
/// plan asks for.
pub type IsPrecise = fn(&Plan, &[Slice]) -> bool;

/// Where a run takes place.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// Directory in which the run gets its own.
    pub root: PathBuf,
    /// Directory that relative paths of the plan start from.
    pub plan_directory: PathBuf,
    /// This program, which guards and serves as a child process of itself.
    pub executable: PathBuf,
    /// What this process allocates, which only the program that chooses the
    /// allocator can know.
    pub count_allocations: CountAllocations,
    /// When a run that may end by precision may end, which only those who judge
    /// figures can know.
    pub is_precise: IsPrecise,
    /// Nobody has set the length of a slice, so that it may follow from the warm-up.
    pub lengthen_slices: bool,
}
