//! The order of the slices of a run, and the duration of a run.

use std::time::Duration;

use crate::load::{Pace, RateSearch};
use crate::plan::model::Plan;
use crate::relaunch::Relaunch;
use crate::rng::{Rng, name_number, split_mix};

/// Maximum length of a slice on the slowest target, as a multiple of the planned length, if all
/// targets are sent the same requests.
pub const LONGEST_SLICE: f64 = 2.5;

/// Shortest time after a slice in which the queue of an open loop is sent, unless the timeout is
/// shorter: a pause in a short slice is still measured.
pub const LEAST_QUEUE: Duration = Duration::from_secs(1);

/// Default minimum number of blocks of a gate. With fewer, no evidence is enough.
pub(crate) const FEWEST_OF_GATE: u32 = 5;

/// The stream of random numbers that orders the blocks of a gate.
const ORDER_OF_GATE: u64 = 0x6761_7465;

/// What the budget of a gate allows; numbers of rounds in whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateBudget {
    /// The budget.
    pub budget: Duration,
    /// Rounds after which the budget is used up, at most the largest number of rounds.
    pub allowed: u32,
    /// The most rounds that are measured: the smallest number of rounds is measured whatever the budget
    /// allows.
    pub measured: u32,
    /// Rounds without which no pass is possible.
    pub needed: u32,
}

/// The measured time of a run with a fixed number of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredTime {
    /// Number of targets.
    pub targets: usize,
    /// Number of workloads.
    pub workloads: usize,
    /// Measured time of each workload on each target.
    pub each: Duration,
}

/// One slice to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Number of the block, from 0.
    pub block: u32,
    /// Round, from 0.
    pub round: u32,
    /// Index into [`Plan::workloads`].
    pub workload: usize,
    /// Index into [`Plan::targets`].
    pub target: usize,
}

/// Every slice of the plan in order, up to the maximum number of rounds: block after block, and in
/// each block workload after workload, so that the slices of one workload in a block are close
/// together in time.
///
/// - One target: a block is one round of one slice.
/// - Two targets: a block is an ABBA quad of two rounds. The seed decides which target is A. All
///   blocks have the same order, because with a fixed ABBA the effects of one slice on the next are
///   the same for both targets.
/// - Two targets and a gate: which target is A is drawn for each block. Without a difference between
///   the targets, the sign of each block's ratio is then a toss of a coin, which the tests of the gate
///   assume.
/// - Three or more: a block is a Williams square, in which every target follows every other target
///   equally often (E. J. Williams, "Experimental designs balanced for the estimation of residual
///   effects of treatments", 1949). A square has as many rounds as targets if the number of targets
///   is even, and twice as many if the number is odd. The seed decides the position of each target
///   in the square.
///
/// A concurrency sweep ([`Plan::concurrency_sweeps`]) runs upwards in even blocks and downwards in
/// odd blocks, so that lasting effects of a higher load become visible. Maximum-rate searches are
/// not part of the schedule.
///
/// Workloads that are compared with each other ([`Comparing::workloads`](crate::Comparing)) are
/// interleaved in every round like targets: ABBA for two, a Williams square for more. All compared
/// workloads run on one target before the next target has its turn.
pub fn schedule(plan: &Plan) -> Vec<Turn> {
    let targets = square(plan.targets.len(), plan.seed);
    let compared = square(plan.comparing.workloads.len(), plan.seed);
    let rounds_in_block = plan.rounds_per_block();
    let up = order(plan, false);
    let down = order(plan, true);
    let mut turns = Vec::new();
    let most = plan.rounds.most();
    for block in 0..most.div_ceil(rounds_in_block) {
        let workloads = if block % 2 == 0 { &up } else { &down };
        let first = first_row(plan, block);
        for workload in workloads {
            let rounds = (0..rounds_in_block).map(|at| (at as usize, block * rounds_in_block + at));
            for (at, round) in rounds.take_while(|(_, round)| *round < most) {
                for &target in &targets[(at + first) % targets.len()] {
                    let works: Vec<usize> = match workload {
                        Part::Alone(workload) => vec![*workload],
                        Part::Compared => compared[at % compared.len()]
                            .iter()
                            .map(|&which| plan.comparing.workloads[which])
                            .collect(),
                    };
                    turns.extend(works.into_iter().map(|workload| Turn {
                        block,
                        round,
                        workload,
                        target,
                    }));
                }
            }
        }
    }
    turns
}

/// The row of the square with which a block begins: 0, except for the blocks of a gate.
fn first_row(plan: &Plan, block: u32) -> usize {
    if plan.gate.is_none() {
        return 0;
    }
    let mut rng = Rng::new(plan.seed, &[ORDER_OF_GATE, u64::from(block)]);
    usize::from(rng.unit() < 0.5)
}

/// A part of a block. The parts of a block follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The workload with this index.
    Alone(usize),
    /// All workloads that are compared with each other.
    Compared,
}

