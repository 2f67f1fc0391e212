//! Finds the commit that changed a figure, by binary search with noisy measurements.
//!
//! Commits are in order, and the last is the bad end. Every observation is the log ratio of one block,
//! a commit against the good end; positive values are worse. The search keeps the probability of each
//! commit ([`Posterior`]) and measures next the commit that splits it in half (M. Horstein 1963;
//! M. Burnashev and K. Zigangirov 1974). An observation that misleads lowers a probability and does
//! not exclude a commit, so that later observations can correct it.
//!
//! A commit that cannot be measured is skipped. It cannot be told from the next commit that can be
//! measured: the two form a group.
//!
//! The probabilities hold if there is one change. With two, the commits between the two lie between both
//! ends, and noise moves them to either. A commit is therefore found only if its blocks and those of the
//! commit before it show that the figure changed between the two ([`Bisection::decide`]).

mod likelihood;
mod mixture;
mod noise;
mod posterior;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use posterior::Posterior;

use likelihood::{BUILD_SPREAD, FINEST, Offsets, highest, log_sum};

/// Evidence that one step should bring, natural logarithm: odds of 20 to 1.
const WANTED: f64 = 3.0;
/// Fewest and most blocks of one step.
const STEP: (usize, usize) = (2, 8);
/// Blocks of the bad end that are measured in any case if the size of the change is not known.
const FEWEST_OF_ENDS: usize = 8;
/// Twice the log likelihood ratio from which a commit fits neither end: one in a thousand by chance.
const MISFIT: f64 = 10.8;
/// Least distance from both ends of a commit that fits neither, as a part of the change. What lies nearer
/// to an end is not taken for the other one, whatever moved it.
const PART_OF_MISFIT: f64 = 0.25;
/// Fewest blocks of a commit that can fit neither end.
const FEWEST_OF_MISFIT: usize = 2;
/// Evidence that the figure changed between two commits, natural logarithm: odds of 20 to 1. Without a
/// change, 2.4 standard errors (the root of twice this) are necessary for it: one pair in 140 by chance.
const JUMP: f64 = 3.0;
/// Values from one end to the other that two commits without a change between them can share.
const LEVELS: usize = 11;
/// The part of the variance of a build's offset below which the noise of a commit's blocks hides nothing.
const NEGLIGIBLE: f64 = 0.1;

/// A search for the commit that made a figure worse.
#[derive(Debug, Clone)]
pub struct Bisection {
    commits: Vec<Measured>,
}

#[derive(Debug, Clone, Default)]
struct Measured {
    logs: Vec<f64>,
    is_skipped: bool,
}

/// The next step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Index of the commit to measure against the good end.
    pub commit: usize,
    /// Number of blocks to measure.
    pub blocks: usize,
}

/// What follows from the observations so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The leader has the wanted probability, and the figure changed between it and the commit before.
    Found,
    /// The leader has the wanted probability, but there is probably more than one change: commits are
    /// neither like the good nor like the bad end.
    Several,
    /// A commit has to be measured.
    Measure(Step),
    /// More blocks tell nothing more.
    Stuck,
}

impl Bisection {
    /// A search among this number of commits, of which one is the culprit. The last is the bad end.
    pub fn new(commits: usize) -> Self {
        Self {
            commits: vec![Measured::default(); commits.max(1)],
        }
    }

    /// Adds log ratios of a commit to the good end; positive values are worse.
    pub fn observe(&mut self, commit: usize, logs: &[f64]) {
        if let Some(measured) = self.commits.get_mut(commit) {
            let finite = logs.iter().filter(|log| log.is_finite());
            measured.logs.extend(finite);
        }
    }

    /// Declares that a commit cannot be measured. The bad end cannot be skipped.
    pub fn skip(&mut self, commit: usize) {
        let last = self.commits.len() - 1;
        if let Some(measured) = self.commits.get_mut(commit)
            && commit != last
        {
            measured.is_skipped = true;
        }
    }

    /// Whether a commit was skipped.
    pub fn is_skipped(&self, commit: usize) -> bool {
        self.commits.get(commit).is_some_and(|it| it.is_skipped)
    }

    /// The log ratios of a commit so far.
    pub fn observed(&self, commit: usize) -> &[f64] {
        self.commits.get(commit).map_or(&[], |it| &it.logs)
    }

    /// Number of observations.
    pub fn blocks(&self) -> usize {
        self.commits.iter().map(|it| it.logs.len()).sum()
    }

    /// The probabilities of the commits and the size of the change, from all observations so far.
    pub fn posterior(&self) -> Posterior {
        let logs: Vec<&[f64]> = self.commits.iter().map(|it| &it.logs[..]).collect();
        Posterior::of(&logs)
    }

