//! The Universal Scalability Law: throughput as a function of the number of clients.
//!
//! X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) (N. J. Gunther, *Guerrilla Capacity Planning*, 2007). λ
//! is the throughput of one client, σ the contention (the share of work that is serialized) and κ
//! the crosstalk (the cost of coordination between clients).

use serde::Serialize;

use crate::estimate::{Estimate, Measured};
use crate::order::{middle, sorted};

/// Minimum number of different levels for a fit of the three parameters.
pub const FEWEST_USL_LEVELS: usize = 6;
/// Minimum number of different levels in one resample: one more than the number of parameters.
const FEWEST_IN_RESAMPLE: usize = 4;
const RESAMPLES: usize = 1_000;
/// A peak of the fit is reported only up to this multiple of the largest number of clients tested.
const REACH: f64 = 2.0;
const MOST_STEPS: usize = 200;
/// Relative change of the sum of squares below which a fit has converged.
const SETTLED: f64 = 1e-10;

/// The three parameters of the Universal Scalability Law.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Usl {
    /// λ: operations per second of one client, above 0.
    pub lambda: f64,
    /// σ: share of the work that is serial, 0 to 1.
    pub sigma: f64,
    /// κ: coordination cost of each pair of clients, at least 0.
    pub kappa: f64,
}

/// Observed throughputs at one number of clients.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Clients, N.
    pub clients: f64,
    /// Operations per second, X, one value per slice.
    pub throughputs: Vec<f64>,
}

/// A fit of the law with intervals. The intervals are percentile bootstrap intervals over levels
/// and over the observations of each level. Their confidence is nominal: with few levels, the
/// intervals are slightly too narrow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UslFit {
    /// λ: operations per second of one client.
    pub lambda: Measured,
    /// σ: share of the work that is serial, 0 to 1.
    pub sigma: Measured,
    /// κ: coordination cost of each pair of clients.
    pub kappa: Measured,
    /// Number of clients with the highest throughput, √((1 − σ)/κ). Unknown if the result is more
    /// than twice the largest tested number of clients.
    pub peak_clients: Measured,
    /// The highest throughput, operations per second; unknown if `peak_clients` is unknown.
    pub peak_throughput: Measured,
    /// Largest deviation of a level from the fit, as a fraction of the fitted throughput.
    pub worst_misfit: f64,
}

