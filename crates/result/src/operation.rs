//! The result of one operation of a workload on a target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenbin_record::{Counts, Role};

use crate::figure::Figure;

/// The figures of one operation of a workload on one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationResult {
    /// Name of the operation.
    pub operation: String,
    /// Role of the operation in the workload; omitted for `request`.
    #[serde(default, skip_serializing_if = "Role::is_plain_request")]
    pub role: Role,
    /// The counters, over all slices; null if an imported file does not state them.
    #[serde(flatten)]
    pub counts: Counts<Option<u64>>,
    /// Failures, over all slices; null if an imported file does not state them.
    pub failed: Option<u64>,
    /// Failures by class; classes that did not occur are absent.
    pub errors: BTreeMap<String, u64>,
    /// Number of responses by HTTP status.
    pub statuses: BTreeMap<u16, u64>,
    /// Error messages of the target, with counts. The target chooses this text: escape it before
    /// display.
    pub failures: BTreeMap<String, u64>,
    /// Correct responses per second.
    pub throughput: Option<Figure>,
    /// Body bytes of correct operations per second: for each request, the longer of request body
    /// and response body, unless the workload states the bytes of content.
    pub bandwidth: Option<Figure>,
    /// From when the times below are measured: from the write of the request (service time), or
    /// from its intended start (response time).
    pub timed_from: TimedFrom,
    /// Median time. All percentiles below cover all requests of the slices that ran their full
    /// time; the intervals come from the variation between slices.
    pub p50: Option<Figure>,
    /// 90th percentile.
    pub p90: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
    /// Longest time of a correct response in the whole run, including slices that were cut short.
    /// An extreme value, not an estimate, and so without an interval.
    #[serde(default)]
    pub max: Option<f64>,
    /// Median service time, from the write to the last byte; equal to `p50` if `timed_from` is
    /// `write`.
    #[serde(default)]
    pub service_p50: Option<Figure>,
    /// 99th percentile of service time.
    #[serde(default)]
    pub service_p99: Option<Figure>,
    /// Median time from the write to the first byte of the response.
    #[serde(default)]
    pub first_byte_p50: Option<Figure>,
    /// 99th percentile of the time from the write to the first byte of the response.
    #[serde(default)]
    pub first_byte_p99: Option<Figure>,
}

/// Start of a measured time; the end is always the last byte of the response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimedFrom {
    /// The write of the request's first byte: service time.
    #[default]
    Write,
    /// The intended start of the request: response time.
    IntendedStart,
}
