//! What a run needs besides its plan.

use std::path::PathBuf;

use tenbin_plan::Plan;
use tenbin_record::{Allocated, Slice};

/// Returns the allocations of this process since the first call; `None` if they are not counted.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Returns whether the primary metrics of the slices measured so far are as precise as the plan
/// requires.
pub type IsPrecise = fn(&Plan, &[Slice]) -> bool;

/// Returns whether a continuous stretch of a workload on a target lies below the interleaved slices
/// of the run by more than the margin and by more than noise explains.
pub type HasFallen = fn(&Plan, &[Slice], &Slice) -> bool;

/// Directories, callbacks and options of a run.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// The directory in which the run directory is created.
    pub root: PathBuf,
    /// The directory to which relative paths in the plan refer.
    pub plan_directory: PathBuf,
    /// The Tenbin executable. Also started as a guard, which stops a launched target if Tenbin
    /// dies, and as a built-in server.
    pub executable: PathBuf,
    /// Counts the allocations of this process. Supplied by the caller, because the binary chooses
    /// the allocator.
    pub count_allocations: CountAllocations,
    /// Decides whether the figures are precise enough to end the run. Supplied by the caller,
    /// because another crate evaluates figures.
    pub is_precise: IsPrecise,
    /// Decides whether a stretch is measured once more, to confirm a fall. Supplied by the caller
    /// for the same reason.
    pub has_fallen: HasFallen,
    /// Whether the run may choose the slice length: true if the user has not set a slice length.
    pub lengthen_slices: bool,
}