/// The order of the workloads in a block: as in the plan, except that the levels of each
/// concurrency sweep are in ascending order, or in descending order if `down`.
fn order(plan: &Plan, down: bool) -> Vec<Part> {
    let mut order: Vec<usize> = (0..plan.workloads.len()).collect();
    for sweep in plan.concurrency_sweeps() {
        let mut places = sweep.clone();
        places.sort_unstable();
        let mut levels = sweep;
        if down {
            levels.reverse();
        }
        for (place, level) in places.into_iter().zip(levels) {
            order[place] = level;
        }
    }
    order.retain(|&at| plan.workloads[at].search().is_none());
    let compared = &plan.comparing.workloads;
    let first = order.iter().position(|at| compared.contains(at));
    let parts = order.iter().enumerate().filter_map(|(place, at)| {
        if !compared.contains(at) {
            Some(Part::Alone(*at))
        } else {
            // All compared workloads take the place of the first.
            (Some(place) == first).then_some(Part::Compared)
        }
    });
    parts.collect()
}

/// Rounds of a block: 1 for one target, 2 for two targets, a Williams square for more.
pub fn rounds_per_block(targets: usize) -> u32 {
    let rounds = match targets {
        0 | 1 => 1,
        targets if targets.is_multiple_of(2) => targets,
        targets => targets * 2,
    };
    u32::try_from(rounds).unwrap_or(u32::MAX)
}

/// Rounds of a block: the smallest common multiple of `rounds_per_block(targets)` and
/// `rounds_per_block(compared)`, where `compared` is the number of workloads compared with each
/// other.
pub(crate) fn block_of(targets: usize, compared: usize) -> u32 {
    let (targets, compared) = (rounds_per_block(targets), rounds_per_block(compared));
    let mut block = targets;
    while block % compared != 0 {
        block = block.saturating_add(targets);
    }
    block
}

/// The order of the targets in each round of a block.
fn square(targets: usize, seed: u64) -> Vec<Vec<usize>> {
    let parts = drawn_order(targets, seed);
    let rounds: Vec<Vec<usize>> = match targets {
        0 => Vec::new(),
        1 => vec![vec![0]],
        2 => vec![vec![0, 1], vec![1, 0]],
        targets => williams(targets),
    };
    rounds
        .into_iter()
        .map(|round| round.into_iter().map(|part| parts[part]).collect())
        .collect()
}

/// A Williams square of `n` rows, or of 2 × `n` rows for an odd `n`. The first row is 0, 1, n−1, 2,
/// n−2, …, whose steps between neighbours are all different modulo n; each further row is the row
/// before plus 1, modulo n. For an odd n, the mirrored rows are necessary for balance.
fn williams(n: usize) -> Vec<Vec<usize>> {
    let first: Vec<usize> = (0..n)
        .map(|i| {
            if i % 2 == 1 {
                i.div_ceil(2)
            } else {
                (n - i / 2) % n
            }
        })
        .collect();
    let rows = (0..n).map(|shift| first.iter().map(|part| (part + shift) % n).collect());
    if n.is_multiple_of(2) {
        return rows.collect();
    }
    rows.flat_map(|row: Vec<usize>| {
        let mirrored = row.iter().rev().copied().collect();
        [row, mirrored]
    })
    .collect()
}

/// A permutation drawn from the seed (Fisher and Yates).
fn drawn_order(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut state = seed;
    for last in (1..n).rev() {
        // The bias of the remainder is below n / 2^64.
        let pick = split_mix(&mut state) % (last as u64 + 1);
        order.swap(last, pick as usize);
    }
    order
}

impl Plan {
    /// Rounds of one of the plan's blocks: 2 for an ABBA quad.
    pub fn rounds_per_block(&self) -> u32 {
        block_of(self.targets.len(), self.comparing.workloads.len())
    }

    /// The number of slices in this number of rounds, without maximum-rate searches, whose number
    /// of slices is unknown.
    pub fn slices_in_rounds(&self, rounds: u32) -> usize {
        let in_rounds = self.workloads.iter().filter(|work| work.search().is_none());
        in_rounds.count() * self.targets.len() * rounds as usize
    }

    /// The time of all slices if none ends early, for the largest number of rounds: warm-ups,
    /// settling times, measured windows and pauses; for a maximum-rate search, its limit. The start
    /// of targets and the creation of objects are not included.
    pub fn forecast(&self) -> Duration {
        self.lasting(self.rounds.most())
    }

    /// The longest time of the maximum-rate search of one workload on one target, without the drain
    /// of the last probe: 60 slices.
    pub fn longest_search(&self) -> Duration {
        self.rounds.slice.saturating_mul(RateSearch::MOST_SLICES)
    }

    /// The longest time that all slices together can take. Slices in which all targets are sent the
    /// same requests are assumed to take [`LONGEST_SLICE`] times their planned time, as they can on
    /// a slow target. `None` without such slices.
    pub fn longest(&self) -> Option<Duration> {
        let counted = self.workloads.iter().filter(|work| work.may_be_stretched());
        let pairs = match self.targets.len() {
            0 | 1 => 0,
            targets => count(targets * counted.count()),
        };
        let slices = pairs.saturating_mul(self.rounds.most());
        let slice = self.rounds.lead.saturating_add(self.rounds.slice);
        let extra = slice.mul_f64(LONGEST_SLICE - 1.0).saturating_mul(slices);
        (slices > 0).then(|| self.forecast().saturating_add(extra))
    }

