//! Comparisons of two simulated servers, one of which is faster by a known share.

use std::path::Path;

use tenbin_plan::{Context, Draft, Plan, schedule};
use tenbin_record::Slice;
use tenbin_result::Outcome;
use tenbin_stats::{CONFIDENCE, detectable_log_effect, proportion, standard_deviation};
use tenbin_verdict::{Comparison, compare, is_precise};

use crate::Row;
use crate::made::slice;
use crate::noise::Noise;

/// Injected effects: relative speed advantage of the second server.
const EFFECTS: [f64; 3] = [0.01, 0.03, 0.05];
/// Minimum share of intervals that must contain the true value.
const COVERAGE: f64 = 0.93;
/// Minimum probability of detecting a detectable effect.
const POWER: f64 = 0.80;
/// Number of rounds of a comparison with a fixed length: eight quads.
const ROUNDS: u32 = 16;
/// Minimum number of quads of a comparison that ends by precision.
const FEWEST_QUADS: u32 = 8;

/// Number of operations in a slice without noise.
const OPERATIONS: f64 = 1e9;

pub(crate) fn rows(comparisons: u32) -> Vec<Row> {
    let alike = run_all(&plan(FIXED), 0.0, comparisons);
    let mut rows = false_positives(&alike);
    rows.push(coverage("no difference", 0.0, &alike));
    for (at, effect) in (1_u64..).zip(EFFECTS) {
        let found = run_all(&seeded(plan(FIXED), at), effect, comparisons);
        let name = format!("+{:.0} %", effect * 100.0);
        rows.push(coverage(&name, effect, &found));
        rows.push(power(&name, effect, &found));
    }
    let precise = run_all(&seeded(plan(BY_PRECISION), 99), 0.03, comparisons);
    let ended = precise.iter().map(|one| one.block_ratios.len());
    let (least, most) = (ended.clone().min(), ended.max());
    let name = format!(
        "+3 %, ended by precision (± 2 %) after {} to {} quads",
        least.unwrap_or(0),
        most.unwrap_or(0)
    );
    rows.push(coverage(&name, 0.03, &precise));
    rows
}

const FIXED: &str = "";
const BY_PRECISION: &str = "until = \"±2%\"\nmax_count = 256\n";

