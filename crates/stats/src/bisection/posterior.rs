//! The probabilities of the commits.
//!
//! Model: the log ratio of a block is 0 for a commit before the culprit and `change` from the culprit
//! on, plus the offset of the commit's build, plus the offset of the good end's build, which all ratios
//! share, plus noise. The change, the scale and the modes of the noise and the offset of the good end are
//! unknown, so the likelihoods are summed over a grid of all of them; the culprit is each commit with the
//! same probability before the first observation. What is unknown besides the culprit is thereby part of
//! the certainty, and no observation is used twice: that noises which the blocks of the same commits make
//! unlikely are left out saves time alone.

use std::iter::repeat_n;

use super::likelihood::{BUILD_SPREAD, FINEST, Offsets, highest};
use super::mixture::Weighed;
use super::noise::{middle, spread_within, weigh};

/// Points of the first and of the second grid of changes.
const CHANGES: (usize, usize) = (65, 33);
/// Most noises of the first grid.
const FIRST_NOISES: usize = 12;
/// Distance of two offsets of the good end, in standard deviations of an offset.
const GOODS: f64 = 0.5;
/// Half of the width of the first grid, in standard errors of the observed change and in standard
/// deviations of an offset. Few blocks can understate the noise several times.
const WIDE: (f64, f64) = (24.0, 6.0);
/// Half of the width of the second grid, in standard deviations of the first result.
const NARROW: f64 = 5.0;
/// Smallest change, a log ratio.
const SMALLEST: f64 = 0.001;
/// Logarithm of a likelihood, from the highest one, below which it adds nothing to a sum.
const NOTHING: f64 = -30.0;
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
    /// What the build of the good end adds to all ratios, as a log ratio.
    pub offset: f64,
    /// The standard deviation of a normal noise of a block, as a log ratio, that would tell small changes
    /// as well as the noise that was observed.
    pub noise: f64,
    /// The log likelihood ratio that a block brings on average.
    pub(super) evidence: f64,
    /// The noises that the blocks of the same commits leave possible.
    pub(super) noises: Vec<Weighed>,
}

impl Posterior {
    /// Computes the probabilities from the observations of each commit. The last is the bad end.
    pub(super) fn of(logs: &[&[f64]]) -> Self {
        let ends = logs.last().copied().unwrap_or_default();
        let slots = slots(logs);
        let error = spread_within(logs) / (ends.len().max(1) as f64).sqrt();
        let half = WIDE.0 * error + WIDE.1 * BUILD_SPREAD;
        let noises = weigh(logs);
        let mut likeliest = noises.clone();
        likeliest.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        likeliest.truncate(FIRST_NOISES);
        let changes = points(middle(ends), half, CHANGES.0);
        let scales = likeliest.iter().map(|it| it.noise.scale);
        let smallest = scales.fold(f64::INFINITY, f64::min);
        let wide = Grid::new(changes, likeliest, smallest);
        let (change, deviation) = wide.sums(&slots).of_changes(&wide);
        let half = (NARROW * deviation).max(BUILD_SPREAD);
        let narrow = Grid::new(points(change, half, CHANGES.1), noises, FINEST);
        narrow.sums(&slots).posterior(narrow, &slots)
    }

    /// How undecided the search is, in bits: the steps that it takes at least.
    pub fn bits(&self) -> f64 {
        let positive = self.commits.iter().filter(|it| **it > 0.0);
        positive.map(|it| -it * it.log2()).sum::<f64>().max(0.0)
    }
}

/// A measured commit, or the bad end, with the commits right before it that were not measured: nothing
/// tells them apart.
struct Slot<'a> {
    logs: &'a [f64],
    commits: usize,
}

fn slots<'a>(logs: &[&'a [f64]]) -> Vec<Slot<'a>> {
    let mut slots = Vec::new();
    let mut first = 0;
    for (at, &logs_of_this) in logs.iter().enumerate() {
        if !logs_of_this.is_empty() || at + 1 == logs.len() {
            slots.push(Slot {
                logs: logs_of_this,
                commits: at + 1 - first,
            });
            first = at + 1;
        }
    }
    slots
}

