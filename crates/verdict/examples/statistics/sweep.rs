//! A sweep of eleven levels of connections on four targets, with the plan's default number of
//! rounds: how often the verdict claims a false difference and finds a true difference.

use std::path::Path;

use tenbin_plan::{Context, Draft, Plan, schedule};
use tenbin_record::Slice;
use tenbin_result::Outcome;
use tenbin_stats::CONFIDENCE;
use tenbin_verdict::concurrency_sweep::compare_concurrency_sweeps;
use tenbin_verdict::{Compared, Comparison, compare_all};

use crate::Row;
use crate::made::slice;
use crate::noise::Noise;
use crate::simulated::{at_least, at_most};

/// Number of operations in a slice on one connection without noise.
const OPERATIONS: f64 = 1e9;
/// Minimum probability of detecting a difference of 5 %.
const POWER: f64 = 0.80;

pub(crate) fn rows(runs: u32) -> Vec<Row> {
    let plan = plan();
    let about = format!(
        "sweep of {} levels, {} targets, the {} rounds it chooses",
        plan.workloads.len(),
        plan.targets.len(),
        plan.rounds.count
    );
    let alike = run_all(&plan, 1, runs, |_| 0.0);
    let at_best = (0..runs).filter(|number| {
        let plan = seeded(&plan, 4, *number);
        let found = compare_concurrency_sweeps(&plan, &run(&plan, &|_| 0.0), &[]);
        found.iter().any(|one| one.outcome.is_different())
    });
    let at_best = at_best.count();
    let claims = |found: &Compared, ours: &dyn Fn(&Comparison) -> bool| {
        let levels = found.targets.iter().filter(|c| c.primary);
        let mut all = found.curves.iter().chain(levels).filter(|c| ours(c));
        all.any(|c| c.outcome.is_different())
    };
    let false_claims = alike
        .iter()
        .filter(|found| claims(found, &|_| true))
        .count();
    let level = 1.0 - CONFIDENCE;
    let mut rows = vec![at_most(
        &format!("{about}: no difference, and one claimed of any curve or level"),
        level,
        false_claims,
        alike.len(),
    )];
    rows.push(at_most(
        &format!("{about}: no difference, and one claimed of targets at their best level"),
        level,
        at_best,
        runs as usize,
    ));
    let one = run_all(&plan, 2, runs, |_| 0.05_f64.ln_1p());
    let others = one
        .iter()
        .filter(|found| claims(found, &|c| c.challenger != "b"));
    rows.push(at_most(
        &format!("{about}: one target faster by 5 %, and a difference claimed of another"),
        level,
        others.count(),
        one.len(),
    ));
    rows.push(found_faster(
        &format!("{about}: +5 % at all levels, found"),
        &one,
    ));
    let top = run_all(&plan, 3, runs, |level| {
        if level == 10 { 29.7_f64.ln() } else { 0.0 }
    });
    rows.push(found_faster(
        &format!("{about}: × 29.7 at the last level only, found"),
        &top,
    ));
    rows
}

fn found_faster(what: &str, found: &[Compared]) -> Row {
    let is_found = |found: &&Compared| {
        let mut curves = found.curves.iter();
        curves.any(|c| c.challenger == "b" && c.outcome == Outcome::Faster)
    };
    at_least(
        what,
        POWER,
        found.iter().filter(is_found).count(),
        found.len(),
    )
}

fn plan() -> Plan {
    // Simulated processes do not differ from start to start.
    let mut text = "seed = 1\nstart_noise = \"0%\"\n".to_owned();
    for name in ["a", "b", "c", "d"] {
        text += &format!("[[target]]\nname = \"{name}\"\nbuiltin = \"http\"\n");
    }
    text += "[[workload]]\nkind = \"http\"\nname = \"get\"\n\
             load = { ramp = \"1,2,3,4,6,8,12,16,24,32,64\" }\n";
    let mut context = Context::of_this_process().expect("a working directory");
    Draft::from_toml(&text, Path::new("simulated.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right")
}

/// Comparisons of runs in which target `b` is faster by `effect` of the level, a log ratio.
fn run_all(plan: &Plan, seed: u64, runs: u32, effect: impl Fn(usize) -> f64) -> Vec<Compared> {
    (0..runs)
        .map(|number| {
            let plan = seeded(plan, seed, number);
            compare_all(&plan, &run(&plan, &effect))
        })
        .collect()
}

/// The same plan with other noise.
fn seeded(plan: &Plan, seed: u64, number: u32) -> Plan {
    Plan {
        seed: seed.wrapping_mul(1_000_003) ^ (u64::from(number) << 20),
        ..plan.clone()
    }
}

fn run(plan: &Plan, effect: &impl Fn(usize) -> f64) -> Vec<Slice> {
    let turns = schedule(plan);
    let mut noise = Noise::new(plan.seed, turns.len());
    let slices = turns.iter().zip(0_u32..).map(|(turn, index)| {
        let faster = match turn.target {
            1 => effect(turn.workload),
            _ => 0.0,
        };
        slice(
            plan,
            turn,
            index,
            OPERATIONS * (faster + noise.next()).exp(),
        )
    });
    slices.collect()
}
