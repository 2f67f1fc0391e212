//! Order statistics: estimates without an assumption about the distribution.

use crate::distribution::{normal_cdf, normal_quantile};
use crate::estimate::{Estimate, Measured};

/// Largest sample size n for which binomial probabilities are summed exactly: 2⁻ⁿ is still a normal
/// `f64`.
const EXACT: usize = 1_000;

/// The median with its order-statistic interval. The interval is the narrowest symmetric pair of
/// observations that encloses the true median with at least `confidence`, from the binomial
/// distribution with p = ½. Assumes only independence.
///
/// An interval at 95 % needs at least six observations. `Unknown` if the sample is empty or
/// contains a value that is not finite.
pub fn median(sample: &[f64], confidence: f64) -> Measured {
    let Some(sorted) = sorted(sample) else {
        return Measured::Unknown;
    };
    let n = sorted.len();
    let value = middle(&sorted);
    match outermost(n, confidence) {
        None => Measured::Point { value, n },
        Some((k, achieved)) => Measured::Interval(Estimate {
            value,
            low: sorted[k - 1],
            high: sorted[n - k],
            confidence: achieved,
            n,
        }),
    }
}

/// Whether `n` observations are enough to print the quantile `q`. Both 95 % order-statistic bounds
/// of the quantile must exist: n ≥ ln 0.025 / ln max(q, 1 − q).
pub fn printable_percentile(q: f64, n: u64) -> bool {
    fewest_samples(q).is_some_and(|fewest| n >= fewest)
}

/// Minimum number of observations to print the quantile `q`: 6 for the median, 36 for p90, 368 for
/// p99, 3,688 for p99.9. `None` unless 0 < q < 1.
pub fn fewest_samples(q: f64) -> Option<u64> {
    if !(q > 0.0 && q < 1.0) {
        return None;
    }
    Some((0.025_f64.ln() / q.max(1.0 - q).ln()).ceil() as u64)
}

/// The sample in ascending order; `None` if it is empty or contains a value that is not finite.
pub(crate) fn sorted(sample: &[f64]) -> Option<Vec<f64>> {
    if sample.is_empty() || sample.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

/// Median of an ordered, non-empty sample.
pub(crate) fn middle(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

/// The largest k for which the k-th smallest and the k-th largest of `n` observations enclose the
/// median with at least `confidence`, and the achieved confidence.
fn outermost(n: usize, confidence: f64) -> Option<(usize, f64)> {
    let tail = (1.0 - confidence) / 2.0;
    if n > EXACT {
        let half = n as f64 / 2.0;
        let spread = half.sqrt() / 2.0_f64.sqrt();
        let k = (half - normal_quantile(1.0 - tail)? * spread).floor();
        let below = normal_cdf((k - 0.5 - half) / spread);
        return Some((k as usize, 1.0 - 2.0 * below));
    }
    let mut probability = 0.5_f64.powi(n as i32);
    let mut below = 0.0;
    let mut best = None;
    for k in 1..=n / 2 {
        below += probability;
        if below > tail {
            break;
        }
        best = Some((k, 1.0 - 2.0 * below));
        probability *= (n - k + 1) as f64 / k as f64;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_printed_tables() {
        // Conover, Practical Nonparametric Statistics: n, rank from either end, confidence.
        for (n, rank, achieved) in [
            (6, 1, 0.96875),
            (8, 1, 0.9921875),
            (9, 2, 0.9609375),
            (10, 2, 0.978515625),
            (20, 6, 0.9586),
        ] {
            let (k, confidence) = outermost(n, 0.95).unwrap();
            assert_eq!(k, rank, "n = {n}");
            assert!(
                (confidence - achieved).abs() < 1e-4,
                "n = {n}: {confidence}"
            );
        }
        assert_eq!(outermost(5, 0.95), None);
    }

    #[test]
    fn exact_and_approximate_ranks_meet() {
        let (exact, _) = outermost(1_000, 0.95).unwrap();
        let (approximate, achieved) = outermost(1_001, 0.95).unwrap();
        assert!(exact.abs_diff(approximate) <= 1, "{exact} {approximate}");
        assert!((0.949..0.96).contains(&achieved), "{achieved}");
    }

    #[test]
    fn little_data_has_no_interval_and_no_data_has_no_figure() {
        let four = median(&[4.0, 1.0, 3.0, 2.0], 0.95);
        assert_eq!(four, Measured::Point { value: 2.5, n: 4 });
        assert_eq!(median(&[], 0.95), Measured::Unknown);
        assert_eq!(median(&[1.0, f64::NAN], 0.95), Measured::Unknown);
    }

    #[test]
    fn percentiles_need_samples() {
        assert_eq!(fewest_samples(0.5), Some(6));
        assert_eq!(fewest_samples(0.9), Some(36));
        assert_eq!(fewest_samples(0.99), Some(368));
        assert_eq!(fewest_samples(0.999), Some(3_688));
        assert_eq!(fewest_samples(0.9999), Some(36_887));
        assert!(printable_percentile(0.99, 368));
        assert!(!printable_percentile(0.99, 367));
        assert!(!printable_percentile(1.0, u64::MAX));
    }
}
