//! Estimates of shares.

use crate::distribution::normal_quantile;
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
}
