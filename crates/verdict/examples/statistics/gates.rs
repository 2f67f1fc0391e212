//! Gates on simulated runners whose true difference is known, decided by the code that decides gates,
//! beside what the usual gates say about the same servers on the same runners: a threshold of 200 %,
//! and a t-test, both on one run of the base and then one of the candidate.

use std::path::Path;

use tenbin_plan::rng::Rng;
use tenbin_plan::{Context, Draft, Plan, schedule};
use tenbin_record::Slice;
use tenbin_result::{GateOutcome, GateRole};
use tenbin_stats::{CONFIDENCE, student_cdf};
use tenbin_verdict::{gate, rounds_end};

use crate::Row;
use crate::made::slice;
use crate::noise::{Noise, normal};
use crate::simulated::{at_least, at_most, percent};

/// Gates for each comparison that was asked for.
const GATES: u32 = 5;
/// True differences: how much longer the candidate takes for an operation.
const EFFECTS: [f64; 5] = [0.0, 0.01, 0.03, 0.05, 0.10];
/// Margin of the gates.
const MARGIN: f64 = 0.05;
/// Largest share of gates that may fail a candidate that is as good as the base, or pass a candidate
/// that is worse by the margin or more.
const FALSE: f64 = 0.05;
/// Least share of regressions of twice the margin that a gate finds on a runner without bursts.
const POWER: f64 = 0.80;
/// Slices of a run of the usual gates.
const SEQUENTIAL: usize = 16;
/// The usual threshold: the candidate takes more than twice as long.
const THRESHOLD: f64 = 2.0;
/// Operations of a slice without noise, and CPU seconds of an operation.
const OPERATIONS: f64 = 1e9;
const CPU: f64 = 1e-10;

/// A kind of runner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Runner {
    /// The noise of rented machines, see [`Noise`].
    Rented,
    /// The same, and the runner becomes slower by a fifth in the course of a run.
    Drift,
    /// The same, and another program takes up to half of the runner in a quarter of the slices.
    Bursts,
    /// The same, and the runner changes between two speeds.
    TwoSpeeds,
    /// The same, and each start of a program is fast or slow for its whole life.
    BimodalStarts,
    /// The same, and slices have Student's distribution with three degrees of freedom.
    HeavyTails,
}

pub(crate) const RUNNERS: [(Runner, &str); 6] = [
    (Runner::Rented, "rented machine"),
    (Runner::Drift, "drift of 20 %"),
    (Runner::Bursts, "bursts"),
    (Runner::TwoSpeeds, "two speeds"),
    (Runner::BimodalStarts, "bimodal starts"),
    (Runner::HeavyTails, "heavy tails"),
];

pub(crate) fn rows(comparisons: u32) -> Vec<Row> {
    let gates = comparisons * GATES;
    let mut rows = Vec::new();
    for (number, (runner, name)) in (1_u64..).zip(RUNNERS) {
        for effect in EFFECTS {
            let found: Vec<Found> = (0..gates)
                .map(|gate| one(runner, effect, false, number << 40 | u64::from(gate)))
                .collect();
            rows.push(row(name, runner, effect, &found));
        }
    }
    for effect in EFFECTS {
        let found: Vec<Found> = (0..gates)
            .map(|gate| one(Runner::Bursts, effect, true, 9 << 40 | u64::from(gate)))
            .collect();
        rows.push(row("bursts, CPU time known", Runner::Drift, effect, &found));
    }
    rows
}

/// What a gate decided, and what the usual gates say.
struct Found {
    outcome: GateOutcome,
    rounds: u32,
    by_fallback: bool,
    over_threshold: bool,
    by_t_test: bool,
}

fn row(name: &str, runner: Runner, effect: f64, found: &[Found]) -> Row {
    let count = |outcome: GateOutcome| found.iter().filter(|one| one.outcome == outcome).count();
    let share = |hits: usize| percent(hits as f64 / found.len().max(1) as f64);
    let (passed, failed) = (count(GateOutcome::Pass), count(GateOutcome::Regression));
    let mut rounds: Vec<u32> = found.iter().map(|one| one.rounds).collect();
    rounds.sort_unstable();
    let at = |part: usize| rounds.get(rounds.len() * part / 10).copied().unwrap_or(0);
    let fell_back = found.iter().filter(|one| one.by_fallback).count();
    let threshold = found.iter().filter(|one| one.over_threshold).count();
    let t_test = found.iter().filter(|one| one.by_t_test).count();
    let cpu = match fell_back {
        0 => String::new(),
        some => format!(" ({} by CPU time)", share(some)),
    };
    let what = format!(
        "gate, {name}, +{:.0} %: pass {}, regression {}, cannot tell {}{cpu}; rounds {} (median), {} (90 \
         %); in sequence: > 200 % {}, t-test {}",
        effect * 100.0,
        share(passed),
        share(failed),
        share(count(GateOutcome::CannotTell)),
        at(5),
        at(9),
        share(threshold),
        share(t_test),
    );
    let judged = if effect == 0.0 {
        at_most(&what, FALSE, failed, found.len())
    } else if effect >= 2.0 * MARGIN && runner != Runner::Bursts {
        at_least(&what, POWER, failed, found.len())
    } else if effect >= MARGIN {
        at_most(&what, FALSE, passed, found.len())
    } else {
        return Row {
            limit: "stated, not judged".to_owned(),
            passed: true,
            ..at_most(&what, 1.0, failed, found.len())
        };
    };
    let subject = match (
        effect == 0.0,
        effect >= 2.0 * MARGIN && runner != Runner::Bursts,
    ) {
        (true, _) => "false alarms",
        (_, true) => "regressions found",
        _ => "wrongly passed",
    };
    Row {
        limit: format!("{subject} {}", judged.limit),
        ..judged
    }
}

