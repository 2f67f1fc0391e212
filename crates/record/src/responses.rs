//! Expected and unexpected responses.

use serde::{Deserialize, Serialize};

/// The expected responses of a target to one workload, learned before and during the run. Header
/// values come from the server: untrusted until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ExpectedResponse {
    /// Number of responses read before the run to learn the expected response; 0 if none were read.
    pub probed: u64,
    /// Expected status; null if unknown.
    pub status: Option<u16>,
    /// Shortest expected body, bytes.
    pub shortest: u64,
    /// Longest expected body, bytes.
    pub longest: u64,
    /// Mean length of the bodies before the run, bytes.
    pub mean: Option<u64>,
    /// Whether all expected responses have the same content.
    pub content: Sameness,
    /// Number of kinds of responses (status, length and content) that occurred more than once
    /// before the run.
    pub kinds: u64,
    /// `Content-Type`, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// `Content-Encoding`, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Mean length of the decoded bodies before the run, bytes; null if a body could not be
    /// decoded.
    pub decoded_mean: Option<u64>,
    /// CRC-64/NVME of the decoded body in hexadecimal, if equal for all responses before the run.
    pub decoded_crc64: Option<String>,
}

/// Whether responses to a request have the same content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sameness {
    /// Not known.
    #[default]
    Unknown,
    /// All responses have the same content.
    Same,
    /// The content varies between responses or with time.
    Varies,
}

/// Comparison of the responses of a slice with the expected responses, including the settling time
/// and the drain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Responses {
    /// Responses with a success status whose length was compared.
    pub compared: u64,
    /// Responses whose content was compared in addition to the length.
    pub read: u64,
    /// Unexpected responses by status and length, the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<UnexpectedResponses>,
    /// Number of unexpected responses whose status and length `unexpected` does not list.
    #[serde(skip_serializing_if = "is_zero")]
    pub others: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Unexpected responses with the same status and length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnexpectedResponses {
    /// Status of the responses.
    pub status: u16,
    /// Length of each body, bytes.
    pub length: u64,
    /// Number of responses.
    pub count: u64,
    /// The first characters of one response body. Untrusted until escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
}