impl Usl {
    /// Least-squares fit of the law to (clients, throughput) pairs: Levenberg–Marquardt from λ =
    /// the largest X/N, σ = 0.1 and κ = 0.01, with σ limited to 0…1 and κ to at least 0.
    ///
    /// `None` with fewer than four different numbers of clients, or with a value that is not
    /// positive and finite.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let usable = |&(n, x): &(f64, f64)| n > 0.0 && x > 0.0 && n.is_finite() && x.is_finite();
        if !points.iter().all(usable) || distinct(points) < FEWEST_IN_RESAMPLE {
            return None;
        }
        let first = points.iter().map(|(n, x)| x / n).fold(0.0, f64::max);
        let mut at = Self {
            lambda: first,
            sigma: 0.1,
            kappa: 0.01,
        };
        let mut cost = at.squares(points);
        let mut damping = 1e-3;
        for _ in 0..MOST_STEPS {
            let Some(next) = at.step(points, damping) else {
                damping *= 10.0;
                continue;
            };
            let after = next.squares(points);
            if after <= cost {
                let gained = cost - after;
                (at, cost) = (next, after);
                damping = (damping / 10.0).max(1e-12);
                if gained <= SETTLED * cost {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        Some(at)
    }

    /// Throughput X(N) of `clients` clients, operations per second.
    pub fn throughput(&self, clients: f64) -> f64 {
        self.lambda * clients / self.divisor(clients)
    }

    /// √((1 − σ)/κ), the number of clients with the highest throughput; `None` if throughput never
    /// falls (κ = 0).
    pub fn peak_clients(&self) -> Option<f64> {
        (self.kappa > 0.0).then(|| ((1.0 - self.sigma) / self.kappa).sqrt())
    }

    fn divisor(&self, n: f64) -> f64 {
        1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0)
    }

    fn squares(&self, points: &[(f64, f64)]) -> f64 {
        let miss = |&(n, x): &(f64, f64)| (x - self.throughput(n)).powi(2);
        points.iter().map(miss).sum()
    }

    /// ∂X/∂λ, ∂X/∂σ, ∂X/∂κ.
    fn gradient(&self, n: f64) -> [f64; 3] {
        let divisor = self.divisor(n);
        let fall = -self.lambda * n * (n - 1.0) / divisor.powi(2);
        [n / divisor, fall, fall * n]
    }

    /// One damped Levenberg–Marquardt step; `None` if the equations have no solution.
    fn step(&self, points: &[(f64, f64)], damping: f64) -> Option<Self> {
        let mut normal = [[0.0; 3]; 3];
        let mut towards = [0.0; 3];
        for &(n, x) in points {
            let gradient = self.gradient(n);
            let miss = x - self.throughput(n);
            for (i, row) in normal.iter_mut().enumerate() {
                towards[i] += gradient[i] * miss;
                for (j, cell) in row.iter_mut().enumerate() {
                    *cell += gradient[i] * gradient[j];
                }
            }
        }
        let here = [self.lambda, self.sigma, self.kappa];
        for i in 1..3 {
            let leaves =
                here[i] <= 0.0 && towards[i] < 0.0 || i == 1 && here[i] >= 1.0 && towards[i] > 0.0;
            if leaves {
                // Keep this parameter at its bound while the other parameters change.
                towards[i] = 0.0;
                normal[i] = [0.0; 3];
                for row in &mut normal {
                    row[i] = 0.0;
                }
                normal[i][i] = 1.0;
            }
        }
        for (i, row) in normal.iter_mut().enumerate() {
            row[i] *= 1.0 + damping;
        }
        let [lambda, sigma, kappa] = solved(normal, towards)?;
        let lambda = self.lambda + lambda;
        (lambda > 0.0 && lambda.is_finite()).then(|| Self {
            lambda,
            sigma: (self.sigma + sigma).clamp(0.0, 1.0),
            kappa: (self.kappa + kappa).max(0.0),
        })
    }
}

/// Fits the law to the medians of the levels, with bootstrap intervals from `seed`.
///
/// `None` with fewer than [`FEWEST_USL_LEVELS`] different levels, or with a value that is not
/// positive and finite.
pub fn usl_fit(levels: &[Level], confidence: f64, seed: u64) -> Option<UslFit> {
    let points = medians(levels)?;
    if distinct(&points) < FEWEST_USL_LEVELS {
        return None;
    }
    let fit = Usl::fit(&points)?;
    let mut random = SplitMix(seed);
    let resampled: Vec<Usl> = (0..RESAMPLES)
        .filter_map(|_| Usl::fit(&resample(levels, &mut random)?))
        .collect();
    let interval = |of: &dyn Fn(&Usl) -> f64| {
        let values = resampled.iter().map(of).collect();
        percentile_interval(of(&fit), values, confidence, points.len())
    };
    let most = points.iter().map(|(n, _)| *n).fold(0.0, f64::max);
    let peak_clients = |usl: &Usl| usl.peak_clients().unwrap_or(f64::INFINITY);
    let peak_throughput = |usl: &Usl| match usl.peak_clients() {
        Some(clients) => usl.throughput(clients.max(1.0)),
        // Throughput rises without limit, or towards λ/σ.
        None if usl.sigma > 0.0 => usl.lambda / usl.sigma,
        None => f64::INFINITY,
    };
    let within_reach = peak_clients(&fit) <= REACH * most;
    let bounded = |measured: Measured, is_within: bool| match measured {
        _ if !within_reach => Measured::Unknown,
        Measured::Interval(found) if !is_within => Measured::Point {
            value: found.value,
            n: found.n,
        },
        other => other,
    };
    let clients = interval(&peak_clients);
    let ends_within = clients
        .estimate()
        .is_some_and(|found| found.high <= REACH * most);
    let miss = |&(n, x): &(f64, f64)| (x / fit.throughput(n) - 1.0).abs();
    Some(UslFit {
        lambda: interval(&|usl| usl.lambda),
        sigma: interval(&|usl| usl.sigma),
        kappa: interval(&|usl| usl.kappa),
        peak_clients: bounded(clients, ends_within),
        peak_throughput: bounded(interval(&peak_throughput), ends_within),
        worst_misfit: points.iter().map(miss).fold(0.0, f64::max),
    })
}

fn medians(levels: &[Level]) -> Option<Vec<(f64, f64)>> {
    let point = |level: &Level| Some((level.clients, middle(&sorted(&level.throughputs)?)));
    levels.iter().map(point).collect()
}

fn distinct(points: &[(f64, f64)]) -> usize {
    let mut clients: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
    clients.sort_by(f64::total_cmp);
    clients.dedup();
    clients.len()
}

/// Bootstrap resample: levels drawn with replacement and, in each level, observations drawn with
/// replacement. `None` if too few different levels were drawn.
fn resample(levels: &[Level], random: &mut SplitMix) -> Option<Vec<(f64, f64)>> {
    let drawn: Vec<(f64, f64)> = (0..levels.len())
        .map(|_| {
            let level = &levels[random.below(levels.len())];
            let count = level.throughputs.len();
            let mut values: Vec<f64> = (0..count)
                .map(|_| level.throughputs[random.below(count)])
                .collect();
            values.sort_by(f64::total_cmp);
            (level.clients, middle(&values))
        })
        .collect();
    (distinct(&drawn) >= FEWEST_IN_RESAMPLE).then_some(drawn)
}

fn percentile_interval(value: f64, mut values: Vec<f64>, confidence: f64, n: usize) -> Measured {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return Measured::Point { value, n };
    };
    let tail = (1.0 - confidence) / 2.0;
    let at = |share: f64| values[((last as f64 * share).round() as usize).min(last)];
    Measured::Interval(Estimate {
        value,
        low: at(tail).min(value),
        high: at(1.0 - tail).max(value),
        confidence,
        n,
    })
}