fn plan(seed: u64) -> Plan {
    // The runner's noise contains starts of programs.
    let text = "start_noise = \"0%\"\n[rounds]\nslice = \"1s\"\nsustain = \"0\"\n[gate]\n\
                [[target]]\nname = \"base\"\nbuiltin = \"http\"\n\
                [[target]]\nname = \"candidate\"\nbuiltin = \"http\"\n\
                [[workload]]\nkind = \"http\"\nname = \"get\"\n";
    let mut context = Context::of_this_process().expect("a working directory");
    let plan = Draft::from_toml(text, Path::new("simulated.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right");
    Plan { seed, ..plan }
}

fn one(runner: Runner, effect: f64, cpu_known: bool, seed: u64) -> Found {
    let plan = plan(seed);
    let turns = schedule(&plan);
    let mut simulated = Simulated::new(runner, seed, turns.len());
    let mut cpu_noise = Rng::new(seed, &[3]);
    let mut slices: Vec<Slice> = Vec::new();
    for (turn, index) in turns.iter().zip(0_u32..) {
        if index % 4 == 0 {
            simulated.restart();
        }
        let slower = if turn.target == 1 {
            effect.ln_1p()
        } else {
            0.0
        };
        let operations = OPERATIONS * (simulated.next(turn.target) - slower).exp();
        let mut made = slice(&plan, turn, index, operations);
        if cpu_known {
            let each = CPU * (slower + 0.01 * normal(&mut cpu_noise)).exp();
            made.end
                .server
                .get_or_insert_default()
                .get_mut()
                .cpu_seconds = Some(each * operations);
        }
        slices.push(made);
        let next = turns.get(index as usize + 1);
        let ends_block = next.is_none_or(|next| next.block != turn.block);
        let has_fewest = turn.round + 1 >= plan.rounds.count;
        if ends_block && has_fewest && rounds_end(&plan, &slices).is_some() {
            break;
        }
    }
    let found = gate(&plan, &slices, &[], &[]).expect("the plan has a gate");
    let (over_threshold, by_t_test) = in_sequence(runner, effect, seed);
    Found {
        outcome: found.outcome,
        rounds: found.rounds,
        by_fallback: found.deciding().any(|it| it.role == GateRole::Fallback),
        over_threshold,
        by_t_test,
    }
}

/// Whether one run of the base and then one of the candidate differ by more than the threshold, and
/// whether a t-test on their slices (Welch's) finds the candidate slower.
fn in_sequence(runner: Runner, effect: f64, seed: u64) -> (bool, bool) {
    let mut simulated = Simulated::new(runner, seed ^ 0x5eed, 2 * SEQUENTIAL);
    simulated.restart();
    let mut run = |target: usize, slower: f64| -> Vec<f64> {
        let slices = (0..SEQUENTIAL).map(|_| simulated.next(target) - slower);
        slices.map(f64::exp).collect()
    };
    let (base, candidate) = (run(0, 0.0), run(1, effect.ln_1p()));
    let [a, b] = [mean_and_variance(&base), mean_and_variance(&candidate)];
    let n = SEQUENTIAL as f64;
    let (of_a, of_b) = (a.1 / n, b.1 / n);
    let t = (a.0 - b.0) / (of_a + of_b).sqrt();
    let freedom = (of_a + of_b).powi(2) / ((of_a.powi(2) + of_b.powi(2)) / (n - 1.0));
    // The cast rounds down, so the test errs on the side of no difference.
    let below = student_cdf(t.abs(), freedom as usize).unwrap_or(0.5);
    let p = 2.0 * (1.0 - below);
    (a.0 / b.0 > THRESHOLD, t > 0.0 && p <= 1.0 - CONFIDENCE)
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum::<f64>() / (n - 1.0))
}

/// The log speeds of two programs on one runner, slice by slice.
pub(crate) struct Simulated {
    runner: Runner,
    rng: Rng,
    noise: Noise,
    starts: [f64; 2],
    is_slow: bool,
    slices: usize,
    at: usize,
}

impl Simulated {
    pub(crate) fn new(runner: Runner, seed: u64, slices: usize) -> Self {
        Self {
            runner,
            rng: Rng::new(seed, &[1]),
            noise: Noise::new(seed, slices),
            starts: [0.0; 2],
            is_slow: false,
            slices,
            at: 0,
        }
    }

    /// Starts both programs again, as a run does before each block.
    pub(crate) fn restart(&mut self) {
        for start in &mut self.starts {
            *start = match self.runner {
                Runner::BimodalStarts if self.rng.unit() < 0.4 => -0.08,
                _ => 0.01 * normal(&mut self.rng),
            };
        }
    }

    /// The log speed of a program in the next slice.
    pub(crate) fn next(&mut self, target: usize) -> f64 {
        self.at += 1;
        let rng = &mut self.rng;
        let own = match self.runner {
            Runner::Rented | Runner::BimodalStarts => 0.0,
            Runner::Drift => -0.2 * self.at as f64 / self.slices as f64,
            Runner::Bursts if rng.unit() < 0.25 => -2.0_f64.ln() * rng.unit(),
            Runner::Bursts => 0.0,
            Runner::TwoSpeeds => {
                self.is_slow ^= rng.unit() < 0.1;
                -0.25 * f64::from(u8::from(self.is_slow))
            }
            Runner::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
                0.02 * normal(rng) / (squares / 3.0).sqrt()
            }
        };
        self.noise.next() + self.starts[target] + own
    }
}
