//! One slice, as in `result.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::{MachineUse, Segment, ServerUse, WireUse};

use crate::result_of::share;

/// The figures of one slice. Counts include the operations that were due in its window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceFigures {
    /// Index in the run, from 0.
    pub index: u32,
    /// Index of its block, from 0.
    pub block: u32,
    /// Index of its round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Offered rate of a maximum-rate search, operations per second; otherwise omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Start of its window, since the start of the run; null in imported results.
    pub start: Option<f64>,
    /// Length of its window; null in an imported result that does not say it.
    pub seconds: Option<f64>,
    /// Whether it ended early.
    pub cut_short: bool,
    /// Successful operations inside the window: correct responses, without those to sub-requests,
    /// and completed transactions. Null in an imported result that does not say it.
    pub ok: Option<u64>,
    /// Open loop: requests that were due by the end of the window and not yet sent; null in imported
    /// results.
    pub backlog: Option<u64>,
    /// Failed operations; null in an imported result that does not say it.
    pub failed: Option<u64>,
    /// Successful operations per second.
    pub throughput: Option<f64>,
    /// Median time over all successful operations; null with too few of them.
    pub p50: Option<f64>,
    /// 99th percentile over all successful operations; null with too few of them.
    pub p99: Option<f64>,
    /// Longest time of a successful operation; null without one.
    #[serde(default)]
    pub max: Option<f64>,
    /// Start of the longest pause, seconds after the start of the run. In a pause, requests were in
    /// flight on every generator thread and no response arrived. Null without a pause of 1 ms or
    /// more, and in documents of older versions.
    #[serde(default)]
    pub pause_start: Option<f64>,
    /// Length of the longest pause, seconds.
    #[serde(default)]
    pub pause_seconds: Option<f64>,
    /// Mean service time over all successful operations; null without one.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Body bytes of successful operations, in both directions.
    #[serde(default)]
    pub payload_bytes: Option<u64>,
    /// CPU seconds of the target.
    pub server_cpu: Option<f64>,
    /// Largest resident memory of the target.
    pub server_rss_bytes: Option<u64>,
    /// Bytes that the target wrote to storage.
    #[serde(default)]
    pub server_written_bytes: Option<u64>,
    /// All recorded resource use of the target, including `server_cpu` and the two fields above.
    #[serde(default)]
    pub server: Option<ServerUse>,
    /// Resource use of the load generator's machine.
    #[serde(default)]
    pub machine: Option<MachineUse>,
    /// TCP statistics of the connections.
    #[serde(default)]
    pub wire: Option<WireUse>,
    /// Body bytes sent to the target to be stored; null for workloads that store nothing.
    #[serde(default)]
    pub stored_bytes: Option<u64>,
    /// CPU seconds of the load generator.
    #[serde(default)]
    pub client_cpu: Option<f64>,
    /// Bytes that Tenbin's process allocated.
    #[serde(default)]
    pub client_allocated_bytes: Option<u64>,
    /// Allocations of Tenbin's process.
    #[serde(default)]
    pub client_allocations: Option<u64>,
    /// CPU share of one core that the busiest generator thread used; null in imported results.
    pub client_busiest_thread: Option<f64>,
    /// Expected hit ratio of the target's cache in this slice; omitted if the plan expects none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_forecast: Option<f64>,
    /// Hit ratio that the target reported; omitted if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_hits: Option<f64>,
    /// The part of the request sequence that was sent; omitted if the sequence does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
    /// Failures by second and class; their sum is `failed`. Omitted without failures, and in
    /// documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SecondErrors>,
    /// Names of the tests that flagged it, for example `outlying`.
    #[serde(default)]
    pub flags: Vec<String>,
}

impl SliceFigures {
    /// The share of the operations that failed; `None` if none was tried, or if it is not known.
    pub fn failed_share(&self) -> Option<f64> {
        share(self.ok?, self.failed?)
    }

    /// Its end, since the start of the run.
    pub fn end(&self) -> Option<f64> {
        Some(self.start? + self.seconds?)
    }
}

/// Failed operations in one second of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondErrors {
    /// The second of the window, from 0. Operations that failed after the end of the window are in a
    /// later second.
    pub second: u64,
    /// Failures by class; classes that did not occur are absent.
    pub by_class: BTreeMap<String, u64>,
}
