//! Runs an experiment: starts the targets, checks them, measures the slices in order, writes the
//! run directory and removes everything that the run created on the targets.
//!
//! The crate does not interpret figures and prints nothing: it reports [`Progress`] and returns a
//! [`RunOutcome`]. [`examine`] checks the machine and the targets before a run.

mod agent;
mod agent_loss;
mod assignment;
mod cache;
mod clean;
mod context;
mod controls;
mod descriptors;
mod doctor;
mod error;
mod first_response;
mod follow;
mod forecast;
mod found;
mod generators;
mod live_target;
mod machine;
mod measured_slice;
mod measurement;
mod meter;
mod nodes;
mod outage;
mod outcome;
mod pages;
mod ports;
mod preparation;
mod progress;
mod reach;
mod read_back;
mod responses;
mod restarts;
mod retried;
mod run;
mod search;
mod segments;
mod single;
mod slice_length;
mod speed;
mod stage;
mod stop;
mod supply;
mod sustain;
mod warm_up;
mod watch;

pub use agent::{AgentLimits, introduce, run_agent};
pub use clean::{clean, clean_command, data_left, places};
pub use context::{CountAllocations, HasFallen, IsPrecise, RunContext};
pub use doctor::{Examination, examine};
pub use error::{Ending, Outage, RunError};
pub use follow::{Redirected, follow};
pub use live_target::Cleaned;
pub use outcome::RunOutcome;
pub use progress::Progress;
pub use run::run;
pub use search::{ProbeWish, Steering};
pub use stop::Stop;
pub use supply::Supply;
pub use tenbin_targets::DataLeft;
