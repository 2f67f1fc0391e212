//! Times of server stages, as `result.json` has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A band of the service times of correct responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageBand {
    /// Up to the median.
    FastestHalf,
    /// From the median to the 90th percentile.
    P50ToP90,
    /// From there to the 99th percentile.
    P90ToP99,
    /// Beyond the 99th percentile.
    AboveP99,
}

impl StageBand {
    /// All of them, the fastest first.
    pub const ALL: [Self; 4] = [
        Self::FastestHalf,
        Self::P50ToP90,
        Self::P90ToP99,
        Self::AboveP99,
    ];
}

/// Times of server stages that a target reported for one operation, in headers of its responses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagesOf {
    /// Name of the operation.
    pub operation: String,
    /// Correct responses to requests that were due in the windows, over all slices.
    pub answers: u64,
    /// Those of them that reported a time.
    pub carrying: u64,
    /// Those with a header that could not be read, or with a time longer than the request took.
    pub unreadable: u64,
    /// Means of the requests in each band, the fastest first.
    pub bands: Vec<StageBandResult>,
    /// Each stage, in the order in which they were first reported.
    pub stages: Vec<StageResult>,
}

/// Means of the requests in a band, all slices together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageBandResult {
    /// The band.
    pub band: StageBand,
    /// Service time.
    pub service: Option<Figure>,
    /// Time of the whole request as the target saw it, over the responses that report it.
    pub total: Option<Figure>,
    /// What is left of the service time of the same responses: network and client.
    pub remainder: Option<Figure>,
    /// Share of the responses that reported a time.
    pub carrying: Option<Figure>,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageResult {
    /// Its name; `(others)` for all that there was no room for.
    pub stage: String,
    /// Share of the responses with a time that named it, over all slices.
    pub named: f64,
    /// Mean over the responses with a time, for each of the bands; one that does not name
    /// the stage counts as no time in it.
    pub bands: Vec<Option<Figure>>,
}
