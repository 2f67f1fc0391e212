//! The probabilities of the commits.
//!
//! Model: the log ratio of a block is 0 for a commit before the culprit and `change` from the culprit
//! on, plus an offset of the build, plus noise with Student's distribution with [`FREEDOM`] degrees of
//! freedom, whose tails are those of bursts. The change and the scale of the noise are unknown, so the
//! likelihoods are summed over a grid of both; the culprit is each commit with the same probability
//! before the first observation. What is unknown besides the culprit is thereby part of the
//! certainty, and no observation is used twice.

use crate::order::median;

/// Degrees of freedom of the noise.
const FREEDOM: f64 = 4.0;
/// Standard deviation of the offset of a build, as a log ratio: another layout of the same code makes
/// it faster or slower. More blocks of one commit do not average it out.
pub(super) const BUILD_SPREAD: f64 = 0.005;
/// Nodes and weights of the sum over the offset (Gauss and Hermite), in standard deviations.
const OFFSETS: [(f64, f64); 3] = [
    (-1.732_050_8, 1.0 / 6.0),
    (0.0, 2.0 / 3.0),
    (1.732_050_8, 1.0 / 6.0),
];
/// Points of the grid of changes.
const CHANGES: usize = 33;
/// Points of the grid of scales.
const SCALES: usize = 13;
/// Half of the width of the first grid: of changes in standard errors of the observed change, of scales
/// as the logarithm of a factor. Few blocks can understate the noise several times.
const WIDE: (f64, f64) = (24.0, 1.8);
/// Half of the width of the second grid, in standard deviations of the first result.
const NARROW: f64 = 5.0;
/// Smallest change and smallest scale, log ratios.
const SMALLEST: f64 = 0.001;
/// From the median absolute deviation to the standard deviation of a normal distribution.
const FROM_DEVIATION: f64 = 1.4826;
/// The part of the probability outside of the interval of the change.
const OUTSIDE: f64 = 0.05;

/// What the observations of a search say.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// The probability of each commit to be the culprit.
    pub commits: Vec<f64>,
    /// The change, as a log ratio; positive is worse.
    pub change: f64,
    /// The ends of the change's interval, which holds with 95 %.
    pub interval: (f64, f64),
    /// The scale of the noise of a block, as a log ratio.
    pub scale: f64,
}

impl Posterior {
    /// Computes the probabilities from the observations of each commit. The last is the bad end.
    pub(super) fn of(logs: &[&[f64]]) -> Self {
        let ends = logs.last().copied().unwrap_or_default();
        let spread = spread_within(logs);
        let error = spread / (ends.len().max(1) as f64).sqrt();
        let wide = Grid {
            changes: points::<CHANGES>(middle(ends), WIDE.0 * error, SMALLEST),
            scales: points::<SCALES>(spread.ln(), WIDE.1, SMALLEST.ln()),
        };
        let first = wide.sums(logs);
        let (change, scale) = (first.of_changes(&wide), first.of_scales(&wide));
        let narrow = Grid {
            changes: points::<CHANGES>(change.0, NARROW * change.1, SMALLEST),
            scales: points::<SCALES>(scale.0, NARROW * scale.1, SMALLEST.ln()),
        };
        narrow.sums(logs).posterior(&narrow)
    }

    /// How undecided the search is, in bits: the steps that it takes at least.
    pub fn bits(&self) -> f64 {
        let positive = self.commits.iter().filter(|it| **it > 0.0);
        positive.map(|it| -it * it.log2()).sum::<f64>().max(0.0)
    }
}

/// The log density of Student's distribution, up to a constant.
pub(super) fn log_density(distance: f64, scale: f64) -> f64 {
    let z = distance / scale;
    -scale.ln() - 0.5 * (FREEDOM + 1.0) * (z * z / FREEDOM).ln_1p()
}

/// The log likelihood of a commit's observations whose centre is known up to the offset of the build.
fn log_likelihood(logs: &[f64], centre: f64, scale: f64) -> f64 {
    if logs.is_empty() {
        return 0.0;
    }
    let of_offsets = OFFSETS.map(|(offset, weight)| {
        let centre = centre + offset * BUILD_SPREAD;
        let densities = logs.iter().map(|log| log_density(log - centre, scale));
        weight.ln() + densities.sum::<f64>()
    });
    log_sum(&of_offsets)
}

/// The log likelihood of all observations for each culprit: commits before it are unchanged.
fn of_culprits(unchanged: &[f64], changed: &[f64]) -> Vec<f64> {
    let mut all: f64 = changed.iter().sum();
    let pairs = unchanged.iter().zip(changed);
    pairs
        .map(|(unchanged, changed)| {
            let of_this = all;
            all += unchanged - changed;
            of_this
        })
        .collect()
}

fn middle(sample: &[f64]) -> f64 {
    median(sample, 0.5).value().unwrap_or(0.0)
}