/// Solves `matrix` · x = `right` by Cramer's rule.
fn solved(matrix: [[f64; 3]; 3], right: [f64; 3]) -> Option<[f64; 3]> {
    let whole = determinant(&matrix);
    if whole == 0.0 || !whole.is_finite() {
        return None;
    }
    let mut solution = [0.0; 3];
    for (column, value) in solution.iter_mut().enumerate() {
        let mut replaced = matrix;
        for (row, number) in replaced.iter_mut().zip(right) {
            row[column] = number;
        }
        *value = determinant(&replaced) / whole;
    }
    Some(solution)
}

fn determinant([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), so
/// that the same run has the same intervals on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number from 0 to `count` - 1. `count` must be above 0. The bias is below
    /// count / 2^64.
    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A published concurrency sweep of a search server, with the numbers of clients that really
    /// ran: the load generator rounded up to the next multiple of four.
    const RAMP: [(f64, f64); 11] = [
        (1.0, 33.2),
        (2.0, 65.766_666_666_666_67),
        (4.0, 118.633_333_333_333_34),
        (8.0, 151.333_333_333_333_34),
        (8.0, 141.566_666_666_666_66),
        (12.0, 148.866_666_666_666_67),
        (12.0, 150.0),
        (16.0, 139.433_333_333_333_34),
        (16.0, 150.633_333_333_333_33),
        (20.0, 145.4),
        (20.0, 140.933_333_333_333_34),
    ];

    /// Throughput of a network appliance with 1 to 32 clients, from the tests of codahale/usl4j.
    const APPLIANCE: [f64; 32] = [
        955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61,
        8278.71, 8646.7, 9047.84, 9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52,
        11151.43, 11518.63, 11806.0, 12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27,
        12118.04, 12140.4, 12074.39,
    ];

    fn near(found: f64, expected: f64, share: f64) {
        assert!(
            (found / expected - 1.0).abs() < share,
            "{found}, not {expected}"
        );
    }

    fn levels(points: &[(f64, f64)]) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for &(clients, throughput) in points {
            match levels.iter_mut().find(|level| level.clients == clients) {
                Some(level) => level.throughputs.push(throughput),
                None => levels.push(Level {
                    clients,
                    throughputs: vec![throughput],
                }),
            }
        }
        levels
    }

    #[test]
    fn a_published_ramp_gives_the_parameters_known_for_it() {
        let usl = Usl::fit(&RAMP).unwrap();
        near(usl.lambda, 39.0, 0.005);
        near(usl.sigma, 0.11, 0.05);
        near(usl.kappa, 0.0065, 0.02);
        let clients = usl.peak_clients().unwrap();
        near(clients, 11.7, 0.01);
        near(usl.throughput(clients), 152.0, 0.005);
    }

    #[test]
    fn another_implementation_gives_the_same_fit() {
        let points: Vec<(f64, f64)> = (1..).map(f64::from).zip(APPLIANCE).collect();
        let usl = Usl::fit(&points).unwrap();
        near(usl.lambda, 995.648_6, 1e-5);
        near(usl.sigma, 0.026_715_91, 1e-4);
        near(usl.kappa, 7.690_945e-4, 1e-4);
        near(usl.peak_clients().unwrap().floor(), 35.0, 1e-9);
        near(usl.throughput(35.0), 12_341.0, 1e-3);
    }

    #[test]
    fn the_fit_recovers_generated_parameters() {
        for (sigma, kappa) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.002), (0.05, 0.000_5)] {
            let made = Usl {
                lambda: 700.0,
                sigma,
                kappa,
            };
            let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|n| (n, made.throughput(n)));
            let found = Usl::fit(&points).unwrap();
            near(found.lambda, 700.0, 1e-4);
            assert!((found.sigma - sigma).abs() < 1e-4, "{found:?}");
            assert!((found.kappa - kappa).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn growth_above_proportion_is_held_to_the_bounds() {
        let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0_f64].map(|n| (n, n.powf(1.2)));
        let found = Usl::fit(&points).unwrap();
        assert_eq!((found.sigma, found.kappa), (0.0, 0.0));
    }

    #[test]
    fn intervals_hold_the_truth_and_a_peak_out_of_reach_is_unknown() {
        let made = Usl {
            lambda: 700.0,
            sigma: 0.05,
            kappa: 0.002,
        };
        let noise = [0.99, 1.01, 1.0, 0.995, 1.005, 1.002];
        let with = |most: u32| -> Vec<Level> {
            (0..=most)
                .map(|power| {
                    let clients = f64::from(1 << power);
                    let at = made.throughput(clients);
                    let mut throughputs = noise.map(|share| share * at).to_vec();
                    throughputs.rotate_left(power as usize % 6);
                    Level {
                        clients,
                        throughputs,
                    }
                })
                .collect()
        };
        let fit = usl_fit(&with(6), 0.95, 1).unwrap();
        for (found, truth) in [(fit.lambda, 700.0), (fit.sigma, 0.05), (fit.kappa, 0.002)] {
            assert!(found.estimate().unwrap().contains(truth), "{found:?}");
        }
        let peak = fit.peak_clients.estimate().unwrap();
        assert!(peak.contains((0.95_f64 / 0.002).sqrt()), "{peak:?}");
        // A peak at 21.8 clients is within twice the largest tested number of clients of `levels`,
        // but not of `short`.
        let short = levels(&[1.0, 2.0, 4.0, 6.0, 7.0, 8.0].map(|n| (n, made.throughput(n))));
        assert_eq!(
            usl_fit(&short, 0.95, 1).unwrap().peak_clients,
            Measured::Unknown
        );
        assert_eq!(usl_fit(&with(4), 0.95, 1), None, "five levels");
    }

    #[test]
    fn the_same_seed_gives_the_same_intervals() {
        let levels = levels(&RAMP);
        assert_eq!(usl_fit(&levels, 0.95, 7), usl_fit(&levels, 0.95, 7));
    }

    #[test]
    fn invalid_data_are_not_fitted() {
        assert_eq!(Usl::fit(&[]), None);
        assert_eq!(Usl::fit(&[(1.0, 1.0); 9]), None);
        let broken = [1.0, 2.0, 3.0, 4.0, 5.0].map(|n| (n, f64::NAN));
        assert_eq!(Usl::fit(&broken), None);
    }
}
