//! The likelihood of the blocks of one commit, whose build is a little faster or slower than another of
//! the same code.
//!
//! The offset of a build is normal, and the likelihood is summed over it. The noise of a block is a
//! mixture of Student's distributions ([`super::mixture`]).

use super::mixture::{Modes, Weighed, density};

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
/// Blocks whose densities are multiplied before a logarithm is taken. The product is not 0.
const FACTORS: usize = 16;

/// Centres with equal distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centres {
    pub(super) first: f64,
    /// The distance of two.
    pub(super) unit: f64,
    pub(super) count: usize,
}

/// The densities of a commit's blocks around centres, for one scale of the noise and all modes.
pub(super) struct Densities {
    /// Of each block: around the centres, and around those before and after them that modes reach.
    of_blocks: Vec<Vec<f64>>,
    centres: Centres,
    /// Centres before the first one and after the last one.
    margin: usize,
    scale: f64,
}

impl Densities {
    /// The densities for modes with at most the distance `widest`.
    pub(super) fn new(logs: &[f64], scale: f64, widest: f64, centres: Centres) -> Self {
        let margin = units(widest, centres.unit);
        let of_blocks = logs
            .iter()
            .map(|log| {
                let places = 0..centres.count + 2 * margin;
                let distances = places.map(|at| {
                    let place = centres.first + (at as f64 - margin as f64) * centres.unit;
                    (log - place) / scale
                });
                distances.map(density).collect()
            })
            .collect();
        Self {
            of_blocks,
            centres,
            margin,
            scale,
        }
    }

    /// The log likelihood of the blocks around each centre, up to a constant.
    pub(super) fn log_likelihoods(&self, modes: Modes) -> Vec<f64> {
        let count = self.centres.count;
        let gap = units(modes.gap, self.centres.unit).min(self.margin);
        let (side, middle) = (modes.share, 1.0 - 2.0 * modes.share);
        let mut logs = vec![-self.scale.ln() * self.of_blocks.len() as f64; count];
        let mut products = vec![1.0; count];
        for blocks in self.of_blocks.chunks(FACTORS) {
            products.fill(1.0);
            for densities in blocks {
                let at = &densities[self.margin..][..count];
                let below = &densities[self.margin - gap..][..count];
                let above = &densities[self.margin + gap..][..count];
                for (((product, at), below), above) in
                    products.iter_mut().zip(at).zip(below).zip(above)
                {
                    *product *= middle * at + side * (below + above);
                }
            }
            for (log, product) in logs.iter_mut().zip(&products) {
                *log += product.ln();
            }
        }
        logs
    }
}

/// A distance as the nearest number of units.
fn units(distance: f64, unit: f64) -> usize {
    // The cast saturates.
    (distance / unit).round() as usize
}

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

    /// The probability of each offset, from the lowest one.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The log likelihoods of a commit's blocks, for each noise and for each centre of the commit up to
    /// the offset of its build: `first` and the `count - 1` after it, with the distances of the offsets.
    pub(super) fn of_noises(
        &self,
        logs: &[f64],
        noises: &[Weighed],
        (first, count): (f64, usize),
    ) -> Vec<Vec<f64>> {
        let centres = Centres {
            first: first - self.reach() as f64 * self.unit,
            unit: self.unit,
            count: count + 2 * self.reach(),
        };
        let is_same = |one: &Weighed, other: &Weighed| one.noise.scale == other.noise.scale;
        let of_scale = |noises: &[Weighed]| -> Vec<Vec<f64>> {
            let gaps: Vec<f64> = noises.iter().map(|it| it.noise.modes.gap).collect();
            let scale = noises.first().map_or(1.0, |it| it.noise.scale);
            let densities = Densities::new(logs, scale, highest(&gaps), centres);
            let each = noises.iter();
            each.map(|it| self.around(&densities.log_likelihoods(it.noise.modes)))
                .collect()
        };
        noises.chunk_by(is_same).flat_map(of_scale).collect()
    }

    /// The log likelihoods summed over the offsets, from those without an offset.
    fn around(&self, without_offset: &[f64]) -> Vec<f64> {
        let highest = highest(without_offset);
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
}

pub(super) fn log_sum(logs: &[f64]) -> f64 {
    let highest = highest(logs);
    let sum: f64 = logs.iter().map(|log| (log - highest).exp()).sum();
    highest + sum.ln()
}

pub(super) fn highest(logs: &[f64]) -> f64 {
    logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The likelihood of 40 blocks, more than are multiplied at once, from the formula.
    #[test]
    fn the_density_of_a_block_is_a_mixture_of_three_distributions() {
        let logs: Vec<f64> = (0..40).map(|at| 0.005 * f64::from(at) - 0.1).collect();
        let (scale, modes) = (
            0.01,
            Modes {
                gap: 0.03,
                share: 0.2,
            },
        );
        let centres = Centres {
            first: -0.02,
            unit: 0.005,
            count: 9,
        };
        let found = Densities::new(&logs, scale, 0.05, centres).log_likelihoods(modes);
        assert_eq!(found.len(), 9);
        for (at, found) in (0..).zip(found) {
            let centre = -0.02 + 0.005 * f64::from(at);
            let student =
                |distance: f64| (1.0 + (distance / scale).powi(2) / 4.0).powf(-2.5) / scale;
            let of_blocks = logs.iter().map(|log| {
                let distance = log - centre;
                let sides = student(distance - 0.03) + student(distance + 0.03);
                (0.6 * student(distance) + 0.2 * sides).ln()
            });
            let expected: f64 = of_blocks.sum();
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
