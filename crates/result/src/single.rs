//! Single requests and their patterns, as `result.json` has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SingleResult {
    /// Method and path.
    pub request: String,
    /// The host it went to; null when there is but one.
    pub host: Option<String>,
    /// Status of its response; null if no complete one came.
    pub status: Option<u16>,
    /// Whether it was judged correct.
    pub correct: bool,
    /// What it took: service time in a closed loop, response time in an open one.
    pub time: f64,
}

/// One pattern at one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatternResult {
    /// Method and path; null where there is no list of them.
    pub request: Option<String>,
    /// Its position among the patterns of the workload, from 0.
    pub pattern: u32,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Mean time of its correct responses, over the slices that ran their full time.
    pub mean: Option<Figure>,
    /// The shortest time of a correct response: an extreme, which has no interval.
    pub min: Option<f64>,
    /// The longest one.
    pub max: Option<f64>,
    /// Hits that were found for it before the run; null when they were not counted, or
    /// not reported.
    pub hits: Option<u64>,
}

/// What the caches of a target's hosts were expected to do and did over all slices,
/// their leads and drains included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheHits {
    /// Share of hits in a simulated cache, fed with the very sequence that was sent;
    /// null if nothing was sent that a cache keeps.
    pub forecast: Option<f64>,
    /// Share of hits by the target's own count; null where that is not known.
    pub observed: Option<f64>,
    /// Lookups by the target's own count; null where that is not known.
    pub lookups: Option<u64>,
}
