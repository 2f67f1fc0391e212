//! What responses were expected, and which came that were of another kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the responses of a target to one workload are expected to be, where that is not known but
/// learnt: from requests before the run, and from the run. Header values are the server's own
/// words: hostile until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExpectedResponse {
    /// Responses to requests that were sent before the run; 0 where none was.
    pub probed: u64,
    /// Status; null where nothing was learnt.
    pub status: Option<u16>,
    /// The shortest body that counts as expected, bytes.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
    /// Mean length of the bodies before the run, bytes.
    pub mean: Option<u64>,
    /// Whether the content is the same in all responses.
    pub content: Sameness,
    /// Number of kinds of responses that came more than once before the run.
    pub kinds: u64,
    /// `Content-Type`, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// `Content-Encoding`, as received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Mean length of the decoded bodies before the run, bytes; null where one could not be
    /// decoded.
    pub decoded_mean: Option<u64>,
    /// CRC-64/NVME of the decoded body in hexadecimal, where all had the same before the run.
    pub decoded_crc64: Option<String>,
}

/// Whether responses to a request have the same content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sameness {
    /// Nothing is known.
    #[default]
    Unknown,
    /// All have the same content.
    Same,
    /// The content differs from response to response, or changes with time.
    Varies,
}

/// What was seen of the responses of a slice, its lead and its drain included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Responses {
    /// Responses with a status that is a success, whose length was compared.
    pub compared: u64,
    /// Those of them whose content was compared as well.
    pub read: u64,
    /// Kinds that were not expected, the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<UnexpectedResponses>,
    /// Responses of more such kinds.
    #[serde(skip_serializing_if = "is_zero")]
    pub others: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Responses of one kind that was not expected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnexpectedResponses {
    /// Status.
    pub status: u16,
    /// Length of the body, bytes.
    pub length: u64,
    /// How many.
    pub count: u64,
    /// The first characters of one of them. Hostile until escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
}
