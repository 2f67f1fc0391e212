//! The likelihood of the blocks of one commit, whose build is a little faster or slower than another of
//! the same code.
//!
//! The noise of a block has Student's distribution with [`FREEDOM`] degrees of freedom, whose tails are
//! those of bursts. The offset of a build is normal, and the likelihood is summed over it.

/// Degrees of freedom of the noise.
const FREEDOM: f64 = 4.0;
/// Standard deviation of the offset of a build, as a log ratio: another layout of the same code makes
/// it faster or slower. More blocks of one commit do not average it out.
pub(super) const BUILD_SPREAD: f64 = 0.005;
/// The largest offset, in standard deviations.
const FARTHEST: f64 = 3.0;
/// Largest distance of two offsets, as a log ratio: at least 25 of them. It is below the smallest scale
/// of the noise, so that no block lies between two offsets and fits neither.
pub(super) const FINEST: f64 = 0.00125;
/// Least logarithm of a likelihood, relative to the highest one of the same blocks: its exponential is
/// not 0.
const LEAST: f64 = -600.0;

/// Offsets of a build with the same distances, and their probabilities.
pub(super) struct Offsets {
    /// The distance of two offsets, as a log ratio.
    pub(super) unit: f64,
    /// The probabilities; the middle one is that of no offset.
    weights: Vec<f64>,
}

impl Offsets {
    /// Offsets that are multiples of this unit. A unit beyond the largest offset leaves only 0.
    pub(super) fn new(unit: f64) -> Self {
        // The cast rounds down.
        let reach = (FARTHEST * BUILD_SPREAD / unit) as usize;
        let densities: Vec<f64> = (0..=2 * reach)
            .map(|at| {
                let deviations = (at as f64 - reach as f64) * unit / BUILD_SPREAD;
                (-deviations * deviations / 2.0).exp()
            })
            .collect();
        let all: f64 = densities.iter().sum();
        Self {
            unit,
            weights: densities.iter().map(|density| density / all).collect(),
        }
    }

    /// The number of offsets on each side of 0.
    pub(super) fn reach(&self) -> usize {
        self.weights.len() / 2
    }

    /// Each offset with its probability, from the lowest one.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (f64, f64)> {
        let reach = self.reach() as f64;
        let places = self.weights.iter().enumerate();
        places.map(move |(at, weight)| ((at as f64 - reach) * self.unit, *weight))
    }

    /// The log likelihoods of a commit's blocks if its centre, up to the offset of its build, is
    /// `first`, or one of the centres after it with the distances of the offsets.
    pub(super) fn log_likelihoods(
        &self,
        logs: &[f64],
        scale: f64,
        first: f64,
        count: usize,
    ) -> Vec<f64> {
        if logs.is_empty() {
            return vec![0.0; count];
        }
        let reach = self.reach();
        let without_offset: Vec<f64> = (0..count + 2 * reach)
            .map(|at| {
                let centre = first + (at as f64 - reach as f64) * self.unit;
                let densities = logs.iter().map(|log| log_density(log - centre, scale));
                densities.sum::<f64>()
            })
            .collect();
        let highest = highest(&without_offset);
        let likelihoods: Vec<f64> = without_offset
            .iter()
            .map(|log| (log - highest).max(LEAST).exp())
            .collect();
        likelihoods
            .windows(self.weights.len())
            .map(|around| {
                let terms = around.iter().zip(&self.weights);
                let sum: f64 = terms.map(|(likelihood, weight)| likelihood * weight).sum();
                highest + sum.ln()
            })
            .collect()
    }

    /// The log likelihood of a commit's blocks if its centre is known up to the offset of its build.
    pub(super) fn log_likelihood(&self, logs: &[f64], scale: f64, centre: f64) -> f64 {
        self.log_likelihoods(logs, scale, centre, 1).iter().sum()
    }

    /// The log likelihood of two commits' blocks with these centres, up to the offsets of both builds
    /// and to that of the good end, which both ratios contain.
    pub(super) fn of_pair(&self, pair: [(&[f64], f64); 2], scale: f64) -> f64 {
        let of_goods: Vec<f64> = self
            .nodes()
            .map(|(good, weight)| {
                let likelihoods = pair
                    .iter()
                    .map(|(logs, centre)| self.log_likelihood(logs, scale, centre + good));
                weight.ln() + likelihoods.sum::<f64>()
            })
            .collect();
        log_sum(&of_goods)
    }
}

/// The log density of Student's distribution, up to a constant.
fn log_density(distance: f64, scale: f64) -> f64 {
    let z = distance / scale;
    -scale.ln() - 0.5 * (FREEDOM + 1.0) * (z * z / FREEDOM).ln_1p()
}

fn log_sum(logs: &[f64]) -> f64 {
    let highest = highest(logs);
    let sum: f64 = logs.iter().map(|log| (log - highest).exp()).sum();
    highest + sum.ln()
}

pub(super) fn highest(logs: &[f64]) -> f64 {
    logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
