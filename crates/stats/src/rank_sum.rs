//! Wilcoxon's rank-sum test (Mann–Whitney U): the shift between two unpaired samples, with interval
//! and p-value.

use crate::distribution::{normal_cdf, normal_quantile};
use crate::estimate::{Estimate, Measured};
use crate::order::{middle, sorted};

/// Largest total number of observations for which the null distribution is computed exactly.
const EXACT: usize = 64;

/// The shift from `before` to `after`: the Hodges–Lehmann estimate, which is the median of all
/// differences afterⱼ − beforeᵢ. The ends of the interval are order statistics of the differences;
/// the rank-sum distribution gives their ranks (Hollander & Wolfe, *Nonparametric Statistical
/// Methods*, 4.2 and 4.3).
///
/// The interval is exact up to 64 observations in total and a normal approximation above 64. The
/// estimate's `confidence` is the achieved confidence, and `n` is the size of the smaller sample.
/// An interval at 95 % needs at least four observations in each sample. Assumes independent
/// observations and two distributions of the same shape. `Unknown` if a sample is empty or contains
/// a value that is not finite.
pub fn shift(before: &[f64], after: &[f64], confidence: f64) -> Measured {
    let (Some(before), Some(after)) = (sorted(before), sorted(after)) else {
        return Measured::Unknown;
    };
    let differences = Differences {
        before: &before,
        after: &after,
    };
    let all = before.len() * after.len();
    let value = middle(&[all.div_ceil(2), all / 2 + 1].map(|k| differences.smallest(k)));
    let n = before.len().min(after.len());
    match outermost(before.len(), after.len(), confidence) {
        None => Measured::Point { value, n },
        Some((k, achieved)) => Measured::Interval(Estimate {
            value,
            low: differences.smallest(k),
            high: differences.smallest(all - k + 1),
            confidence: achieved,
            n,
        }),
    }
}

/// The ratio after ÷ before of two unpaired samples: the exponential of the [`shift`] between the
/// logarithms. `Unknown` unless every value is positive and finite.
pub fn unpaired_ratio(before: &[f64], after: &[f64], confidence: f64) -> Measured {
    let logs = |sample: &[f64]| sample.iter().map(|x| x.ln()).collect::<Vec<f64>>();
    shift(&logs(before), &logs(after), confidence).rescaled(f64::exp)
}

/// Two-sided p-value of the rank-sum test of "no shift between the samples".
///
/// Ties share the mean of their ranks. Up to 64 observations in total, the distribution is exact
/// for the shared ranks (every choice of ranks for one sample is equally likely). Above 64, the
/// distribution is a normal approximation with corrections for ties and continuity. `None` if a
/// sample is empty or contains a value that is not finite.
pub fn rank_sum_p(before: &[f64], after: &[f64]) -> Option<f64> {
    let (before, after) = (sorted(before)?, sorted(after)?);
    let (ranks, of_after) = doubled_ranks(&before, &after);
    let chosen = after.len();
    let tail = if ranks.len() <= EXACT {
        exact_tail(&ranks, chosen, of_after)
    } else {
        normal_tail(&ranks, chosen, of_after)
    };
    Some((2.0 * tail).min(1.0))
}

/// All differences afterⱼ − beforeᵢ of two ordered samples. The differences are counted and never
/// listed: their number is the product of the sample sizes.
struct Differences<'a> {
    before: &'a [f64],
    after: &'a [f64],
}