    /// The longest time that all slices together can take if a target cannot keep up with a fixed rate.
    /// After a slice of an open loop, the queue is sent for as long as its requests took to become due,
    /// at least [`LEAST_QUEUE`] and at most one timeout. `None` without a fixed rate.
    pub fn longest_if_behind(&self) -> Option<Duration> {
        let has_rate = |pace: &Pace| !matches!(pace, Pace::Closed | Pace::Search(_));
        let at_rate = self.workloads.iter().filter(|it| has_rate(&it.load.pace));
        let each = at_rate.map(|work| {
            let queue = |due: Duration| {
                let is_empty = due.is_zero();
                let time = due.max(LEAST_QUEUE).min(work.load.timeout);
                if is_empty { due } else { time }
            };
            let slice = queue(self.rounds.lead.saturating_add(self.rounds.slice));
            let slices = slice.saturating_mul(self.rounds.most());
            slices.saturating_add(queue(self.rounds.warmup))
        });
        let extra = each.reduce(Duration::saturating_add)?;
        let extra = extra.saturating_mul(count(self.targets.len()));
        Some(self.forecast().saturating_add(extra))
    }

    /// The time of this number of rounds and of all maximum-rate searches: warm-ups, settling
    /// times, measured windows and pauses.
    pub fn lasting(&self, rounds: u32) -> Duration {
        let searches = self.workloads.iter().filter(|work| work.search().is_some());
        let searched = count(self.targets.len() * searches.count());
        let pairs = count(self.targets.len() * self.workloads.len());
        let slices = (pairs - searched).saturating_mul(rounds);
        let slice = self.rounds.lead.saturating_add(self.rounds.slice);
        let blocks = rounds.div_ceil(self.rounds_per_block());
        let warmups = match self.relaunch() {
            Relaunch::Slice => slices,
            // Workloads share the warm-ups of the blocks after the first.
            Relaunch::Block => pairs + count(self.targets.len()) * blocks.saturating_sub(1),
            _ => pairs,
        };
        let times = [
            self.rounds.warmup.saturating_mul(warmups),
            slice.saturating_mul(slices),
            self.rounds.gap.saturating_mul(slices.saturating_sub(1)),
            self.longest_search().saturating_mul(searched),
        ];
        times
            .into_iter()
            .chain(self.times_after_rounds(rounds))
            .fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The pause before slice `slice`, a number in the order of the run: drawn from the seed between half
    /// and one and a half times the pause of the plan, which is the mean. With equal pauses, the slices
    /// could fall into step with what a target does periodically.
    pub fn pause_before(&self, slice: usize) -> Duration {
        let mut rng = Rng::new(self.seed, &[name_number("pauses"), slice as u64]);
        let seconds = self.rounds.gap.as_secs_f64() * (0.5 + rng.unit());
        Duration::try_from_secs_f64(seconds).unwrap_or(self.rounds.gap)
    }

    /// What the budget of the gate allows; `None` without a gate.
    pub fn gate_budget(&self) -> Option<GateBudget> {
        let budget = self.gate.as_ref()?.budget;
        let (block, most) = (self.rounds_per_block(), self.rounds.most());
        let mut blocks = (block..=most).step_by(block as usize);
        let allowed = blocks.find(|rounds| self.in_rounds(*rounds) >= budget);
        let allowed = allowed.unwrap_or(most);
        Some(GateBudget {
            budget,
            allowed,
            measured: allowed.max(self.rounds.count).min(most),
            needed: FEWEST_OF_GATE * block,
        })
    }

    /// The time from the start of the first slice to the end of the last slice of the rounds.
    pub fn in_rounds(&self, rounds: u32) -> Duration {
        let pairs = count(self.targets.len() * self.workloads.len());
        let before = match self.relaunch() {
            Relaunch::Slice => self.rounds.warmup,
            _ => self.rounds.warmup.saturating_mul(pairs),
        };
        let after = self.times_after_rounds(rounds).into_iter();
        let outside = after.fold(before, Duration::saturating_add);
        self.lasting(rounds).saturating_sub(outside)
    }

    /// The measured time of a run with a fixed number of rounds; `None` if the run or its slices can end
    /// before their time.
    pub fn measured_time(&self) -> Option<MeasuredTime> {
        let mut workloads = self.workloads.iter();
        let is_fixed = self.rounds.until.is_none()
            && !self.has_phases()
            && workloads.all(|it| it.search().is_none() && it.load.requests.is_none());
        is_fixed.then(|| MeasuredTime {
            targets: self.targets.len(),
            workloads: self.workloads.len(),
            each: self.rounds.slice.saturating_mul(self.rounds.count),
        })
    }

    /// The planned time of each slice after `rounds` rounds, with settling time and pause, in the order
    /// of the run: the probes of other loads, then the continuous stretches.
    pub fn times_after_rounds(&self, rounds: u32) -> Vec<Duration> {
        let probes = self.times_of_limit_probes(rounds);
        probes.chain(self.times_of_stretches(rounds)).collect()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
