//! The noise of a block, and what the blocks of the same commits say about it.
//!
//! A process can be fast or slow for its whole life, by chance: the layout of its memory, the cores it
//! starts on. A block starts both programs again. If each start is slow with the probability w, the log
//! ratio of a block is off by the distance of the two speeds with the probability w (1 - w), in either
//! direction alike, and otherwise not. The noise therefore is a mixture of three distributions with
//! equal distances ([`Noise`]); without modes, the outer two have no weight. Each is Student's, whose
//! tails are those of bursts.
//!
//! The modes of a program are not known in advance. They are learned from how the blocks of each commit
//! scatter around its own centre, wherever that is ([`weigh`]): the likelihood of each commit's blocks is
//! integrated over its centre (a flat prior of a location parameter: A. Gelman et al., Bayesian Data
//! Analysis, 2013, section 2.8). Half of the prior probability is that there are no modes.

use super::likelihood::{Centres, Densities, highest, log_sum};
use super::mixture::{CENTRES, Modes, Noise, Weighed};
use crate::order::median;

/// Distances of two modes, in scales of the noise. Modes that are nearer look like a larger scale.
const GAPS: [f64; 14] = [
    2.5, 3.0, 3.5, 4.0, 4.75, 5.5, 6.25, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0,
];
/// Probabilities that a block is off by the distance of two modes, in each direction: one start in
/// ten is slow, one in five, and two or more in five.
const SHARES: [f64; 3] = [0.09, 0.16, 0.24];
/// Prior probability that there are no modes.
const NO_MODES: f64 = 0.5;
/// The logarithm of the ratio of two scales.
const RATIO: f64 = 0.2;
/// The logarithms of the smallest and the largest scale, from that of the spread of the blocks. Few blocks
/// can understate the noise several times, and modes make the spread much larger than the scale.
const REACH: (f64, f64) = (-3.0, 1.8);
/// Least logarithm of the weight of a noise, from the highest one.
const LEAST: f64 = -7.0;
/// Highest logarithm of the weights of a scale, from that of all larger scales, below which smaller ones
/// are not tried.
const HOPELESS: f64 = -15.0;
/// Most noises that are kept.
const MOST: usize = 64;
/// Smallest scale of the noise, a log ratio. Less noise tells no more, because builds differ by more.
const QUIETEST: f64 = 0.002;
/// From the median absolute deviation to the standard deviation of a normal distribution.
const FROM_DEVIATION: f64 = 1.4826;

/// The noises that the blocks of the commits leave possible, by scale.
pub(super) fn weigh(logs: &[&[f64]]) -> Vec<Weighed> {
    let mut found: Vec<Weighed> = Vec::new();
    let mut most = f64::NEG_INFINITY;
    for scale in scales(spread_within(logs)) {
        let of_scale = of_scale(logs, scale);
        let weights: Vec<f64> = of_scale.iter().map(|it| it.weight).collect();
        found.extend(of_scale);
        most = most.max(highest(&weights));
        if highest(&weights) < most + HOPELESS {
            break;
        }
    }
    likely(found)
}

/// The noises of a scale, whose weights are the logarithms of likelihoods with priors.
fn of_scale(logs: &[&[f64]], scale: f64) -> Vec<Weighed> {
    let unit = scale / CENTRES;
    let widest = scale * highest(&GAPS);
    let several = logs.iter().filter(|logs| logs.len() > 1);
    let of_commits: Vec<Densities> = several
        .map(|logs| {
            let first = logs.iter().copied().fold(f64::INFINITY, f64::min);
            // The cast rounds down and saturates.
            let count = ((highest(logs) - first) / unit) as usize + 2;
            Densities::new(logs, scale, widest, Centres { first, unit, count })
        })
        .collect();
    let weighed = all_modes(scale).map(|(modes, log_prior)| {
        let logs = of_commits
            .iter()
            .map(|densities| log_sum(&densities.log_likelihoods(modes)) + unit.ln());
        Weighed {
            noise: Noise { scale, modes },
            log_prior,
            weight: log_prior + logs.sum::<f64>(),
        }
    });
    weighed.collect()
}

/// The scales that are possible with a spread, from the largest one.
fn scales(spread: f64) -> impl Iterator<Item = f64> {
    let low = (spread.ln() + REACH.0).max(QUIETEST.ln());
    let high = spread.ln() + REACH.1;
    // The cast rounds down.
    let steps = ((high - low) / RATIO) as usize;
    (0..=steps)
        .rev()
        .map(move |at| (low + RATIO * at as f64).exp())
}

