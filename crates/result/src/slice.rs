//! One slice, as in `result.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenbin_record::{Compact, MachineUse, Segment, ServerUse, WireUse};

use crate::result_of::share;

/// The figures of one slice. Times cover the operations that were due inside the measurement
/// window, even if they ended after it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceFigures {
    /// Index of the slice in the run, from 0.
    pub index: u32,
    /// Index of the block, from 0.
    pub block: u32,
    /// Index of the round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Offered rate, operations per second, if the slice is a probe of a maximum-rate search;
    /// otherwise omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Start of the measurement window, seconds after the start of the run; null in imported
    /// results.
    pub start: Option<f64>,
    /// Length of the measurement window, seconds; null if an imported file does not state it.
    pub seconds: Option<f64>,
    /// Whether the slice ended before its planned time.
    pub cut_short: bool,
    /// Successful operations inside the window: correct responses, without those to sub-requests,
    /// and completed transactions. Null if an imported file does not state them.
    pub ok: Option<u64>,
    /// Open loop: requests that were due by the end of the window and not yet sent; null in imported
    /// results.
    pub backlog: Option<u64>,
    /// Failed operations that were due before the end of the window and failed after its start; null
    /// if an imported file does not state them.
    pub failed: Option<u64>,
    /// Successful operations per second.
    pub throughput: Option<f64>,
    /// Median response time over all successful operations (in a closed loop, equal to the service
    /// time); null with too few operations.
    pub p50: Option<f64>,
    /// 99th percentile of the response time over all successful operations; null with too few
    /// operations.
    pub p99: Option<f64>,
    /// Longest response time of a successful operation; null without successful operations.
    #[serde(default)]
    pub max: Option<f64>,
    /// Start of the longest pause, seconds after the start of the run. During a pause, every
    /// generator thread had requests in flight and no response arrived. Null if no pause lasted 1
    /// ms or more, and in documents of older versions.
    #[serde(default)]
    pub pause_start: Option<f64>,
    /// Length of the longest pause, seconds.
    #[serde(default)]
    pub pause_seconds: Option<f64>,
    /// Mean service time over all successful operations; null without successful operations.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Body bytes of successful operations: for each request, the longer of request body and
    /// response body, unless the workload states the bytes of content.
    #[serde(default)]
    pub payload_bytes: Option<u64>,
    /// CPU seconds of the target.
    pub server_cpu: Option<f64>,
    /// Largest resident memory of the target, bytes.
    pub server_rss_bytes: Option<u64>,
    /// Bytes that the target wrote to storage.
    #[serde(default)]
    pub server_written_bytes: Option<u64>,
    /// Complete resource use of the target, including `server_cpu`, `server_rss_bytes` and
    /// `server_written_bytes`.
    #[serde(default)]
    pub server: Option<Compact<ServerUse>>,
    /// Resource use of the load generator's machine.
    #[serde(default)]
    pub machine: Option<Compact<MachineUse>>,
    /// TCP statistics of the connections to the target.
    #[serde(default)]
    pub wire: Option<Compact<WireUse>>,
    /// Body bytes sent to the target for storage; null for workloads that store nothing.
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
    /// Expected hit ratio of the target's cache in this slice; omitted if no cache is simulated or
    /// no cacheable request was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_forecast: Option<f64>,
    /// Cache hit ratio that the target reported for this slice; omitted if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_hits: Option<f64>,
    /// The part of the workload's request sequence that was sent; omitted if figures do not depend
    /// on which requests are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Box<Segment>>,
    /// Failures by second and class, adding up to `failed`. Omitted without failures, and in
    /// documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SecondErrors>,
    /// Names of the tests that flagged the slice, for example `outlying`.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SecondErrors {
    /// Index of the second since the start of the window, from 0. Failures after the end of the
    /// window count in later seconds.
    pub second: u64,
    /// Failures by class; classes that did not occur are absent.
    pub by_class: BTreeMap<String, u64>,
}
