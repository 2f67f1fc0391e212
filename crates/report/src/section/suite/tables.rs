//! Tables of all operations and targets: latency, throughput, bandwidth.

use tenbin_result::format::{BANDWIDTH, UNKNOWN, Words, grouped_interval, ratio, ratio_interval};
use tenbin_result::{
    Comparison, Document, Figure, Interval, Metric, OperationResult, ResultOf, Trust, Workload,
};

use super::super::claims::{verdict_word, winner};
use super::title::title;
use crate::block::{Block, Cell, Look, Table, Text};
use crate::language::figure_words;

/// A function that formats a figure of a result for a cell.
type Of = fn(&ResultOf, &Words) -> String;

/// The table of workloads that send one operation at a time, like Go's benchmarks.
pub(super) fn sequential(document: &Document) -> Vec<Block> {
    below(
        "One operation at a time (µs/op)",
        "Time of the slice divided by its correct operations, in microseconds, as `go test \
        -bench` prints it. One operation was sent at a time, on one connection. A ratio above 1 is \
        faster than the baseline.",
        table_of(
            document,
            &[Metric::Throughput],
            |result, words| grouped_interval(result.throughput.and_then(inverse), words),
            Workload::is_sequential,
        ),
    )
}

/// Converts operations per second to microseconds per operation.
fn inverse(rate: Figure) -> Option<Figure> {
    let time = |rate: f64| 1e6 / rate;
    (rate.value > 0.0).then(|| Figure {
        value: time(rate.value),
        interval: rate
            .interval
            .filter(|ends| ends.low > 0.0)
            .map(|ends| Interval {
                low: time(ends.high),
                high: time(ends.low),
                ..ends
            }),
        ..rate
    })
}

pub(super) fn latency(document: &Document) -> Vec<Block> {
    below(
        "Median latency (µs/op)",
        "Median time of one operation, in microseconds: from the write in a closed loop, from the \
        intended start in an open loop. A ratio above 1 is slower than the baseline. In a closed \
        loop, throughput depends on the mean time, which a slow tail makes longer than the median: \
        if median and throughput name different winners, both are named.",
        table_of(
            document,
            &[Metric::SERVICE_P50, Metric::RESPONSE_P50],
            |result, words| {
                per_operation(result, |operation| {
                    grouped_interval(operation.p50.map(|figure| scaled(figure, 1e6)), words)
                })
            },
            |_| true,
        ),
    )
}

pub(super) fn throughput(document: &Document) -> Vec<Block> {
    below(
        "Throughput (ops/s)",
        "Correct responses per second. A ratio above 1 is faster than the baseline; in a closed \
        loop this comparison decides.",
        table_of(
            document,
            &[Metric::Throughput],
            |result, words| grouped_interval(result.throughput, words),
            |_| true,
        ),
    )
}

pub(super) fn bandwidth(document: &Document) -> Vec<Block> {
    let words = figure_words(document.language);
    let moves = |operation: &OperationResult| operation.bandwidth.is_some_and(|f| f.value > 0.0);
    let moving = |result: &&ResultOf| result.work().any(moves);
    let mut head = vec!["operation"];
    head.extend(document.targets.iter().map(|target| target.name.as_str()));
    let mut table = Table::new(1, head);
    for workload in &document.workloads {
        let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
        if !results.iter().any(moving) {
            continue;
        }
        let mut row: Vec<Cell> = vec![title(document, workload).into()];
        row.extend(results.iter().map(|result| {
            let shown = per_operation(result, |op| BANDWIDTH.with_interval(op.bandwidth, words));
            Cell::from(shown)
        }));
        row.resize(document.targets.len() + 1, UNKNOWN.into());
        table.push(row);
    }
    below(
        "Bandwidth",
        "Body bytes of correct operations per second, in both directions.",
        table,
    )
}