    /// The group with the highest probability, and this probability.
    pub fn leader(&self, posterior: &Posterior) -> (Range<usize>, f64) {
        let weighed = self.groups().into_iter().map(|group| {
            let mass: f64 = posterior.commits[group.clone()].iter().sum();
            (group, mass)
        });
        let first = (0..0, -1.0);
        let best = weighed.fold(first, |best, one| if one.1 > best.1 { one } else { best });
        (best.0, best.1.clamp(0.0, 1.0))
    }

    /// The commits in groups that measurements can tell apart, in order.
    pub fn groups(&self) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut first = 0;
        for (at, commit) in self.commits.iter().enumerate() {
            if !commit.is_skipped {
                groups.push(first..at + 1);
                first = at + 1;
            }
        }
        groups
    }

    /// Whether the search ends with its leader if this probability is wanted, and otherwise how it goes
    /// on.
    pub fn decide(&self, posterior: &Posterior, wanted: f64) -> Decision {
        let (group, certainty) = self.leader(posterior);
        let step = if certainty < wanted {
            self.next(posterior)
        } else if !self.misfits(posterior).is_empty() {
            return Decision::Several;
        } else if self.evidence_of_jump(&group, posterior) >= JUMP {
            return Decision::Found;
        } else {
            self.next_of_jump(&group, posterior)
        };
        step.map_or(Decision::Stuck, Decision::Measure)
    }

    /// The log likelihood ratio of a change between a group and the commit before it, against the same
    /// figure of both, which lies anywhere from one end to the other.
    fn evidence_of_jump(&self, group: &Range<usize>, posterior: &Posterior) -> f64 {
        let after = group.end.saturating_sub(1);
        let is_bad_end = group.end == self.commits.len();
        let before = group.start.checked_sub(1);
        let levels = match (before, is_bad_end) {
            // The ends are proven to differ.
            (None, true) => return f64::INFINITY,
            (None, false) => 0..1,
            (Some(_), true) => LEVELS - 1..LEVELS,
            (Some(_), false) => 0..LEVELS,
        };
        let before = before.map_or(&[][..], |at| self.observed(at));
        let of_noises = Jump::of_noises([before, self.observed(after)], posterior);
        let over = |of: &dyn Fn(&Jump) -> f64| {
            let logs: Vec<f64> = of_noises.iter().map(of).collect();
            log_sum(&logs)
        };
        let same = levels.map(|level| over(&|jump| jump.same[level]));
        over(&|jump| jump.changed) - same.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The commit of a group and the one before it that was measured less; `None` if the offsets of the
    /// two builds hide more than the noise, which alone becomes less with more blocks.
    fn next_of_jump(&self, group: &Range<usize>, posterior: &Posterior) -> Option<Step> {
        let before = group.start.checked_sub(1);
        let pair = before.into_iter().chain(group.end.checked_sub(1));
        let commit = pair.min_by_key(|at| self.observed(*at).len())?;
        let blocks = self.observed(commit).len().max(1) as f64;
        let noise = posterior.noise.powi(2) / blocks;
        let blocks = blocks_of_step(posterior);
        (noise > NEGLIGIBLE * BUILD_SPREAD.powi(2)).then_some(Step { commit, blocks })
    }

    /// What to measure next until a commit has the wanted probability; `None` if no commit is left that
    /// could tell more.
    ///
    /// The bad end, while the size of the change is not known within half of it: an unknown size makes
    /// the observations of all commits doubtful. At most a third of the blocks go there, because
    /// other commits show the size, too, with other builds. Otherwise the commit whose blocks tell most: the
    /// probability is split in half, and the commit was not measured so often that the offset of its
    /// build hides more than its noise.
    fn next(&self, posterior: &Posterior) -> Option<Step> {
        let last = self.commits.len() - 1;
        let blocks = blocks_of_step(posterior);
        let mut best: Option<(usize, f64)> = None;
        let mut below = 0.0;
        for (at, probability) in posterior.commits.iter().enumerate().take(last) {
            below += probability;
            let measured = &self.commits[at];
            if measured.is_skipped {
                continue;
            }
            let told = |blocks: usize| evidence_of(blocks, posterior);
            let before = measured.logs.len();
            let gain = entropy(below) * (told(before + blocks) - told(before));
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((at, gain));
            }
        }
        let (commit, _) = best?;
        let (low, high) = posterior.interval;
        let is_size_known = high - low <= posterior.change;
        let of_ends = self.commits[last].logs.len();
        let has_fewest = of_ends >= FEWEST_OF_ENDS.max(self.blocks() / 3);
        let commit = if is_size_known || has_fewest {
            commit
        } else {
            last
        };
        Some(Step { commit, blocks })
    }

    /// The measured commits between the ends that are neither like the good nor like the bad end,
    /// although one of the two is assumed: a sign of more than one change. Noise causes one in a
    /// thousand.
    pub fn misfits(&self, posterior: &Posterior) -> Vec<usize> {
        let last = self.commits.len() - 1;
        let ends = [0.0, posterior.change].map(|end| end + posterior.offset);
        let is_misfit = |at: &usize| {
            let logs = &self.commits[*at].logs;
            if logs.len() < FEWEST_OF_MISFIT {
                return false;
            }
            let fit = Fit::of(logs, posterior, ends);
            fit.of_ends.iter().zip(ends).all(|(of_end, end)| {
                (fit.centre - end).abs() >= PART_OF_MISFIT * posterior.change
                    && 2.0 * (fit.best - of_end) > MISFIT
            })
        };
        (0..last).filter(is_misfit).collect()
    }
}

