//! The table of a workload: what each target did.

use crate::document::{Document, OperationResult, ResultOf, Role, TimedFrom, Workload};
use crate::escape::for_terminal;
use crate::table::Table;
use crate::words::{RATE, TIME, errors, named_by_role};

/// One row for each target, and for each operation where a workload has several.
pub(super) fn table(document: &Document, workload: &Workload) -> Table {
    let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
    let observed = results.iter().any(|result| result.server_cpu.is_some());
    let timed_from = results
        .iter()
        .flat_map(|result| &result.operations)
        .map(|operation| operation.timed_from)
        .next();
    let times = match timed_from {
        Some(TimedFrom::IntendedStart) => "response p50",
        Some(TimedFrom::Write) | None => "service p50",
    };
    let mut head = ["target", "throughput", times, "p90", "p99", "max", "errors"]
        .map(str::to_owned)
        .to_vec();
    if observed {
        head.push("server CPU/op".to_owned());
    }
    let mut table = Table::new(head);
    for result in results {
        table.push(of_target(result, observed));
        for operation in apart(result) {
            table.push(of_operation(result, operation, observed));
        }
    }
    table
}

fn of_target(result: &ResultOf, observed: bool) -> Vec<String> {
    let work: Vec<&OperationResult> = result.work().collect();
    let times = match work.as_slice() {
        [] => [(); 4].map(|()| TIME.with_spread(None)),
        [operation] => times_of(operation),
        _ => ["see below"; 4].map(str::to_owned),
    };
    let mut row = vec![
        for_terminal(&result.target),
        RATE.with_spread(result.throughput),
    ];
    row.extend(times);
    row.push(errors(result.failed, result.ok));
    row.extend(observed.then(|| TIME.with_spread(result.server_cpu)));
    row
}

/// What has a row of its own: work, if there are several kinds of it, and steps.
fn apart(result: &ResultOf) -> impl Iterator<Item = &OperationResult> {
    let several = result.work().count() > 1;
    let work = result.work().filter(move |_| several);
    work.chain(result.steps()).chain(result.checks())
}

fn of_operation(result: &ResultOf, operation: &OperationResult, observed: bool) -> Vec<String> {
    let target = for_terminal(&result.target);
    let mut row = vec![
        format!("{target} {}", for_terminal(&named_by_role(operation))),
        match operation.role {
            // Only some of the work is polled.
            Role::Poll | Role::Effect => String::new(),
            Role::Request | Role::Step | Role::Whole => RATE.with_spread(operation.throughput),
        },
    ];
    row.extend(times_of(operation));
    row.push(errors(operation.failed, operation.ok));
    row.extend(observed.then(String::new));
    row
}

/// p50, p90, p99, max.
fn times_of(operation: &OperationResult) -> [String; 4] {
    let [p50, p90, p99] =
        [operation.p50, operation.p90, operation.p99].map(|figure| TIME.with_spread(figure));
    [p50, p90, p99, TIME.maybe(operation.max)]
}
