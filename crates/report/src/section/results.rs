//! The section with the results: the figures of each target and their ratios.

use tenbin_result::format::{RATE, TIME, errors, ratio, ratio_interval};
use tenbin_result::{
    Comparison, Document, Message, Metric, OperationResult, ResultOf, Role, TimedFrom, Value,
    Workload, message,
};

use super::claims::{metric, verdict_word};
use crate::block::{Block, Cell, Table};
use crate::language::{clauses, figure_words, say};
use crate::paired::is_paired;
use crate::words::named_by_role;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let (measured, missing): (Vec<&Workload>, Vec<&Workload>) = document
        .workloads
        .iter()
        .filter(|workload| !has_own_section(document, workload))
        .partition(|workload| !document.is_unmeasured(&workload.name));
    let mut blocks = Vec::new();
    let table = match measured.as_slice() {
        [only] => of_one(document, only),
        several => of_several(document, several),
    };
    blocks.extend(table.block());
    let mut results = measured
        .iter()
        .flat_map(|work| document.results_of(&work.name));
    let is_observed = |result: &ResultOf| result.server_cpu.is_some();
    if !blocks.is_empty() && has_servers(document) && !results.any(is_observed) {
        blocks.push(Block::Paragraph(NOT_OBSERVED.into()));
    }
    let shown = measured
        .iter()
        .flat_map(|work| document.results_of(&work.name));
    blocks.extend(
        of_stretches(&shown.collect::<Vec<_>>()).map(|it| Block::sentence(&say(document, &it))),
    );
    let missing = missing
        .iter()
        .map(|workload| message!("not-measured", workload = &workload.name))
        .map(|missing| say(document, &missing));
    blocks.extend(Block::sentences(&missing.collect::<Vec<_>>()));
    let shown = measured
        .iter()
        .flat_map(|work| document.comparisons_of(&work.name));
    let shows_all =
        matches!(measured.as_slice(), [only] if results_of_two(document, only).is_some());
    let mut marked = shown.filter(|c| c.primary || shows_all);
    if marked.any(|c| is_paired(document, c)) {
        blocks.push(Block::Paragraph(PAIRED.into()));
    }
    blocks
}

/// What the continuous load after the rounds could show; `None` without such load.
fn of_stretches(results: &[&ResultOf]) -> Option<Message> {
    let stretches = || {
        results
            .iter()
            .filter_map(|result| result.sustained.as_ref())
    };
    let shortest = stretches().map(|it| it.seconds).reduce(f64::min)?;
    let fewest = stretches().map(|it| it.operations).min()?;
    let unconfirmed = results.iter().filter_map(|result| {
        let first = result.sustained.as_ref()?.unconfirmed_throughput?;
        Some(message!(
            "slower-first-stretch",
            target = &result.target,
            throughput = Value::Rate(first)
        ))
    });
    let sustained = message!(
        "sustained",
        time = Value::Seconds(shortest),
        operations = fewest
    );
    Some(clauses(sustained, unconfirmed))
}

/// Explanation of the mark `*` on ratios.
pub(super) const PAIRED: &str = "* paired by round; differs from the quotient of the columns";

/// Whether any target is a server with connections, so that the cost of the server could be
/// observed.
fn has_servers(document: &Document) -> bool {
    let mut results = document.results.iter();
    results.any(|result| result.connections.is_some())
}

/// Whether another section shows the workload: levels of a concurrency sweep and maximum-rate
/// searches.
fn has_own_section(document: &Document, workload: &Workload) -> bool {
    let mut levels = document
        .concurrency_sweeps
        .iter()
        .flat_map(|each| &each.levels);
    let mut searches = document.searches.iter();
    levels.any(|level| level.workload == workload.name)
        || searches.any(|search| search.workload == workload.name)
}

/// The table of one workload. With one operation on one or two targets, the table has one row per
/// figure.
fn of_one(document: &Document, workload: &Workload) -> Table {
    if let Some((first, second)) = results_of_two(document, workload) {
        let mut all = document.comparisons_of(&workload.name);
        return match all.find(|c| c.primary).map(|c| c.baseline.clone()) {
            Some(baseline) if baseline == second.target => {
                two_targets(document, workload, second, first)
            }
            _ => two_targets(document, workload, first, second),
        };
    }
    let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
    match results.as_slice() {
        [only] if is_plain(only) => one_target(document, only),
        _ => of_several(document, &[workload]),
    }
}

