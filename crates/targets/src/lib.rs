//! Bring targets up, observe them, stop them; Tenbin's own servers.
//!
//! [`bring_up`] turns a target of the plan into a [`Running`] one, whatever its
//! reach. Everything a launched command starts belongs to a [`guard`] process,
//! which outlives Tenbin just long enough to stop it. [`preflight`] asks every
//! target, before the first slice, whether it is there; [`doctor`] looks for what may be
//! wrong.

mod address;
mod cache_counters;
mod core_waits;
mod data;
pub mod doctor;
mod encoded;
pub mod error;
pub mod guard;
mod guarded;
mod isolation;
pub mod launch;
pub mod observe;
mod output;
pub mod preflight;
pub mod probe;
mod process;
mod running;
mod search_state;
pub mod serve;
mod tls;
mod tree;
pub mod usage;
pub mod vitals;
mod way;

pub use address::Address;
pub use cache_counters::{CacheCount, cache_count, known_counters};
pub use core_waits::CoreWaits;
pub use data::{DataLeft, data_left};
pub use error::{Exit, ExitStatus, TargetError};
pub use launch::{Grounds, ProgramFile, Waiting, bring_up, program_files};
pub use running::Running;
pub use search_state::{SearchState, search_state};
pub use usage::{Depth, GroupUsage, Reading, Scope, Usage};
pub use vitals::{Monitor, Vitals};
pub use way::{Host, Way};
