//! Times over the whole range of percentiles, and ratios at some of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A percentile of all requests of a workload on a target: those of the slices that ran their full
/// time, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeAt {
    /// The share of requests that took at most that time, 0 to 1.
    pub quantile: f64,
    /// The time, seconds.
    pub seconds: f64,
}

/// How many times as long a challenger takes as the baseline, percentile by percentile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PercentileRatios {
    /// Name of the workload.
    pub workload: String,
    /// The target compared with.
    pub baseline: String,
    /// The target that is compared.
    pub challenger: String,
    /// The percentiles, ascending.
    pub ratios: Vec<RatioAt>,
}

/// The ratio at one percentile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioAt {
    /// The share of requests that took at most the time that is compared, 0 to 1.
    pub quantile: f64,
    /// The challenger's time divided by the baseline's; null where the requests are too few.
    pub ratio: Option<Figure>,
}
