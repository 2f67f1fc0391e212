//! The result of one workload on one target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::{SearchUse, UseScope};

use crate::connections::{Connections, HostResult};
use crate::figure::Figure;
use crate::operation::{OperationResult, Role};
use crate::single::{CacheHits, PatternResult, SingleResult};
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
    /// Slices cut short.
    pub cut_short: u64,
    /// Work done, over all slices: correct responses, without those to sub-requests, and
    /// transactions completed.
    pub ok: u64,
    /// Work that failed, over all slices.
    pub failed: u64,
    /// Work done a second.
    pub throughput: Option<Figure>,
    /// CPU seconds of the target for a piece of work done.
    pub server_cpu: Option<Figure>,
    /// Work done for a CPU second of the target, that is for a core that is busy for a
    /// second: the inverse of `server_cpu`.
    #[serde(default)]
    pub per_core_second: Option<Figure>,
    /// Whose CPU and memory are reported; null where the target was not observed, and in
    /// documents of versions that knew of its processes only.
    #[serde(default)]
    pub scope: Option<UseScope>,
    /// Resident memory of the target when its first slice began: one observation.
    #[serde(default)]
    pub rss_start_bytes: Option<u64>,
    /// Largest resident memory of the target that was observed.
    pub peak_rss_bytes: Option<u64>,
    /// Resident memory of the target when its last slice ended: one observation.
    #[serde(default)]
    pub rss_end_bytes: Option<u64>,
    /// Bytes that the target read from storage for a piece of work done.
    #[serde(default)]
    pub read_bytes: Option<Figure>,
    /// Bytes that the target wrote to storage for a piece of work done.
    pub written_bytes: Option<Figure>,
    /// Bytes that the target wrote to storage for a byte it was given to store;
    /// null for workloads that store none.
    #[serde(default)]
    pub written_per_stored: Option<Figure>,
    /// How often a thread of the target had to wait, for a piece of work done.
    #[serde(default)]
    pub voluntary_switches: Option<Figure>,
    /// How often a thread of the target lost its core, for a piece of work done.
    #[serde(default)]
    pub involuntary_switches: Option<Figure>,
    /// What each program of the target costs, and programs that are not observed and were busy
    /// only while the target had load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessCost>,
    /// Why the cost is unknown and how to change that; null where the target is observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_observed: Option<String>,
    /// What the target's control group says; null where it has no control group to itself.
    #[serde(default)]
    pub group: Option<GroupResult>,
    /// CPU seconds of the generator for a piece of work of any outcome.
    pub client_cpu: Option<Figure>,
    /// Bytes that Tenbin's process allocated for an operation of any outcome.
    #[serde(default)]
    pub client_allocated_bytes: Option<Figure>,
    /// Allocations of Tenbin's process for an operation of any outcome.
    #[serde(default)]
    pub client_allocations: Option<Figure>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: Option<Figure>,
    /// What happened to connections; null where there are none, as for blobs in files, and
    /// in documents of versions that did not say.
    #[serde(default)]
    pub connections: Option<Connections>,
    /// Each of the target's hosts, over all operations; empty when there is but one.
    #[serde(default)]
    pub hosts: Vec<HostResult>,
    /// Each of the workload's operations.
    pub operations: Vec<OperationResult>,
    /// The slowest requests of all slices, where they come from patterns; requests
    /// without a response are among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SingleResult>,
    /// The fastest that were answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fastest: Vec<SingleResult>,
    /// Each of the patterns that was sent; empty where there are too many of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternResult>,
    /// What its cache was expected to do and did, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheHits>,
    /// What the search server reported of its memory and index over all slices; left out for
    /// servers that report nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// Times of server stages that the target reported, by operation; empty if they were not
    /// requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StagesOf>,
}

impl ResultOf {
    /// The operations that throughput and failures are counted in.
    pub fn work(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role.is_work())
    }

    /// The operations that check what work has done, and when it took effect.
    pub fn checks(&self) -> impl Iterator<Item = &OperationResult> {
        let checks = |op: &&OperationResult| matches!(op.role, Role::Poll | Role::Effect);
        self.operations.iter().filter(checks)
    }

    /// The operations that are steps of others.
    pub fn steps(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role == Role::Step)
    }
}

/// What the processes of one name cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessCost {
    /// What the system calls the program. Chosen by the program: escape before showing.
    pub name: String,
    /// Processes of that name: the most that were observed at a time.
    pub processes: u64,
    /// Whether they are observed; if so, they are part of the target's figures.
    pub observed: bool,
    /// Process numbers of what is not observed; otherwise the number of one process.
    pub pids: Vec<i32>,
    /// CPU seconds for a piece of work done by the target.
    pub cpu: Option<Figure>,
    /// Largest resident memory at the end of a slice, bytes.
    pub rss_bytes: Option<u64>,
}

/// What the control group (cgroup v2) of a target says. Unlike resident memory its memory
/// includes the files that the kernel keeps for its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupResult {
    /// No process but those of the target was observed in it.
    pub alone: bool,
    /// CPU seconds for a piece of work done.
    pub cpu: Option<Figure>,
    /// Memory charged to it when the last slice ended: one observation.
    pub memory_bytes: Option<u64>,
    /// The most memory ever charged to it, since it was made.
    pub memory_peak_bytes: Option<u64>,
    /// Share of the time for which a CPU quota stopped it, added up over its threads.
    pub throttled: Option<Figure>,
    /// Bytes read from block devices for a piece of work done.
    pub read_bytes: Option<Figure>,
    /// Bytes written to block devices for a piece of work done.
    pub written_bytes: Option<Figure>,
}