/// The results of two targets with one operation each, whose table has every comparison; `None` for
/// other workloads.
fn results_of_two<'a>(
    document: &'a Document,
    workload: &'a Workload,
) -> Option<(&'a ResultOf, &'a ResultOf)> {
    let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
    match results.as_slice() {
        [first, second] if is_plain(first) && is_plain(second) => Some((first, second)),
        _ => None,
    }
}

/// Whether the result has one operation.
fn is_plain(result: &ResultOf) -> bool {
    result.operations.len() == 1 && result.work().count() == 1
}

/// A row of the table: a figure, with its comparisons.
struct Line {
    name: String,
    /// The metrics whose ratio is in this row.
    metrics: &'static [Metric],
    of: fn(&ResultOf) -> Cell,
}

impl Line {
    fn is_known(&self, results: &[&ResultOf]) -> bool {
        let mut cells = results.iter().map(|result| (self.of)(result));
        cells.any(|cell| cell.says_something())
    }
}

fn lines(results: &[&ResultOf]) -> Vec<Line> {
    let from = results
        .iter()
        .flat_map(|result| result.work())
        .map(|operation| operation.timed_from)
        .next();
    let times = match from {
        Some(TimedFrom::IntendedStart) => "response",
        Some(TimedFrom::Write) | None => "service",
    };
    let line = |name: &str, metrics, of| Line {
        name: name.to_owned(),
        metrics,
        of,
    };
    vec![
        line("throughput", &[Metric::Throughput], |r| {
            Cell::Figure(RATE, r.throughput)
        }),
        line("sustained", &[], |r| {
            r.sustained
                .as_ref()
                .map_or_else(Cell::empty, |it| Cell::once(RATE, it.throughput))
        }),
        line(
            &format!("{times} p50"),
            &[Metric::SERVICE_P50, Metric::RESPONSE_P50],
            |r| time(r, |op| Cell::Figure(TIME, op.p50)),
        ),
        line("p90", &[Metric::SERVICE_P90, Metric::RESPONSE_P90], |r| {
            time(r, |op| Cell::Figure(TIME, op.p90))
        }),
        line("p99", &[Metric::SERVICE_P99, Metric::RESPONSE_P99], |r| {
            time(r, |op| Cell::Figure(TIME, op.p99))
        }),
        line("sustained p99", &[], |r| {
            r.sustained
                .as_ref()
                .map_or_else(Cell::empty, |it| Cell::once(TIME, it.p99))
        }),
        line("max", &[], |r| time(r, |op| Cell::once(TIME, op.max))),
        line("errors", &[], |r| errors(r.failed, r.ok).into()),
        line("CPU/op", &[Metric::ServerCpu], |r| {
            Cell::Figure(TIME, r.server_cpu)
        }),
    ]
}

fn time(result: &ResultOf, of: fn(&OperationResult) -> Cell) -> Cell {
    result.work().next().map_or_else(Cell::empty, of)
}

/// Text printed for a cost that was not observed.
const NOT_OBSERVED: &str = "CPU/op  not measured (add --observe port)";

fn one_target(document: &Document, result: &ResultOf) -> Table {
    let words = figure_words(document.language);
    let mut table = Table::new(1, ["", result.target.as_str(), "interval"]);
    let lines = lines(&[result]);
    for line in lines.iter().filter(|line| line.is_known(&[result])) {
        let cell = (line.of)(result);
        let ends = cell.ends(words).map_or_else(Cell::empty, Cell::from);
        table.push([line.name.clone().into(), cell, ends]);
    }
    table
}

/// Maximum number of letters of the names of both targets in the head of a column of ratios.
const SHORT: usize = 20;

fn two_targets(
    document: &Document,
    workload: &Workload,
    baseline: &ResultOf,
    challenger: &ResultOf,
) -> Table {
    let comparisons: Vec<&Comparison> = document.comparisons_of(&workload.name).collect();
    let (a, b) = (baseline.target.as_str(), challenger.target.as_str());
    let quotient = format!("{b}/{a}");
    let ratio = match quotient.chars().count() {
        0..=SHORT => quotient.as_str(),
        _ => "ratio",
    };
    let mut table = Table::new(1, ["", a, b, ratio, "interval", "verdict"]);
    let lines = lines(&[baseline, challenger]);
    for line in lines
        .iter()
        .filter(|line| line.is_known(&[baseline, challenger]))
    {
        let mut all = comparisons.iter();
        let compared = all.find(|c| c.metric.is_one_of(line.metrics));
        let mut row: Vec<Cell> = vec![
            line.name.clone().into(),
            (line.of)(baseline),
            (line.of)(challenger),
        ];
        row.extend(ratio_cells(document, compared.copied()));
        table.push(row);
    }
    let is_known = |c: &&&Comparison| lines.iter().any(|line| c.metric.is_one_of(line.metrics));
    for comparison in comparisons.iter().filter(|c| !is_known(c)) {
        let mut row: Vec<Cell> = vec![
            say(document, &metric(comparison)).into(),
            Cell::empty(),
            Cell::empty(),
        ];
        row.extend(ratio_cells(document, Some(comparison)));
        table.push(row);
    }
    table
}

