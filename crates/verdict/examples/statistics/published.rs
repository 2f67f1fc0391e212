//! Published tables with consistent and inconsistent figures, judged by the rule on Little's law.

use std::path::Path;
use std::time::Duration;

use tenbin_plan::{Context, Draft, Plan, Think};
use tenbin_record::{ClientUse, Environment, Integrity, OpFigures, Slice, SliceEnd, SliceHead};
use tenbin_verdict::{Evidence, RULES};

use crate::Row;

/// Measured time of each line, seconds.
const SECONDS: f64 = 30.0;

/// One line of a published table.
struct Published {
    clients: usize,
    /// Responses per second.
    throughput: f64,
    /// Mean response time, seconds.
    residence: f64,
    /// Think time of each client after a response, milliseconds.
    think: u64,
}

/// A published table and whether its figures are consistent.
struct Table {
    what: &'static str,
    /// Whether the figures are consistent with Little's law.
    is_right: bool,
    lines: &'static [Published],
}

const fn line(clients: usize, throughput: f64, residence: f64, think: u64) -> Published {
    Published {
        clients,
        throughput,
        residence,
        think,
    }
}

/// The published tables:
/// - the concurrency sweep of a search server, whose load generator waited 10 ms between requests
///   without saying so and rounded the clients up to the next multiple of four
/// - an issue of a load generator (wg/wrk#438)
/// - two benchmarks of object stores, of which only the distance from Little's law is known
const TABLES: &[Table] = &[
    Table {
        what: "ramp of a search server, clients as the table says",
        is_right: true,
        lines: &[
            line(1, 33.2, 0.019_766, 10),
            line(2, 65.767, 0.020_047, 10),
            line(4, 118.633, 0.023_358, 10),
            line(8, 141.567, 0.045_837, 10),
            line(12, 150.0, 0.069_028, 10),
            line(16, 150.633, 0.094_734, 10),
            line(20, 140.933, 0.130_165, 10),
        ],
    },
    Table {
        what: "the same ramp, clients rounded up unsaid",
        is_right: false,
        lines: &[
            line(6, 151.333, 0.042_345, 10),
            line(10, 148.867, 0.069_497, 10),
            line(14, 139.433, 0.103_369, 10),
            line(18, 145.4, 0.125_812, 10),
        ],
    },
    Table {
        what: "one connection that answers thirty at once",
        is_right: false,
        lines: &[line(1, 5_043.0, 0.006_04, 0)],
    },
    Table {
        what: "object store, eight clients, ρ of 0.98 and 1.02",
        is_right: true,
        lines: &[
            line(8, 0.98 * 8.0 / 0.002, 0.002, 0),
            line(8, 1.02 * 8.0 / 0.002, 0.002, 0),
        ],
    },
    Table {
        what: "object store, two clients whose own work nobody timed, ρ of 0.93 and 0.84",
        is_right: false,
        lines: &[
            line(2, 0.93 * 2.0 / 0.002, 0.002, 0),
            line(2, 0.84 * 2.0 / 0.002, 0.002, 0),
        ],
    },
];

pub(crate) fn rows() -> Vec<Row> {
    TABLES.iter().map(row).collect()
}

fn row(table: &Table) -> Row {
    let refused = table.lines.iter().filter(|line| is_refused(line)).count();
    let all = table.lines.len();
    let word = if table.is_right { "taken" } else { "refused" };
    let right = if table.is_right {
        all - refused
    } else {
        refused
    };
    Row {
        what: format!("published: {}", table.what),
        limit: format!("all {all} {word}"),
        found: format!("{right} {word}"),
        passed: right == all,
    }
}

/// Whether the rule on Little's law reports the line as inconsistent.
fn is_refused(line: &Published) -> bool {
    let plan = plan(line);
    let slices = [slice(line)];
    let rule = RULES.iter().find(|rule| rule.info.name == "little");
    let rule = rule.expect("the rule is in the table");
    let evidence = Evidence {
        plan: &plan,
        slices: &slices,
        cells: &tenbin_verdict::cells(&plan, &slices),
        stretches: &[],
        comparisons: &[],
        complete: true,
        cores: None,
        environment: &Environment::default(),
        integrity: &Integrity::default(),
    };
    !rule.judge(&evidence).is_empty()
}

fn plan(line: &Published) -> Plan {
    let text = format!(
        "[load]\nconnections = {}\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n\
         [[workload]]\nkind = \"http\"\nname = \"get\"\n",
        line.clients
    );
    let mut context = Context::of_this_process().expect("a working directory");
    let mut plan = Draft::from_toml(&text, Path::new("published.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .expect("the plan is right");
    if line.think > 0 {
        let think = Think::Fixed(Duration::from_millis(line.think));
        plan.workloads[0].load.think = Some(think);
    }
    plan
}

fn slice(line: &Published) -> Slice {
    let mut op = OpFigures::new("GET");
    op.counts.ok = (line.throughput * SECONDS).round() as u64;
    op.times.service.clear();
    let nanos = (line.residence * 1e9).round() as u64;
    let recorded = op.times.service.record_n(nanos, op.counts.ok);
    recorded.expect("the time is within the histogram");
    op.times.response = op.times.service.clone();
    Slice {
        head: SliceHead {
            workload: "get".to_owned(),
            target: "a".to_owned(),
            connections: line.clients,
            closed_loop: true,
            ..SliceHead::default()
        },
        end: SliceEnd {
            seconds: SECONDS,
            ..SliceEnd::default()
        },
        ops: vec![op],
        client: ClientUse {
            cpu_seconds: 1.0,
            busiest_thread: 0.1,
            ..ClientUse::default()
        },
        ..Slice::default()
    }
}
