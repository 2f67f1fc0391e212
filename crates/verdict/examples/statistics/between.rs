//! Two runs of one plan, one after the other, on machines whose speed changes: how often an
//! unchanged target is called faster or slower, and how large a change has to be to be found.
//!
//! Each run has a target and a control, in eight blocks of two slices each. What changes between
//! the runs is drawn for each pair of runs, see [`Machine`].

use tenbin_plan::rng::Rng;
use tenbin_result::EarlierOutcome;
use tenbin_stats::{CONFIDENCE, RunSpread, unpaired_ratio};
use tenbin_verdict::{EarlierRun, Measure, Series, against_earlier};

use crate::Row;
use crate::noise::{Noise, normal};
use crate::simulated::{at_least, at_most, percent};

/// Pairs of runs for each comparison that was asked for.
const PAIRS: u32 = 5;
/// Blocks of a run, and slices of each target in a block.
const BLOCKS: usize = 8;
const SLICES: usize = 2;
/// Earlier runs whose spread is known, in the rows with a history.
const HISTORY: usize = 8;
/// Largest share of pairs in which an unchanged target is called faster or slower.
const FALSE: f64 = 0.05;
/// True changes whose detection is stated.
const CHANGES: [f64; 3] = [1.1, 1.5, 2.0];
/// Least change that two runs on a calm machine must show, and the least share of pairs that must
/// show it.
const PROMISED: f64 = 1.5;
const POWER: f64 = 0.80;

/// How the machine differs between two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Machine {
    /// Nothing but the noise inside runs, and starts of one program that differ by 2 %.
    Calm,
    /// The speed of a run is lognormal, with a deviation of 30 %.
    OtherSpeed,
    /// Another program takes up to half of the machine, in bursts that hit single slices; how often
    /// and how hard differs between runs.
    Bursts,
    /// Speeds and starts have Student's distribution with three degrees of freedom.
    HeavyTails,
    /// A run is on the fast or the slow kind of host, and so is each start of a program on fast or
    /// slow cores.
    TwoSpeeds,
    /// One of the others, by chance.
    Any,
}

const MACHINES: [(Machine, &str); 6] = [
    (Machine::Calm, "a calm machine"),
    (Machine::OtherSpeed, "lognormal speeds of the machine"),
    (Machine::Bursts, "bursts of another program"),
    (Machine::HeavyTails, "heavy tails"),
    (Machine::TwoSpeeds, "hosts and cores of two speeds"),
    (Machine::Any, "any of these machines"),
];

pub(crate) fn rows(comparisons: u32) -> Vec<Row> {
    let pairs = comparisons * PAIRS;
    let mut rows = Vec::new();
    for (number, (machine, name)) in (1_u64..).zip(MACHINES) {
        let histories: &[bool] = match machine {
            Machine::Any => &[false, true],
            _ => &[false],
        };
        for &history in histories {
            let found: Vec<Found> = (0..pairs)
                .map(|pair| one(machine, 1.0, history, seed(number, pair)))
                .collect();
            let wrong = found.iter().filter(|one| one.is_called).count();
            let naive = found.iter().filter(|one| one.by_slices).count();
            rows.push(at_most(
                &format!(
                    "two runs, {name}{}: no change, and faster or slower (intervals from slices \
                     alone: {})",
                    with(history),
                    percent(naive as f64 / found.len().max(1) as f64)
                ),
                FALSE,
                wrong,
                found.len(),
            ));
        }
    }
    for (number, (machine, name)) in (11_u64..).zip([MACHINES[0], MACHINES[5]]) {
        for history in [false, true] {
            for change in CHANGES {
                let found = (0..pairs)
                    .filter(|pair| one(machine, change, history, seed(number, *pair)).is_faster);
                let what = format!(
                    "two runs, {name}{}: × {change}, called faster",
                    with(history)
                );
                let row = at_least(&what, POWER, found.count(), pairs as usize);
                let is_promised = machine == Machine::Calm && change >= PROMISED;
                rows.push(if is_promised {
                    row
                } else {
                    Row {
                        limit: "stated, not judged".to_owned(),
                        passed: true,
                        ..row
                    }
                });
            }
        }
    }
    rows
}

fn with(history: bool) -> String {
    if history {
        format!(", {HISTORY} earlier runs")
    } else {
        String::new()
    }
}

fn seed(number: u64, pair: u32) -> u64 {
    number << 40 | u64::from(pair)
}

