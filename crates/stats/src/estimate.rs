//! Figures with their uncertainty.

use serde::Serialize;

/// A figure with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Achieved confidence of the interval, 0 to 1: at least the requested confidence.
    pub confidence: f64,
    /// Number of independent observations: usually slices, or blocks for a ratio.
    pub n: usize,
}

impl Estimate {
    /// Relative uncertainty, printed after `±` in tables: the distance from the figure to the
    /// farther end of the interval, divided by the absolute figure. `None` for a figure of 0.
    pub fn relative_spread(&self) -> Option<f64> {
        let longer = (self.value - self.low).max(self.high - self.value);
        (self.value != 0.0).then(|| longer / self.value.abs())
    }

    /// Whether `x` lies inside the interval, including the ends.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// A figure: unknown, a value, or a value with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Measured {
    /// The figure and its interval.
    Interval(Estimate),
    /// The figure alone, with too few observations for an interval.
    Point {
        /// The figure.
        value: f64,
        /// Number of observations.
        n: usize,
    },
    /// Not observed. Printed as "unknown", never as 0.
    Unknown,
}

impl Measured {
    /// The figure, if known.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Interval(estimate) => Some(estimate.value),
            Self::Point { value, .. } => Some(*value),
            Self::Unknown => None,
        }
    }

    /// The figure with its interval; `None` without an interval.
    pub fn estimate(&self) -> Option<&Estimate> {
        match self {
            Self::Interval(estimate) => Some(estimate),
            Self::Point { .. } | Self::Unknown => None,
        }
    }

    /// Number of observations.
    pub fn n(&self) -> usize {
        match self {
            Self::Interval(estimate) => estimate.n,
            Self::Point { n, .. } => *n,
            Self::Unknown => 0,
        }
    }

    /// Applies `scale` to the figure and to both ends of the interval. `scale` must be increasing;
    /// a decreasing function would swap the ends.
    #[must_use]
    pub fn rescaled(self, scale: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Interval(estimate) => Self::Interval(Estimate {
                value: scale(estimate.value),
                low: scale(estimate.low),
                high: scale(estimate.high),
                ..estimate
            }),
            Self::Point { value, n } => Self::Point {
                value: scale(value),
                n,
            },
            Self::Unknown => Self::Unknown,
        }
    }
}
