//! How much the controls changed between two runs.

use tenbin_stats::{Estimate, Measured};

/// The change of the controls: a range from the lowest to the highest end of the controls'
/// intervals. The range always includes "no change", because other workloads need not change like
/// the controls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hull {
    /// The runs have no control.
    Nothing,
    /// The controls have no interval.
    Unknown,
    /// The middle and the ends of the range, as ratios later ÷ earlier run.
    Known { middle: f64, low: f64, high: f64 },
}

impl Hull {
    pub(super) fn of(controls: impl Iterator<Item = Measured>) -> Self {
        let controls: Vec<Measured> = controls.collect();
        if controls.is_empty() {
            return Self::Nothing;
        }
        let known: Option<Vec<Estimate>> = controls
            .iter()
            .map(|each| each.estimate().copied())
            .collect();
        let Some(known) = known else {
            return Self::Unknown;
        };
        let logs = known.iter().map(|each| each.value.ln());
        Self::Known {
            middle: (logs.sum::<f64>() / known.len() as f64).exp(),
            low: known.iter().map(|each| each.low).fold(1.0, f64::min),
            high: known.iter().map(|each| each.high).fold(1.0, f64::max),
        }
    }

    /// `ratio` divided by the change of the controls; `None` without controls. The intervals of
    /// `ratio` and of the controls must each allow half of the error, so that the interval of the
    /// quotient has at least the given confidence.
    pub(super) fn divides(self, ratio: Measured, confidence: f64) -> Option<Measured> {
        let Self::Known { middle, low, high } = self else {
            let unknown = Measured::Unknown;
            return (!matches!(self, Self::Nothing)).then_some(unknown);
        };
        Some(match ratio {
            Measured::Interval(found) => Measured::Interval(Estimate {
                value: found.value / middle,
                low: found.low / high,
                high: found.high / low,
                confidence,
                n: found.n,
            }),
            Measured::Point { value, n } => Measured::Point {
                value: value / middle,
                n,
            },
            Measured::Unknown => Measured::Unknown,
        })
    }
}

/// The ratio with both ends of its interval moved outwards by `log`, a logarithm of at least 0.
pub(super) fn further(ratio: Measured, log: f64) -> Measured {
    match ratio {
        Measured::Interval(found) => Measured::Interval(Estimate {
            low: found.low * (-log).exp(),
            high: found.high * log.exp(),
            ..found
        }),
        known => known,
    }
}
