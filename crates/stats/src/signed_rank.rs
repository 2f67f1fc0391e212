//! Wilcoxon's signed-rank test: the Hodges–Lehmann estimate with interval and p-value.

use crate::distribution::{normal_cdf, normal_quantile};
use crate::estimate::{Estimate, Measured};
use crate::order::sorted;

/// Largest sample for which the null distribution is computed exactly.
const EXACT: usize = 60;

/// The Hodges–Lehmann estimate of the centre: the median of the Walsh averages (xᵢ + xⱼ)/2, i ≤ j.
/// The ends of the interval are order statistics of the Walsh averages; the signed-rank
/// distribution gives their ranks (Hollander & Wolfe, *Nonparametric Statistical Methods*, 3.2 and
/// 3.3).
///
/// The interval is exact up to 60 observations and a normal approximation above 60. The estimate's
/// `confidence` is the achieved confidence. An interval at 95 % needs at least six observations.
/// Assumes that the observations are independent and symmetric about the centre. `Unknown` if the
/// sample is empty or contains a value that is not finite.
pub fn hodges_lehmann(sample: &[f64], confidence: f64) -> Measured {
    let Some(sample) = sorted(sample) else {
        return Measured::Unknown;
    };
    let n = sample.len();
    let walsh = WalshAverages { sample: &sample };
    let value = walsh.median();
    match outermost(n, confidence) {
        None => Measured::Point { value, n },
        Some((k, achieved)) => Measured::Interval(Estimate {
            value,
            low: walsh.at(k - 1),
            high: walsh.at(walsh.len() - k),
            confidence: achieved,
            n,
        }),
    }
}

/// Two-sided p-value of the signed-rank test of "the centre is zero".
///
/// Zeros are left out, as in Wilcoxon's paper. Ties share the mean of their ranks. Up to 60
/// observations, the distribution is exact for the shared ranks (every assignment of signs is
/// equally likely). Above 60, the distribution is a normal approximation with corrections for ties
/// and continuity. A sample of only zeros has p = 1. `None` if the sample is empty or contains a
/// value that is not finite.
pub fn signed_rank_p(sample: &[f64]) -> Option<f64> {
    if sample.is_empty() || sample.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut values: Vec<f64> = sample.iter().copied().filter(|x| *x != 0.0).collect();
    if values.is_empty() {
        return Some(1.0);
    }
    values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&values);
    let positive: usize = values
        .iter()
        .zip(&ranks)
        .filter(|(value, _)| **value > 0.0)
        .map(|(_, rank)| rank)
        .sum();
    let all: usize = ranks.iter().sum();
    // By symmetry the upper tail beyond T⁺ is the lower tail below T⁻.
    let smaller = positive.min(all - positive);
    let tail = if values.len() <= EXACT {
        null_distribution(&ranks).iter().take(smaller + 1).sum()
    } else {
        normal_tail(&ranks, smaller)
    };
    Some((2.0 * tail).min(1.0))
}

/// The smallest 1 − confidence at which the interval of [`hodges_lehmann`] excludes zero. This
/// two-sided p-value of "the centre is zero" always agrees with the interval.
///
/// The p-value is the two-sided tail probability, in the signed-rank distribution, of the number of
/// Walsh averages on the smaller side of zero, including zeros (Hollander & Wolfe, *Nonparametric
/// Statistical Methods*, 3.3). The result equals [`signed_rank_p`] for samples without ties and
/// zeros, and is at least as large for other samples. `None` if the sample is empty or contains a
/// value that is not finite.
pub fn interval_p(sample: &[f64]) -> Option<f64> {
    let sample = sorted(sample)?;
    let walsh = WalshAverages { sample: &sample };
    // In the order of keys, −0 is the value before +0; both count as zeros.
    let below = walsh.at_most(key(0.0));
    let above = walsh.len() - walsh.at_most(key(-0.0) - 1);
    let smaller = below.min(above);
    let ranks: Vec<usize> = (1..=sample.len()).collect();
    let tail = if sample.len() <= EXACT {
        null_distribution(&ranks).iter().take(smaller + 1).sum()
    } else {
        let doubled: Vec<usize> = ranks.iter().map(|rank| 2 * rank).collect();
        normal_tail(&doubled, 2 * smaller)
    };
    Some((2.0 * tail).min(1.0))
}