/// The log likelihoods of two commits' blocks for one noise, with its weight, and summed over the offset
/// of the good end, which both ratios contain.
struct Jump {
    /// The commits are like the ends.
    changed: f64,
    /// The commits have the same figure, for each of [`LEVELS`] from one end to the other.
    same: Vec<f64>,
}

impl Jump {
    fn of_noises(pair: [&[f64]; 2], posterior: &Posterior) -> Vec<Self> {
        // The distance of two levels is a multiple of that of two offsets.
        let of_level = posterior.change / (LEVELS - 1) as f64;
        // The casts round down and saturate.
        let units = ((of_level / FINEST).ceil() as usize).max(1);
        let offsets = Offsets::new(of_level / units as f64);
        let first = -(offsets.reach() as f64) * offsets.unit;
        let last = units * (LEVELS - 1);
        let centres = (first, last + 1 + 2 * offsets.reach());
        let noises = &posterior.noises;
        let [before, after] = pair.map(|logs| offsets.of_noises(logs, noises, centres));
        let pairs = before.iter().zip(&after).zip(noises);
        pairs
            .map(|((before, after), weighed)| {
                let likelihood = |low: usize, high: usize| {
                    let of_goods = offsets.weights().iter().enumerate().map(|(good, weight)| {
                        weight.ln() + before[low + good] + after[high + good]
                    });
                    weighed.weight.ln() + log_sum(&of_goods.collect::<Vec<f64>>())
                };
                let levels = (0..=last).step_by(units);
                Self {
                    changed: likelihood(0, last),
                    same: levels.map(|level| likelihood(level, level)).collect(),
                }
            })
            .collect()
    }
}

/// The log likelihoods of a commit's blocks around the centre that fits best, and around both ends.
struct Fit {
    centre: f64,
    best: f64,
    of_ends: [f64; 2],
}

impl Fit {
    fn of(logs: &[f64], posterior: &Posterior, ends: [f64; 2]) -> Self {
        // Both ends are centres, and all blocks lie between the first and the last one.
        let change = ends[1] - ends[0];
        // The casts round down and saturate.
        let units = ((change / FINEST).ceil() as usize).max(1);
        let offsets = Offsets::new(change / units as f64);
        let below: Vec<f64> = logs.iter().map(|log| ends[0] - log).collect();
        let before = (highest(&below).max(0.0) / offsets.unit).ceil() as usize;
        let above: Vec<f64> = logs.iter().map(|log| log - ends[1]).collect();
        let after = (highest(&above).max(0.0) / offsets.unit).ceil() as usize;
        let first = ends[0] - before as f64 * offsets.unit;
        let count = before + units + after + 1;
        let of_noises = offsets.of_noises(logs, &posterior.noises, (first, count));
        let over = |at: usize| {
            let pairs = of_noises.iter().zip(&posterior.noises);
            let logs = pairs.map(|(logs, weighed)| logs[at] + weighed.weight.ln());
            log_sum(&logs.collect::<Vec<f64>>())
        };
        let (at, best) =
            (0..count)
                .map(|at| (at, over(at)))
                .fold((0, f64::NEG_INFINITY), |best, one| {
                    if one.1 > best.1 { one } else { best }
                });
        Self {
            centre: first + at as f64 * offsets.unit,
            best,
            of_ends: [over(before), over(before + units)],
        }
    }
}

/// The evidence that blocks of one commit can give at most, on average: the squared distance of both
/// ends by the variance of the commit's centre, which contains the offset of its build.
fn evidence_of(blocks: usize, posterior: &Posterior) -> f64 {
    if blocks == 0 {
        return 0.0;
    }
    let noise = posterior.change.powi(2) / (2.0 * posterior.evidence * blocks as f64);
    posterior.change.powi(2) / (noise + BUILD_SPREAD.powi(2))
}

/// How undecided a question with two answers is, of which one has this probability: 0 to 1 bit.
fn entropy(probability: f64) -> f64 {
    let of = |share: f64| {
        if share > 0.0 {
            -share * share.log2()
        } else {
            0.0
        }
    };
    of(probability) + of(1.0 - probability)
}

/// The number of blocks after which a commit of a known speed is expected to be told from the other
/// end with [`WANTED`].
fn blocks_of_step(posterior: &Posterior) -> usize {
    let wanted = (WANTED / posterior.evidence).ceil();
    // The cast saturates, also for a change of 0.
    (wanted as usize).clamp(STEP.0, STEP.1)
}