/// Cells for ratio, interval and verdict. The ratio is marked if it differs from the quotient of
/// the two targets' displayed figures.
fn ratio_cells(document: &Document, comparison: Option<&Comparison>) -> [Cell; 3] {
    let Some(comparison) = comparison else {
        return [Cell::empty(), Cell::empty(), Cell::empty()];
    };
    let mark = if is_paired(document, comparison) {
        "*"
    } else {
        ""
    };
    let value = comparison.ratio.map_or_else(
        || Cell::Ratio(None),
        |figure| format!("{}{mark}", ratio(figure.value)).into(),
    );
    if document.gate.is_some() {
        // The intervals of the gate decide, and stand in its table.
        return [value, Cell::empty(), Cell::empty()];
    }
    [
        value,
        ratio_interval(comparison.ratio).into(),
        verdict_word(comparison).into(),
    ]
}

/// A table with one row per workload and target, and per operation if there are several.
fn of_several(document: &Document, workloads: &[&Workload]) -> Table {
    let mut table = Table::new(
        2,
        [
            "workload",
            "target",
            "throughput",
            "sustained",
            "p50",
            "p99",
            "errors",
            "CPU/op",
            ratio_header(document, workloads).as_str(),
            "interval",
            "verdict",
        ],
    );
    for workload in workloads {
        for result in document.results_of(&workload.name) {
            let mut all = document.comparisons_of(&workload.name);
            let decides = all.find(|c| c.primary && c.challenger == result.target);
            let one = {
                let mut work = result.work();
                work.next().filter(|_| work.next().is_none())
            };
            let mut row: Vec<Cell> = vec![
                workload.name.clone().into(),
                result.target.clone().into(),
                Cell::Figure(RATE, result.throughput),
                result
                    .sustained
                    .as_ref()
                    .map_or_else(Cell::empty, |it| Cell::once(RATE, it.throughput)),
                one.map_or_else(Cell::empty, |op| Cell::Figure(TIME, op.p50)),
                one.map_or_else(Cell::empty, |op| Cell::Figure(TIME, op.p99)),
                errors(result.failed, result.ok).into(),
                Cell::Figure(TIME, result.server_cpu),
            ];
            row.extend(ratio_cells(document, decides));
            table.push(row);
            for operation in apart(result) {
                table.push(of_operation(document, result, operation));
            }
        }
    }
    table
}

/// Header of the ratio column, which names the metric if all rows have the same metric other than
/// throughput.
fn ratio_header(document: &Document, workloads: &[&Workload]) -> String {
    let primary = workloads
        .iter()
        .flat_map(|work| document.comparisons_of(&work.name))
        .filter(|comparison| comparison.primary);
    let mut compared: Vec<&Comparison> = primary.collect();
    compared.dedup_by(|one, other| one.metric == other.metric);
    match compared.as_slice() {
        [only] if only.metric != Metric::Throughput => {
            say(document, &message!("ratio-of", metric = metric(only)))
        }
        _ => "ratio".to_owned(),
    }
}

/// Operations that get a separate row: each operation if the workload has several, and the
/// sub-requests, polls and effects that occurred.
fn apart(result: &ResultOf) -> impl Iterator<Item = &OperationResult> {
    let several = result.work().count() > 1;
    let work = result.work().filter(move |_| several);
    let others = result.steps().chain(result.checks());
    work.chain(others.filter(|operation| occurred(operation)))
}

/// Whether there was any response to an operation, or any failure.
pub(super) fn occurred(operation: &OperationResult) -> bool {
    operation.counts.ok != Some(0) || operation.failed != Some(0)
}

fn of_operation(document: &Document, result: &ResultOf, operation: &OperationResult) -> Vec<Cell> {
    let mut row = vec![Cell::empty(); 11];
    row[0] = result.workload.clone().into();
    row[1] = format!("  {}", named_by_role(document, operation)).into();
    // Only some operations are polled.
    if !matches!(operation.role, Role::Poll | Role::Effect) {
        row[2] = Cell::Figure(RATE, operation.throughput);
    }
    row[4] = Cell::Figure(TIME, operation.p50);
    row[5] = Cell::Figure(TIME, operation.p99);
    row[6] = errors(operation.failed, operation.counts.ok).into();
    row
}