/// The Walsh averages (xᵢ + xⱼ)/2, i ≤ j, of an ordered sample of finite values. The averages are
/// not stored: a run of ten hours has 4,500 blocks, and thus ten million averages.
///
/// The averages ascend in i and in j. One walk along the border between smaller and larger averages
/// is therefore enough to count the averages up to a value (D. B. Johnson and T. Mizoguchi,
/// "Selecting the Kth element in X + Y and X₁ + X₂ + … + Xₘ", SIAM Journal on Computing 7, 1978).
struct WalshAverages<'a> {
    sample: &'a [f64],
}

impl WalshAverages<'_> {
    fn len(&self) -> usize {
        self.sample.len() * (self.sample.len() + 1) / 2
    }

    fn median(&self) -> f64 {
        let n = self.len();
        f64::midpoint(self.at((n - 1) / 2), self.at(n / 2))
    }

    /// The Walsh average at `rank` in ascending order, counted from 0.
    fn at(&self, rank: usize) -> f64 {
        // Halves the range of keys until it contains only a few averages.
        let (mut below, mut last) = (
            key(self.sample[0]) - 1,
            key(self.sample[self.sample.len() - 1]),
        );
        let (mut up_to_below, mut up_to_last) = (0, self.len());
        while up_to_last - up_to_below > 4 * self.sample.len() && below + 1 < last {
            let middle = i64::midpoint(below, last);
            let up_to_middle = self.at_most(middle);
            if up_to_middle > rank {
                (last, up_to_last) = (middle, up_to_middle);
            } else {
                (below, up_to_below) = (middle, up_to_middle);
            }
        }
        if below + 1 == last {
            return value_of(last);
        }
        let mut left = self.between(below, last);
        let rank = rank - up_to_below;
        *left.select_nth_unstable_by(rank, f64::total_cmp).1
    }

    /// The number of averages whose key is at most `last`.
    fn at_most(&self, last: i64) -> usize {
        self.borders(last).map(|(i, border)| border - i).sum()
    }

    /// The averages whose keys are above `below` and at most `last`.
    fn between(&self, below: i64, last: i64) -> Vec<f64> {
        let mut left = Vec::new();
        let mut nearer = self.borders(below);
        for (i, border) in self.borders(last) {
            let from = nearer.next().map_or(i, |(_, border)| border);
            left.extend((from..border).map(|j| self.average(i, j)));
        }
        left
    }

    /// Pairs (i, first j whose average has a key above `last`), for each i with an average whose
    /// key is at most `last`.
    fn borders(&self, last: i64) -> impl Iterator<Item = (usize, usize)> {
        let mut border = self.sample.len();
        (0..self.sample.len()).map_while(move |i| {
            while border > i && key(self.average(i, border - 1)) > last {
                border -= 1;
            }
            (border > i).then_some((i, border))
        })
    }

    fn average(&self, i: usize, j: usize) -> f64 {
        f64::midpoint(self.sample[i], self.sample[j])
    }
}

