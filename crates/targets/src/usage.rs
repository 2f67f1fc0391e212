//! Resource use of a target.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Totals since a start in the past; the difference of two readings is the use in between. A
/// figure that is not available is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Time of the totals, seconds on a monotonic clock of the observed machine. Only differences
    /// are meaningful.
    pub at: f64,
    /// Changes when the totals restart from 0; a difference across epochs is meaningless.
    pub epoch: u64,
    /// What the totals cover.
    pub scope: Scope,
    /// CPU seconds, user and system, of live and ended processes. For processes observed by this
    /// machine: exact to the nanosecond for live processes; the kernel counts ended ones in clock
    /// ticks (10 ms), separately for user and system time and for each parent.
    pub cpu_seconds: Option<f64>,
    /// Resident memory, bytes, summed over processes: shared pages count once per process.
    pub rss_bytes: Option<u64>,
    /// Bytes read from storage; `None` for example for a process of another user.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage; `None` as for [`Self::read_bytes`].
    pub written_bytes: Option<u64>,
    /// Voluntary context switches: the thread had to wait.
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches: the thread could have continued.
    pub involuntary_switches: Option<u64>,
    /// CPU seconds of the busiest process since the previous reading with [`Detail::Full`];
    /// `None` in the first.
    pub busiest_process: Option<f64>,
    /// The same for the busiest thread.
    pub busiest_thread: Option<f64>,
    /// Seconds that runnable threads waited for a core, summed over threads, since the previous
    /// reading with [`Detail::Full`]; `None` in the first. Excludes threads that started or ended
    /// in between.
    pub waited_for_core: Option<f64>,
    /// Totals of the target's control group, if it has one.
    pub group: Option<GroupUsage>,
}

/// What the totals cover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The target's processes.
    #[default]
    Processes,
    /// The whole host.
    Host,
}

/// Totals of a control group (cgroup v2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupUsage {
    /// Identifies the group; changes if the processes move to another one.
    pub place: u64,
    /// Whether the group contains only processes of the target.
    pub alone: bool,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Memory charged to the group, bytes.
    pub memory_bytes: Option<u64>,
    /// Peak of the memory charged to the group, bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Periods in which the CPU quota was exhausted.
    pub throttled_periods: Option<u64>,
    /// Time for which the quota stopped the group, microseconds.
    pub throttled_us: Option<u64>,
    /// Bytes read from block devices.
    pub read_bytes: Option<u64>,
    /// Bytes written to block devices.
    pub written_bytes: Option<u64>,
}

/// A usage and the time of its reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The totals.
    pub usage: Usage,
    /// Middle of the reading, by the load generator's clock.
    pub taken: Instant,
    /// Duration of the reading.
    pub within: Duration,
}

/// How much a reading covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Full,
    /// Only CPU, memory and storage, which are cheap enough to read every second.
    Brief,
}
