//! The outcome of a run.

use std::path::PathBuf;
use std::time::SystemTime;

use tenbin_plan::{Found, Rounds, Sentence};
use tenbin_record::{Environment, Left, Slice};

use crate::error::Ending;

/// The result of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// The run directory.
    pub directory: PathBuf,
    /// Start time of the run.
    pub started: SystemTime,
    /// Data sets that existed before the run, with the index of each workload: see
    /// [`tenbin_plan::Plan::settle`].
    pub found: Vec<(usize, Found)>,
    /// The environment: the machine and the targets.
    pub environment: Environment,
    /// All slices, in order; empty after [`Progress::Concluded`](crate::Progress::Concluded) if its
    /// receiver took them.
    pub slices: Vec<Slice>,
    /// The continuous stretches after the rounds, in order.
    pub sustained: Vec<Slice>,
    /// The probes of other loads after the rounds, in order.
    pub limit_probes: Vec<Slice>,
    /// The rounds as run: with longer slices if the warm-up showed slow operations, and with the
    /// decision for [`tenbin_plan::Relaunch::Auto`].
    pub rounds: Rounds,
    /// How the measured part ended.
    pub ending: Ending,
    /// Everything that Tenbin created and could not remove.
    pub left_behind: Vec<Left>,
    /// Data kept on the targets because the plan says so, one sentence each.
    pub kept: Vec<Sentence>,
    /// Whether the user stopped the clean-up, so that not all data was removed.
    pub clean_up_interrupted: bool,
}
