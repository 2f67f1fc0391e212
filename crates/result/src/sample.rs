//! Request samples and patterns, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A request sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestSample {
    /// Method and path.
    pub request: String,
    /// The host that received it; null if the target has only one host.
    pub host: Option<String>,
    /// Status of the response; null without a complete response.
    pub status: Option<u16>,
    /// Whether the response was correct.
    pub correct: bool,
    /// Service time in a closed loop, response time in an open loop.
    pub time: f64,
}

/// One pattern on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatternResult {
    /// Method and path; null if the patterns are not listed.
    pub request: Option<String>,
    /// Index among the patterns of the workload, from 0.
    pub pattern: u32,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Mean time of its correct responses, over the slices that ran their full time.
    pub mean: Option<Figure>,
    /// Shortest time of a correct response: an extreme value, without an interval.
    pub min: Option<f64>,
    /// Longest time of a correct response.
    pub max: Option<f64>,
    /// Hits of the pattern before the run; null if they were not counted or not reported.
    pub hits: Option<u64>,
}

/// Expected and observed hits in the caches of a target's hosts, over all slices, including their
/// settling times and drains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheHits {
    /// Hit ratio of a simulated cache that is fed with the exact sequence of requests sent; null if
    /// no cacheable request was sent.
    pub forecast: Option<f64>,
    /// Hit ratio that the target reported; null if unknown.
    pub observed: Option<f64>,
    /// Cache lookups that the target reported; null if unknown.
    pub lookups: Option<u64>,
}