/// A plan with two targets and one workload; `rounds` holds further keys of `[rounds]`.
fn plan(rounds: &str) -> Plan {
    // Simulated processes do not differ from start to start.
    let text = format!(
        "seed = 1\nstart_noise = \"0%\"\n[rounds]\ncount = {ROUNDS}\n{rounds}\
         [[target]]\nname = \"a\"\nbuiltin = \"http\"\n\
         [[target]]\nname = \"b\"\nbuiltin = \"http\"\n\
         [[workload]]\nkind = \"http\"\nname = \"get\"\n"
    );
    let mut context = Context::of_this_process().expect("a working directory");
    Draft::from_toml(&text, Path::new("simulated.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right")
}

/// The same plan with other noise.
fn seeded(plan: Plan, seed: u64) -> Plan {
    Plan {
        seed: plan.seed ^ (seed << 32),
        ..plan
    }
}

fn run_all(plan: &Plan, effect: f64, comparisons: u32) -> Vec<Comparison> {
    (0..comparisons)
        .map(|number| {
            // The seed also decides which target runs first.
            let plan = Plan {
                seed: plan.seed.wrapping_mul(1_000_003) ^ u64::from(number),
                ..plan.clone()
            };
            let slices = run(&plan, effect);
            let found = compare(&plan, &slices);
            let primary = found.into_iter().find(|one| one.primary);
            primary.expect("two targets are compared")
        })
        .collect()
}

/// The slices of one run, which ends according to the plan.
fn run(plan: &Plan, effect: f64) -> Vec<Slice> {
    let turns = schedule(plan);
    let mut noise = Noise::new(plan.seed, turns.len());
    let mut slices: Vec<Slice> = Vec::new();
    for (turn, index) in turns.iter().zip(0_u32..) {
        let faster = if turn.target == 1 {
            effect.ln_1p()
        } else {
            0.0
        };
        let operations = OPERATIONS * (faster + noise.next()).exp();
        slices.push(slice(plan, turn, index, operations));
        let next = turns.get(index as usize + 1);
        let ends_block = next.is_none_or(|next| next.block != turn.block);
        let quads = turn.block + 1;
        if ends_block && quads >= FEWEST_QUADS && is_precise(plan, &slices) {
            break;
        }
    }
    slices
}

fn false_positives(alike: &[Comparison]) -> Vec<Row> {
    let called = |one: &&Comparison| one.outcome.is_different();
    let excluding = |one: &&Comparison| one.p.is_some_and(|p| p <= 1.0 - CONFIDENCE);
    let level = 1.0 - CONFIDENCE;
    vec![
        at_most(
            "no difference: called different",
            level,
            alike.iter().filter(called).count(),
            alike.len(),
        ),
        at_most(
            "no difference: p of 5 % or less, whatever its size",
            level,
            alike.iter().filter(excluding).count(),
            alike.len(),
        ),
    ]
}

fn coverage(name: &str, effect: f64, found: &[Comparison]) -> Row {
    let covers = |one: &&Comparison| {
        let estimate = one.ratio.estimate();
        estimate.is_some_and(|estimate| estimate.contains(1.0 + effect))
    };
    let hits = found.iter().filter(covers).count();
    at_least(
        &format!("{name}: intervals that cover the truth"),
        COVERAGE,
        hits,
        found.len(),
    )
}

/// The share of detected differences among the runs whose detectable effect is at most `effect`.
/// For effects up to the noise floor, no run promises detection: the row then limits the share of
/// differences in the wrong direction.
fn power(name: &str, effect: f64, found: &[Comparison]) -> Row {
    let floor = found.first().map_or(0.0, |one| one.floor());
    let promised: Vec<&Comparison> = found
        .iter()
        .filter(|one| detectable(one).is_some_and(|it| it <= effect))
        .collect();
    let seen = |one: &&&Comparison| one.outcome == Outcome::Faster;
    if effect <= floor {
        let wrong = found.iter().filter(|one| one.outcome == Outcome::Slower);
        let level = (1.0 - CONFIDENCE) / 2.0;
        return at_most(
            &format!("{name}, which is at the noise floor: called slower"),
            level,
            wrong.count(),
            found.len(),
        );
    }
    let all = found.iter().filter(|one| one.outcome == Outcome::Faster);
    let what = format!(
        "{name}: found where it would have shown ({} of all runs found it)",
        percent(all.count() as f64 / found.len().max(1) as f64)
    );
    at_least(
        &what,
        POWER,
        promised.iter().filter(seen).count(),
        promised.len(),
    )
}

/// The smallest effect, as a share, that the blocks of a comparison can detect.
fn detectable(one: &Comparison) -> Option<f64> {
    let logs: Vec<f64> = one.block_ratios.iter().map(|ratio| ratio.ln()).collect();
    let sd = standard_deviation(&logs)?;
    Some(detectable_log_effect(sd, logs.len(), 1.0 - CONFIDENCE)?.exp_m1())
}

/// A row that passes if `hits` of `of` is compatible with a share of at most `limit`: the lower end
/// of the interval must not exceed the limit.
pub(crate) fn at_most(what: &str, limit: f64, hits: usize, of: usize) -> Row {
    let found = proportion(hits as u64, of as u64, CONFIDENCE);
    Row {
        what: what.to_owned(),
        limit: format!("at most {}, give or take chance", percent(limit)),
        found: shown(hits, of),
        passed: found.estimate().is_some_and(|share| share.low <= limit),
    }
}

/// A row that passes if `hits` of `of` is compatible with a share of at least `limit`: the upper
/// end of the interval must reach the limit.
pub(crate) fn at_least(what: &str, limit: f64, hits: usize, of: usize) -> Row {
    let found = proportion(hits as u64, of as u64, CONFIDENCE);
    Row {
        what: what.to_owned(),
        limit: format!("at least {}, give or take chance", percent(limit)),
        found: shown(hits, of),
        passed: found.estimate().is_some_and(|share| share.high >= limit),
    }
}

fn shown(hits: usize, of: usize) -> String {
    match proportion(hits as u64, of as u64, CONFIDENCE).estimate() {
        None => "unknown".to_owned(),
        Some(share) => format!(
            "{} ({}–{}; {hits} of {of})",
            percent(share.value),
            percent(share.low),
            percent(share.high)
        ),
    }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
