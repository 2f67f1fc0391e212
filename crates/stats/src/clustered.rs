//! Estimates over all observations of clustered data.
//!
//! Requests of one slice are correlated: a stall, a warm cache or another program affects all
//! requests of the slice. A figure is therefore computed from all requests together, and the
//! interval of the figure from the differences between slices.

use std::cmp::Ordering;

use crate::distribution::student_quantile;
use crate::estimate::{Estimate, Measured};
use crate::order::printable_percentile;

/// Minimum number of clusters for an interval: the same as for [`crate::median`] at 95 %.
const FEWEST_CLUSTERS: usize = 6;

/// The observations of one cluster, counted by value.
pub trait Cluster {
    /// Number of observations.
    fn total(&self) -> u64;

    /// Number of observations that are at most `value`.
    fn at_most(&self, value: u64) -> u64;

    /// Number of observations of this cluster that are at most `value` and above the next smaller
    /// distinct value of all clusters (`merged` in [`clustered_quantile`]).
    fn at(&self, value: u64) -> u64;
}

/// The quantile `q` over all observations of all clusters, with an interval from the differences
/// between clusters. `merged` holds the distinct values of all clusters in ascending order, each as
/// (value, count).
///
/// The interval contains every value x for which a test does not reject "a share q of all
/// observations is at most x" (R. S. Woodruff, "Confidence intervals for medians and other position
/// measures", JASA 47, 1952; C. A. Francisco and W. A. Fuller, "Quantile estimation with a complex
/// survey design", Annals of Statistics 19, 1991, section 4). The share is a ratio of sums over
/// clusters with the linearised variance. The test is Student's t; the degrees of freedom are the
/// number of clusters minus one. The variance is the larger of the variance at the observed share
/// and the variance at q, because the variance at the observed share is too small far out in the
/// tail. The quantile always lies inside the interval.
///
/// `Unknown` with too few observations for the quantile (see [`printable_percentile`]). `Point` if
/// fewer than six clusters have observations.
pub fn clustered_quantile<C: Cluster>(
    merged: &[(u64, u64)],
    clusters: &[C],
    q: f64,
    confidence: f64,
) -> Measured {
    let total: u64 = merged.iter().map(|(_, count)| count).sum();
    if !printable_percentile(q, total) {
        return Measured::Unknown;
    }
    let rank = ((q * total as f64).ceil() as u64).clamp(1, total);
    let mut below = 0;
    let Some(at) = merged.iter().position(|(_, count)| {
        below += count;
        below >= rank
    }) else {
        return Measured::Unknown;
    };
    let value = merged[at].0 as f64;
    let filled: Vec<&C> = clusters.iter().filter(|each| each.total() > 0).collect();
    let n = filled.len();
    let Some(test) = ShareTest::new(q, n, confidence) else {
        return Measured::Point { value, n };
    };
    let start: Vec<Share> = filled
        .iter()
        .map(|cluster| Share {
            within: cluster.at_most(merged[at].0),
            all: cluster.total(),
        })
        .collect();
    let low = lowest(merged, at, &filled, start.clone(), &test);
    let high = highest(merged, at, &filled, start, &test);
    Measured::Interval(Estimate {
        value,
        low: merged[low].0 as f64,
        high: merged[high].0 as f64,
        confidence,
        n,
    })
}

/// Searches downwards from index `at` for the smallest value for which the share of observations up
/// to the value is not significantly below q. Returns the index.
fn lowest<C: Cluster>(
    merged: &[(u64, u64)],
    at: usize,
    clusters: &[&C],
    mut shares: Vec<Share>,
    test: &ShareTest,
) -> usize {
    let mut low = at;
    while low > 0 {
        for (share, cluster) in shares.iter_mut().zip(clusters) {
            share.within -= cluster.at(merged[low].0).min(share.within);
        }
        if test.side(&shares) == Ordering::Less {
            break;
        }
        low -= 1;
    }
    low
}

