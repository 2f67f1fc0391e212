//! A figure with its interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure, with its interval if there were enough observations for one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Its interval; null when there were too few observations for one.
    pub interval: Option<Interval>,
    /// Independent observations behind it: slices, or blocks for a ratio.
    pub n: u64,
}

/// Where a figure lies, with a confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence that the interval really has, 0 to 1.
    pub confidence: f64,
}
