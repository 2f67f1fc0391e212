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
/// Half of the width of the grid of changes, in standard errors of the observed change.
const REACH: f64 = 6.0;
/// Largest factor between a scale of the grid and the observed scale.
const SCALE_REACH: f64 = 4.0;
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
        let (centre, spread) = centre_and_spread(ends);
        let spread = spread.max(SMALLEST);
        let changes = changes(centre, spread / (ends.len().max(1) as f64).sqrt());
        let scales = scales(spread);
        let mut sums = Sums::new(logs.len(), changes.len());
        for &scale in &scales {
            let unchanged: Vec<f64> = logs
                .iter()
                .map(|logs| log_likelihood(logs, 0.0, scale))
                .collect();
            for (at, &change) in changes.iter().enumerate() {
                let changed = logs.iter().map(|logs| log_likelihood(logs, change, scale));
                let changed: Vec<f64> = changed.collect();
                sums.add(&of_culprits(&unchanged, &changed), (at, scale));
            }
        }
        sums.posterior(&changes)
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

/// The median, and the standard deviation as the median distance from it states it.
fn centre_and_spread(sample: &[f64]) -> (f64, f64) {
    let middle = |sample: &[f64]| median(sample, 0.5).value().unwrap_or(0.0);
    let centre = middle(sample);
    let distances: Vec<f64> = sample.iter().map(|value| (value - centre).abs()).collect();
    (centre, FROM_DEVIATION * middle(&distances))
}

fn changes(centre: f64, error: f64) -> Vec<f64> {
    let low = (centre - REACH * error).max(SMALLEST);
    let high = (centre + REACH * error).max(low + SMALLEST);
    let step = (high - low) / (CHANGES - 1) as f64;
    (0..CHANGES).map(|at| low + step * at as f64).collect()
}

fn scales(spread: f64) -> Vec<f64> {
    let half = (SCALES - 1) as f64 / 2.0;
    let factor = |at: usize| SCALE_REACH.powf((at as f64 - half) / half);
    (0..SCALES).map(|at| spread * factor(at)).collect()
}

/// Sums of likelihoods over the grid, as multiples of `e^peak`.
struct Sums {
    peak: f64,
    commits: Vec<f64>,
    changes: Vec<f64>,
    scales: f64,
}

impl Sums {
    fn new(commits: usize, changes: usize) -> Self {
        Self {
            peak: f64::NEG_INFINITY,
            commits: vec![0.0; commits],
            changes: vec![0.0; changes],
            scales: 0.0,
        }
    }

    /// Adds the likelihood of each culprit at one point of the grid.
    fn add(&mut self, logs: &[f64], (change, scale): (usize, f64)) {
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if highest > self.peak {
            let factor = (self.peak - highest).exp();
            let sums = self.commits.iter_mut().chain(&mut self.changes);
            sums.for_each(|sum| *sum *= factor);
            self.scales *= factor;
            self.peak = highest;
        }
        for (sum, log) in self.commits.iter_mut().zip(logs) {
            let likelihood = (log - self.peak).exp();
            *sum += likelihood;
            self.changes[change] += likelihood;
            self.scales += likelihood * scale.ln();
        }
    }

    fn posterior(self, changes: &[f64]) -> Posterior {
        let all: f64 = self.commits.iter().sum();
        let share = |sum: &f64| sum / all;
        let weights: Vec<f64> = self.changes.iter().map(share).collect();
        let mean = changes.iter().zip(&weights).map(|(change, it)| change * it);
        Posterior {
            commits: self.commits.iter().map(share).collect(),
            change: mean.sum(),
            interval: (
                quantile(changes, &weights, OUTSIDE / 2.0),
                quantile(changes, &weights, 1.0 - OUTSIDE / 2.0),
            ),
            scale: (self.scales / all).exp(),
        }
    }
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