/// The key of a number: an integer in the order of [`f64::total_cmp`].
fn key(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    // Inverts all bits of a negative value except the sign; applied twice, restores the value.
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The number with the given [`key`].
fn value_of(key: i64) -> f64 {
    f64::from_bits((key ^ (((key >> 63) as u64) >> 1) as i64) as u64)
}

/// The largest k for which the k-th smallest and the k-th largest Walsh average of `n` observations
/// enclose the centre with at least `confidence`, and the achieved confidence.
fn outermost(n: usize, confidence: f64) -> Option<(usize, f64)> {
    let tail = (1.0 - confidence) / 2.0;
    if n > EXACT {
        let mean = (n * (n + 1)) as f64 / 4.0;
        let spread = (mean * (2 * n + 1) as f64 / 6.0).sqrt();
        // Half a rank is the continuity correction, as in the tail of the test.
        let k = (mean - normal_quantile(1.0 - tail)? * spread + 0.5).floor();
        if k < 1.0 {
            return None;
        }
        let below = normal_cdf((k - 0.5 - mean) / spread);
        return Some((k as usize, 1.0 - 2.0 * below));
    }
    let ranks: Vec<usize> = (1..=n).collect();
    let mut below = 0.0;
    let mut best = None;
    for (sum, probability) in null_distribution(&ranks).into_iter().enumerate() {
        below += probability;
        if below > tail {
            break;
        }
        best = Some((sum + 1, 1.0 - 2.0 * below));
    }
    best
}

/// Probability of every sum of the ranks with positive sign, indexed by the sum. Every assignment
/// of signs is equally likely.
fn null_distribution(ranks: &[usize]) -> Vec<f64> {
    let mut probabilities = vec![0.0; ranks.iter().sum::<usize>() + 1];
    probabilities[0] = 1.0;
    for &rank in ranks {
        for sum in (0..probabilities.len()).rev() {
            let with = if sum >= rank {
                probabilities[sum - rank]
            } else {
                0.0
            };
            probabilities[sum] = (probabilities[sum] + with) / 2.0;
        }
    }
    probabilities
}

/// P(sum of positive doubled ranks ≤ `doubled_sum`) by the normal approximation. The variance Σ
/// rank²/4 of the shared ranks includes the correction for ties.
fn normal_tail(doubled_ranks: &[usize], doubled_sum: usize) -> f64 {
    let mean = doubled_ranks.iter().sum::<usize>() as f64 / 2.0;
    let variance: f64 = doubled_ranks
        .iter()
        .map(|&rank| (rank * rank) as f64 / 4.0)
        .sum();
    // 1 is half a rank, since the ranks are doubled.
    normal_cdf((doubled_sum as f64 + 1.0 - mean) / variance.sqrt())
}

/// Doubled ranks by absolute value of `values`, which are ordered by absolute value. Ties share the
/// mean of their ranks; doubled means are integers.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(values.len());
    for tied in values.chunk_by(|a, b| a.abs() == b.abs()) {
        let first = ranks.len() + 1;
        let last = ranks.len() + tied.len();
        ranks.extend(std::iter::repeat_n(first + last, tied.len()));
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_printed_tables() {
        // Two-sided 5 % critical values of T: Wilcoxon & Wilcox 1964, and later published tables.
        // The k-th Walsh average has k = T + 1.
        for (n, critical) in [
            (6, 0),
            (7, 2),
            (8, 3),
            (9, 5),
            (10, 8),
            (12, 13),
            (15, 25),
            (20, 52),
            (25, 89),
            (30, 137),
            (50, 434),
        ] {
            let (k, achieved) = outermost(n, 0.95).unwrap();
            assert_eq!(k, critical + 1, "n = {n}");
            assert!(achieved >= 0.95, "n = {n}");
        }
        assert_eq!(outermost(5, 0.95), None);
        assert_eq!(outermost(6, 0.95).unwrap().1, 1.0 - 2.0 / 64.0);
    }

    #[test]
    fn exact_and_approximate_ranks_meet() {
        let (exact, _) = outermost(60, 0.95).unwrap();
        let (approximate, achieved) = outermost(61, 0.95).unwrap();
        assert!((648..=650).contains(&exact), "{exact}");
        assert!((671..=674).contains(&approximate), "{approximate}");
        assert!((0.949..0.952).contains(&achieved), "{achieved}");
    }

    #[test]
    fn darwins_plants_give_the_published_result() {
        // Fisher, The Design of Experiments: crossed minus self-fertilised, eighths of an inch.
        let differences = [
            49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0,
            -48.0,
        ];
        // T⁻ = 24 of 120; the exact two-sided value.
        let p = signed_rank_p(&differences).unwrap();
        assert!((p - 0.041_26).abs() < 1e-5, "{p}");
        let centre = hodges_lehmann(&differences, 0.95);
        let estimate = centre.estimate().unwrap();
        // Half an inch to 5.19 inches around 3.125.
        assert_eq!(
            (estimate.low, estimate.value, estimate.high),
            (4.0, 25.0, 41.5)
        );
    }

    #[test]
    fn small_samples_by_hand() {
        assert_eq!(signed_rank_p(&[1.0; 6]), Some(2.0 / 64.0));
        assert_eq!(signed_rank_p(&[1.0, 2.0, 3.0]), Some(0.25));
        // T⁻ = 1: of 8 sign assignments, {} and {1} have a sum of at most 1.
        assert_eq!(signed_rank_p(&[-1.0, 2.0, 3.0]), Some(0.5));
        // Ties share rank 1.5: of 4 sign assignments, {}, {first} and {second} have a sum ≤ 1.5.
        assert_eq!(signed_rank_p(&[-1.0, 1.0]), Some(1.0));
        // Ranks 2, 2, 2, 4, 5 and T⁻ = 4: of 32 sign assignments, {}, four single ranks and three
        // pairs have a sum ≤ 4.
        assert_eq!(signed_rank_p(&[1.0, 1.0, 1.0, -2.0, 3.0]), Some(0.5));
        assert_eq!(signed_rank_p(&[0.0, 1.0, 2.0, 3.0]), Some(0.25));
        assert_eq!(signed_rank_p(&[0.0, 0.0]), Some(1.0));
        assert_eq!(signed_rank_p(&[]), None);
        assert_eq!(signed_rank_p(&[f64::INFINITY]), None);
    }

    #[test]
    fn exact_and_approximate_p_meet() {
        let sample = |n: usize| -> Vec<f64> {
            (1..=n)
                .map(|i| if i % 3 == 0 { -(i as f64) } else { i as f64 })
                .collect()
        };
        let exact = signed_rank_p(&sample(60)).unwrap();
        let approximate = normal_tail(&doubled_ranks(&sample(60)), 2 * 630) * 2.0;
        assert!((exact - approximate).abs() < 1e-3, "{exact} {approximate}");
    }

    #[test]
    fn every_walsh_average_is_found_without_a_list_of_them() {
        let mut state = 7_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut samples = vec![
            vec![1.5],
            vec![0.25; 40],
            vec![-0.0, 0.0, -0.0, 0.0, 5e-324, -5e-324, 1e300, -1e300],
        ];
        for n in [2, 7, 30, 61, 90] {
            samples.push((0..n).map(|_| draw()).collect());
            samples.push((0..n).map(|_| (draw() * 6.0).round() / 8.0).collect());
            samples.push((0..n).map(|_| draw() + 100.0).collect());
        }
        for sample in samples {
            let sample = sorted(&sample).unwrap();
            let walsh = WalshAverages { sample: &sample };
            let mut all: Vec<f64> = Vec::new();
            for (i, a) in sample.iter().enumerate() {
                all.extend(sample[i..].iter().map(|b| f64::midpoint(*a, *b)));
            }
            all.sort_by(f64::total_cmp);
            assert_eq!(walsh.len(), all.len());
            for (rank, average) in all.iter().enumerate() {
                assert_eq!(walsh.at(rank).to_bits(), average.to_bits(), "{sample:?}");
            }
            let zeros = all.iter().filter(|average| **average == 0.0).count();
            let below = all.iter().filter(|average| **average < 0.0).count();
            assert_eq!(walsh.at_most(key(0.0)), below + zeros);
            assert_eq!(walsh.at_most(key(-0.0) - 1), below);
        }
    }

    #[test]
    fn little_data_has_no_interval_and_no_data_has_no_figure() {
        let five = hodges_lehmann(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95);
        assert_eq!(five, Measured::Point { value: 3.0, n: 5 });
        assert_eq!(hodges_lehmann(&[], 0.95), Measured::Unknown);
    }
}
