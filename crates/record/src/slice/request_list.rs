//! The slowest correct and the failed requests of a slice.

use serde::{Deserialize, Serialize};
use tenbin_engine::ErrorClass;

/// The slowest correct requests and the first and last failed requests of a slice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedRequests {
    /// The slowest requests with a correct response that were due in the window, slowest first.
    /// Without requests that cannot be among the slowest of the run, because earlier slices of the
    /// same workload on the same target had enough slower requests.
    pub slowest: Vec<RecordedRequest>,
    /// The first and the last requests that failed, in the order of their ends. Only the last, if
    /// earlier slices of the same workload on the same target had enough failures.
    pub failed: Vec<RecordedRequest>,
}

/// One of the slowest or failed requests. Texts come from the target or the plan: escape them before
/// display.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRequest {
    /// Name of the operation.
    pub operation: String,
    /// Method, path and query without secrets, cut to 1,024 bytes; empty if the request failed
    /// before it was prepared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// Name of the host; empty without connections.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Name of the agent that sent the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Time at which the request was due (open loop) or written (closed loop), nanoseconds after the
    /// window opened.
    pub start_ns: i64,
    /// The latency that reports show: service time in a closed loop, response time in an open loop.
    pub ns: u64,
    /// Open loop: time from when the request was due until it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_ns: Option<u64>,
    /// Time to connect, if the request was the first on its connection; not part of `ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ns: Option<u64>,
    /// As `connect_ns`, of the TLS handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_ns: Option<u64>,
    /// Time from the start of the write to the first byte of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ns: Option<u64>,
    /// Time from the first to the last byte of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_ns: Option<u64>,
    /// Status of the response; `None` without a complete response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Class of the failure; `None` for a correct response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorClass>,
    /// Text of the failure, cut to 200 bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// How often the request was sent; 0 if it was never sent.
    pub attempts: u32,
    /// The server's identifier of the request, from a response header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
