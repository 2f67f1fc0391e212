//! Whether a target keeps its interleaved figures when it is loaded without rests.
//!
//! All levels are natural logarithms of a figure of which more is better (throughput, or 1 ÷ time).

use crate::power::standard_deviation;

/// Shortest settled part of a stretch, in parts of a stretch and as a share of the stretch.
const FEWEST_PARTS: usize = 2;
const LEAST_SHARE: f64 = 0.25;
/// Smallest drop inside a stretch that counts as a step, as a logarithm.
const LEAST_STEP: f64 = 0.05;
/// A step is larger than this number of standard deviations of the parts.
const STEP_DEVIATIONS: f64 = 4.0;
/// A fall is larger than this multiple of the deepest dip of the blocks. From the simulation of
/// `cargo xtask statistics`: with 5, fewer than 1 % of steady servers are accused on a machine
/// whose speed drifts, jumps and is used by others; with 3, up to 1.6 %.
const DIPS: f64 = 5.0;
/// The same if the level stepped down inside the first stretch, as it does when a credit ends: a
/// machine that was slower from the start of the stretch has no step.
const DIPS_AFTER_STEP: f64 = 3.0;
/// Factor from the median absolute deviation to the standard deviation of a normal distribution.
const MAD: f64 = 1.4826;
/// Fewest blocks from which the noise of a target is known.
const FEWEST_BLOCKS: usize = 4;
/// With fewer blocks, only a fall of a third or more counts.
const WITHOUT_NOISE: f64 = 0.4;

/// A rise by less than this logarithm is none: in a stretch without rests, connections, caches and
/// clocks are a little better than in slices.
const LEAST_RISE: f64 = 0.14;
/// A ratio under continuous load contradicts the interleaved ratio only if both differ by more than
/// this number of robust standard deviations of the blocks' log ratios.
const RATIO_DEVIATIONS: f64 = 4.0;
/// The same difference is at least this large, as a logarithm: continuous load measures each target
/// once, at different times.
const LEAST_CONTRADICTION: f64 = 0.1;
/// Share of the interleaved log ratio that the ratio under continuous load must have to confirm the
/// interleaved ratio.
const CONFIRMS: f64 = 0.5;

/// Index of the first part of a stretch after a step down, such as the end of a saved credit; 0 if
/// the stretch has no step down. `levels` are the levels of equally long parts of the stretch.
///
/// The step is at the split with the smallest sum of squares about the means of both sides. It
/// counts if the medians of the sides differ by more than 5 % and by more than four standard
/// deviations of the parts, which come from the differences of neighbours.
pub fn settled_from(levels: &[f64]) -> usize {
    let least = (levels.len() as f64 * LEAST_SHARE).ceil() as usize;
    let least = least.max(FEWEST_PARTS);
    let Some(last) = levels.len().checked_sub(least).filter(|last| *last > 0) else {
        return 0;
    };
    let differences = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let noise = MAD * middle(differences.collect()) / std::f64::consts::SQRT_2;
    let left = |at: &usize| squares(&levels[..*at]) + squares(&levels[*at..]);
    let best = (1..=last).min_by(|a, b| left(a).total_cmp(&left(b)));
    let Some(at) = best else {
        return 0;
    };
    let (before, after) = levels.split_at(at);
    let drop = middle(before.to_vec()) - middle(after.to_vec());
    if drop > LEAST_STEP.max(STEP_DEVIATIONS * noise) {
        at
    } else {
        0
    }
}

/// Whether `settled`, the level of a target under continuous load, lies below its interleaved level
/// by more than the share `margin` and by more than noise explains.
///
/// `blocks` are the mean levels of the interleaved blocks, in order; `has_step` tells that the level
/// stepped down inside the first stretch, see [`settled_from`]. The fall is counted from the
/// lower of their median and the last block, because a slow drift of the machine reaches the last
/// block too. It must be five times as deep as the deepest block (three times after a step), and ten
/// times (six times) the robust standard deviation of the blocks. With fewer than four blocks, only a fall by a third counts.
/// False for levels that are not finite.
pub fn falls(blocks: &[f64], settled: f64, margin: f64, has_step: bool) -> bool {
    let Some(last) = blocks.last() else {
        return false;
    };
    if !settled.is_finite() || blocks.iter().any(|block| !block.is_finite()) {
        return false;
    }
    let usual = middle(blocks.to_vec());
    let fall = usual.min(*last) - settled;
    let noise = if blocks.len() < FEWEST_BLOCKS {
        WITHOUT_NOISE
    } else {
        let away = blocks.iter().map(|block| (block - usual).abs());
        let deepest = blocks.iter().map(|block| usual - block);
        let deepest = deepest.fold(0.0, f64::max);
        let dips = if has_step { DIPS_AFTER_STEP } else { DIPS };
        dips * deepest.max(2.0 * MAD * middle(away.collect()))
    };
    fall > margin.ln_1p().max(noise)
}

