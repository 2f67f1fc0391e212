//! Estimates of shares.

use crate::distribution::{normal_cdf, normal_quantile};
use crate::estimate::{Estimate, Measured};

/// The share `hits` ÷ `trials` with Wilson's score interval (E. B. Wilson, "Probable inference, the
/// law of succession, and statistical inference", 1927). The interval is also valid for shares of 0
/// and 1. Assumes independent trials. `Unknown` without trials.
pub fn proportion(hits: u64, trials: u64, confidence: f64) -> Measured {
    let Some(z) = normal_quantile((1.0 + confidence) / 2.0).filter(|_| trials > 0) else {
        return Measured::Unknown;
    };
    let n = trials as f64;
    let value = hits.min(trials) as f64 / n;
    let spread = z * (value * (1.0 - value) / n + z * z / (4.0 * n * n)).sqrt();
    let centre = value + z * z / (2.0 * n);
    let scale = 1.0 + z * z / n;
    Measured::Interval(Estimate {
        value,
        // Rounding must not move an end beyond the share itself.
        low: ((centre - spread) / scale).clamp(0.0, value),
        high: ((centre + spread) / scale).clamp(value, 1.0),
        confidence,
        n: usize::try_from(trials).unwrap_or(usize::MAX),
    })
}

/// Two-sided p-value of the test of equal shares in two independent samples, each with hits and
/// trials: the likelihood-ratio test (G-test) with one degree of freedom (R. R. Sokal and F. J.
/// Rohlf, "Biometry", 17.4). Also usable for shares of 0 and 1. `None` if a sample is empty.
pub fn equal_proportions_p(one: (u64, u64), other: (u64, u64)) -> Option<f64> {
    let ((a, n), (b, m)) = (one, other);
    if n == 0 || m == 0 {
        return None;
    }
    let (a, b) = (a.min(n), b.min(m));
    let all = (a + b) as f64 / (n + m) as f64;
    let part = |count: u64, expected: f64| match count {
        0 => 0.0,
        _ => count as f64 * (count as f64 / expected).ln(),
    };
    let of = |hits: u64, trials: u64| {
        part(hits, trials as f64 * all) + part(trials - hits, trials as f64 * (1.0 - all))
    };
    let statistic = (2.0 * (of(a, n) + of(b, m))).max(0.0);
    Some(2.0 * normal_cdf(-statistic.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_textbook() {
        // R: prop.test(15, 148, correct = FALSE) gives 0.0624 to 0.1605.
        let found = *proportion(15, 148, 0.95).estimate().unwrap();
        assert!((found.low - 0.0624).abs() < 5e-4, "{found:?}");
        assert!((found.high - 0.1605).abs() < 5e-4, "{found:?}");
    }

    #[test]
    fn zero_hits_have_an_interval_above_zero() {
        let found = *proportion(0, 1_000, 0.95).estimate().unwrap();
        assert_eq!((found.value, found.low), (0.0, 0.0));
        assert!((found.high - 0.003_827).abs() < 1e-5, "{found:?}");
        let all = *proportion(10, 10, 0.95).estimate().unwrap();
        assert_eq!(all.high, 1.0);
        assert!((all.low - 0.7225).abs() < 1e-3, "{all:?}");
        assert_eq!(proportion(0, 0, 0.95), Measured::Unknown);
    }

    #[test]
    fn shares_are_equal_or_not() {
        // R: DescTools::GTest(matrix(c(15, 133, 30, 118), 2)): G = 6.0068, p = 0.01425.
        let p = equal_proportions_p((15, 148), (30, 148)).unwrap();
        assert!((p - 0.014).abs() < 1e-3, "{p}");
        assert_eq!(equal_proportions_p((5, 10), (50, 100)), Some(1.0));
        assert!(equal_proportions_p((0, 63), (300, 1_000)).unwrap() < 1e-6);
        assert!(equal_proportions_p((0, 63), (20, 1_000)).unwrap() > 1e-3);
        assert_eq!(equal_proportions_p((0, 0), (1, 2)), None);
    }

    /// Of 1,000 pairs of equal shares, few are called different at a level of 1 %.
    #[test]
    fn equal_shares_are_rarely_called_different() {
        let mut state = 7_u64;
        let mut is_hit = |share: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) as f64 / (1_u64 << 31) as f64) < share
        };
        let mut found = 0;
        for _ in 0..1_000 {
            let mut hits = |trials: u64| (0..trials).filter(|_| is_hit(0.2)).count() as u64;
            let (one, other) = ((hits(64), 64), (hits(600), 600));
            found += usize::from(equal_proportions_p(one, other).unwrap() < 0.01);
        }
        assert!(found <= 25, "{found}");
    }
}
