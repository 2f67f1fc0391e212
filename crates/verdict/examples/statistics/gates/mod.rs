//! Gates on simulated runners whose true difference is known, decided by the code that decides gates,
//! beside what the usual gates say of the same servers on the same runners ([`usual`]).

mod recorded;
mod runners;
mod several;
mod usual;

use std::fmt::Write as _;
use std::path::Path;

use tenbin_plan::{Context, Draft, Plan, Turn, schedule};
use tenbin_record::Slice;
use tenbin_result::{GateOutcome, GateRole};
use tenbin_verdict::{gate, rounds_end};

use self::recorded::RECORDINGS;
pub(crate) use self::runners::{RUNNERS, Runner, Simulated};
use self::usual::{RANKED, Sequence, Usual};
use crate::cores::on_all_cores;
use crate::made::slice;
use crate::simulated::{at_least, at_most};
use crate::{Group, Row};

/// Gates for each comparison that was asked for.
const GATES: u32 = 5;
/// True differences: how much longer the candidate takes for an operation.
const EFFECTS: [f64; 5] = [0.0, 0.01, 0.03, 0.05, 0.10];
/// Margin of the gates.
const MARGIN: f64 = 0.05;
/// Largest share of gates that may fail a candidate that is as good as the base, or pass a candidate
/// that is worse by the margin or more.
const FALSE: f64 = 0.05;
/// Least share of regressions of twice the margin that a gate finds.
const POWER: f64 = 0.80;
/// Slices of a run of the usual gates: ten runs have as many as the longest gate has of one side.
const RUN: usize = 8;
/// Runs of the base in a history, before those of the candidate.
const HISTORY: usize = 20;
/// Operations of a slice without noise, and CPU seconds of an operation.
const OPERATIONS: f64 = 1e9;
const CPU: f64 = 1e-10;

/// A runner, and what a gate knows there.
struct Case {
    runner: Runner,
    name: &'static str,
    /// Whether the CPU time of both servers is known.
    cpu_known: bool,
    /// Whether a gate must find regressions: other programs can leave too little of a runner.
    must_find: bool,
}

fn cases() -> Vec<Case> {
    let simulated = RUNNERS.map(|(runner, name)| Case {
        runner,
        name,
        cpu_known: false,
        must_find: runner != Runner::Bursts,
    });
    let case = |runner, name, cpu_known, must_find| Case {
        runner,
        name,
        cpu_known,
        must_find,
    };
    let mut cases = Vec::from(simulated);
    cases.push(case(Runner::Bursts, "bursts, CPU time known", true, true));
    // Beside other programs, the machine decides whether a regression can be found.
    let [shared, builds, busy] = RECORDINGS.map(Runner::Recorded);
    cases.extend([
        case(shared, "recorded, shared", false, false),
        case(builds, "recorded, builds", false, false),
        case(busy, "recorded, 60 % taken", false, false),
        case(shared, "recorded, shared, CPU time known", true, false),
        case(builds, "recorded, builds, CPU time known", true, false),
        case(busy, "recorded, 60 % taken, CPU time known", true, false),
    ]);
    cases
}

/// Judges the gates on every runner, and lists what all gates say there.
pub(crate) fn rows(comparisons: u32) -> Group {
    let gates = comparisons * GATES;
    let plan = plan("", &["get"]);
    let mut rows = Vec::new();
    let mut table = format!(
        "{gates} gates for each row; beside them, the share of the candidates that the usual gates fail.\n\n\
         | runner | candidate slower by | pass | regression | cannot tell | rounds: median, 90 % | \
         > 200 % | t-test | benchstat | change points |\n|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for (number, case) in (1_u64..).zip(cases()) {
        for effect in EFFECTS {
            let found = on_all_cores(gates, |gate| {
                one(&plan, &case, effect, number << 40 | u64::from(gate))
            });
            rows.extend(judged(&case, effect, &found));
            let _ = writeln!(table, "{}", listed(&case, effect, &found));
        }
    }
    let (of_several, listed) = several::rows(gates);
    rows.extend(of_several);
    Group {
        rows,
        table: Some(format!("{table}\n{listed}")),
    }
}

/// What a gate decided, and what the usual gates say.
struct Found {
    outcome: GateOutcome,
    rounds: u32,
    by_fallback: bool,
    usual: Usual,
}

fn share(found: &[Found], is_hit: impl Fn(&Found) -> bool) -> String {
    let hits = found.iter().filter(|one| is_hit(one)).count();
    let percent = hits as f64 / found.len().max(1) as f64 * 100.0;
    format!("{} %", (percent * 10.0).round() / 10.0)
}

