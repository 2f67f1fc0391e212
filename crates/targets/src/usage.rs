//! What a target has used so far.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Totals since some moment in the past. Differences of two are what was used in between.
/// What nobody tells is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// When these were the totals, seconds on a clock of the observed machine that never
    /// goes back. It has no beginning that would mean anything elsewhere.
    pub at: f64,
    /// Another number than before: the totals have begun anew, and a difference tells
    /// nothing.
    pub epoch: u64,
    /// Whose totals these are.
    pub scope: Scope,
    /// CPU seconds, user and system, of live and of ended processes. Of processes that
    /// are looked at here exact to the nanosecond for live ones; the kernel counts ended
    /// ones in clock ticks (10 ms), separately for user and system and for each parent.
    pub cpu_seconds: Option<f64>,
    /// Resident memory now, bytes, summed over processes: pages that several
    /// share count for each.
    pub rss_bytes: Option<u64>,
    /// Bytes read from storage; unknown, for example, of a process that runs as another
    /// user.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage; unknown as above.
    pub written_bytes: Option<u64>,
    /// Context switches of threads that had to wait.
    pub voluntary_switches: Option<u64>,
    /// Context switches of threads that could have gone on.
    pub involuntary_switches: Option<u64>,
    /// CPU seconds that the busiest single process has used since the look with
    /// [`Depth::Whole`] before this one; unknown at the first.
    pub busiest_process: Option<f64>,
    /// The same of the busiest thread.
    pub busiest_thread: Option<f64>,
    /// Seconds that threads were ready to run and waited for a core, added up, since the look with
    /// [`Depth::Whole`] before this one; unknown at the first. Threads that began or ended in
    /// between are missing.
    pub waited_for_core: Option<f64>,
    /// What the control group says, where there is one of its own.
    pub group: Option<GroupUsage>,
}

/// Whose totals are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those of the target's processes.
    #[default]
    Processes,
    /// Those of the whole host.
    Host,
}

/// Totals of a control group (cgroup v2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupUsage {
    /// Another number: another group.
    pub place: u64,
    /// Nothing but the target is in it.
    pub alone: bool,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Memory charged to it now, bytes.
    pub memory_bytes: Option<u64>,
    /// The most ever charged to it, bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Periods in which its CPU quota ran out.
    pub throttled_periods: Option<u64>,
    /// How long the quota stopped it, microseconds.
    pub throttled_us: Option<u64>,
    /// Bytes read from block devices.
    pub read_bytes: Option<u64>,
    /// Bytes written to block devices.
    pub written_bytes: Option<u64>,
}

/// A usage and when it was learnt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The totals.
    pub usage: Usage,
    /// Middle of the time it took to learn them, by the generator's clock.
    pub taken: Instant,
    /// How long it took.
    pub within: Duration,
}

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// At everything.
    Whole,
    /// At CPU, memory and storage only: what costs little to look at every second.
    Brief,
}
