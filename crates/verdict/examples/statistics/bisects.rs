//! Bisects of simulated histories whose culprit is known, on simulated runners, with the code that
//! chooses the commits of `tenbin bisect`.

use tenbin_plan::rng::Rng;
use tenbin_stats::{Bisection, BisectionDecision, Null, evidence_against};

use crate::Row;
use crate::gates::{RUNNERS, Runner, Simulated};
use crate::simulated::{at_least, at_most, percent};

/// Commits after the good end.
const COMMITS: usize = 32;
/// True differences: how much longer the bad end takes for an operation.
const EFFECTS: [f64; 5] = [0.0, 0.01, 0.02, 0.05, 0.10];
/// Smallest difference that a bisect must find.
const MUST_BE_FOUND: f64 = 0.05;
/// Two true differences, each at a commit of its own.
const TWO: ([usize; 2], f64) = ([8, 24], 0.05);
/// Smallest slowdown that is looked for.
const MARGIN: f64 = 0.01;
/// Most blocks of a bisect: half an hour with slices of a second.
const MOST_BLOCKS: usize = 250;
/// Fewest blocks that tell both ends apart.
const FEWEST: usize = 5;
const CERTAINTY: f64 = 0.95;
/// Share of bisects that must find the commit on a runner without bursts.
const FOUND: f64 = 0.95;
/// Standard deviation of the offset of a build.
const BUILDS: f64 = 0.005;

pub(crate) fn rows(comparisons: u32) -> Vec<Row> {
    // A bisect computes as much as several gates.
    let bisects = comparisons / 2;
    let mut rows = Vec::new();
    for (number, (runner, name)) in (1_u64..).zip(RUNNERS) {
        for effect in EFFECTS {
            let found = on_all_cores(bisects, |bisect| {
                let seed = number << 40 | u64::from(bisect);
                let mut rng = Rng::new(seed, &[9]);
                let culprit = ((rng.unit() * COMMITS as f64) as usize).min(COMMITS - 1);
                one(runner, &[culprit], effect, seed)
            });
            let must_find = effect >= MUST_BE_FOUND && runner != Runner::Bursts;
            let effect = format!("+{:.0} %", effect * 100.0);
            rows.extend(of(name, &effect, must_find, &found));
        }
        let (culprits, effect) = TWO;
        let found = on_all_cores(bisects, |bisect| {
            one(runner, &culprits, effect, number << 40 | u64::from(bisect))
        });
        let effect = format!("+{:.0} % twice", effect * 100.0);
        rows.extend(of(name, &effect, false, &found));
    }
    rows
}

/// Bisects on as many threads as there are cores, in any order.
fn on_all_cores(bisects: u32, one: impl Fn(u32) -> Found + Sync) -> Vec<Found> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let one = &one;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..bisects)
            .take(cores)
            .map(|first| {
                scope.spawn(move || (first..bisects).step_by(cores).map(one).collect::<Vec<_>>())
            })
            .collect();
        let ended = threads.into_iter();
        ended
            .flat_map(|thread| thread.join().expect("a bisect does not panic"))
            .collect()
    })
}

/// How a bisect ended.
struct Found {
    is_right: bool,
    is_found: bool,
    blocks: usize,
}

fn of(name: &str, effect: &str, must_find: bool, found: &[Found]) -> Vec<Row> {
    let count = |what: fn(&Found) -> bool| found.iter().filter(|one| what(one)).count();
    let right = count(|one| one.is_right && one.is_found);
    let wrong = count(|one| !one.is_right && one.is_found);
    let untold = found.len() - right - wrong;
    let mut blocks: Vec<usize> = found.iter().map(|one| one.blocks).collect();
    blocks.sort_unstable();
    let at = |part: usize| blocks.get(blocks.len() * part / 10).copied().unwrap_or(0);
    let share = |hits: usize| percent(hits as f64 / found.len().max(1) as f64);
    let what = format!(
        "bisect of {COMMITS} commits, {name}, {effect}: found {}, wrong {}, cannot tell {}; blocks {} \
         (median), {} (90 %)",
        share(right),
        share(wrong),
        share(untold),
        at(5),
        at(9),
    );
    let mut rows = vec![at_most(
        &format!("{what}: wrong"),
        1.0 - CERTAINTY,
        wrong,
        found.len(),
    )];
    if must_find {
        rows.push(at_least(
            &format!("{what}: found"),
            FOUND,
            right,
            found.len(),
        ));
    }
    rows
}

/// A bisect of commits of which each of `culprits` is worse than the one before by `effect`.
fn one(runner: Runner, culprits: &[usize], effect: f64, seed: u64) -> Found {
    let mut rng = Rng::new(seed, &[7]);
    let mut blocks = Blocks::new(runner, seed);
    let offsets: Vec<f64> = (0..=COMMITS)
        .map(|_| BUILDS * crate::noise::normal(&mut rng))
        .collect();
    // The last offset is that of the good end.
    let worse = |commit: usize| {
        let changes = culprits.iter().filter(|culprit| commit >= **culprit);
        changes.count() as f64 * effect.ln_1p() + offsets[commit] - offsets[COMMITS]
    };
    let last = COMMITS - 1;
    let mut bisection = Bisection::new(COMMITS);
    while !is_proven(bisection.observed(last)) {
        if bisection.blocks() >= MOST_BLOCKS / 2 {
            return Found {
                is_right: false,
                is_found: false,
                blocks: bisection.blocks(),
            };
        }
        bisection.observe(last, &[blocks.next(worse(last))]);
    }
    loop {
        let posterior = bisection.posterior();
        let step = match bisection.decide(&posterior, CERTAINTY) {
            BisectionDecision::Measure(step) if bisection.blocks() < MOST_BLOCKS => step,
            end => {
                let (group, _) = bisection.leader(&posterior);
                return Found {
                    is_right: effect > 0.0 && culprits.iter().any(|at| group == (*at..*at + 1)),
                    is_found: end == BisectionDecision::Found,
                    blocks: bisection.blocks(),
                };
            }
        };
        let logs: Vec<f64> = (0..step.blocks)
            .map(|_| blocks.next(worse(step.commit)))
            .collect();
        bisection.observe(step.commit, &logs);
    }
}

/// Whether a gate would have decided that the bad end is worse.
fn is_proven(worse: &[f64]) -> bool {
    let better: Vec<f64> = worse.iter().map(|log| -log).collect();
    let mean = worse.iter().sum::<f64>() / worse.len().max(1) as f64;
    worse.len() >= FEWEST
        && evidence_against(Null::AtLeast, 0.0, &better) >= 20.0
        && mean > MARGIN.ln_1p()
}

/// The log ratios of blocks on one runner.
struct Blocks {
    simulated: Simulated,
    rng: Rng,
}

impl Blocks {
    fn new(runner: Runner, seed: u64) -> Self {
        Self {
            simulated: Simulated::new(runner, seed, 4 * MOST_BLOCKS),
            rng: Rng::new(seed, &[8]),
        }
    }

    /// The next block, whose second program is worse by this log ratio: A B B A or B A A B, at random.
    fn next(&mut self, worse: f64) -> f64 {
        self.simulated.restart();
        let first = usize::from(self.rng.unit() < 0.5);
        let mut sums = [0.0; 2];
        for target in [first, 1 - first, 1 - first, first] {
            sums[target] += self.simulated.next(target);
        }
        // Speeds: lower is worse.
        (sums[0] - sums[1]) / 2.0 + worse
    }
}
