//! Statistical power: the smallest detectable effect, and the number of blocks for a given effect.

use crate::distribution::{normal_quantile, student_quantile};

/// Probability of detecting a true difference as large as the detectable effect.
const POWER: f64 = 0.80;

/// Largest number of blocks that [`blocks_needed`] reports.
const TOO_MANY: usize = 1_000_000;

/// Sample standard deviation; `None` with fewer than two values or with a value that is not finite.
pub fn standard_deviation(sample: &[f64]) -> Option<f64> {
    if sample.len() < 2 || sample.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mean = sample.iter().sum::<f64>() / sample.len() as f64;
    let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / (sample.len() - 1) as f64).sqrt())
}

/// Minimum detectable effect as a log ratio: (t₁₋α⁄₂ + t₀.₈)·sd/√blocks. A test of `blocks` blocks
/// detects this effect with a probability of 80 % at the two-sided level `alpha`. `sd` is the
/// standard deviation of the blocks' log ratios.
///
/// `None` if `blocks` is too small for the level `alpha` (see [`blocks_for_significance`]) or `sd`
/// is not finite.
pub fn detectable_log_effect(sd: f64, blocks: usize, alpha: f64) -> Option<f64> {
    if blocks < blocks_for_significance(alpha)? || !sd.is_finite() {
        return None;
    }
    let df = blocks - 1;
    let quantiles = student_quantile(1.0 - alpha / 2.0, df)? + student_quantile(POWER, df)?;
    Some(quantiles * sd / (blocks as f64).sqrt())
}

/// The fewest blocks whose detectable effect is at most `log_effect`. `None` if `log_effect` is not
/// positive and finite, `sd` is not finite, or more than a million blocks are needed.
pub fn blocks_needed(sd: f64, log_effect: f64, alpha: f64) -> Option<usize> {
    if !(log_effect > 0.0 && log_effect.is_finite() && sd.is_finite()) {
        return None;
    }
    // Search upwards from the number of blocks that normal quantiles give, which is never too high.
    let quantiles = normal_quantile(1.0 - alpha / 2.0)? + normal_quantile(POWER)?;
    let start = (quantiles * sd / log_effect).powi(2).floor();
    if start > TOO_MANY as f64 {
        return None;
    }
    let first = blocks_for_significance(alpha)?.max(start as usize);
    (first..=TOO_MANY)
        .find(|&n| detectable_log_effect(sd, n, alpha).is_some_and(|effect| effect <= log_effect))
}

/// The fewest blocks n with which the signed-rank test can reach the two-sided level `alpha`; the
/// smallest p-value of the test is 2/2ⁿ. Six blocks at 5 %; eight if four comparisons share the 5
/// %. `None` unless 0 < alpha < 1.
pub fn blocks_for_significance(alpha: f64) -> Option<usize> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    Some((1.0 - alpha.log2()).ceil() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_thumb_holds() {
        // The detectable effect is about one standard deviation with 10 blocks, and two thirds of a
        // standard deviation with 20 blocks.
        let ten = detectable_log_effect(1.0, 10, 0.05).unwrap();
        let twenty = detectable_log_effect(1.0, 20, 0.05).unwrap();
        assert!((ten - 1.0).abs() < 0.02, "{ten}");
        assert!((twenty - 0.66).abs() < 0.01, "{twenty}");
    }

    #[test]
    fn blocks_needed_is_the_inverse_of_the_detectable_effect() {
        for (sd, effect) in [(0.05, 0.05), (0.2, 0.01), (0.01, 0.05), (3.0, 0.1)] {
            let n = blocks_needed(sd, effect, 0.05).unwrap();
            assert!(detectable_log_effect(sd, n, 0.05).unwrap() <= effect);
            if n > 6 {
                let fewer = detectable_log_effect(sd, n - 1, 0.05).unwrap();
                assert!(fewer > effect, "sd {sd}, effect {effect}, n {n}");
            }
        }
        assert_eq!(blocks_needed(0.0, 0.05, 0.05), Some(6));
        assert_eq!(blocks_needed(1.0, 0.0, 0.05), None);
        assert_eq!(blocks_needed(100.0, 0.001, 0.05), None);
    }

    #[test]
    fn few_blocks_cannot_be_significant() {
        assert_eq!(blocks_for_significance(0.05), Some(6));
        assert_eq!(blocks_for_significance(0.05 / 4.0), Some(8));
        assert_eq!(blocks_for_significance(2.0 / 64.0), Some(6));
        assert_eq!(detectable_log_effect(0.01, 5, 0.05), None);
        assert_eq!(blocks_for_significance(0.0), None);
    }
}
