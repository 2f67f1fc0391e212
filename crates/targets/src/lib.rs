//! Launches, observes and stops targets, and contains Tenbin's built-in servers.
//!
//! [`bring_up`] starts a target of the plan, or connects to a target that already runs, and returns
//! a [`Running`]. All processes of a launched command run below a [`guard`] process, which stops
//! them when Tenbin ends. [`preflight`] checks before the first slice that every target responds.
//! [`doctor`] finds problems that would prevent a benchmark or make its figures wrong.

mod cache_counters;
mod core_waits;
pub mod counters;
mod data;
pub mod doctor;
mod encoded;
pub mod error;
pub mod guard;
mod guarded;
pub mod helper_time;
mod isolation;
pub mod launch;
pub mod observe;
mod output;
pub mod preflight;
pub mod probe;
mod process;
mod route;
mod running;
mod search_state;
pub mod serve;
mod tls;
mod tree;
pub mod usage;

pub use cache_counters::{CacheCount, cache_count, known_counters};
pub use core_waits::CoreWaits;
pub use counters::{CpuQuota, MachineCounters, MachineMonitor, own_cpu_quota};
pub use data::{DataLeft, data_left};
pub use error::{Exit, ExitStatus, TargetError};
pub use launch::{LaunchContext, ProgramFile, StatedVersion, Waiting, bring_up, program_files};
pub use observe::EndedProcess;
pub use route::{Host, ResolvedRoute};
pub use running::Running;
pub use search_state::{SearchState, search_state};
pub use tenbin_http::Address;
pub use usage::{Detail, GroupUsage, Reading, Scope, Usage};
