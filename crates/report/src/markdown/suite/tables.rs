//! Every operation on every target: latency, throughput, bandwidth.

use super::title::title;
use crate::document::{Comparison, Document, Figure, OperationResult, ResultOf, Trust, Workload};
use crate::escape::for_markdown;
use crate::markdown::{Rows, heading, line, winner};
use crate::terminal::verdict_word;
use crate::words::{BANDWIDTH, UNKNOWN, grouped_interval, ratio, ratio_interval};

/// Work of which one operation was sent at a time, as Go's benchmarks do.
pub(super) fn sequential(page: &mut String, document: &Document) {
    let mut workloads = document.workloads.iter();
    if !workloads.any(Workload::is_sequential) {
        return;
    }
    heading(page, 3, "One operation at a time (µs/op)");
    line(
        page,
        "Time of the slice divided by its correct operations, in microseconds: what `go test \
         -bench` prints. One operation was sent at a time, on one connection. A ratio above 1 is \
         faster than the baseline.",
    );
    line(page, "");
    let figure = |result: &ResultOf| grouped_interval(result.throughput.and_then(inverse));
    table_of(
        page,
        document,
        &["throughput"],
        &figure,
        &Workload::is_sequential,
    );
}

/// Microseconds an operation, of operations a second.
fn inverse(rate: Figure) -> Option<Figure> {
    let time = |rate: f64| 1e6 / rate;
    (rate.value > 0.0).then(|| Figure {
        value: time(rate.value),
        interval: rate.interval.filter(|ends| ends.low > 0.0).map(|ends| {
            crate::document::Interval {
                low: time(ends.high),
                high: time(ends.low),
                ..ends
            }
        }),
        ..rate
    })
}

pub(super) fn latency(page: &mut String, document: &Document) {
    heading(page, 3, "Median latency (µs/op)");
    line(
        page,
        "Median time of one operation, in microseconds: from its write in a closed loop, from its \
         intended start in an open one. A ratio above 1 is slower than the baseline. In a closed \
         loop throughput follows the mean time, which a slow tail makes longer than the median: \
         where the two name different winners, both are named.",
    );
    line(page, "");
    let metrics = ["service_p50", "response_p50"];
    table(page, document, &metrics, &|result| {
        per_operation(result, |operation| {
            grouped_interval(operation.p50.map(|figure| scaled(figure, 1e6)))
        })
    });
}

pub(super) fn throughput(page: &mut String, document: &Document) {
    heading(page, 3, "Throughput (ops/s)");
    line(
        page,
        "Correct answers a second. A ratio above 1 is faster than the baseline; in a closed loop \
         this is the comparison that decides.",
    );
    line(page, "");
    table(page, document, &["throughput"], &|result| {
        grouped_interval(result.throughput)
    });
}

pub(super) fn bandwidth(page: &mut String, document: &Document) {
    let moves = |operation: &OperationResult| operation.bandwidth.is_some_and(|f| f.value > 0.0);
    let mut all = document.results.iter();
    if !all.any(|result| result.work().any(moves)) {
        return;
    }
    heading(page, 3, "Bandwidth");
    line(
        page,
        "Body bytes of correct operations a second, either way.",
    );
    line(page, "");
    let mut head = vec!["operation".to_owned()];
    head.extend(
        document
            .targets
            .iter()
            .map(|target| for_markdown(&target.name)),
    );
    let mut rows = Rows::new(page, &refs(&head));
    for workload in &document.workloads {
        let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
        let moving = |result: &&ResultOf| result.work().any(moves);
        if !results.iter().any(moving) {
            continue;
        }
        let mut cells = vec![for_markdown(&title(document, workload))];
        cells.extend(results.iter().map(|result| {
            per_operation(result, |operation| {
                BANDWIDTH.with_interval(operation.bandwidth)
            })
        }));
        rows.row(&cells);
    }
}

