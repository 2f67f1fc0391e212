//! Variation from run to run, which the values inside one run do not show.

use crate::distribution::{normal_quantile, student_quantile};
use crate::estimate::Estimate;

/// Fewest degrees of freedom of a measured spread: with fewer, Student's quantile is so large that
/// an assumed spread says more.
const FEWEST_FREEDOM: usize = 4;

/// How much the logarithm of a figure varies between runs in which nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpread {
    /// Standard deviation of the logarithm from run to run.
    pub deviation: f64,
    /// Degrees of freedom of the deviation; `None` if the deviation is assumed.
    pub freedom: Option<usize>,
}

impl RunSpread {
    /// An assumed spread.
    pub fn assumed(deviation: f64) -> Self {
        Self {
            deviation,
            freedom: None,
        }
    }

    /// The pooled spread of the logarithms of one figure in runs of unchanged things; each group
    /// holds the runs of one thing. `None` with fewer than [`FEWEST_FREEDOM`] degrees of freedom
    /// (five runs of one thing), or with a logarithm that is not finite.
    pub fn measured(groups: &[Vec<f64>]) -> Option<Self> {
        let freedom: usize = groups.iter().map(|logs| logs.len().saturating_sub(1)).sum();
        let squares = groups.iter().map(|logs| {
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
        });
        let squares: f64 = squares.filter(|_| freedom > 0).sum();
        let deviation = (squares / freedom as f64).sqrt();
        (freedom >= FEWEST_FREEDOM && deviation.is_finite()).then_some(Self {
            deviation,
            freedom: Some(freedom),
        })
    }

    /// Half the width of the interval of the log ratio of two runs of one thing. One run is one
    /// observation, so the deviation of the difference of two runs is √2 times that of a run.
    /// `None` for a confidence outside 0 to 1.
    pub fn half_width(&self, confidence: f64) -> Option<f64> {
        let upper = f64::midpoint(1.0, confidence);
        let quantile = match self.freedom {
            Some(freedom) => student_quantile(upper, freedom),
            None => normal_quantile(upper),
        };
        Some(quantile? * std::f64::consts::SQRT_2 * self.deviation)
    }

    /// The ratio of two runs, later ÷ earlier, with an interval that includes the spread between
    /// runs. The interval of `within` covers the values inside both runs only. Both variations are
    /// independent, so their half-widths add as squares. `None` if the interval is not positive.
    pub fn widens(&self, within: &Estimate, confidence: f64) -> Option<Estimate> {
        let between = self.half_width(confidence)?;
        let value = within.value.ln();
        let below = (value - within.low.ln()).hypot(between);
        let above = (within.high.ln() - value).hypot(between);
        let is_known = below.is_finite() && above.is_finite();
        is_known.then(|| Estimate {
            low: (value - below).exp(),
            high: (value + above).exp(),
            ..*within
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_a_side_has_the_spread_between_runs_in_its_interval() {
        let within = Estimate {
            value: 1.2,
            low: 1.199,
            high: 1.201,
            confidence: 0.95,
            n: 8,
        };
        let widened = RunSpread::assumed(0.1).widens(&within, 0.95).unwrap();
        // exp(1.96 · √2 · 0.1) = 1.3194
        assert!((widened.high / widened.value - 1.3194).abs() < 1e-3);
        assert!((widened.value / widened.low - 1.3194).abs() < 1e-3);
        assert!(widened.contains(1.0) && !within.contains(1.0));
    }

    #[test]
    fn a_spread_is_measured_inside_the_groups_only() {
        let groups = [vec![0.0, 0.1, 0.2], vec![5.0, 5.1, 5.2]];
        let found = RunSpread::measured(&groups).unwrap();
        assert!((found.deviation - 0.1).abs() < 1e-12, "{found:?}");
        assert_eq!(found.freedom, Some(4));
        // t(0.975, 4) = 2.776
        let half = found.half_width(0.95).unwrap();
        assert!((half - 2.776 * 0.1 * 2.0_f64.sqrt()).abs() < 1e-3, "{half}");
        assert_eq!(RunSpread::measured(&groups[..1]), None, "too few runs");
        assert_eq!(RunSpread::measured(&[vec![f64::NAN; 9]]), None);
        assert_eq!(RunSpread::measured(&[Vec::new()]), None);
    }
}
