//! The result of one operation of a workload on a target.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// One operation of a workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// Name of the operation.
    pub operation: String,
    /// Role of the operation; omitted if every request is a complete operation.
    #[serde(default, skip_serializing_if = "Role::is_plain_request")]
    pub role: Role,
    /// Correct responses, over all slices; null in an imported result that does not say it.
    pub ok: Option<u64>,
    /// Failures, over all slices; null as for `ok`.
    pub failed: Option<u64>,
    /// Failures by class; classes that did not occur are absent.
    pub errors: BTreeMap<String, u64>,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Error messages of the target, with counts. Text of the target: escape it before showing.
    pub failures: BTreeMap<String, u64>,
    /// Operations without a response at the end of the slice's drain; null in imported results.
    pub censored: Option<u64>,
    /// Correct responses per second.
    pub throughput: Option<Figure>,
    /// Body bytes of correct operations per second, in both directions.
    pub bandwidth: Option<Figure>,
    /// Whether the times below start at the write or at the intended start.
    pub timed_from: TimedFrom,
    /// Median time. All percentiles below are over all requests of the slices that ran their full
    /// time; the intervals come from the differences between slices.
    pub p50: Option<Figure>,
    /// 90th percentile.
    pub p90: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
    /// Longest time of a correct response in the whole run, including slices cut short. An extreme
    /// value, not an estimate, hence without an interval.
    #[serde(default)]
    pub max: Option<f64>,
    /// Median service time, from the write to the last byte; equals p50 if p50 is measured from the
    /// write.
    #[serde(default)]
    pub service_p50: Option<Figure>,
    /// 99th percentile of service time.
    #[serde(default)]
    pub service_p99: Option<Figure>,
    /// Median time from the write to the first byte of the response.
    #[serde(default)]
    pub first_byte_p50: Option<Figure>,
    /// 99th percentile of the time to the first byte.
    #[serde(default)]
    pub first_byte_p99: Option<Figure>,
}

/// Role of an operation in the workload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A request that is a complete operation.
    #[default]
    Request,
    /// A sub-request of a transaction: it has figures, but does not count as throughput.
    Step,
    /// A transaction of several requests, timed from the start of the first to the end of the last.
    #[serde(rename = "whole")]
    Transaction,
    /// A request that checks the effect of operations, on its own connection; does not count as
    /// throughput.
    Poll,
    /// The time until operations took effect, as the polls observed; does not count as throughput.
    Effect,
}

impl Role {
    /// Whether the operation counts in throughput and failures.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Transaction)
    }

    fn is_plain_request(&self) -> bool {
        *self == Self::Request
    }
}

/// Start of a measured time; its end is the last byte of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimedFrom {
    /// The write of the request's first byte: service time.
    Write,
    /// The intended start: response time.
    IntendedStart,
}