/// Searches upwards from index `at` for the largest value for which the share strictly below the
/// value is not significantly above q. Returns the index.
fn highest<C: Cluster>(
    merged: &[(u64, u64)],
    at: usize,
    clusters: &[&C],
    mut shares: Vec<Share>,
    test: &ShareTest,
) -> usize {
    let mut high = at;
    while high + 1 < merged.len() {
        if test.side(&shares) == Ordering::Greater {
            break;
        }
        high += 1;
        for (share, cluster) in shares.iter_mut().zip(clusters) {
            share.within = (share.within + cluster.at(merged[high].0)).min(share.all);
        }
    }
    high
}

/// The mean over all observations of all clusters: the sum of the amounts divided by the sum of the
/// counts. Each cluster is (amount, count). The interval is the interval of a ratio of sums over
/// clusters (W. G. Cochran, *Sampling Techniques*, 3rd ed. 1977, section 6.3: linearised variance,
/// Student's t). Amounts must be at least 0; the lower end of the interval is at least 0.
///
/// `Unknown` without observations. `Point` if fewer than six clusters have observations.
pub fn clustered_mean(clusters: &[(f64, f64)], confidence: f64) -> Measured {
    let filled = || clusters.iter().filter(|(_, count)| *count > 0.0);
    let n = filled().count();
    let total: f64 = filled().map(|(_, count)| count).sum();
    let value = filled().map(|(amount, _)| amount).sum::<f64>() / total;
    if n == 0 || !value.is_finite() {
        return Measured::Unknown;
    }
    let Some(critical) = critical(n, confidence) else {
        return Measured::Point { value, n };
    };
    let squares: f64 = filled()
        .map(|(amount, count)| (amount - value * count).powi(2))
        .sum();
    let half = critical * standard_error(squares, n, total);
    Measured::Interval(Estimate {
        value,
        low: (value - half).max(0.0),
        high: value + half,
        confidence,
        n,
    })
}

/// A figure over all observations with the interval of the delete-one jackknife (B. Efron and R. J.
/// Tibshirani, *An Introduction to the Bootstrap*, 1993, section 11.5; Student's t with one degree
/// of freedom fewer than clusters). `without` holds the figure computed without each cluster in
/// turn. `low_end` is the lowest possible value of the figure. Suits figures that are smooth in the
/// observations, such as means; does not suit quantiles.
///
/// `Point` with fewer than six clusters or with an unknown value in `without`.
pub fn jackknife(value: f64, without: &[Option<f64>], low_end: f64, confidence: f64) -> Measured {
    let n = without.len();
    let known: Option<Vec<f64>> = without.iter().copied().collect();
    let (Some(critical), Some(known)) = (critical(n, confidence), known) else {
        return Measured::Point { value, n };
    };
    let mean = known.iter().sum::<f64>() / n as f64;
    let squares: f64 = known.iter().map(|each| (each - mean).powi(2)).sum();
    let half = critical * (squares * (n - 1) as f64 / n as f64).sqrt();
    Measured::Interval(Estimate {
        value,
        low: (value - half).max(low_end.min(value)),
        high: value + half,
        confidence,
        n,
    })
}

fn critical(n: usize, confidence: f64) -> Option<f64> {
    let enough = n >= FEWEST_CLUSTERS;
    enough.then(|| student_quantile(f64::midpoint(1.0, confidence), n - 1))?
}

/// Standard error of a ratio of sums over `n` clusters, from the sum of the squared residuals and
/// the denominator.
fn standard_error(squares: f64, n: usize, total: f64) -> f64 {
    (squares * n as f64 / (n - 1) as f64).sqrt() / total
}

/// Observations of one cluster: the number at or below a value, and the total number.
#[derive(Debug, Clone, Copy)]
struct Share {
    within: u64,
    all: u64,
}

/// Tests whether the share of all observations at or below a value differs from q.
struct ShareTest {
    q: f64,
    critical: f64,
}

impl ShareTest {
    fn new(q: f64, clusters: usize, confidence: f64) -> Option<Self> {
        let critical = critical(clusters, confidence)?;
        Some(Self { q, critical })
    }