/// What one pair of runs was found to be.
struct Found {
    /// Faster or slower.
    is_called: bool,
    /// Faster.
    is_faster: bool,
    /// The interval from the slices inside both runs, with the control divided out, excludes 1.
    by_slices: bool,
}

fn one(machine: Machine, change: f64, history: bool, seed: u64) -> Found {
    let mut rng = Rng::new(seed, &[]);
    let machine = match machine {
        Machine::Any => MACHINES[rng.below(5) as usize].0,
        known => known,
    };
    let pair = Pair {
        machine,
        // How much of the machine's change the target has in common with the control.
        share: 0.5 + rng.unit(),
        seed,
    };
    let before = pair.run(0, 1.0);
    let mut after = pair.run(1, change);
    if history {
        let earlier = (0..HISTORY).map(|run| pair.run(2 + run as u64, 1.0)[1].relative_log());
        let logs: Option<Vec<f64>> = earlier.chain([before[1].relative_log()]).collect();
        after[1].run_to_run = logs.and_then(|logs| RunSpread::measured(&[logs]));
    }
    let EarlierRun { all, .. } = against_earlier(&before, &after, &[], &[]);
    let target = &all[1];
    let relative = |run: &[Series; 2]| run[1].relative.clone().unwrap_or_default();
    let slices = unpaired_ratio(&relative(&before), &relative(&after), CONFIDENCE);
    let called = [EarlierOutcome::Faster, EarlierOutcome::Slower];
    Found {
        is_called: called.contains(&target.change),
        is_faster: target.change == EarlierOutcome::Faster,
        by_slices: slices.estimate().is_some_and(|it| !it.contains(1.0)),
    }
}

/// Two runs on one machine.
struct Pair {
    machine: Machine,
    share: f64,
    seed: u64,
}

impl Pair {
    /// The control and the target of one run; `change` is the true factor of the target's speed.
    fn run(&self, number: u64, change: f64) -> [Series; 2] {
        let mut rng = Rng::new(self.seed, &[number]);
        let machine = self.speed(&mut rng);
        let starts = [self.start(&mut rng), self.start(&mut rng)];
        let level = [
            machine + starts[0],
            self.share * machine + starts[1] + change.ln(),
        ];
        let (often, hard) = match self.machine {
            Machine::Bursts => (0.6 * rng.unit(), rng.unit() * 2.0_f64.ln()),
            _ => (0.0, 0.0),
        };
        let mut noise = Noise::new(rng.below(u64::MAX), 2 * BLOCKS * SLICES);
        let mut speeds = [Vec::new(), Vec::new()];
        let mut relative = Vec::new();
        for _ in 0..BLOCKS {
            let mut sums = [0.0; 2];
            for target in [0, 1, 1, 0] {
                let burst = if rng.unit() < often {
                    hard * rng.unit() * [1.0, self.share][target]
                } else {
                    0.0
                };
                let speed = level[target] + noise.next() - burst;
                sums[target] += speed / SLICES as f64;
                speeds[target].push(speed.exp());
            }
            relative.push((sums[1] - sums[0]).exp());
        }
        let [control, target] = speeds;
        let series = |name: &str, values| {
            Series::new(
                "get".to_owned(),
                Some(name.to_owned()),
                Measure::Rate,
                values,
            )
        };
        let (mut control, mut target) = (series("old", control), series("new", target));
        control.shared = true;
        target.relative = Some(relative);
        [control, target]
    }

    /// The log speed of the machine in one run.
    fn speed(&self, rng: &mut Rng) -> f64 {
        match self.machine {
            Machine::Calm => 0.01 * normal(rng),
            Machine::OtherSpeed => 0.3 * normal(rng),
            Machine::Bursts | Machine::Any => 0.05 * normal(rng),
            Machine::HeavyTails => 0.15 * student(rng),
            Machine::TwoSpeeds => {
                if rng.unit() < 0.5 {
                    -(1.6_f64.ln())
                } else {
                    0.0
                }
            }
        }
    }

    /// The log speed of one start of a program.
    fn start(&self, rng: &mut Rng) -> f64 {
        match self.machine {
            Machine::Calm => 0.02 * normal(rng),
            Machine::OtherSpeed | Machine::Bursts | Machine::Any => 0.04 * normal(rng),
            Machine::HeavyTails => 0.04 * student(rng),
            Machine::TwoSpeeds => {
                if rng.unit() < 0.3 {
                    -(1.2_f64.ln())
                } else {
                    0.02 * normal(rng)
                }
            }
        }
    }
}

/// A number from Student's distribution with three degrees of freedom.
fn student(rng: &mut Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (squares / 3.0).sqrt()
}
