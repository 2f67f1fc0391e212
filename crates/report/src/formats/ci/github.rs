//! What a job on GitHub Actions shows: the summary of a step, and input of github-action-benchmark: `customBiggerIsBetter` and `customSmallerIsBetter`,
//! <https://github.com/benchmark-action/github-action-benchmark>.

use std::io;

use serde::Serialize;
use tenbin_result::format::change;
use tenbin_result::{Document, Figure, Interval, Language, Metric, message};
use tenbin_verdict::change_ends;

use crate::escape::for_json;
use crate::formats::format::Format;
use crate::formats::write::{Writer, nothing};
use crate::language::say_in;
use crate::page::markdown;

/// Name of the format of a step's summary.
pub const STEP_SUMMARY: &str = "github-summary";

pub(in crate::formats) const SUMMARY: Format = Format {
    name: STEP_SUMMARY,
    about: "summary of a GitHub Actions step: Markdown without links to files",
    file: "github-summary.md",
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(markdown::alone(document).as_bytes()),
    }),
    ..Format::PLAIN
};

pub(in crate::formats) const COMMENT: Format = Format {
    name: "github-comment",
    about: "body of a comment on a pull request: Markdown, fewer than 65,536 characters",
    file: "github-comment.md",
    kept: false,
    read: None,
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(markdown::comment(document).as_bytes()),
    }),
};

pub(in crate::formats) const BIGGER: Format = Format {
    name: "github-bigger",
    about: "github-action-benchmark, tool customBiggerIsBetter: throughput",
    file: "github-bigger.json",
    write: Some(Writer::Document {
        lacks,
        write: |document, to| write(&bigger(document), to),
    }),
    ..Format::PLAIN
};

pub(in crate::formats) const SMALLER: Format = Format {
    name: "github-smaller",
    about: "github-action-benchmark, tool customSmallerIsBetter: latencies, errors, CPU time",
    file: "github-smaller.json",
    write: Some(Writer::Document {
        lacks,
        write: |document, to| write(&smaller(document), to),
    }),
    ..Format::PLAIN
};

fn lacks(document: &Document) -> Option<&'static str> {
    document
        .results
        .is_empty()
        .then_some("the run measured nothing")
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    /// The interval as text; only displayed, because the action compares values.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

fn write(entries: &[Entry], to: &mut dyn io::Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(entries)?;
    to.write_all(for_json(text + "\n").as_bytes())
}

fn bigger(document: &Document) -> Vec<Entry> {
    let results = document.results.iter();
    let entries = results.filter_map(|result| {
        let name = format!("{} throughput, {}", result.workload, result.target);
        let extra = extra(
            document,
            &result.workload,
            &result.target,
            &[Metric::Throughput],
        );
        entry(name, "ops/s", result.throughput?, 1.0, extra)
    });
    entries.collect()
}

fn smaller(document: &Document) -> Vec<Entry> {
    let mut all = Vec::new();
    for result in &document.results {
        let (workload, target) = (&result.workload, &result.target);
        for operation in result.work() {
            let p50 = [Metric::SERVICE_P50, Metric::RESPONSE_P50];
            let p99 = [Metric::SERVICE_P99, Metric::RESPONSE_P99];
            let figures = [("p50", p50, operation.p50), ("p99", p99, operation.p99)];
            for (word, metrics, figure) in figures {
                let name = format!("{workload} {} {word}, {target}", operation.operation);
                let extra = extra(document, workload, target, &metrics);
                all.extend(figure.and_then(|known| entry(name, "ms", known, 1e3, extra)));
            }
        }
        if let Some(share) = result.failed_share() {
            all.push(Entry {
                name: format!("{workload} errors, {target}"),
                unit: "%",
                value: share * 100.0,
                range: None,
                extra: about(document),
            });
        }
        let name = format!("{workload} server CPU per operation, {target}");
        let extra = extra(document, workload, target, &[Metric::ServerCpu]);
        let cpu = result.server_cpu;
        all.extend(cpu.and_then(|known| entry(name, "µs", known, 1e6, extra)));
    }
    all
}

fn entry(
    name: String,
    unit: &'static str,
    figure: Figure,
    scale: f64,
    extra: String,
) -> Option<Entry> {
    let value = figure.value * scale;
    value.is_finite().then(|| Entry {
        name,
        unit,
        value,
        range: figure.interval.map(|Interval { low, high, .. }| {
            let digits = tenbin_result::format::digits;
            format!("{}–{}", digits(low * scale), digits(high * scale))
        }),
        extra,
    })
}

/// Text about the run, its trust, and the target's comparison with the baseline.
fn extra(document: &Document, workload: &str, target: &str, metrics: &[Metric]) -> String {
    compared(document, workload, target, metrics).unwrap_or_else(|| about(document))
}

fn compared(
    document: &Document,
    workload: &str,
    target: &str,
    metrics: &[Metric],
) -> Option<String> {
    let mut comparisons = document.comparisons.iter();
    let found = comparisons.find(|each| {
        each.workload == workload && each.challenger == target && each.metric.is_one_of(metrics)
    })?;
    let ratio = found.ratio?;
    let ends = ratio.interval.map_or_else(
        || message!("interval-unknown"),
        |ends| change_ends(ratio.value, ends.low, ends.high),
    );
    Some(format!(
        "{}\ncompared with {}: {}, {} ({})",
        about(document),
        found.baseline,
        found.outcome.word(),
        change(ratio.value),
        say_in(Language::English, &ends)
    ))
}

fn about(document: &Document) -> String {
    format!("run {}, {}", document.run.id, document.trust.word())
}
