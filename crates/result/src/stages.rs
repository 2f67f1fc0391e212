//! Times of server stages, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A percentile band of the service times of correct responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Times of server stages that a target reported in its responses, for one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagesOf {
    /// Name of the operation.
    pub operation: String,
    /// Correct responses to requests due in the measurement windows, over all slices.
    pub answers: u64,
    /// Responses that reported a stage time.
    pub carrying: u64,
    /// Responses whose timing header could not be parsed, or reported more time than the request
    /// took.
    pub unreadable: u64,
    /// Mean service time, and its split into server and other time, in each percentile band;
    /// fastest band first.
    pub bands: Vec<StageBandResult>,
    /// The stages, in the order in which the target first reported each stage.
    pub stages: Vec<StageResult>,
}

/// Mean service time of the requests in one percentile band, and its split into server and other
/// time, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageBandResult {
    /// The band.
    pub band: StageBand,
    /// Mean service time.
    pub service: Option<Figure>,
    /// Mean time of the whole request as reported by the target, over the responses that report a
    /// total.
    pub total: Option<Figure>,
    /// Mean service time minus `total`, over the same responses: time spent in the network and the
    /// load generator.
    pub remainder: Option<Figure>,
    /// Share of the responses in the band that reported a stage time.
    pub carrying: Option<Figure>,
}

/// One server stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageResult {
    /// Name of the stage; `(others)` sums the stages beyond the maximum number of recorded stages.
    pub stage: String,
    /// Responses that reported this stage, as a share of the responses that reported any stage
    /// time, over all slices.
    pub named: f64,
    /// Mean time of this stage in each band, over the responses that reported any stage time. A
    /// response without this stage counts as 0.
    pub bands: Vec<Option<Figure>>,
}
