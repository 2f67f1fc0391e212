//! Request samples and patterns, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A sampled request with its outcome and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestSample {
    /// Method and path.
    pub request: String,
    /// Host that received the request; null if the target has only one host.
    pub host: Option<String>,
    /// HTTP status of the response; null without a complete response.
    pub status: Option<u16>,
    /// Whether the response was correct.
    pub correct: bool,
    /// Time of the request, seconds: service time in a closed loop, response time in an open loop.
    pub time: f64,
}

/// The figures of one request pattern on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternResult {
    /// Method and path of the pattern; null if the run did not record them.
    pub request: Option<String>,
    /// Index of the pattern in the workload, from 0.
    pub pattern: u32,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Mean time of the correct responses, over the slices that ran their full time: service time
    /// in a closed loop, response time in an open loop.
    pub mean: Option<Figure>,
    /// Shortest time of a correct response: an extreme value, without an interval.
    pub min: Option<f64>,
    /// Longest time of a correct response: an extreme value, without an interval.
    pub max: Option<f64>,
    /// Number of hits (matching records) that the target returned for the pattern before the run;
    /// null if hits were not counted or not reported.
    pub hits: Option<u64>,
}

/// Expected and observed hit ratios of the caches of a target's hosts, over all slices, including
/// the time before and after their measurement windows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheHits {
    /// Expected hit ratio: the hit ratio of a simulated cache for exactly the requests sent. Null
    /// if no cache is simulated or no cacheable request was sent.
    pub forecast: Option<f64>,
    /// Hit ratio that the target reported; null if unknown.
    pub observed: Option<f64>,
    /// Number of cache lookups that the target reported; null if unknown.
    pub lookups: Option<u64>,
}
