//! A figure and how well it is known.

use serde::Serialize;

/// A figure with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Confidence that the interval really has, 0 to 1: at least the one asked for.
    pub confidence: f64,
    /// Independent observations behind it: slices, or blocks for a ratio.
    pub n: usize,
}

impl Estimate {
    /// How far off the figure may be: the longer side of its interval relative to it, as tables show it
    /// after `±`. `None` for a figure of 0.
    pub fn relative_spread(&self) -> Option<f64> {
        let longer = (self.value - self.low).max(self.high - self.value);
        (self.value != 0.0).then(|| longer / self.value.abs())
    }

    /// Whether `x` lies inside the interval, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// A figure: unknown, a point, or a point with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Measured {
    /// The figure and its interval.
    Interval(Estimate),
    /// The figure alone: too few observations for an interval.
    Point {
        /// The figure.
        value: f64,
        /// Observations behind it.
        n: usize,
    },
    /// Not observed. Print "unknown", never 0.
    Unknown,
}

impl Measured {
    /// The figure, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Interval(estimate) => Some(estimate.value),
            Self::Point { value, .. } => Some(*value),
            Self::Unknown => None,
        }
    }

    /// The figure with its interval, if it has one.
    pub fn estimate(&self) -> Option<&Estimate> {
        match self {
            Self::Interval(estimate) => Some(estimate),
            Self::Point { .. } | Self::Unknown => None,
        }
    }

    /// Observations behind it.
    pub fn n(&self) -> usize {
        match self {
            Self::Interval(estimate) => estimate.n,
            Self::Point { n, .. } => *n,
            Self::Unknown => 0,
        }
    }

    /// The same on another scale. `scale` must be increasing, or the ends of
    /// the interval would change places.
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
