//! Resource use of a target.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Totals since an arbitrary start; the difference between two readings is the use in between. A
/// figure that is not available is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Time of the totals, seconds on a monotonic clock of the observed machine. Only differences
    /// between readings are meaningful.
    pub at: f64,
    /// Number that changes when the totals restart from 0. Differences across epochs are
    /// meaningless.
    pub epoch: u64,
    /// What the totals cover: processes or the whole host.
    pub scope: Scope,
    /// CPU seconds, user and system, of live and ended processes. On this machine, the time of live
    /// processes is exact to the nanosecond. The time of ended processes has a resolution of one
    /// clock tick (10 ms) per parent process, separately for user and system time.
    pub cpu_seconds: Option<f64>,
    /// Resident memory, bytes, summed over processes: a shared page counts once per process.
    pub rss_bytes: Option<u64>,
    /// Bytes read from storage; `None` if unreadable, for example for a process of another user.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage; `None` as for [`Self::read_bytes`].
    pub written_bytes: Option<u64>,
    /// Voluntary context switches: a thread waited, for example for I/O.
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches: the kernel preempted a thread that could have continued.
    pub involuntary_switches: Option<u64>,
    /// CPU seconds of the busiest process since the previous reading with [`Detail::Full`]; `None`
    /// in the first such reading.
    pub busiest_process: Option<f64>,
    /// CPU seconds of the busiest thread; otherwise as [`Self::busiest_process`].
    pub busiest_thread: Option<f64>,
    /// Seconds that runnable threads waited for a core, summed over threads, since the previous
    /// reading with [`Detail::Full`]; `None` in the first such reading. Excludes threads that
    /// started or ended in between.
    pub waited_for_core: Option<f64>,
    /// Totals of the control group that contains all processes of the target; `None` if there is no
    /// such group, or the group also contains Tenbin.
    pub group: Option<GroupUsage>,
}

/// What the totals cover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The processes of the target.
    #[default]
    Processes,
    /// The whole host that the target runs on.
    Host,
}

/// Totals of a control group (cgroup v2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupUsage {
    /// Identifier of the group; changes if the processes move to another group.
    pub place: u64,
    /// Whether the group contains only processes of the target.
    pub alone: bool,
    /// CPU seconds of the group, user and system.
    pub cpu_seconds: Option<f64>,
    /// Current memory charged to the group, bytes.
    pub memory_bytes: Option<u64>,
    /// Peak of the memory charged to the group, bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Number of periods in which the CPU quota was exhausted.
    pub throttled_periods: Option<u64>,
    /// Time for which the CPU quota throttled the group, microseconds.
    pub throttled_us: Option<u64>,
    /// Bytes read from block devices.
    pub read_bytes: Option<u64>,
    /// Bytes written to block devices.
    pub written_bytes: Option<u64>,
}

/// Resource use with the time of the reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The totals at the time of the reading.
    pub usage: Usage,
    /// Time in the middle of the reading, by the load generator's clock.
    pub taken: Instant,
    /// Duration of the reading.
    pub within: Duration,
}

/// How much a reading includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All figures.
    Full,
    /// Only CPU, memory and storage, which are cheap enough to read every second.
    Brief,
}
