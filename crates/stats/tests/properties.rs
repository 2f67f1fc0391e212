//! Properties that hold for every sample, and a seeded simulation of how often the intervals
//! contain the true value.

use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tenbin_stats::{
    Measured, confidence_of_each, hodges_lehmann, holm, interval_p, median, ratio, signed_rank_p,
};

fn samples() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1e3..1e3_f64, 6..40)
}

fn interval(measured: Measured) -> [f64; 3] {
    let estimate = measured.estimate().expect("six or more observations");
    [estimate.low, estimate.value, estimate.high]
}

proptest! {
    #[test]
    fn estimates_move_and_stretch_with_the_data(sample in samples(), shift in -1e3..1e3_f64, scale in 0.1..10.0_f64) {
        let moved: Vec<f64> = sample.iter().map(|x| x * scale + shift).collect();
        for estimator in [hodges_lehmann, median] {
            let before = interval(estimator(&sample, 0.95));
            let after = interval(estimator(&moved, 0.95));
            for (x, y) in before.into_iter().zip(after) {
                prop_assert!((x * scale + shift - y).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn intervals_contain_their_estimate(sample in samples()) {
        for estimator in [hodges_lehmann, median] {
            let [low, value, high] = interval(estimator(&sample, 0.95));
            prop_assert!(low <= value && value <= high);
        }
    }

    #[test]
    fn swapping_the_arms_inverts_the_ratio(sample in prop::collection::vec(-1.0..1.0_f64, 6..20)) {
        let swapped: Vec<f64> = sample.iter().map(|x| -x).collect();
        let [low, value, high] = interval(ratio(&sample, 0.95));
        let [other_low, other_value, other_high] = interval(ratio(&swapped, 0.95));
        prop_assert!((value * other_value - 1.0).abs() < 1e-9);
        prop_assert!((low * other_high - 1.0).abs() < 1e-9);
        prop_assert!((high * other_low - 1.0).abs() < 1e-9);
        prop_assert_eq!(signed_rank_p(&sample), signed_rank_p(&swapped));
    }

    #[test]
    fn test_and_interval_agree(sample in samples()) {
        let [low, _, high] = interval(hodges_lehmann(&sample, 0.95));
        let excludes_zero = low > 0.0 || high < 0.0;
        let p = signed_rank_p(&sample).unwrap();
        prop_assert_eq!(excludes_zero, p <= 0.05, "p = {}, {} … {}", p, low, high);
    }

    /// Covers ties, zeros, samples too large for the exact distribution, and up to 29 intervals.
    #[test]
    fn the_p_value_of_the_interval_never_contradicts_it(
        sample in prop::collection::vec((-8..16_i32).prop_map(|x| f64::from(x) / 8.0), 6..90),
        family in 1..30_usize,
    ) {
        let p = interval_p(&sample).unwrap();
        let found = hodges_lehmann(&sample, confidence_of_each(0.95, family));
        let excludes_zero = found.estimate().is_some_and(|found| !found.contains(0.0));
        prop_assert_eq!(excludes_zero, p * family as f64 <= 0.05, "p = {}, {:?}", p, found);
    }

    #[test]
    fn without_ties_it_is_the_p_value_of_the_test(sample in samples()) {
        let (interval, test) = (interval_p(&sample).unwrap(), signed_rank_p(&sample).unwrap());
        prop_assert!((interval - test).abs() < 1e-9, "{} {}", interval, test);
    }

    #[test]
    fn holm_never_lowers_a_p_value_nor_changes_the_order(p in prop::collection::vec(0.0..1.0_f64, 1..20)) {
        let adjusted = holm(&p);
        for (i, raw) in p.iter().enumerate() {
            prop_assert!(adjusted[i] >= *raw && adjusted[i] <= 1.0);
            for (j, other) in p.iter().enumerate() {
                prop_assert!(raw > other || adjusted[i] <= adjusted[j]);
            }
        }
    }
}

fn normal(rng: &mut StdRng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// Log ratio of a block with noisy slices: one in ten blocks has ten times the noise.
fn block(rng: &mut StdRng, effect: f64) -> f64 {
    let spike = if rng.random::<f64>() < 0.1 { 10.0 } else { 1.0 };
    effect + 0.02 * spike * normal(rng)
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    const RUNS: usize = 2_000;
    let mut rng = StdRng::seed_from_u64(20_261_120);
    for blocks in [6, 8, 12, 20, 70] {
        let truth = 1.05_f64;
        let mut covered = 0;
        let mut confidence = 0.0;
        for _ in 0..RUNS {
            let sample: Vec<f64> = (0..blocks).map(|_| block(&mut rng, truth.ln())).collect();
            let Measured::Interval(estimate) = ratio(&sample, 0.95) else {
                panic!("{blocks} blocks give an interval");
            };
            confidence = estimate.confidence;
            covered += usize::from(estimate.contains(truth));
        }
        let share = covered as f64 / RUNS as f64;
        let error = 4.0 * (confidence * (1.0 - confidence) / RUNS as f64).sqrt();
        assert!(
            (share - confidence).abs() < error,
            "{blocks} blocks: covered {share}, said {confidence}"
        );
    }
}

#[test]
fn equal_targets_are_reported_as_different_in_at_most_one_of_twenty_runs() {
    const RUNS: usize = 2_000;
    let mut rng = StdRng::seed_from_u64(7);
    for blocks in [6, 8, 10, 20] {
        let mut false_alarms = 0;
        for _ in 0..RUNS {
            // Slices with a common slow drift, which an ABBA quad must cancel.
            let mut level = 0.0;
            let sample: Vec<f64> = (0..blocks)
                .map(|_| {
                    let logs: [f64; 4] = std::array::from_fn(|_| {
                        level += 0.01;
                        level + 0.02 * normal(&mut rng)
                    });
                    (logs[1] + logs[2]) / 2.0 - (logs[0] + logs[3]) / 2.0
                })
                .collect();
            false_alarms += usize::from(signed_rank_p(&sample).unwrap() <= 0.05);
        }
        let share = false_alarms as f64 / RUNS as f64;
        let error = 4.0 * (0.05 * 0.95 / RUNS as f64).sqrt();
        assert!(share < 0.05 + error, "{blocks} blocks: {share}");
        assert!(
            share > 0.01,
            "{blocks} blocks: the test never fires: {share}"
        );
    }
}
