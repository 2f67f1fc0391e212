//! The result of one workload on one target.

use serde::{Deserialize, Serialize};
use tenbin_record::{Role, SearchUse, UseScope};

use crate::connections::{Connections, HostResult};
use crate::figure::Figure;
use crate::listed_request::ListedRequest;
use crate::operation::OperationResult;
use crate::percentiles::TimeAt;
use crate::sample::{CacheHits, PatternResult, RequestSample};
use crate::stages::StagesOf;
use crate::sustained::Sustained;

/// The figures of one workload on one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultOf {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Slices that ran their full time.
    pub slices: u64,
    /// Slices that were cut short.
    pub cut_short: u64,
    /// Successful operations, over all slices: correct responses, not counting sub-requests of a
    /// transaction, plus completed transactions. Null if an imported file does not state them.
    pub ok: Option<u64>,
    /// Failed operations, over all slices. Null if an imported file does not state them.
    pub failed: Option<u64>,
    /// Successful operations per second.
    pub throughput: Option<Figure>,
    /// The figures under continuous load after the rounds; null without such a stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained: Option<Sustained>,
    /// CPU seconds of the target per successful operation.
    pub server_cpu: Option<Figure>,
    /// Successful operations per CPU second of the target: the inverse of `server_cpu`.
    #[serde(default)]
    pub per_core_second: Option<Figure>,
    /// The processes whose CPU and memory are reported; null if the target was not observed. Also
    /// null in documents of older versions, which reported launched processes only.
    #[serde(default)]
    pub scope: Option<UseScope>,
    /// Resident memory of the target at the start of its first slice: one observation.
    #[serde(default)]
    pub rss_start_bytes: Option<u64>,
    /// Largest observed resident memory of the target.
    pub peak_rss_bytes: Option<u64>,
    /// Resident memory of the target at the end of its last slice: one observation.
    #[serde(default)]
    pub rss_end_bytes: Option<u64>,
    /// Bytes that the target read from storage per successful operation.
    #[serde(default)]
    pub read_bytes: Option<Figure>,
    /// Bytes that the target wrote to storage per successful operation.
    pub written_bytes: Option<Figure>,
    /// Write amplification: bytes that the target wrote to storage divided by the body bytes sent
    /// for storage; null for workloads that store nothing.
    #[serde(default)]
    pub written_per_stored: Option<Figure>,
    /// Voluntary context switches of the target per successful operation: a thread blocked or
    /// yielded its core.
    #[serde(default)]
    pub voluntary_switches: Option<Figure>,
    /// Involuntary context switches of the target per successful operation: the kernel preempted a
    /// running thread.
    #[serde(default)]
    pub involuntary_switches: Option<Figure>,
    /// Cost of each program of the target, and of unobserved programs that were busy only while the
    /// target had load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessCost>,
    /// Why the cost is unknown and how to measure it; null if the target is observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_observed: Option<String>,
    /// Figures of the target's control group; null if no group contains all processes of the target
    /// and not Tenbin itself.
    #[serde(default)]
    pub group: Option<GroupResult>,
    /// CPU seconds of the load generator per operation, including failed operations.
    pub client_cpu: Option<Figure>,
    /// Bytes that Tenbin's process allocated per operation, including failed operations.
    #[serde(default)]
    pub client_allocated_bytes: Option<Figure>,
    /// Allocations of Tenbin's process per operation, including failed operations.
    #[serde(default)]
    pub client_allocations: Option<Figure>,
    /// CPU use of the busiest generator thread, as a share of one core.
    pub client_busiest_thread: Option<Figure>,
    /// Connection counts and times; null for targets without connections, such as a directory of
    /// blobs, and in documents of older versions.
    #[serde(default)]
    pub connections: Option<Connections>,
    /// The figures of each host of the target, over all operations; empty if the target has only
    /// one host.
    #[serde(default)]
    pub hosts: Vec<HostResult>,
    /// Each operation of the workload.
    pub operations: Vec<OperationResult>,
    /// Times at ascending percentiles over all operations, up to the highest percentile for which
    /// there are enough requests. Service time in a closed loop, response time in an open loop.
    /// Empty in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spectrum: Vec<TimeAt>,
    /// The slowest requests with a correct response, over all slices, slowest first; at most 20.
    /// Empty in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow_requests: Vec<ListedRequest>,
    /// The first ten and the last ten failed requests, over all slices, in the order of their ends.
    /// Empty in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_requests: Vec<ListedRequest>,
    /// The slowest requests of all slices, including requests without a response; empty unless the
    /// workload draws its requests from patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<RequestSample>,
    /// The fastest requests with a response, over all slices; empty unless the workload draws its
    /// requests from patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fastest: Vec<RequestSample>,
    /// The result for each pattern; empty without patterns, and with more than 10,000 patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternResult>,
    /// Expected and observed hit ratios of the target's cache; omitted if the plan sets neither
    /// `cache_hit`, `cache_size` nor `cache_counters`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheHits>,
    /// Memory and index figures that the full-text search server reported, over all slices; omitted
    /// for servers that report none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// Times of server stages that the target reported in its responses, by operation; empty if the
    /// plan does not request server stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StagesOf>,
}

impl ResultOf {
    /// The share of the operations that failed; `None` if none was tried, or if it is not known.
    pub fn failed_share(&self) -> Option<f64> {
        share(self.ok?, self.failed?)
    }

    /// The operations that count towards throughput and failures.
    pub fn work(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role.is_work())
    }

    /// The polls that check the effect of operations, and the times until an effect was visible.
    pub fn checks(&self) -> impl Iterator<Item = &OperationResult> {
        let checks = |op: &&OperationResult| matches!(op.role, Role::Poll | Role::Effect);
        self.operations.iter().filter(checks)
    }

    /// The sub-requests of transactions.
    pub fn steps(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role == Role::Step)
    }
}

/// The share of `failed` in both.
pub(crate) fn share(ok: u64, failed: u64) -> Option<f64> {
    let all = ok.saturating_add(failed);
    (all > 0).then(|| failed as f64 / all as f64)
}

/// Cost of all processes that share one program name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessCost {
    /// Name of the program in the process table. The program chooses this text: escape it before
    /// display.
    pub name: String,
    /// Largest number of processes with that name at any observation.
    pub processes: u64,
    /// Whether the processes are observed, and so included in the target's figures.
    pub observed: bool,
    /// The IDs of all these processes if they are not observed; otherwise the ID of one of them.
    pub pids: Vec<i32>,
    /// CPU seconds per successful operation of the target.
    pub cpu: Option<Figure>,
    /// Resident memory of these processes together, bytes: the largest value at the end of any
    /// slice.
    pub rss_bytes: Option<u64>,
}

/// Figures of a target's control group (cgroup v2). Unlike resident memory, the memory of a group
/// includes the page cache that the kernel charges to the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupResult {
    /// Whether the group contained only processes of the target in every slice.
    pub alone: bool,
    /// CPU seconds per successful operation.
    pub cpu: Option<Figure>,
    /// Memory charged to the group at the end of the last slice, bytes: one observation.
    pub memory_bytes: Option<u64>,
    /// Largest memory charged to the group since its creation, bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Time during which a CPU quota throttled the group, as a share of the measured time. Can
    /// exceed 1, because the kernel adds up the times of all CPUs.
    pub throttled: Option<Figure>,
    /// Bytes read from block devices per successful operation.
    pub read_bytes: Option<Figure>,
    /// Bytes written to block devices per successful operation.
    pub written_bytes: Option<Figure>,
}