/// The standard deviation of the blocks of a commit around its own centre, over all commits, as the
/// median distance states it.
pub(super) fn spread_within(logs: &[&[f64]]) -> f64 {
    let several = logs.iter().filter(|logs| logs.len() > 1);
    let distances = several.flat_map(|logs| {
        let centre = middle(logs);
        // The centre lies nearer to the blocks that it comes from.
        let nearer = (logs.len() as f64 / (logs.len() - 1) as f64).sqrt();
        logs.iter().map(move |log| nearer * (log - centre).abs())
    });
    (FROM_DEVIATION * middle(&distances.collect::<Vec<f64>>())).max(SMALLEST)
}

/// Points with the same distances around a centre, none below `least`.
fn points<const N: usize>(centre: f64, half: f64, least: f64) -> Vec<f64> {
    let low = (centre - half).max(least);
    let high = (centre + half).max(low + SMALLEST);
    let step = (high - low) / (N - 1) as f64;
    (0..N).map(|at| low + step * at as f64).collect()
}

/// The changes and the natural logarithms of the scales over which likelihoods are summed.
struct Grid {
    changes: Vec<f64>,
    scales: Vec<f64>,
}

impl Grid {
    fn sums(&self, logs: &[&[f64]]) -> Sums {
        let mut sums = Sums::new(logs.len(), self);
        for (of_scale, scale) in self.scales.iter().enumerate() {
            let scale = scale.exp();
            let at = |centre: f64| -> Vec<f64> {
                let likelihoods = logs.iter().map(|logs| log_likelihood(logs, centre, scale));
                likelihoods.collect()
            };
            let unchanged = at(0.0);
            for (of_change, &change) in self.changes.iter().enumerate() {
                sums.add(&of_culprits(&unchanged, &at(change)), of_change, of_scale);
            }
        }
        sums
    }
}

/// Sums of likelihoods over the grid, as multiples of `e^peak`.
struct Sums {
    peak: f64,
    commits: Vec<f64>,
    changes: Vec<f64>,
    scales: Vec<f64>,
}

impl Sums {
    fn new(commits: usize, grid: &Grid) -> Self {
        Self {
            peak: f64::NEG_INFINITY,
            commits: vec![0.0; commits],
            changes: vec![0.0; grid.changes.len()],
            scales: vec![0.0; grid.scales.len()],
        }
    }

    /// Adds the likelihood of each culprit at one point of the grid.
    fn add(&mut self, logs: &[f64], change: usize, scale: usize) {
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if highest > self.peak {
            let factor = (self.peak - highest).exp();
            let sums = self.commits.iter_mut().chain(&mut self.changes);
            sums.chain(&mut self.scales).for_each(|sum| *sum *= factor);
            self.peak = highest;
        }
        for (sum, log) in self.commits.iter_mut().zip(logs) {
            let likelihood = (log - self.peak).exp();
            *sum += likelihood;
            self.changes[change] += likelihood;
            self.scales[scale] += likelihood;
        }
    }

    /// Mean and standard deviation of the change.
    fn of_changes(&self, grid: &Grid) -> (f64, f64) {
        mean_and_deviation(&grid.changes, &self.changes)
    }

    /// Mean and standard deviation of the logarithm of the scale.
    fn of_scales(&self, grid: &Grid) -> (f64, f64) {
        mean_and_deviation(&grid.scales, &self.scales)
    }

    fn posterior(&self, grid: &Grid) -> Posterior {
        let all: f64 = self.commits.iter().sum();
        let of_changes: Vec<f64> = self.changes.iter().map(|sum| sum / all).collect();
        let end = |share: f64| quantile(&grid.changes, &of_changes, share);
        Posterior {
            commits: self.commits.iter().map(|sum| sum / all).collect(),
            change: self.of_changes(grid).0,
            interval: (end(OUTSIDE / 2.0), end(1.0 - OUTSIDE / 2.0)),
            scale: self.of_scales(grid).0.exp(),
        }
    }
}

/// Mean and standard deviation, the latter at least half of the distance of two points, which could
/// hide a smaller one.
fn mean_and_deviation(points: &[f64], weights: &[f64]) -> (f64, f64) {
    let all: f64 = weights.iter().sum();
    let mean = |of: &dyn Fn(f64) -> f64| -> f64 {
        let terms = points.iter().zip(weights);
        terms
            .map(|(point, weight)| weight * of(*point))
            .sum::<f64>()
            / all
    };
    let centre = mean(&|point| point);
    let variance = mean(&|point| (point - centre).powi(2));
    let step = points
        .windows(2)
        .next()
        .map_or(0.0, |pair| pair[1] - pair[0]);
    (centre, variance.sqrt().max(step / 2.0))
}

/// The quantile of a distribution that has a density proportional to `weights` around `points`, which
/// have the same distances.
fn quantile(points: &[f64], weights: &[f64], share: f64) -> f64 {
    let step = points
        .windows(2)
        .next()
        .map_or(0.0, |pair| pair[1] - pair[0]);
    let mut below = 0.0;
    for (point, weight) in points.iter().zip(weights) {
        if below + weight >= share && *weight > 0.0 {
            return point + step * ((share - below) / weight - 0.5);
        }
        below += weight;
    }
    points.last().copied().unwrap_or(0.0)
}

fn log_sum(logs: &[f64]) -> f64 {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - highest).exp()).sum();
    highest + sum.ln()
}