/// The line of the table.
fn listed(case: &Case, effect: f64, found: &[Found]) -> String {
    let mut rounds: Vec<u32> = found.iter().map(|one| one.rounds).collect();
    rounds.sort_unstable();
    let at = |part: usize| rounds.get(rounds.len() * part / 10).copied().unwrap_or(0);
    let outcome = |outcome| share(found, |one| one.outcome == outcome);
    let by_cpu = found.iter().any(|one| one.by_fallback);
    let cpu = if by_cpu {
        let decided = share(found, |one| one.by_fallback);
        format!(" ({decided} of all by CPU time)")
    } else {
        String::new()
    };
    format!(
        "| {}{cpu} | {:.0} % | {} | {} | {} | {}, {} | {} | {} | {} | {} |",
        case.name,
        effect * 100.0,
        outcome(GateOutcome::Pass),
        outcome(GateOutcome::Regression),
        outcome(GateOutcome::CannotTell),
        at(5),
        at(9),
        share(found, |one| one.usual.threshold),
        share(found, |one| one.usual.t_test),
        share(found, |one| one.usual.benchstat),
        share(found, |one| one.usual.change_point),
    )
}

/// What must hold of the gates of a row.
fn judged(case: &Case, effect: f64, found: &[Found]) -> Vec<Row> {
    let count = |outcome: GateOutcome| found.iter().filter(|one| one.outcome == outcome).count();
    let (passed, failed) = (count(GateOutcome::Pass), count(GateOutcome::Regression));
    let name = |what: &str| format!("gate, {}, +{:.0} %: {what}", case.name, effect * 100.0);
    let all = found.len();
    let mut rows = Vec::new();
    if effect == 0.0 {
        rows.push(at_most(&name("false alarms"), FALSE, failed, all));
    }
    if effect >= MARGIN {
        rows.push(at_most(&name("wrongly passed"), FALSE, passed, all));
    }
    if effect >= 2.0 * MARGIN && case.must_find {
        rows.push(at_least(&name("regressions found"), POWER, failed, all));
    }
    rows
}

/// A plan with a gate; `figures` is a key of its section.
fn plan(figures: &str, workloads: &[&str]) -> Plan {
    // The runner's noise contains starts of programs.
    let mut text = format!(
        "start_noise = \"0%\"\n[rounds]\nslice = \"1s\"\nsustain = \"0\"\n[gate]\n{figures}\n\
         [[target]]\nname = \"base\"\nbuiltin = \"http\"\n\
         [[target]]\nname = \"candidate\"\nbuiltin = \"http\"\n"
    );
    for name in workloads {
        let _ = writeln!(text, "[[workload]]\nkind = \"http\"\nname = {name:?}");
    }
    let mut context = Context::of_this_process().expect("a working directory");
    Draft::from_toml(&text, Path::new("simulated.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right")
}

/// The slices of a gate on a runner, until the gate has decided; `make` makes the slice of a turn, with
/// its index.
fn measured(
    plan: &Plan,
    runner: Runner,
    mut make: impl FnMut(&mut Simulated, &Turn, u32) -> Slice,
) -> Vec<Slice> {
    let turns = schedule(plan);
    let mut simulated = Simulated::new(runner, plan.seed, turns.len());
    let mut slices: Vec<Slice> = Vec::new();
    for (turn, index) in turns.iter().zip(0_u32..) {
        if slices.last().is_none_or(|last| last.block != turn.block) {
            simulated.restart();
        }
        slices.push(make(&mut simulated, turn, index));
        let next = turns.get(index as usize + 1);
        let ends_block = next.is_none_or(|next| next.block != turn.block);
        let has_fewest = turn.round + 1 >= plan.rounds.count;
        if ends_block && has_fewest && rounds_end(plan, &slices).is_some() {
            break;
        }
    }
    slices
}

fn one(plan: &Plan, case: &Case, effect: f64, seed: u64) -> Found {
    let plan = Plan {
        seed,
        ..plan.clone()
    };
    let slices = measured(&plan, case.runner, |simulated, turn, index| {
        let slower = if turn.target == 1 {
            effect.ln_1p()
        } else {
            0.0
        };
        let operations = OPERATIONS * (simulated.next(turn.target) - slower).exp();
        let mut made = slice(&plan, turn, index, operations);
        if case.cpu_known {
            let each = CPU * (slower + simulated.cpu()).exp();
            made.end
                .server
                .get_or_insert_default()
                .get_mut()
                .cpu_seconds = Some(each * operations);
        }
        made
    });
    let found = gate(&plan, &slices, &[], &[]).expect("the plan has a gate");
    Found {
        outcome: found.outcome,
        rounds: found.rounds,
        by_fallback: found.deciding().any(|it| it.role == GateRole::Fallback),
        usual: Usual::of(&in_sequence(case.runner, effect, seed)),
    }
}

/// Runs of the base, and after them runs of the candidate, on the same runner. Each run starts its
/// program again.
fn in_sequence(runner: Runner, effect: f64, seed: u64) -> Sequence {
    let mut simulated = Simulated::new(runner, seed ^ 0x5eed, (HISTORY + RANKED) * RUN);
    let mut runs = |count: usize, target: usize, slower: f64| {
        let mut run = |_| {
            simulated.restart();
            let slices = (0..RUN).map(|_| simulated.next(target) - slower);
            slices.map(f64::exp).collect()
        };
        (0..count).map(&mut run).collect()
    };
    let base = runs(HISTORY, 0, 0.0);
    let candidate = runs(RANKED, 1, effect.ln_1p());
    Sequence { base, candidate }
}