/// Whether the ratio of two targets under continuous load contradicts their interleaved ratio: the
/// log ratio `sustained` points the other way than `interleaved`, or is less than half as large, and
/// differs from it by more than noise explains.
///
/// `blocks` are the log ratios of the interleaved blocks. Noise explains four robust standard
/// deviations of the blocks, at least 10 % and at most a third, or a third with fewer than four blocks. Unlike
/// the deepest block in [`falls`], a single unusual block excuses nothing. False for ratios that are
/// not finite.
pub fn contradicts(blocks: &[f64], interleaved: f64, sustained: f64) -> bool {
    let size = interleaved.abs();
    let toward = sustained * interleaved.signum();
    if !size.is_finite() || !toward.is_finite() {
        return false;
    }
    let noise = if blocks.len() < FEWEST_BLOCKS {
        WITHOUT_NOISE
    } else {
        let usual = middle(blocks.to_vec());
        let away = blocks.iter().map(|block| (block - usual).abs());
        let noise = RATIO_DEVIATIONS * MAD * middle(away.collect());
        noise.clamp(LEAST_CONTRADICTION, WITHOUT_NOISE)
    };
    toward < CONFIRMS * size && size - toward > noise
}

/// Whether `settled` lies a third or more below the lowest of at least four interleaved blocks, and
/// by more than the share `margin`. Such a fall is no noise of the blocks, however
/// much one of them differs from the others; only for figures without rare deep dips, such as the
/// throughput. False for levels that are not finite.
pub fn falls_far(blocks: &[f64], settled: f64, margin: f64) -> bool {
    if blocks.len() < FEWEST_BLOCKS || !settled.is_finite() {
        return false;
    }
    if blocks.iter().any(|block| !block.is_finite()) {
        return false;
    }
    let lowest = blocks.iter().copied().fold(f64::INFINITY, f64::min);
    lowest - settled > WITHOUT_NOISE.max(margin.ln_1p())
}

/// Whether `settled` lies above the interleaved level by more than the share `margin`, by more than
/// 15 % and by more than noise explains: [`falls`] with the signs reversed.
pub fn rises(blocks: &[f64], settled: f64, margin: f64) -> bool {
    let negated: Vec<f64> = blocks.iter().map(|block| -block).collect();
    falls(&negated, -settled, margin.max(LEAST_RISE.exp_m1()), false)
}

/// The median of the numbers; 0 without numbers.
fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => 0.0,
        n if n % 2 == 1 => numbers[n / 2],
        n => (numbers[n / 2 - 1] + numbers[n / 2]) / 2.0,
    }
}

