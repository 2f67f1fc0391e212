//! The slowest and the failed requests, as in `result.json`.

use serde::{Deserialize, Serialize};

/// One of the slowest or failed requests of a workload on a target. Texts come from the target:
/// escape them before display.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedRequest {
    /// Name of the operation.
    pub operation: String,
    /// Method, path and query without secrets, cut to 1,024 bytes; empty if the request failed
    /// before it was prepared.
    pub request: String,
    /// Name of the host; empty for targets without connections, such as a directory of blobs.
    pub host: String,
    /// Name of the agent that sent the request; omitted without agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Index of the slice in the run.
    pub slice: u64,
    /// When the request was due, seconds after the start of the run: when it was written in a
    /// closed loop, its intended start in an open loop.
    pub start: f64,
    /// Time until the last byte of the response, or until the request failed, seconds: service time
    /// in a closed loop, response time in an open loop. Without the connection set-up.
    pub time: f64,
    /// Send lag: time from the intended start until the request was written, seconds; null in a
    /// closed loop.
    pub lag: Option<f64>,
    /// Time to connect, seconds; null if the connection had already carried a request.
    pub connect: Option<f64>,
    /// Time of the TLS handshake, seconds; null as `connect`, and without TLS.
    pub tls: Option<f64>,
    /// Time from the start of the write to the first byte of the response, seconds; null without a
    /// byte of the response.
    pub first_byte: Option<f64>,
    /// Time from the first to the last byte of the response, seconds; null without a complete
    /// response.
    pub body: Option<f64>,
    /// HTTP status; null without a complete response.
    pub status: Option<u16>,
    /// Class of the failure; null for a correct response.
    pub error: Option<String>,
    /// Text of the failure; empty without a text.
    pub text: String,
    /// How often the request was sent: 1, or more if refused requests are sent again; 0 if the
    /// request was never sent.
    pub attempts: u64,
    /// The server's identifier of the request, from a response header such as `x-request-id`; null
    /// without such a header.
    pub id: Option<String>,
}
