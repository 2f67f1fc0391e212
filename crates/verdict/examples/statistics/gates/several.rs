//! Gates with several figures and workloads: the tests for regressions share their error by Holm's
//! correction.

use std::fmt::Write as _;

use tenbin_plan::Plan;
use tenbin_plan::rng::Rng;
use tenbin_result::GateOutcome;
use tenbin_verdict::gate;

use super::recorded::Beside;
use super::runners::Runner;
use super::{CPU, FALSE, OPERATIONS, POWER, measured, plan};
use crate::Row;
use crate::cores::on_all_cores;
use crate::made::slice;
use crate::noise::normal;
use crate::simulated::{at_least, at_most};

/// The figures of each workload.
const FIGURES: [&str; 3] = ["throughput", "cpu", "memory"];
const WORKLOADS: [&str; 2] = ["get", "list"];
/// How much worse one of all figures is.
const WORSE: f64 = 0.10;
/// Bytes of memory of a server, and the standard deviation of their logarithm.
const MEMORY: f64 = 1e9;
const MEMORY_NOISE: f64 = 0.02;

/// The runners, and whether a gate must find a regression there. CPU time is as noisy as throughput
/// only in a recording.
const CASES: [(Runner, &str, bool); 3] = [
    (Runner::Rented, "rented machine", true),
    (Runner::Bursts, "bursts", false),
    (Runner::Recorded(Beside::Shared), "recorded, shared", false),
];

/// The figure that is worse: the index of its workload, and that of the figure.
type Worse = Option<(usize, usize)>;

/// What a gate decided.
struct Found {
    outcome: GateOutcome,
    rounds: u32,
    /// Whether the gate is a regression because of the figure that is worse.
    is_right: bool,
}

/// Judges the gates on every runner: those without a difference, and those in which one figure is worse,
/// each figure in as many gates. Returns the rows, and a table of what the gates decided.
pub(super) fn rows(gates: u32) -> (Vec<Row>, String) {
    let wanted = FIGURES.map(|figure| format!("{figure:?}")).join(", ");
    let plan = plan(&format!("figures = [{wanted}]"), &WORKLOADS);
    let mut rows = Vec::new();
    let mut table = format!(
        "{gates} gates for each row, of {} on {} workloads; at most one of these figures is worse, each in as many \
         gates.\n\n\
         | runner | one figure worse by | pass | regression | cannot tell | rounds: median, 90 % |\n\
         |---|---|---|---|---|---|\n",
        FIGURES.join(", "),
        WORKLOADS.len()
    );
    for (number, (runner, name, must_find)) in (100_u64..).zip(CASES) {
        let seed = |gate: u32| number << 40 | u64::from(gate);
        let alike = on_all_cores(gates, |gate| one(&plan, runner, None, seed(gate)));
        let worse = on_all_cores(gates, |gate| {
            one(&plan, runner, Some(worse_of(gate)), seed(gate))
        });
        rows.extend(judged(name, must_find, &alike, &worse));
        let _ = writeln!(table, "{}", listed(name, 0.0, &alike));
        let _ = writeln!(table, "{}", listed(name, WORSE, &worse));
    }
    (rows, table)
}

/// The figure that is worse in the gate with this number.
fn worse_of(gate: u32) -> (usize, usize) {
    let gate = gate as usize;
    let workload = gate / FIGURES.len() % WORKLOADS.len();
    (workload, gate % FIGURES.len())
}

/// What must hold of the gates on a runner.
fn judged(runner: &str, must_find: bool, alike: &[Found], worse: &[Found]) -> Vec<Row> {
    let name = |what: &str| {
        let all = FIGURES.len() * WORKLOADS.len();
        format!("gate of {all} figures, {runner}, {what}")
    };
    let worse_by = |what: &str| name(&format!("one +{:.0} %: {what}", WORSE * 100.0));
    let alarms = count(alike, |it| it.outcome == GateOutcome::Regression);
    let passed = count(worse, |it| it.outcome == GateOutcome::Pass);
    let mut rows = vec![
        at_most(
            &name("no difference: false alarms"),
            FALSE,
            alarms,
            alike.len(),
        ),
        at_most(&worse_by("wrongly passed"), FALSE, passed, worse.len()),
    ];
    if must_find {
        let found = count(worse, |it| it.is_right);
        rows.push(at_least(
            &worse_by("found, and named"),
            POWER,
            found,
            worse.len(),
        ));
    }
    rows
}

fn count(found: &[Found], is_hit: impl Fn(&Found) -> bool) -> usize {
    found.iter().filter(|one| is_hit(one)).count()
}

/// The line of the table.
fn listed(runner: &str, worse: f64, found: &[Found]) -> String {
    let mut rounds: Vec<u32> = found.iter().map(|one| one.rounds).collect();
    rounds.sort_unstable();
    let at = |part: usize| rounds.get(rounds.len() * part / 10).copied().unwrap_or(0);
    let share = |outcome: GateOutcome| {
        let hits = count(found, |one| one.outcome == outcome);
        hits as f64 / found.len().max(1) as f64 * 100.0
    };
    format!(
        "| {runner} | {:.0} % | {:.1} % | {:.1} % | {:.1} % | {}, {} |",
        worse * 100.0,
        share(GateOutcome::Pass),
        share(GateOutcome::Regression),
        share(GateOutcome::CannotTell),
        at(5),
        at(9),
    )
}

fn one(plan: &Plan, runner: Runner, worse: Worse, seed: u64) -> Found {
    let plan = Plan {
        seed,
        ..plan.clone()
    };
    let mut of_memory = Rng::new(seed, &[5]);
    let slices = measured(&plan, runner, |simulated, turn, index| {
        let more = |figure: usize| {
            if turn.target == 1 && worse == Some((turn.workload, figure)) {
                WORSE.ln_1p()
            } else {
                0.0
            }
        };
        let operations = OPERATIONS * (simulated.next(turn.target) - more(0)).exp();
        let each = CPU * (simulated.cpu() + more(1)).exp();
        let bytes = MEMORY * (MEMORY_NOISE * normal(&mut of_memory) + more(2)).exp();
        let mut made = slice(&plan, turn, index, operations);
        let server = made.end.server.get_or_insert_default().get_mut();
        server.cpu_seconds = Some(each * operations);
        server.rss_bytes = Some(bytes as u64);
        made
    });
    let found = gate(&plan, &slices, &[], &[]).expect("the plan has a gate");
    let figure = worse.and_then(|(workload, at)| found.figures.get(workload * FIGURES.len() + at));
    Found {
        outcome: found.outcome,
        rounds: found.rounds,
        is_right: found.outcome == GateOutcome::Regression && figure.is_some_and(|it| it.decides),
    }
}
