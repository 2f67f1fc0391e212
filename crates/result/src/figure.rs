//! A figure with its confidence interval.

use serde::{Deserialize, Serialize};
use tenbin_stats::Measured;

/// A value with its confidence interval. The interval is null with too few observations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Confidence interval of the value; null with too few observations.
    pub interval: Option<Interval>,
    /// Number of independent observations: slices for a figure, blocks for a ratio.
    pub n: u64,
}

impl Figure {
    /// Converts a computed estimate. Returns `None` for an infinite or NaN value, and leaves out an
    /// interval with an infinite or NaN end, because JSON has no such numbers.
    pub fn of(measured: Measured) -> Option<Self> {
        let value = measured.value().filter(|value| value.is_finite())?;
        let interval = measured
            .estimate()
            .filter(|estimate| estimate.low.is_finite() && estimate.high.is_finite())
            .map(|estimate| Interval {
                low: estimate.low,
                high: estimate.high,
                confidence: estimate.confidence,
            });
        Some(Self {
            value,
            interval,
            n: measured.n() as u64,
        })
    }

    /// The inverse of a figure above 0, such as a ratio of speeds for a ratio of times. Inverting
    /// swaps the ends of the interval.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self {
            value: 1.0 / self.value,
            interval: self.interval.map(|ends| Interval {
                low: 1.0 / ends.high,
                high: 1.0 / ends.low,
                ..ends
            }),
            ..self
        }
    }
}

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Achieved confidence of the interval, 0 to 1.
    pub confidence: f64,
}

#[cfg(test)]
mod tests {
    use tenbin_stats::Estimate;

    use super::*;

    fn measured(value: f64, low: f64, high: f64) -> Measured {
        Measured::Interval(Estimate {
            value,
            low,
            high,
            confidence: 0.95,
            n: 8,
        })
    }

    #[test]
    fn values_that_are_not_finite_are_unknown() {
        assert_eq!(Figure::of(Measured::Unknown), None);
        assert_eq!(Figure::of(measured(f64::INFINITY, 1.0, 2.0)), None);
        assert_eq!(Figure::of(measured(f64::NAN, 1.0, 2.0)), None);
        let open = Figure::of(measured(1.5, 1.0, f64::INFINITY)).unwrap();
        assert_eq!((open.value, open.interval, open.n), (1.5, None, 8));
        let known = Figure::of(measured(1.5, 1.0, 2.0)).unwrap();
        let interval = known.interval.unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 2.0));
        let point = Figure::of(Measured::Point { value: 2.0, n: 1 }).unwrap();
        assert_eq!((point.value, point.interval, point.n), (2.0, None, 1));
    }
}
