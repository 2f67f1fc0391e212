//! A single target on a machine with a busy neighbour: how often wrong absolute figures are VALID.

use std::path::Path;

use tenbin_plan::rng::Rng;
use tenbin_plan::{Context, Draft, Plan, schedule};
use tenbin_record::{CpuUse, Environment, Integrity, MachineUse, PressureUse, Slice};
use tenbin_result::Trust;
use tenbin_verdict::{AfterRounds, assess};

use crate::Row;
use crate::made::slice;
use crate::noise::normal;
use crate::simulated::{at_most, percent};

/// Mean share of the machine that the neighbour uses.
const NEIGHBOURS: [f64; 3] = [0.0, 0.2, 0.6];
/// Maximum share of runs with a wrong figure that is VALID.
const WRONG: f64 = 0.05;
/// Relative error above which a figure counts as wrong.
const OFF: f64 = 0.10;
/// Number of operations in a slice without a neighbour.
const OPERATIONS: f64 = 1e9;
/// Number of equal parts of a slice; in each part, the neighbour is either busy or idle.
const STRETCHES: u32 = 20;
/// AR(1) coefficient of the neighbour's share from slice to slice; [`DRIFT`] is the deviation.
const PHI: f64 = 0.9;
const DRIFT: f64 = 0.15;
/// Slowdown of the target by shared caches if the neighbour uses the whole machine, even with
/// enough cores.
const CACHES: f64 = 0.20;

pub(crate) fn rows(runs: u32) -> Vec<Row> {
    let plan = plan();
    let mut rows = Vec::new();
    for (number, share) in (1_u64..).zip(NEIGHBOURS) {
        for (what, has_pressure) in [("known", true), ("unknown", false)] {
            let found: Vec<(bool, bool)> = (0..runs)
                .map(|run| one(&plan, share, has_pressure, number << 40 | u64::from(run)))
                .collect();
            let wrong = found.iter().filter(|(valid, off)| *valid && *off).count();
            let count = |pick: &dyn Fn(&(bool, bool)) -> bool| {
                let all = found.iter().filter(|one| pick(one)).count();
                percent(all as f64 / found.len().max(1) as f64)
            };
            rows.push(at_most(
                &format!(
                    "single run, neighbour at {:.0} %, pressure {what}: VALID though off by more than \
                     10 % ({} of all runs are off, {} VALID)",
                    share * 100.0,
                    count(&|(_, off)| *off),
                    count(&|(valid, _)| *valid),
                ),
                WRONG,
                wrong,
                found.len(),
            ));
        }
    }
    rows
}

fn plan() -> Plan {
    let text = "seed = 1\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\n\
                [[workload]]\nkind = \"http\"\nname = \"get\"\n";
    let mut context = Context::of_this_process().expect("a working directory");
    Draft::from_toml(text, Path::new("simulated.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right")
}

/// (Whether the absolute figures of one run are VALID, whether the throughput is wrong).
fn one(plan: &Plan, share: f64, has_pressure: bool, seed: u64) -> (bool, bool) {
    let slices = run(plan, share, has_pressure, seed);
    let assessment = assess(
        plan,
        &slices,
        AfterRounds::default(),
        true,
        &Environment::default(),
        &Integrity::default(),
    );
    let figure = assessment.figures[0].throughput.map(|figure| figure.value);
    let off = figure.is_none_or(|figure| (figure / OPERATIONS - 1.0).abs() > OFF);
    (assessment.absolute.trust == Trust::Valid, off)
}

fn run(plan: &Plan, share: f64, has_pressure: bool, seed: u64) -> Vec<Slice> {
    let mut rng = Rng::new(seed, &[]);
    let cores = [2.0, 4.0, 8.0][rng.below(3) as usize];
    // Cores that target and load generator need for their maximum throughput.
    let need = cores * (0.3 + 0.7 * rng.unit());
    let own = 0.01 + 0.01 * rng.unit();
    let in_bursts = rng.unit() < 0.5;
    let mut drift = normal(&mut rng);
    let slices = schedule(plan)
        .into_iter()
        .zip(0_u32..)
        .map(|(turn, index)| {
            drift = PHI * drift + (1.0 - PHI * PHI).sqrt() * normal(&mut rng);
            let share = if share > 0.0 {
                (share + DRIFT * drift).clamp(0.0, 0.95)
            } else {
                0.0
            };
            let (mut done, mut idle, mut waiting) = (0.0, 0.0, 0.0);
            for _ in 0..STRETCHES {
                let neighbour = match in_bursts {
                    true if rng.unit() < share => cores,
                    true => 0.0,
                    false => cores * share,
                };
                let wanted = need + neighbour;
                let got = (cores / wanted).min(1.0);
                done += got * (1.0 - CACHES * neighbour / cores);
                idle += (cores - wanted).max(0.0);
                waiting += f64::from(u8::from(wanted > cores));
            }
            let each = f64::from(STRETCHES);
            let (done, idle, waiting) = (done / each, idle / each, waiting / each);
            let operations = OPERATIONS * done * (own * normal(&mut rng)).exp();
            let mut slice = slice(plan, &turn, index, operations);
            let machine = MachineUse {
                seconds: 1.0,
                cpu: Some(CpuUse {
                    cores: cores as u64,
                    busy: cores - idle,
                    idle,
                    ..CpuUse::default()
                }),
                target_here: Some(true),
                pressure: PressureUse {
                    cpu_some_us: has_pressure.then_some((waiting * 1e6) as u64),
                    ..PressureUse::default()
                },
                ..MachineUse::default()
            };
            slice.end.machine = Some(machine.into());
            slice
        });
    slices.collect()
}
