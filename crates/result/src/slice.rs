//! One slice, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::{MachineUse, Segment, ServerUse, WireUse};

/// The figures of one slice. Counts belong to the operations that were due in
/// its window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceFigures {
    /// Position in the run, from 0.
    pub index: u32,
    /// Pairing block, from 0.
    pub block: u32,
    /// Round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Operations a second that it was offered by the search for a rate; left out where
    /// there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Start of its window, after the begin of the run.
    pub start: f64,
    /// Length of its window.
    pub seconds: f64,
    /// Whether it ended before its time.
    pub cut_short: bool,
    /// Work done inside the window: correct responses, without those to sub-requests, and
    /// transactions completed.
    pub ok: u64,
    /// Open loop: requests due at the end of the window and not yet sent.
    pub backlog: u64,
    /// Work that failed.
    pub failed: u64,
    /// Work done a second.
    pub throughput: Option<f64>,
    /// Median time over all work; null when there was too little.
    pub p50: Option<f64>,
    /// 99th percentile over all work; null when there was too little.
    pub p99: Option<f64>,
    /// Largest time over all work; null when none was done.
    #[serde(default)]
    pub max: Option<f64>,
    /// Start of the longest pause, seconds after the run began: a stretch in which requests
    /// were out on every generator thread and none was answered. Null without one of 1 ms or
    /// more, and in documents of versions that did not look.
    #[serde(default)]
    pub pause_start: Option<f64>,
    /// Its length, seconds.
    #[serde(default)]
    pub pause_seconds: Option<f64>,
    /// Mean service time over all work done; null when none was done.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Body bytes of work done, either way.
    #[serde(default)]
    pub payload_bytes: Option<u64>,
    /// CPU seconds of the target.
    pub server_cpu: Option<f64>,
    /// Largest resident memory of the target.
    pub server_rss_bytes: Option<u64>,
    /// Bytes that the target wrote to storage.
    #[serde(default)]
    pub server_written_bytes: Option<u64>,
    /// All that is known of what the target used, as it was recorded: `server_cpu` and the
    /// two above are among it.
    #[serde(default)]
    pub server: Option<ServerUse>,
    /// What the generator's machine did.
    #[serde(default)]
    pub machine: Option<MachineUse>,
    /// What TCP says of the connections.
    #[serde(default)]
    pub wire: Option<WireUse>,
    /// Body bytes that the target was given to store; null for workloads that
    /// store none.
    #[serde(default)]
    pub stored_bytes: Option<u64>,
    /// CPU seconds of the generator.
    #[serde(default)]
    pub client_cpu: Option<f64>,
    /// Bytes that Tenbin's process allocated.
    #[serde(default)]
    pub client_allocated_bytes: Option<u64>,
    /// Allocations of Tenbin's process.
    #[serde(default)]
    pub client_allocations: Option<u64>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: f64,
    /// Share of hits that was expected of the target's cache in this slice; left out
    /// where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_forecast: Option<f64>,
    /// Share of hits by the target's own count; left out where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_hits: Option<f64>,
    /// Which part of the sequence of requests was sent; left out where that does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
    /// The tests that found something wrong with it, for example `outlying`.
    #[serde(default)]
    pub flags: Vec<String>,
}
