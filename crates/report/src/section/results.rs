//! The section with the results: the figures of each target and their ratios.

use tenbin_result::format::{RATE, TIME, errors, plural, ratio, ratio_interval};
use tenbin_result::{Comparison, Document, OperationResult, ResultOf, Role, TimedFrom, Workload};

use super::claims::verdict_word;
use crate::block::{Block, Cell, Table};
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
    blocks.extend(of_stretches(&shown.collect::<Vec<_>>()).map(|it| Block::sentence(&it)));
    let missing = missing
        .iter()
        .map(|workload| format!("{}: not measured, the run ended before", workload.name));
    blocks.extend(Block::sentences(&missing.collect::<Vec<_>>()));
    let shown = measured
        .iter()
        .flat_map(|work| document.comparisons_of(&work.name));
    if shown.filter(|c| c.primary).any(|c| is_paired(document, c)) {
        blocks.push(Block::Paragraph(PAIRED.into()));
    }
    blocks
}

/// What the continuous load after the rounds could show; `None` without such load.
fn of_stretches(results: &[&ResultOf]) -> Option<String> {
    let stretches = || {
        results
            .iter()
            .filter_map(|result| result.sustained.as_ref())
    };
    let shortest = stretches().map(|it| it.seconds).reduce(f64::min)?;
    let fewest = stretches().map(|it| it.operations).min()?;
    let unconfirmed = results.iter().filter_map(|result| {
        let first = result.sustained.as_ref()?.unconfirmed_throughput?;
        Some(format!(
            "; {} was slower in a first stretch ({}), which a second one did not confirm",
            result.target,
            RATE.of(first)
        ))
    });
    Some(format!(
        "sustained: continuous load of {} after the rounds; a burst credit of more than {} would \
         not show in this time (--soak 30m){}",
        TIME.of(shortest),
        plural(fewest, "operation"),
        unconfirmed.collect::<String>()
    ))
}

/// Explanation of the mark `*` on ratios.
const PAIRED: &str = "* paired by round; differs from the quotient of the columns";

/// Whether any target is a server with connections, so that the cost of the server could be
/// observed.
fn has_servers(document: &Document) -> bool {
    let mut results = document.results.iter();
    results.any(|result| result.connections.is_some())
}

/// Whether another section shows the workload: levels of a concurrency sweep and maximum-rate
/// searches.
fn has_own_section(document: &Document, workload: &Workload) -> bool {
    let mut levels = document.capacities.iter().flat_map(|each| &each.levels);
    let mut searches = document.searches.iter();
    levels.any(|level| level.workload == workload.name)
        || searches.any(|search| search.workload == workload.name)
}

/// The table of one workload. With one operation on one or two targets, the table has one row per
/// figure.
fn of_one(document: &Document, workload: &Workload) -> Table {
    let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
    let is_plain = results
        .iter()
        .all(|result| result.operations.len() == 1 && result.work().count() == 1);
    match results.as_slice() {
        [only] if is_plain => one_target(only),
        [first, second] if is_plain => {
            let mut all = document.comparisons_of(&workload.name);
            match all.find(|c| c.primary).map(|c| c.baseline.clone()) {
                Some(baseline) if baseline == second.target => {
                    two_targets(document, workload, second, first)
                }
                _ => two_targets(document, workload, first, second),
            }
        }
        _ => of_several(document, &[workload]),
    }
}

