//! Times of server stages, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A percentile band of the service times of correct responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageBand {
    /// Up to the median.
    FastestHalf,
    /// From the median to the 90th percentile.
    P50ToP90,
    /// From the 90th to the 99th percentile.
    P90ToP99,
    /// Above the 99th percentile.
    AboveP99,
}

impl StageBand {
    /// All bands, the fastest first.
    pub const ALL: [Self; 4] = [
        Self::FastestHalf,
        Self::P50ToP90,
        Self::P90ToP99,
        Self::AboveP99,
    ];
}

/// Times of server stages that a target reported for one operation in response headers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagesOf {
    /// Name of the operation.
    pub operation: String,
    /// Correct responses to requests that were due in the windows, over all slices.
    pub answers: u64,
    /// Responses that reported a time.
    pub carrying: u64,
    /// Responses with a header that could not be parsed, or with a time longer than the request
    /// took.
    pub unreadable: u64,
    /// Means over the requests in each band, the fastest band first.
    pub bands: Vec<StageBandResult>,
    /// Each stage, in the order in which it was first reported.
    pub stages: Vec<StageResult>,
}

/// Means over the requests in a band, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageBandResult {
    /// The band.
    pub band: StageBand,
    /// Service time.
    pub service: Option<Figure>,
    /// Time of the whole request as measured by the target, over the responses that report it.
    pub total: Option<Figure>,
    /// The rest of the service time of the same responses: network and client.
    pub remainder: Option<Figure>,
    /// Share of the responses that reported a time.
    pub carrying: Option<Figure>,
}

/// One server stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageResult {
    /// Name of the stage; `(others)` sums the stages beyond the largest number that is kept.
    pub stage: String,
    /// Share of the responses with a time that named this stage, over all slices.
    pub named: f64,
    /// Mean over the responses with a time, per band; a response that does not name the stage
    /// counts with a time of 0 in it.
    pub bands: Vec<Option<Figure>>,
}
