//! Expected and unexpected responses.

use std::collections::BTreeMap;

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
    /// Why the content was not compared with that of the unloaded server, or only in part; null if
    /// it was, or in runs of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Unchecked>,
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
    /// The same without numbers and tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words_crc64: Option<String>,
    /// Names of features of the bodies: JSON paths with types, tags, or words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Frequencies in the responses before the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Frequencies>,
    /// Frequencies in the responses read under load, warm-up included, without unexpected ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Frequencies>,
    /// Frequencies in the responses after the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Frequencies>,
}

/// Why the content of responses was not compared with that of the unloaded server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unchecked {
    /// The plan says that bodies may differ.
    MayDiffer,
    /// The server had other load when the first responses were read.
    NotUnloaded,
    /// The unloaded server sent only this number of responses.
    FewBefore(u64),
    /// Only this number of responses was read under load.
    FewUnderLoad(u64),
    /// The bodies vary and have this encoding, which cannot be decoded. Untrusted until escaped.
    Encoding(String),
}

/// Frequencies in the responses of a stage of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Frequencies {
    /// Responses that were read to the end, without those of another kind.
    pub responses: u64,
    /// Responses of another kind. Under load, only those that can be a rare page of the server; the
    /// others are counted by slice.
    pub other: u64,
    /// Responses with the constant content.
    pub same: u64,
    /// Responses with other content in place of the constant content, but the same shape.
    pub changed: u64,
    /// Number of distinct contents of the changed responses; at most 8 are told apart.
    pub changed_contents: u64,
    /// Responses with the constant content more than 0.2 s after the first changed response.
    pub same_after_change: u64,
    /// Changed responses more than 0.2 s after the first changed response.
    pub changed_after_change: u64,
    /// By feature: number of responses that have it.
    pub features: Vec<u64>,
    /// Features that responses before the load did not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<NewFeature>,
    /// Number of bodies in the sum of lengths.
    pub bodies: u64,
    /// Sum of the lengths of decoded bodies, bytes.
    pub bytes: u64,
    /// A random sample of these lengths, bytes.
    pub lengths: Vec<u64>,
    /// Responses whose content was compared with that of earlier ones.
    pub compared: u64,
    /// Of these, responses with the content of an earlier one.
    pub repeated: u64,
    /// Responses whose words were compared with those of earlier ones.
    pub compared_words: u64,
    /// Of these, responses with the words of an earlier one, apart from numbers and tokens.
    pub repeated_words: u64,
    /// Responses with an `Age`.
    pub age: u64,
    /// Responses that a cache has sent, according to a header.
    pub hit: u64,
    /// Responses with a `Via`.
    pub via: u64,
    /// Responses by `Content-Encoding`; an empty name for none. Untrusted until escaped.
    pub encodings: BTreeMap<String, u64>,
}

/// A feature that responses before the load did not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct NewFeature {
    /// Name of the feature. Untrusted until escaped.
    pub name: String,
    /// Number of responses that have it.
    pub responses: u64,
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
    #[serde(skip_serializing_if = "super::is_default")]
    pub others: u64,
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
    /// How one of these responses differs from the expected ones. Untrusted until escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub difference: String,
    /// The first characters of one response body. Untrusted until escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
}