/// A row of the table: a figure, with its comparisons.
struct Line {
    name: String,
    /// Names of the metrics whose ratio is in this row.
    metrics: &'static [&'static str],
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
        line("throughput", &["throughput"], |r| {
            Cell::Figure(RATE, r.throughput)
        }),
        line("sustained", &[], |r| {
            r.sustained
                .as_ref()
                .map_or_else(Cell::empty, |it| Cell::once(RATE, it.throughput))
        }),
        line(
            &format!("{times} p50"),
            &["service_p50", "response_p50"],
            |r| time(r, |op| Cell::Figure(TIME, op.p50)),
        ),
        line("p90", &["service_p90", "response_p90"], |r| {
            time(r, |op| Cell::Figure(TIME, op.p90))
        }),
        line("p99", &["service_p99", "response_p99"], |r| {
            time(r, |op| Cell::Figure(TIME, op.p99))
        }),
        line("sustained p99", &[], |r| {
            r.sustained
                .as_ref()
                .map_or_else(Cell::empty, |it| Cell::once(TIME, it.p99))
        }),
        line("max", &[], |r| time(r, |op| Cell::once(TIME, op.max))),
        line("errors", &[], |r| errors(r.failed, r.ok).into()),
        line("CPU/op", &["server_cpu"], |r| {
            Cell::Figure(TIME, r.server_cpu)
        }),
    ]
}

fn time(result: &ResultOf, of: fn(&OperationResult) -> Cell) -> Cell {
    result.work().next().map_or_else(Cell::empty, of)
}

/// Text printed for a cost that was not observed.
const NOT_OBSERVED: &str = "CPU/op  not measured (add --observe port)";

fn one_target(result: &ResultOf) -> Table {
    let mut table = Table::new(1, ["", result.target.as_str(), "interval"]);
    let lines = lines(&[result]);
    for line in lines.iter().filter(|line| line.is_known(&[result])) {
        let cell = (line.of)(result);
        table.push([line.name.clone().into(), cell.clone(), ends(&cell)]);
    }
    table
}

/// The interval of a figure as a separate cell.
fn ends(cell: &Cell) -> Cell {
    use crate::block::Detail;
    let all = cell.text(Detail::Interval).letters();
    let value = cell.text(Detail::Value).letters();
    let ends = all
        .strip_prefix(&value)
        .and_then(|rest| rest.trim().strip_prefix('('))
        .and_then(|rest| rest.strip_suffix(')'));
    ends.map_or_else(Cell::empty, Cell::from)
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
        let compared = all.find(|c| line.metrics.contains(&c.metric.as_str()));
        let mut row: Vec<Cell> = vec![
            line.name.clone().into(),
            (line.of)(baseline),
            (line.of)(challenger),
        ];
        row.extend(ratio_cells(document, compared.copied()));
        table.push(row);
    }
    let is_known = |c: &&&Comparison| {
        lines
            .iter()
            .any(|line| line.metrics.contains(&c.metric.as_str()))
    };
    for comparison in comparisons.iter().filter(|c| !is_known(c)) {
        let mut row: Vec<Cell> = vec![
            comparison.metric_phrase.clone().into(),
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
    [
        comparison.ratio.map_or_else(
            || Cell::Ratio(None),
            |figure| format!("{}{mark}", ratio(figure.value)).into(),
        ),
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
                table.push(of_operation(result, operation));
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
    let mut phrases: Vec<&str> = primary.map(|c| c.metric_phrase.as_str()).collect();
    phrases.dedup();
    match phrases.as_slice() {
        ["throughput"] | [] => "ratio".to_owned(),
        [only] => format!("ratio of {only}"),
        _ => "ratio".to_owned(),
    }
}

/// Operations that get a separate row: each operation if the workload has several, and
/// sub-requests, polls and their effects.
fn apart(result: &ResultOf) -> impl Iterator<Item = &OperationResult> {
    let several = result.work().count() > 1;
    let work = result.work().filter(move |_| several);
    work.chain(result.steps()).chain(result.checks())
}

fn of_operation(result: &ResultOf, operation: &OperationResult) -> Vec<Cell> {
    let mut row = vec![Cell::empty(); 11];
    row[0] = result.workload.clone().into();
    row[1] = format!("  {}", named_by_role(operation)).into();
    // Only some operations are polled.
    if !matches!(operation.role, Role::Poll | Role::Effect) {
        row[2] = Cell::Figure(RATE, operation.throughput);
    }
    row[4] = Cell::Figure(TIME, operation.p50);
    row[5] = Cell::Figure(TIME, operation.p99);
    row[6] = errors(operation.failed, operation.counts.ok).into();
    row
}