/// The modes that are possible with a scale, and the logarithms of their prior probabilities.
fn all_modes(scale: f64) -> impl Iterator<Item = (Modes, f64)> {
    let none = Modes {
        gap: 0.0,
        share: 0.0,
    };
    let each = (1.0 - NO_MODES) / (GAPS.len() * SHARES.len()) as f64;
    let some = GAPS.into_iter().flat_map(move |gap| {
        let gap = gap * scale;
        SHARES.map(|share| (Modes { gap, share }, each.ln()))
    });
    std::iter::once((none, NO_MODES.ln())).chain(some)
}

/// The noises with the highest weights, which are logarithms before and probabilities afterwards.
fn likely(mut all: Vec<Weighed>) -> Vec<Weighed> {
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let most = all.first().map_or(0.0, |noise| noise.weight);
    all.retain(|it| it.weight >= most + LEAST);
    all.truncate(MOST);
    let sum: f64 = all.iter().map(|it| (it.weight - most).exp()).sum();
    for it in &mut all {
        it.weight = (it.weight - most).exp() / sum;
    }
    all.sort_by(|one, other| one.noise.scale.total_cmp(&other.noise.scale));
    all
}

pub(super) fn middle(sample: &[f64]) -> f64 {
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
    (FROM_DEVIATION * middle(&distances.collect::<Vec<f64>>())).max(QUIETEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::normal_quantile;
    use crate::testing::Dice;

    fn normal(dice: &mut Dice) -> f64 {
        normal_quantile(dice.roll().clamp(1e-12, 1.0 - 1e-12)).unwrap()
    }

    /// The probability that there are modes, and that they have this gap within a fifth and a share
    /// of at least this, after twelve commits of eight blocks each.
    fn found(dice: &mut Dice, gap: f64, share: f64, noise: fn(&mut Dice) -> f64) -> [f64; 2] {
        let commits: Vec<Vec<f64>> = (0..12)
            .map(|commit| {
                let blocks = (0..8).map(|_| {
                    let starts = [dice.roll(), dice.roll()].map(|roll| f64::from(roll < share));
                    0.01 * f64::from(commit) + gap * (starts[0] - starts[1]) + noise(dice)
                });
                blocks.collect()
            })
            .collect();
        let commits: Vec<&[f64]> = commits.iter().map(Vec::as_slice).collect();
        let weighed = weigh(&commits);
        let of = |what: &dyn Fn(Modes) -> bool| -> f64 {
            let chosen = weighed.iter().filter(|it| what(it.noise.modes));
            chosen.map(|it| it.weight).sum()
        };
        [
            of(&|modes| modes.share > 0.0),
            of(&|modes| modes.share > 0.1 && (modes.gap / gap - 1.0).abs() < 0.2),
        ]
    }

    #[test]
    fn modes_of_starts_are_learned_from_blocks_of_the_same_commits() {
        for seed in 1..=5 {
            let mut dice = Dice(seed);
            let [_, right] = found(&mut dice, 0.08, 0.4, |dice| 0.02 * normal(dice));
            assert!(right > 0.9, "{seed}: {right}");
        }
    }

    #[test]
    fn modes_are_not_seen_in_noise_without_modes() {
        let noises: [fn(&mut Dice) -> f64; 2] = [
            |dice| 0.02 * normal(dice),
            |dice| {
                let squares: f64 = (0..3).map(|_| normal(dice).powi(2)).sum();
                0.02 * normal(dice) / (squares / 3.0).sqrt()
            },
        ];
        for noise in noises {
            let of_seeds = (1..=5).map(|seed| found(&mut Dice(seed), 0.0, 0.0, noise)[0]);
            let mean = of_seeds.sum::<f64>() / 5.0;
            assert!(mean < 0.5, "{mean}");
        }
    }

    /// The Fisher information of the place of Student's distribution with ν degrees of freedom is
    /// (ν + 1) / (ν + 3) by the squared scale.
    #[test]
    fn student_blocks_tell_as_much_as_their_information() {
        let modes = Modes {
            gap: 0.0,
            share: 0.0,
        };
        let noise = Noise { scale: 0.02, modes };
        let expected = 7.0 / 5.0 * 0.02 * 0.02;
        assert!(
            (noise.variance() / expected - 1.0).abs() < 0.01,
            "{}",
            noise.variance()
        );
    }

    /// Modes far apart are told from each other, so that blocks tell small distances as well as
    /// without modes; at the distance of the modes, they tell less.
    #[test]
    fn far_modes_hide_only_their_distance() {
        let scale = 0.005;
        let with = |share: f64| Noise {
            scale,
            modes: Modes { gap: 0.08, share },
        };
        let ratio = with(0.24).variance() / with(0.0).variance();
        assert!((1.0..1.1).contains(&ratio), "{ratio}");
        let told = with(0.24).divergence(0.08) / with(0.0).divergence(0.08);
        assert!(told < 0.5, "{told}");
    }
}
