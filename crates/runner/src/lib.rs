//! Runs an experiment: starts the targets, checks them, measures the slices in order, writes the
//! run directory and removes everything that the run created on the targets.
//!
//! The crate does not interpret figures and prints nothing: it reports [`Progress`] and returns a
//! [`RunOutcome`]. [`examine`] checks the machine and the targets before a run.

mod agent;
mod context;
mod controls;
mod data;
mod doctor;
mod error;
mod generators;
mod machine;
mod outcome;
mod preparation;
mod progress;
mod run;
mod slice;
mod stage;
mod stop;
mod target;

pub use agent::{AgentLimits, introduce, run_agent};
pub use context::{CountAllocations, Departs, RoundsEnd, RunContext};
pub use data::clean::{clean, clean_command, data_left, places};
pub use data::loaded::LoadedData;
pub use doctor::{Examination, examine};
pub use error::{Ending, Outage, RunError};
pub use outcome::RunOutcome;
pub use progress::Progress;
pub use run::run;
pub use slice::max_rate::{ProbeWish, Steering};
pub use stop::Stop;
pub use target::live::clean_up::Cleaned;
pub use target::redirects::{Redirected, follow};
pub use tenbin_targets::DataLeft;
