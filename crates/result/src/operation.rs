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
    /// Its role in the work; left out if each request is one piece of work.
    #[serde(default, skip_serializing_if = "Role::is_plain_request")]
    pub role: Role,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Failures by class; absent classes did not occur.
    pub errors: BTreeMap<String, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// What the target said about failures, with counts. Its own words, as they
    /// came: escape them before they are shown.
    pub failures: BTreeMap<String, u64>,
    /// Operations still unanswered when their slice had been drained.
    pub censored: u64,
    /// Correct responses a second.
    pub throughput: Option<Figure>,
    /// Body bytes of correct operations a second, either way.
    pub bandwidth: Option<Figure>,
    /// What the times below count from.
    pub timed_from: TimedFrom,
    /// Median time. This and every percentile below is that of all requests of the
    /// slices that ran their full time, taken together; its interval comes from the
    /// differences between slices.
    pub p50: Option<Figure>,
    /// 90th percentile.
    pub p90: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
    /// Largest time of a correct response in the whole run, slices cut short among
    /// them: an extreme, not an estimate, and so without an interval.
    #[serde(default)]
    pub max: Option<f64>,
    /// Median service time, from the write to the last byte; equals p50 when that
    /// is timed from the write.
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

/// What an operation is to the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One request that is one piece of work.
    #[default]
    Request,
    /// A sub-request of a transaction: it has its own figures and is no throughput.
    Step,
    /// Something made of several requests: its time is from the start of the first of
    /// them to the end of the last.
    Whole,
    /// One request that checks what work has done, on a connection beside those of the load;
    /// no throughput.
    Poll,
    /// When work took effect, as polls found: it has times and is no throughput.
    Effect,
}

impl Role {
    /// Whether it is a piece of work: what throughput and failures are counted in.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Whole)
    }

    fn is_plain_request(&self) -> bool {
        *self == Self::Request
    }
}

/// What a latency counts from; it ends with the last byte of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimedFrom {
    /// The request's first byte was written: service time.
    Write,
    /// The request was due: response time.
    IntendedStart,
}
