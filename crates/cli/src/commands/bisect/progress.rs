//! How far a bisect is, and how long it will take.

use std::time::{Duration, Instant};

use tenbin_plan::duration::Time;
use tenbin_plan::{Plan, Sentence, percent, sentence};
use tenbin_result::format::plural;
use tenbin_stats::{Bisection, BisectionStep, Posterior};

use super::history::Commit;

/// Blocks that tell both ends apart, and blocks of a step, for the estimate before the first run.
const USUAL_BLOCKS: (u32, u32) = (8, 4);
/// Rounds of a block: a step compares two commits.
const ROUNDS_PER_BLOCK: usize = 2;
/// Steps beyond one for each halving, because a step can mislead.
const EXTRA_STEPS: f64 = 2.0;

/// The time that a search has taken.
pub(super) struct Pace {
    started: Instant,
    runs: u32,
    measuring: Duration,
    blocks: usize,
    builds: u32,
    building: Duration,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            runs: 0,
            measuring: Duration::ZERO,
            blocks: 0,
            builds: 0,
            building: Duration::ZERO,
        }
    }

    /// A commit was built.
    pub(super) fn built(&mut self, took: Duration) {
        self.builds += 1;
        self.building += took;
    }

    /// A run has ended.
    pub(super) fn measured(&mut self, took: Duration, blocks: usize) {
        self.runs += 1;
        self.measuring += took;
        self.blocks += blocks;
    }

    /// Time of all measurements.
    pub(super) fn spent(&self) -> Duration {
        self.measuring
    }

    /// Time since the start.
    pub(super) fn whole(&self) -> Duration {
        self.started.elapsed()
    }

    /// Number of builds.
    pub(super) fn builds(&self) -> u32 {
        self.builds
    }

    /// The time of these steps: that of their blocks so far, and a build for each.
    fn of_steps(&self, steps: f64, blocks: usize) -> Duration {
        let block = self.measuring.as_secs_f64() / self.blocks.max(1) as f64;
        let build = self.building.as_secs_f64() / f64::from(self.builds.max(1));
        let seconds = steps * (block * blocks as f64 + build);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// What a search among this number of commits will take, before the first run.
pub(super) fn forecast(plan: &Plan, commits: usize, budget: Duration) -> Sentence {
    let steps = steps(commits);
    let rounds = plan.rounds_per_block();
    let block = plan
        .lasting(2 * rounds)
        .saturating_sub(plan.lasting(rounds));
    let (of_ends, of_step) = USUAL_BLOCKS;
    let blocks = of_ends.saturating_add(of_step.saturating_mul(steps));
    let time = block.saturating_mul(blocks).min(budget);
    let round_count = rounds.saturating_mul(blocks);
    sentence!(
        "bisect-forecast",
        "about {steps} with {rounds}, {time} of measuring (at most {budget}), and the builds of at \
         most {builds} commits",
        steps = plural(steps, "step"),
        rounds = plural(round_count, "round"),
        time = Time(rounded(time)),
        budget = Time(budget),
        builds = (steps as usize + 2).min(commits + 1)
    )
    .with("step_count", steps)
    .with("round_count", round_count)
}

fn steps(commits: usize) -> u32 {
    if commits < 2 {
        return 0;
    }
    // The cast saturates.
    ((commits as f64).log2().ceil() + EXTRA_STEPS) as u32
}

/// A step that begins, with what is known before.
pub(super) struct NextStep<'a> {
    pub(super) step: BisectionStep,
    pub(super) commits: &'a [Commit],
    pub(super) bisection: &'a Bisection,
    pub(super) posterior: &'a Posterior,
    pub(super) pace: &'a Pace,
    pub(super) budget: Duration,
}

impl NextStep<'_> {
    /// The step in words: `step 3: commit 1a2b3c4d5e6f (12 of 32), 8 rounds; most probable: …`.
    pub(super) fn note(&self) -> Sentence {
        let Self {
            step,
            commits,
            pace,
            posterior,
            ..
        } = self;
        let name = |at: usize| commits.get(at).map_or("", |commit| commit.short());
        let (group, certainty) = self.bisection.leader(posterior);
        let last = group.end.saturating_sub(1);
        let likely = if group.start == last {
            Sentence::verbatim(name(last))
        } else {
            sentence!(
                "bisect-one-of",
                "one of {first}…{last}",
                first = name(group.start),
                last = name(last)
            )
        };
        let left = pace.of_steps(posterior.bits().ceil() + 1.0, step.blocks);
        let rest = self.budget.saturating_sub(pace.spent());
        let round_count = ROUNDS_PER_BLOCK * step.blocks;
        sentence!(
            "bisect-step",
            "step {step}: commit {commit} ({number} of {commits}), {rounds}; most probable: {likely} \
             with {certainty}; about {left} left",
            step = pace.runs,
            commit = name(step.commit),
            number = step.commit + 1,
            commits = commits.len(),
            rounds = plural(round_count as u64, "round"),
            likely,
            certainty = percent(certainty),
            left = Time(rounded(left.min(rest)))
        )
        .with("round_count", round_count)
    }
}

fn rounded(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs_f64().ceil() as u64)
}
