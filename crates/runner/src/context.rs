//! What a run needs besides its plan.

use std::path::PathBuf;

use tenbin_plan::Plan;
use tenbin_record::{Allocated, Ended, Slice};

/// Returns the allocations of this process since the first call; `None` if they are not counted.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Returns why the rounds end after the slices measured so far, before the maximum number of
/// rounds; `None` if they go on.
pub type RoundsEnd = fn(&Plan, &[Slice]) -> Option<Ended>;

/// Returns whether a continuous stretch of a workload on a target departs from the interleaved slices
/// of the run by more than the margin and by more than noise explains.
pub type Departs = fn(&Plan, &[Slice], &Slice) -> bool;

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
    /// Decides after each block whether the rounds end: by precision or by a gate. Supplied by the
    /// caller, because another crate evaluates figures.
    pub rounds_end: RoundsEnd,
    /// Decides whether a stretch is measured once more, to confirm a fall or a rise. Supplied
    /// by the caller for the same reason.
    pub departs: Departs,
    /// Whether the run may choose the slice length: true if the user has not set a slice length.
    pub lengthen_slices: bool,
}