/// A table with a heading and a description; empty without rows.
pub(super) fn below(heading: &str, about: &str, table: Table) -> Vec<Block> {
    match table.block() {
        None => Vec::new(),
        Some(table) => vec![
            Block::heading(heading),
            Block::Paragraph(about.into()),
            table,
        ],
    }
}

/// One row per workload: every target's figure, then every challenger's ratio.
fn table_of(
    document: &Document,
    metrics: &[Metric],
    of: Of,
    is_meant: fn(&Workload) -> bool,
) -> Table {
    let words = figure_words(document.language);
    let mut head = vec!["operation".to_owned()];
    head.extend(document.targets.iter().map(|target| target.name.clone()));
    if let Some(baseline) = document.baseline() {
        for challenger in document.challengers() {
            head.push(format!("{} ÷ {}", challenger.name, baseline.name));
            head.extend(["interval".to_owned(), "winner".to_owned()]);
        }
    }
    let mut table = Table::new(1, head);
    let workloads = document.workloads.iter();
    for workload in workloads.filter(|workload| is_meant(workload)) {
        let mut row: Vec<Cell> = vec![title(document, workload).into()];
        for target in &document.targets {
            let mut results = document.results_of(&workload.name);
            let mine = results.find(|result| result.target == target.name);
            let shown = mine.map(|result| of(result, words));
            row.push(shown.unwrap_or_else(|| UNKNOWN.to_owned()).into());
        }
        for challenger in document.challengers() {
            row.extend(compared(document, workload, &challenger.name, metrics));
        }
        table.push(row);
    }
    table
}

/// Cells for ratio, interval and winner.
fn compared(
    document: &Document,
    workload: &Workload,
    challenger: &str,
    metrics: &[Metric],
) -> [Cell; 3] {
    let meant = |c: &&Comparison| c.challenger == challenger && c.metric.is_one_of(metrics);
    let Some(found) = document.comparisons_of(&workload.name).find(meant) else {
        return [UNKNOWN; 3].map(Cell::from);
    };
    [
        found
            .ratio
            .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value))
            .into(),
        ratio_interval(found.ratio).into(),
        match winner(found) {
            Some(name) => Cell::Text(match denied(document, found, name) {
                Some(other) => Text::plain(format!(
                    "{name} by the median, {other} by throughput{}",
                    doubt(found)
                )),
                None => Text::default()
                    .and(Look::Strong, name)
                    .and(Look::Plain, doubt(found)),
            }),
            None => verdict_word(found).into(),
        },
    ]
}

/// The winner by the primary comparison, if that winner is not `name`.
fn denied<'d>(document: &'d Document, found: &Comparison, name: &str) -> Option<&'d str> {
    let mut all = document.comparisons.iter();
    let primary = all
        .find(|c| c.primary && c.workload == found.workload && c.challenger == found.challenger)?;
    let other = match winner(primary)? {
        other if *other == primary.challenger => &primary.challenger,
        _ => &primary.baseline,
    };
    (other != name).then_some(other.as_str())
}

/// The mark on a winner whose numbers are SUSPECT; otherwise empty.
fn doubt(found: &Comparison) -> &'static str {
    match found.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    }
}

/// The figure of a workload with one operation; for several operations, each figure with the
/// operation's name.
fn per_operation(result: &ResultOf, figure: impl Fn(&OperationResult) -> String) -> String {
    let work: Vec<&OperationResult> = result.work().collect();
    match work.as_slice() {
        [] => UNKNOWN.to_owned(),
        [only] => figure(only),
        several => {
            let parts: Vec<String> = several
                .iter()
                .map(|each| format!("{}: {}", each.operation, figure(each)))
                .collect();
            parts.join("; ")
        }
    }
}

fn scaled(figure: Figure, by: f64) -> Figure {
    Figure {
        value: figure.value * by,
        interval: figure.interval.map(|ends| Interval {
            low: ends.low * by,
            high: ends.high * by,
            ..ends
        }),
        ..figure
    }
}