/// One row a workload: every target's figure, then every challenger's ratio.
fn table(
    page: &mut String,
    document: &Document,
    metrics: &[&str],
    figure: &dyn Fn(&ResultOf) -> String,
) {
    table_of(page, document, metrics, figure, &|_| true);
}

/// The same of some workloads.
fn table_of(
    page: &mut String,
    document: &Document,
    metrics: &[&str],
    figure: &dyn Fn(&ResultOf) -> String,
    is_meant: &dyn Fn(&Workload) -> bool,
) {
    let mut head = vec!["operation".to_owned()];
    head.extend(
        document
            .targets
            .iter()
            .map(|target| for_markdown(&target.name)),
    );
    if let Some(baseline) = document.baseline() {
        for challenger in document.challengers() {
            head.push(format!(
                "{} ÷ {}",
                for_markdown(&challenger.name),
                for_markdown(&baseline.name)
            ));
            head.extend(["interval".to_owned(), "winner".to_owned()]);
        }
    }
    let mut rows = Rows::new(page, &refs(&head));
    let workloads = document.workloads.iter();
    for workload in workloads.filter(|workload| is_meant(workload)) {
        let mut cells = vec![for_markdown(&title(document, workload))];
        for target in &document.targets {
            let mut results = document.results_of(&workload.name);
            let mine = results.find(|result| result.target == target.name);
            cells.push(mine.map_or_else(|| UNKNOWN.to_owned(), figure));
        }
        for challenger in document.challengers() {
            cells.extend(compared(document, workload, &challenger.name, metrics));
        }
        rows.row(&cells);
    }
}

/// Ratio, interval and winner.
fn compared(
    document: &Document,
    workload: &Workload,
    challenger: &str,
    metrics: &[&str],
) -> [String; 3] {
    let meant =
        |c: &&Comparison| c.challenger == challenger && metrics.contains(&c.metric.as_str());
    match document.comparisons_of(&workload.name).find(meant) {
        None => [UNKNOWN; 3].map(str::to_owned),
        Some(found) => [
            found
                .ratio
                .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value)),
            ratio_interval(found.ratio),
            match winner(found) {
                Some(name) => match denied(document, found, name) {
                    Some(other) => format!(
                        "{} by the median, {} by throughput{}",
                        for_markdown(name),
                        for_markdown(other),
                        doubt(found)
                    ),
                    None => format!("**{}**{}", for_markdown(name), doubt(found)),
                },
                None => verdict_word(found).to_owned(),
            },
        ],
    }
}

/// The winner that the comparison that decides names instead.
fn denied<'d>(document: &'d Document, found: &Comparison, name: &str) -> Option<&'d str> {
    let mut all = document.comparisons.iter();
    let deciding = all
        .find(|c| c.primary && c.workload == found.workload && c.challenger == found.challenger)?;
    let other = match winner(deciding)? {
        other if *other == deciding.challenger => &deciding.challenger,
        _ => &deciding.baseline,
    };
    (other != name).then_some(other.as_str())
}

/// A winner by numbers that may mislead is marked as such.
fn doubt(found: &Comparison) -> &'static str {
    match found.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    }
}

/// The figure of a workload with one operation; of several, each with its name.
fn per_operation(result: &ResultOf, figure: impl Fn(&OperationResult) -> String) -> String {
    let work: Vec<&OperationResult> = result.work().collect();
    match work.as_slice() {
        [] => UNKNOWN.to_owned(),
        [only] => figure(only),
        several => {
            let parts: Vec<String> = several
                .iter()
                .map(|each| format!("{}: {}", for_markdown(&each.operation), figure(each)))
                .collect();
            parts.join("; ")
        }
    }
}

fn scaled(figure: Figure, by: f64) -> Figure {
    Figure {
        value: figure.value * by,
        interval: figure.interval.map(|ends| crate::document::Interval {
            low: ends.low * by,
            high: ends.high * by,
            ..ends
        }),
        ..figure
    }
}

fn refs(head: &[String]) -> Vec<&str> {
    head.iter().map(String::as_str).collect()
}
