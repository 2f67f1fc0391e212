//! The result of one workload on one target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::{SearchUse, UseScope};

use crate::connections::{Connections, HostResult};
use crate::figure::Figure;
use crate::operation::{OperationResult, Role};
use crate::percentiles::TimeAt;
use crate::sample::{CacheHits, PatternResult, RequestSample};
use crate::stages::StagesOf;

/// One workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultOf {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Slices that ran their full time.
    pub slices: u64,
    /// Slices that were cut short.
    pub cut_short: u64,
    /// Successful operations, over all slices: correct responses, without those to sub-requests,
    /// and completed transactions. Null in an imported result that does not say it.
    pub ok: Option<u64>,
    /// Failed operations, over all slices; null as for `ok`.
    pub failed: Option<u64>,
    /// Successful operations per second.
    pub throughput: Option<Figure>,
    /// CPU seconds of the target per successful operation.
    pub server_cpu: Option<Figure>,
    /// Successful operations per CPU second of the target: the inverse of `server_cpu`.
    #[serde(default)]
    pub per_core_second: Option<Figure>,
    /// The processes whose CPU and memory are reported; null if the target was not observed, and in
    /// documents of older versions, which reported launched processes only.
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
    /// Bytes that the target wrote to storage per byte that it was sent to store (write
    /// amplification); null for workloads that store nothing.
    #[serde(default)]
    pub written_per_stored: Option<Figure>,
    /// Voluntary context switches of the target per successful operation: a thread had to wait.
    #[serde(default)]
    pub voluntary_switches: Option<Figure>,
    /// Involuntary context switches of the target per successful operation: a thread lost its core.
    #[serde(default)]
    pub involuntary_switches: Option<Figure>,
    /// Cost of each program of the target, and programs that are not observed but were busy only
    /// while the target had load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessCost>,
    /// Why the cost is unknown and how to measure it; null if the target is observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_observed: Option<String>,
    /// Figures of the target's control group; null if it shares its control group with other
    /// programs.
    #[serde(default)]
    pub group: Option<GroupResult>,
    /// CPU seconds of the load generator per operation, failed ones included.
    pub client_cpu: Option<Figure>,
    /// Bytes that Tenbin's process allocated per operation, failed ones included.
    #[serde(default)]
    pub client_allocated_bytes: Option<Figure>,
    /// Allocations of Tenbin's process per operation, failed ones included.
    #[serde(default)]
    pub client_allocations: Option<Figure>,
    /// CPU share of one core that the busiest generator thread used.
    pub client_busiest_thread: Option<Figure>,
    /// Connections; null for workloads without connections, such as blobs in files, and in
    /// documents of older versions.
    #[serde(default)]
    pub connections: Option<Connections>,
    /// Each host of the target, over all operations; empty if the target has only one host.
    #[serde(default)]
    pub hosts: Vec<HostResult>,
    /// Each operation of the workload.
    pub operations: Vec<OperationResult>,
    /// Percentiles of all work, ascending, as far as there are enough requests for them: service time,
    /// or response time in an open loop. Empty in documents of versions that did not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spectrum: Vec<TimeAt>,
    /// The slowest requests of all slices, if requests come from patterns; includes requests without
    /// a response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<RequestSample>,
    /// The fastest requests with a response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fastest: Vec<RequestSample>,
    /// Each pattern that was sent; empty if there are too many patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternResult>,
    /// Expected and observed hits of the target's cache, if the plan expects hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheHits>,
    /// Memory and index figures that the search server reported, over all slices; omitted for
    /// servers that report none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// Times of server stages that the target reported, by operation; empty if the plan does not
    /// request them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StagesOf>,
}

impl ResultOf {
    /// The share of the operations that failed; `None` if none was tried, or if it is not known.
    pub fn failed_share(&self) -> Option<f64> {
        share(self.ok?, self.failed?)
    }

    /// The operations that count in throughput and failures.
    pub fn work(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role.is_work())
    }

    /// The operations that check the effect of others, and the times until effect.
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

/// Cost of the processes with one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessCost {
    /// Name of the program in the process table. Chosen by the program: escape before showing.
    pub name: String,
    /// Number of processes with that name: the largest number observed at a time.
    pub processes: u64,
    /// Whether they are observed; if so, they are included in the target's figures.
    pub observed: bool,
    /// Process IDs of unobserved processes; for observed ones, the ID of one process.
    pub pids: Vec<i32>,
    /// CPU seconds per successful operation of the target.
    pub cpu: Option<Figure>,
    /// Largest resident memory at the end of a slice, bytes.
    pub rss_bytes: Option<u64>,
}

/// Figures of a target's control group (cgroup v2). Its memory includes the page cache that the
/// kernel charges to the group, unlike resident memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupResult {
    /// Whether the group was observed to contain only processes of the target.
    pub alone: bool,
    /// CPU seconds per successful operation.
    pub cpu: Option<Figure>,
    /// Memory charged to the group at the end of the last slice: one observation.
    pub memory_bytes: Option<u64>,
    /// Largest memory ever charged to the group since its creation.
    pub memory_peak_bytes: Option<u64>,
    /// Share of the time for which a CPU quota throttled the group, summed over its threads.
    pub throttled: Option<Figure>,
    /// Bytes read from block devices per successful operation.
    pub read_bytes: Option<Figure>,
    /// Bytes written to block devices per successful operation.
    pub written_bytes: Option<Figure>,
}