impl Differences<'_> {
    /// The `k`-th smallest difference; `k` counts from 1. A binary search over all `f64` values, at
    /// most 64 steps. Rounding keeps the order of differences, so the result is exact.
    fn smallest(&self, k: usize) -> f64 {
        let (mut low, mut high) = (position(f64::NEG_INFINITY), position(f64::INFINITY));
        while low < high {
            let middle = low.midpoint(high);
            if self.at_most(at_position(middle)) >= k {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        at_position(low)
    }

    /// Number of differences that are at most `limit`, in time proportional to the sample sizes.
    fn at_most(&self, limit: f64) -> usize {
        let mut above = 0;
        let counts = self.after.iter().map(|y| {
            let rest = self.before[above..].iter();
            above += rest
                .take_while(|x| (y - **x).total_cmp(&limit).is_gt())
                .count();
            self.before.len() - above
        });
        counts.sum()
    }
}

const SIGN: u64 = 1 << 63;

/// The position of a number in the order of [`f64::total_cmp`].
fn position(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number at a position in the order of [`f64::total_cmp`].
fn at_position(position: u64) -> f64 {
    f64::from_bits(if position & SIGN == 0 {
        !position
    } else {
        position & !SIGN
    })
}

/// The largest k for which the k-th smallest and the k-th largest difference enclose the shift with
/// at least `confidence`, and the achieved confidence.
fn outermost(m: usize, n: usize, confidence: f64) -> Option<(usize, f64)> {
    let tail = (1.0 - confidence) / 2.0;
    if m + n > EXACT {
        let mean = (m * n) as f64 / 2.0;
        let spread = (mean * (m + n + 1) as f64 / 6.0).sqrt();
        let k = (mean - normal_quantile(1.0 - tail)? * spread).floor();
        if k < 1.0 {
            return None;
        }
        let below = normal_cdf((k - 0.5 - mean) / spread);
        return Some((k as usize, 1.0 - 2.0 * below));
    }
    let ranks: Vec<usize> = (1..=m + n).collect();
    let lowest = n * (n + 1) / 2;
    let mut below = 0.0;
    let mut best = None;
    let sums = null_distribution(&ranks, n);
    for (u, probability) in sums.into_iter().skip(lowest).enumerate() {
        below += probability;
        if below > tail {
            break;
        }
        best = Some((u + 1, 1.0 - 2.0 * below));
    }
    best
}

/// Probability of every sum of `chosen` of the `ranks`, indexed by the sum. Every choice of ranks
/// is equally likely.
fn null_distribution(ranks: &[usize], chosen: usize) -> Vec<f64> {
    let most: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        for taken in (1..=chosen).rev() {
            let (fewer, more) = ways.split_at_mut(taken);
            let (fewer, more) = (&fewer[taken - 1], &mut more[0]);
            for sum in rank..=most {
                more[sum] += fewer[sum - rank];
            }
        }
    }
    let mut ways = ways.swap_remove(chosen);
    let all: f64 = ways.iter().sum();
    for way in &mut ways {
        *way /= all;
    }
    ways
}

/// The smaller of P(rank sum ≤ `sum`) and P(rank sum ≥ `sum`), exact.
fn exact_tail(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let distribution = null_distribution(ranks, chosen);
    let below: f64 = distribution.iter().take(sum + 1).sum();
    let above: f64 = distribution.iter().skip(sum).sum();
    below.min(above)
}

/// The smaller tail probability by the normal approximation, with the correction for ties.
fn normal_tail(doubled_ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let all = doubled_ranks.len() as f64;
    let (chosen, others) = (chosen as f64, all - chosen as f64);
    let mean_rank = doubled_ranks.iter().sum::<usize>() as f64 / all;
    let squares: f64 = doubled_ranks
        .iter()
        .map(|&rank| (rank as f64 - mean_rank).powi(2))
        .sum();
    let variance = chosen * others / (all * (all - 1.0)) * squares;
    if variance == 0.0 {
        return 0.5;
    }
    // A difference of 1 is half a rank, since the ranks are doubled.
    let distance = ((sum as f64 - chosen * mean_rank).abs() - 1.0).max(0.0);
    normal_cdf(-distance / variance.sqrt())
}

/// Doubled ranks of all observations of both ordered samples, and the sum of the doubled ranks of
/// `after`. Ties share the mean of their ranks; doubled means are integers.
fn doubled_ranks(before: &[f64], after: &[f64]) -> (Vec<usize>, usize) {
    let mut all: Vec<(f64, bool)> = before.iter().map(|x| (*x, false)).collect();
    all.extend(after.iter().map(|y| (*y, true)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranks = Vec::with_capacity(all.len());
    let mut of_after = 0;
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let doubled = 2 * ranks.len() + tied.len() + 1;
        of_after += doubled * tied.iter().filter(|(_, is_after)| *is_after).count();
        ranks.extend(std::iter::repeat_n(doubled, tied.len()));
    }
    (ranks, of_after)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Samples of numbers of all magnitudes, with ties.
    fn sample() -> impl Strategy<Value = Vec<f64>> {
        let number = prop_oneof![-1e300..1e300, -3.0..3.0, (-2_i32..2).prop_map(f64::from)];
        prop::collection::vec(number, 1..40)
    }

    proptest! {
        #[test]
        fn differences_are_those_of_the_sorted_list(
            before in sample(),
            after in sample(),
        ) {
            let (before, after) = (sorted(&before).unwrap(), sorted(&after).unwrap());
            let pairs = after.iter().flat_map(|y| before.iter().map(move |x| y - x));
            let mut listed: Vec<f64> = pairs.collect();
            listed.sort_by(f64::total_cmp);
            let counted = Differences { before: &before, after: &after };
            for (at, expected) in listed.iter().enumerate() {
                let found = counted.smallest(at + 1);
                prop_assert_eq!(found.to_bits(), expected.to_bits(), "{} of {}", at + 1, listed.len());
            }
            let of_all = shift(&before, &after, 0.95).value();
            prop_assert_eq!(of_all, Some(middle(&listed)));
        }
    }

    #[test]
    fn numbers_have_positions_in_their_order() {
        let ordered = [
            f64::NEG_INFINITY,
            -1e9,
            -0.0,
            0.0,
            1e-300,
            2.0,
            f64::INFINITY,
        ];
        let positions = ordered.map(position);
        assert!(
            positions.is_sorted_by(|one, two| one < two),
            "{positions:?}"
        );
        let back = positions.map(at_position);
        assert!(
            back.iter()
                .zip(ordered)
                .all(|(one, two)| one.to_bits() == two.to_bits())
        );
    }

    #[test]
    fn samples_of_tens_of_thousands_take_no_memory_for_their_differences() {
        let sample = |offset| {
            (0..30_000)
                .map(|i| f64::from(i) + offset)
                .collect::<Vec<f64>>()
        };
        let found = shift(&sample(0.0), &sample(2.5), 0.95);
        assert_eq!(found.value(), Some(2.5));
    }

    /// Permeability of placental membranes at the end of pregnancy; the next constant holds the
    /// values from earlier in pregnancy (Hollander & Wolfe, table 4.1; also the example of
    /// `wilcox.test` in R).
    const AT_TERM: [f64; 10] = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const BEFORE: [f64; 5] = [1.15, 0.88, 0.90, 0.74, 1.21];

    #[test]
    fn the_ranks_are_those_of_the_printed_tables() {
        // Two-sided 5 % critical values of U: Mann & Whitney's tables as in Siegel,
        // Nonparametric Statistics, table K. The k-th difference has k = U + 1.
        for (m, n, critical) in [
            (4, 4, 0),
            (5, 5, 2),
            (5, 10, 8),
            (6, 6, 5),
            (8, 8, 13),
            (10, 10, 23),
            (12, 12, 37),
            (16, 16, 75),
            (20, 20, 127),
        ] {
            let (k, achieved) = outermost(m, n, 0.95).unwrap();
            assert_eq!(k, critical + 1, "{m}, {n}");
            assert!((0.95..1.0).contains(&achieved), "{m}, {n}: {achieved}");
        }
        assert_eq!(outermost(3, 3, 0.95), None);
        // 1 of 70 choices has U = 0.
        assert_eq!(outermost(4, 4, 0.95).unwrap().1, 1.0 - 2.0 / 70.0);
    }

    #[test]
    fn permeability_gives_the_published_result() {
        // R's help page has the one-sided p = 0.1272.
        let p = rank_sum_p(&BEFORE, &AT_TERM).unwrap();
        assert!((p - 2.0 * 0.127_206).abs() < 2e-6, "{p}");
        // Hollander & Wolfe, example 4.3: 0.305.
        let found = shift(&BEFORE, &AT_TERM, 0.95);
        let estimate = found.estimate().unwrap();
        assert!((estimate.value - 0.305).abs() < 1e-9, "{estimate:?}");
        // U = 8 is the critical value: the 9th of the 50 differences from either end.
        assert!((estimate.low + 0.15).abs() < 1e-9, "{estimate:?}");
        assert!((estimate.high - 0.76).abs() < 1e-9, "{estimate:?}");
        assert_eq!(estimate.n, 5);
    }

    #[test]
    fn small_samples_by_hand() {
        // 1 of the 20 choices of three ranks out of six has a sum as high.
        assert_eq!(rank_sum_p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), Some(0.1));
        assert_eq!(rank_sum_p(&[1.0], &[2.0]), Some(1.0));
        // Ranks 1, 2.5, 2.5, 4: the sums of two ranks are 3.5 3.5 5 5 6.5 6.5.
        assert_eq!(rank_sum_p(&[1.0, 2.0], &[2.0, 3.0]), Some(2.0 / 3.0));
        assert_eq!(rank_sum_p(&[1.0; 4], &[1.0; 4]), Some(1.0));
        assert_eq!(rank_sum_p(&[], &[1.0]), None);
        assert_eq!(rank_sum_p(&[1.0], &[f64::NAN]), None);
    }

    #[test]
    fn one_run_each_has_a_ratio_and_no_interval() {
        let found = unpaired_ratio(&[71_905_724.0], &[1_236_099.0], 0.95);
        assert!(matches!(found, Measured::Point { n: 1, .. }), "{found:?}");
        assert!((found.value().unwrap() - 0.017_19).abs() < 1e-5);
        assert_eq!(unpaired_ratio(&[0.0], &[1.0], 0.95), Measured::Unknown);
    }

    #[test]
    fn exact_and_approximate_meet() {
        let (exact, _) = outermost(32, 32, 0.95).unwrap();
        let (approximate, achieved) = outermost(32, 33, 0.95).unwrap();
        assert!((361..=366).contains(&exact), "{exact}");
        assert!(approximate.abs_diff(exact) < 20, "{approximate}");
        assert!((0.949..0.952).contains(&achieved), "{achieved}");

        let sample = |offset: f64| (0..32).map(|i| f64::from(i * i % 37) + offset).collect();
        let (low, high): (Vec<f64>, Vec<f64>) = (sample(0.0), sample(4.5));
        let exact = rank_sum_p(&low, &high).unwrap();
        let (ranks, sum) = doubled_ranks(&sorted(&low).unwrap(), &sorted(&high).unwrap());
        let approximate = 2.0 * normal_tail(&ranks, 32, sum);
        assert!((exact - approximate).abs() < 2e-3, "{exact} {approximate}");
    }
}