/// Points with the same distances around a centre, none below [`SMALLEST`].
fn points(centre: f64, half: f64, count: usize) -> Vec<f64> {
    let low = (centre - half).max(SMALLEST);
    let high = (centre + half).max(low + half / 8.0);
    let step = (high - low) / (count - 1) as f64;
    (0..count).map(|at| low + step * at as f64).collect()
}

/// An offset of the good end: its place among the centres of the likelihoods.
struct Good {
    place: usize,
    offset: f64,
    log_weight: f64,
}

/// The changes, the noises and the offsets of the good end over which likelihoods are summed. Changes
/// and offsets are multiples of one unit apart, so that the likelihoods of a commit are computed once for
/// each centre.
struct Grid {
    changes: Vec<f64>,
    noises: Vec<Weighed>,
    goods: Vec<Good>,
    offsets: Offsets,
    /// Units between two changes.
    of_change: usize,
}

impl Grid {
    /// A grid whose unit is at most `finest`, or the distance of two changes.
    fn new(changes: Vec<f64>, noises: Vec<Weighed>, finest: f64) -> Self {
        let step = step(&changes);
        // The casts round down and saturate.
        let of_change = ((step / finest).ceil() as usize).max(1);
        let offsets = Offsets::new(step / of_change as f64);
        let of_good = ((GOODS * BUILD_SPREAD / offsets.unit).round() as usize).max(1);
        let each_side = offsets.reach() / of_good;
        let log_weight = |offset: f64| -(offset / BUILD_SPREAD).powi(2) / 2.0;
        let goods = (0..=2 * each_side).map(|at| {
            let offset = (at as f64 - each_side as f64) * of_good as f64 * offsets.unit;
            Good {
                place: at * of_good,
                offset,
                log_weight: log_weight(offset),
            }
        });
        Self {
            goods: goods.collect(),
            changes,
            noises,
            offsets,
            of_change,
        }
    }

    /// The sums over the whole grid.
    fn sums(&self, slots: &[Slot<'_>]) -> Sums {
        let mut sums = Sums::new(slots, self);
        let lowest_good = self.goods.first().map_or(0.0, |good| good.offset);
        let around = self.goods.last().map_or(0, |good| good.place) + 1;
        let lowest_change = self.changes.first().copied().unwrap_or(0.0);
        let of_changes = (self.changes.len() - 1) * self.of_change + around;
        let from = |first: f64, count: usize| -> Vec<Vec<Vec<f64>>> {
            let of_slot = |slot: &Slot<'_>| {
                self.offsets
                    .of_noises(slot.logs, &self.noises, (first, count))
            };
            slots.iter().map(of_slot).collect()
        };
        let unchanged = from(lowest_good, around);
        let changed = from(lowest_change + lowest_good, of_changes);
        let mut of_slots = vec![0.0; slots.len()];
        for (at, weighed) in self.noises.iter().enumerate() {
            for of_change in 0..self.changes.len() {
                for (of_good, good) in self.goods.iter().enumerate() {
                    let place = of_change * self.of_change + good.place;
                    let pairs = unchanged.iter().zip(&changed).map(|(unchanged, changed)| {
                        (unchanged[at][good.place], changed[at][place])
                    });
                    of_culprits(pairs, &mut of_slots);
                    let log_weight = weighed.log_prior + good.log_weight;
                    sums.add(&of_slots, log_weight, [of_change, of_good, at]);
                }
            }
        }
        sums
    }
}

/// The log likelihood of all observations if the culprit is in this slot, for each slot. The pairs are
/// those of a commit if it is unchanged and if it is changed.
fn of_culprits(pairs: impl Iterator<Item = (f64, f64)> + Clone, of_slots: &mut [f64]) {
    let mut all: f64 = pairs.clone().map(|(_, changed)| changed).sum();
    for (of_slot, (unchanged, changed)) in of_slots.iter_mut().zip(pairs) {
        *of_slot = all;
        all += unchanged - changed;
    }
}

