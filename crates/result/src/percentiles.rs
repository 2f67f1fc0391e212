//! Times at many percentiles, and ratios of times at some percentiles.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// The time at one percentile of a workload on a target, over all requests of the slices that ran
/// their full time: service time in a closed loop, response time in an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeAt {
    /// Share of requests that took at most `seconds`, 0 to 1.
    pub quantile: f64,
    /// Time at this percentile, seconds.
    pub seconds: f64,
}

/// A challenger's times divided by the baseline's, at several percentiles: service times in a
/// closed loop, response times in an open loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PercentileRatios {
    /// Name of the workload.
    pub workload: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Name of the challenger.
    pub challenger: String,
    /// The ratios by percentile, ascending.
    pub ratios: Vec<RatioAt>,
}

/// The ratio of two times at one percentile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RatioAt {
    /// The percentile as a share of requests, 0 to 1.
    pub quantile: f64,
    /// The challenger's time divided by the baseline's; null with too few requests.
    pub ratio: Option<Figure>,
}