/// Sum of squares about the mean.
fn squares(of: &[f64]) -> f64 {
    let deviation = standard_deviation(of).unwrap_or(0.0);
    deviation.powi(2) * of.len().saturating_sub(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_end_of_a_credit_is_a_step_and_noise_is_none() {
        let credit = [7.24, 7.23, 7.24, 6.9, 6.55, 6.56, 6.55, 6.55];
        assert!(
            (3..=4).contains(&settled_from(&credit)),
            "{}",
            settled_from(&credit)
        );
        let steady = [7.24, 7.20, 7.25, 7.22, 7.21, 7.24, 7.22, 7.23];
        assert_eq!(settled_from(&steady), 0);
        // A step up and a stretch that is too short to have two sides.
        assert_eq!(settled_from(&[6.5, 6.5, 6.5, 7.2, 7.2, 7.2]), 0);
        assert_eq!(settled_from(&[7.2, 6.5]), 0);
        assert_eq!(settled_from(&[]), 0);
    }

    #[test]
    fn a_fall_is_deeper_than_the_margin_and_than_the_blocks() {
        let blocks = [7.24, 7.23, 7.25, 7.24, 7.23, 7.24, 7.25, 7.24];
        assert!(falls(&blocks, 6.55, 0.05, false));
        assert!(!falls(&blocks, 7.22, 0.05, false), "within the margin");
        assert!(!falls(&blocks, 6.55, 3.0, false), "within a wide margin");
        let noisy = [7.24, 7.0, 7.25, 7.24, 6.9, 7.24, 7.25, 7.24];
        assert!(!falls(&noisy, 6.05, 0.05, false));
        assert!(falls(&noisy, 6.05, 0.05, true), "after a step");
        assert!(!falls(&noisy, 6.55, 0.05, true));
        // The machine became slower before the stretch.
        let slowed = [7.24, 7.23, 7.25, 7.24, 7.23, 7.24, 7.25, 6.56];
        assert!(!falls(&slowed, 6.55, 0.05, false));
        assert!(
            !falls(&[7.24, 7.24], 6.95, 0.05, false),
            "two blocks and a quarter"
        );
        assert!(
            falls(&[7.24, 7.24], 6.55, 0.05, false),
            "two blocks and a half"
        );
        assert!(!falls(&[], 6.55, 0.05, false));
        assert!(!falls(&blocks, f64::NEG_INFINITY, 0.05, false));
    }

    #[test]
    fn a_ratio_that_turns_round_or_is_lost_is_contradicted() {
        // 1.87 times as fast in the rounds, one block only 1.66 times; 0.97 times for long.
        let blocks = [0.63, 0.62, 0.64, 0.51, 0.63, 0.62, 0.64, 0.63];
        assert!(contradicts(&blocks, 0.625, -0.03));
        assert!(contradicts(&blocks.map(|block| -block), -0.625, 0.03));
        assert!(contradicts(&blocks, 0.625, 0.2), "a third of it is left");
        assert!(!contradicts(&blocks, 0.625, 0.5), "most of it is left");
        assert!(!contradicts(&blocks, 0.625, 0.9), "more than in the rounds");
        // 17 and 14 times as fast are the same answer, and 6 % are within the noise.
        assert!(!contradicts(&[2.83; 8], 2.83, 2.64));
        assert!(!contradicts(&[0.06; 8], 0.06, -0.02));
        let noisy = [0.3, 0.1, 0.2, 0.35, 0.05, 0.25, 0.15, 0.2];
        assert!(!contradicts(&noisy, 0.2, -0.05));
        assert!(!contradicts(&[0.3, 0.3], 0.3, -0.05), "two blocks");
        assert!(!contradicts(&blocks, 0.625, f64::NAN));
        assert!(!contradicts(&blocks, f64::INFINITY, 0.0));
    }

    #[test]
    fn one_low_block_does_not_excuse_a_fall_by_a_third() {
        // A block that is 11 % low, and a fall by 42 %.
        let blocks = [7.55, 7.54, 7.437, 7.56, 7.55, 7.55, 7.54, 7.545];
        assert!(!falls(&blocks, 7.0, 0.05, false));
        assert!(falls_far(&blocks, 7.0, 0.05));
        assert!(!falls_far(&blocks, 7.0, 1.0), "within a wide margin");
        assert!(!falls_far(&blocks, 7.1, 0.05), "a third below the lowest");
        assert!(!falls_far(&blocks[..3], 6.5, 0.05), "too few blocks");
        assert!(!falls_far(&blocks, f64::NEG_INFINITY, 0.05));
    }

    #[test]
    fn a_rise_is_larger_than_the_margin_and_than_the_blocks() {
        let blocks = [6.20, 6.21, 6.20, 6.19, 6.20, 6.21, 6.20, 6.20];
        assert!(rises(&blocks, 6.47, 0.05), "496/s and 646/s");
        assert!(!rises(&blocks, 6.32, 0.05), "13 %");
        assert!(!rises(&blocks, 6.47, 0.5), "within a wide margin");
        assert!(!rises(&blocks, 5.5, 0.05), "a fall");
        let noisy = [6.20, 6.35, 6.20, 6.19, 6.20, 6.21, 6.20, 6.20];
        assert!(!rises(&noisy, 6.47, 0.05));
        assert!(!rises(&[], 6.47, 0.05));
        assert!(!rises(&blocks, f64::INFINITY, 0.05));
    }

    proptest! {
        /// A fall depends on ratios only, a level above all blocks is none, and a deeper level
        /// falls if a higher one does.
        #[test]
        fn a_fall_is_monotonic_and_has_no_unit(
            blocks in proptest::collection::vec(-1.0..1.0f64, 1..20),
            settled in -4.0..2.0f64,
            shift in -3.0..3.0f64,
            deeper in 0.0..2.0f64,
        ) {
            let found = falls(&blocks, settled, 0.05, false);
            let shifted: Vec<f64> = blocks.iter().map(|block| block + shift).collect();
            // Not at the limit itself, where rounding decides.
            if falls(&blocks, settled + 1e-6, 0.05, false) == falls(&blocks, settled - 1e-6, 0.05, false) {
                prop_assert_eq!(falls(&shifted, settled + shift, 0.05, false), found);
            }
            prop_assert!(!found || falls(&blocks, settled - deeper, 0.05, false));
            let most = blocks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(!falls(&blocks, most, 0.05, false));
        }

        #[test]
        fn the_settled_part_is_long_enough(
            levels in proptest::collection::vec(-5.0..5.0f64, 0..60),
        ) {
            let from = settled_from(&levels);
            prop_assert!(from == 0 || levels.len() - from >= FEWEST_PARTS);
            prop_assert!(from == 0 || (levels.len() - from) * 4 >= levels.len());
        }
    }
}