/// Sums of likelihoods over the grid, as multiples of `e^peak`.
struct Sums {
    peak: f64,
    /// The number of commits of each slot.
    counts: Vec<f64>,
    slots: Vec<f64>,
    changes: Vec<f64>,
    goods: Vec<f64>,
    noises: Vec<f64>,
}

impl Sums {
    fn new(slots: &[Slot<'_>], grid: &Grid) -> Self {
        Self {
            peak: f64::NEG_INFINITY,
            counts: slots.iter().map(|slot| slot.commits as f64).collect(),
            slots: vec![0.0; slots.len()],
            changes: vec![0.0; grid.changes.len()],
            goods: vec![0.0; grid.goods.len()],
            noises: vec![0.0; grid.noises.len()],
        }
    }

    /// Adds the likelihood of a culprit in each slot at one point of the grid.
    fn add(&mut self, logs: &[f64], log_weight: f64, [change, good, noise]: [usize; 3]) {
        let highest = highest(logs) + log_weight;
        if highest < self.peak + NOTHING {
            return;
        }
        if highest > self.peak {
            let factor = (self.peak - highest).exp();
            let sums = self.slots.iter_mut().chain(&mut self.changes);
            let sums = sums.chain(&mut self.goods).chain(&mut self.noises);
            sums.for_each(|sum| *sum *= factor);
            self.peak = highest;
        }
        let mut all = 0.0;
        for ((sum, log), count) in self.slots.iter_mut().zip(logs).zip(&self.counts) {
            let likelihood = count * (log + log_weight - self.peak).exp();
            *sum += likelihood;
            all += likelihood;
        }
        self.changes[change] += all;
        self.goods[good] += all;
        self.noises[noise] += all;
    }

    /// Mean and standard deviation of the change.
    fn of_changes(&self, grid: &Grid) -> (f64, f64) {
        mean_and_deviation(&grid.changes, &self.changes)
    }

    fn posterior(&self, grid: Grid, slots: &[Slot<'_>]) -> Posterior {
        let all: f64 = self.slots.iter().sum();
        let of_changes: Vec<f64> = self.changes.iter().map(|sum| sum / all).collect();
        let end = |share: f64| quantile(&grid.changes, &of_changes, share);
        let of_each = |(slot, sum): (&Slot<'_>, &f64)| {
            repeat_n(sum / all / slot.commits as f64, slot.commits)
        };
        let goods = grid.goods.iter().zip(&self.goods);
        let change = self.of_changes(&grid).0;
        let noises = grid.noises.iter().zip(&self.noises);
        let mean = |of: &dyn Fn(&Weighed) -> f64| -> f64 {
            let terms = noises.clone().map(|(it, sum)| of(it) * sum / all);
            terms.sum()
        };
        Posterior {
            commits: slots.iter().zip(&self.slots).flat_map(of_each).collect(),
            change,
            interval: (end(OUTSIDE / 2.0), end(1.0 - OUTSIDE / 2.0)),
            offset: goods.map(|(good, sum)| good.offset * sum / all).sum(),
            noise: mean(&|it| it.noise.variance()).sqrt(),
            evidence: mean(&|it| it.noise.divergence(change)),
            noises: grid.noises,
        }
    }
}

/// The distance of two points.
fn step(points: &[f64]) -> f64 {
    let first = points.windows(2).next();
    first.map_or(0.0, |pair| pair[1] - pair[0])
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
    (centre, variance.sqrt().max(step(points) / 2.0))
}

/// The quantile of a distribution that has a density proportional to `weights` around `points`, which
/// have the same distances.
fn quantile(points: &[f64], weights: &[f64], share: f64) -> f64 {
    let step = step(points);
    let mut below = 0.0;
    for (point, weight) in points.iter().zip(weights) {
        if below + weight >= share && *weight > 0.0 {
            return point + step * ((share - below) / weight - 0.5);
        }
        below += weight;
    }
    points.last().copied().unwrap_or(0.0)
}