    /// Whether the share over all clusters is significantly below or above q; `Equal` if neither.
    fn side(&self, shares: &[Share]) -> Ordering {
        let within: u64 = shares.iter().map(|share| share.within).sum();
        let total = shares.iter().map(|share| share.all).sum::<u64>() as f64;
        let share = within as f64 / total;
        let squares: f64 = shares
            .iter()
            .map(|each| (each.within as f64 - share * each.all as f64).powi(2))
            .sum();
        let spread = share * (1.0 - share);
        let at_q = self.q * (1.0 - self.q) / spread;
        let factor = if spread > 0.0 { at_q.max(1.0) } else { 1.0 };
        let error = standard_error(squares * factor, shares.len(), total);
        let far = (share - self.q).abs() > self.critical * error;
        if far && share < self.q {
            Ordering::Less
        } else if far && share > self.q {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    struct Values(BTreeMap<u64, u64>);

    impl Values {
        fn of(values: impl IntoIterator<Item = u64>) -> Self {
            let mut counts = BTreeMap::new();
            for value in values {
                *counts.entry(value).or_default() += 1;
            }
            Self(counts)
        }
    }

    impl Cluster for Values {
        fn total(&self) -> u64 {
            self.0.values().sum()
        }

        fn at_most(&self, value: u64) -> u64 {
            self.0.range(..=value).map(|(_, count)| count).sum()
        }

        fn at(&self, value: u64) -> u64 {
            self.0.get(&value).copied().unwrap_or(0)
        }
    }

    fn quantile(clusters: &[Values], q: f64) -> Measured {
        let mut merged = BTreeMap::new();
        for (value, count) in clusters.iter().flat_map(|cluster| &cluster.0) {
            *merged.entry(*value).or_default() += count;
        }
        let merged: Vec<(u64, u64)> = merged.into_iter().collect();
        clustered_quantile(&merged, clusters, q, 0.95)
    }

    #[test]
    fn clusters_that_agree_give_a_narrow_interval_around_the_quantile() {
        let same: Vec<Values> = (0..8).map(|_| Values::of(1..=1_000)).collect();
        let found = *quantile(&same, 0.9).estimate().unwrap();
        assert_eq!((found.value, found.low, found.high), (900.0, 900.0, 901.0));
        assert_eq!(found.n, 8);
    }

    #[test]
    fn a_quantile_that_one_cluster_carries_has_a_wide_interval() {
        // In one of eight clusters, 9 % of the observations are stalls with values of 900 to 990;
        // the other clusters have no stalls.
        let clusters: Vec<Values> = (0..8)
            .map(|at| {
                let slow = if at == 3 { 900..990 } else { 0..0 };
                Values::of((10..920).map(|value| value % 10 + 10).chain(slow))
            })
            .collect();
        let found = *quantile(&clusters, 0.99).estimate().unwrap();
        assert!((900.0..920.0).contains(&found.value), "{found:?}");
        assert!(
            found.low < 20.0,
            "without the one there are none: {found:?}"
        );
        assert!(found.high > 950.0, "{found:?}");
    }

    #[test]
    fn the_interval_of_a_value_that_many_share_reaches_past_it_where_clusters_differ() {
        // 1.1 % of all observations are at 900, all in one cluster: a p99 of 10 is also plausible.
        let clusters: Vec<Values> = (0..8)
            .map(|at| Values::of((0..1_000).map(|i| if at == 0 && i < 88 { 900 } else { 10 })))
            .collect();
        let found = *quantile(&clusters, 0.99).estimate().unwrap();
        assert_eq!((found.low, found.value, found.high), (10.0, 900.0, 900.0));
    }

    #[test]
    fn too_few_observations_or_clusters_are_reported() {
        let few = |clusters: usize, each: u64| -> Measured {
            let made: Vec<Values> = (0..clusters).map(|_| Values::of(1..=each)).collect();
            quantile(&made, 0.99)
        };
        assert_eq!(few(8, 40), Measured::Unknown);
        assert!(matches!(few(5, 1_000), Measured::Point { n: 5, .. }));
        assert!(matches!(few(6, 1_000), Measured::Interval(_)));
        assert_eq!(quantile(&[], 0.5), Measured::Unknown);
        let mut empty: Vec<Values> = (0..3).map(|_| Values::of([])).collect();
        empty.extend((0..5).map(|_| Values::of(1..=1_000)));
        assert!(matches!(
            quantile(&empty, 0.5),
            Measured::Point { n: 5, .. }
        ));
    }

    /// Coverage: the share of intervals that contain the true quantile; each interval comes from 16
    /// clusters.
    fn coverage(q: f64, truth: u64, make: impl Fn(&mut StdRng) -> Values) -> f64 {
        let mut rng = StdRng::seed_from_u64(7);
        let runs = 600;
        let hits = (0..runs).filter(|_| {
            let clusters: Vec<Values> = (0..16).map(|_| make(&mut rng)).collect();
            let found = quantile(&clusters, q);
            let found = found.estimate().unwrap();
            assert!(found.contains(found.value));
            found.contains(truth as f64)
        });
        hits.count() as f64 / f64::from(runs)
    }

    #[test]
    fn intervals_hold_the_true_quantile_as_often_as_they_say() {
        // Uniform on 0 to 99,999, identical clusters.
        let alike = |rng: &mut StdRng| {
            Values::of(
                (0..200)
                    .map(|_| rng.random_range(0..100_000))
                    .collect::<Vec<u64>>(),
            )
        };
        for (q, truth) in [(0.5, 50_000), (0.9, 90_000), (0.99, 99_000)] {
            let held = coverage(q, truth, alike);
            assert!(held >= 0.93, "p{q}: {held}");
        }
        // Each cluster has its own share of slow observations, 0 to 4 %: 2 % overall.
        let apart = |rng: &mut StdRng| {
            let slow: f64 = rng.random_range(0.0..0.04);
            Values::of(
                (0..400)
                    .map(|_| {
                        if rng.random_bool(slow) {
                            rng.random_range(100_000..200_000)
                        } else {
                            rng.random_range(0..100_000)
                        }
                    })
                    .collect::<Vec<u64>>(),
            )
        };
        let held = coverage(0.99, 150_000, apart);
        assert!(held >= 0.93, "{held}");
    }

    #[test]
    fn intervals_hold_where_a_third_of_the_clusters_carry_the_tail() {
        let stalls = |rng: &mut StdRng| {
            let slow = if rng.random_bool(1.0 / 3.0) {
                0.06
            } else {
                0.0
            };
            Values::of(
                (0..400)
                    .map(|_| {
                        if rng.random_bool(slow) {
                            rng.random_range(100_000..200_000)
                        } else {
                            rng.random_range(0..100_000)
                        }
                    })
                    .collect::<Vec<u64>>(),
            )
        };
        let held = coverage(0.99, 150_000, stalls);
        assert!(held >= 0.92, "{held}");
    }

    #[test]
    fn a_mean_is_of_all_observations() {
        // Nine requests of 1 s in one slice, one of 11 s in another.
        let two = clustered_mean(&[(9.0, 9.0), (11.0, 1.0), (0.0, 0.0)], 0.95);
        assert_eq!(two, Measured::Point { value: 2.0, n: 2 });
        let eight: Vec<(f64, f64)> = (0..8).map(|at| (10.0 + f64::from(at), 10.0)).collect();
        let found = *clustered_mean(&eight, 0.95).estimate().unwrap();
        assert!((found.value - 1.35).abs() < 1e-12);
        // The mean of equal clusters: 0.1 · sd(0..7)/√8 · t(0.975, 7) = 0.2048.
        assert!(
            (found.high - found.value - 0.2048).abs() < 1e-3,
            "{found:?}"
        );
        // The jackknife of a mean of equal clusters has the same interval.
        let without = |at: usize| {
            let rest = eight.iter().enumerate().filter(|(other, _)| *other != at);
            let (sum, n) = rest.fold((0.0, 0.0), |(sum, n), (_, (a, c))| (sum + a, n + c));
            Some(sum / n)
        };
        let without: Vec<Option<f64>> = (0..8).map(without).collect();
        let same = *jackknife(1.35, &without, 0.0, 0.95).estimate().unwrap();
        assert!((same.high - found.high).abs() < 1e-9, "{same:?} {found:?}");
        let few = jackknife(1.35, &without[..5], 0.0, 0.95);
        assert_eq!(few, Measured::Point { value: 1.35, n: 5 });
        assert_eq!(clustered_mean(&[], 0.95), Measured::Unknown);
        assert_eq!(clustered_mean(&[(0.0, 0.0)], 0.95), Measured::Unknown);
    }
}
