//! Results of Tenbin and of warp in warp's output format.
//!
//! All functions are pure, like every report.

mod cmp;
mod csv;
mod instant;
mod json;
mod section;
mod text;

use std::fmt::Write as _;

use serde::Serialize;
use tenbin_result::{Document, Severity, Trust};

use super::content::Content;
use super::imported::{Imported, Operation, Quantile, Tool};
use super::judged::mark;
use super::reader::whole;
use super::reported::content;
use super::{Format, Part, Reader, Run, Writer};
use crate::escape::{for_json, for_terminal};
use crate::foreign::bottom;

pub use cmp::cmp;

/// warp counts failed requests in its objects, bytes and times.
const WARP: Tool = Tool {
    name: "warp",
    closed_loop: true,
    counts_failures: true,
};

/// warp's list of requests.
pub(super) const REQUESTS: Format = Format {
    name: "warp-csv",
    about: "warp's list of requests (.csv.zst, written with --full)",
    file: "warp.csv",
    kept: false,
    read: Some(Reader {
        recognises: csv::recognises,
        read: |text, selection| csv::read(text, selection).map(Content::Requests),
        reported: None,
    }),
    write: None,
};

/// warp's aggregated results: `.json.zst`.
pub(super) const SUMS: Format = Format {
    name: "warp-json",
    about: "warp's sums (.json.zst)",
    file: "warp.json",
    kept: false,
    read: Some(Reader {
        recognises: json::recognises,
        read: |text, selection| json::read(text, selection).map(Content::Requests),
        reported: None,
    }),
    write: None,
};

/// The text that warp prints.
pub(super) const TEXT: Format = Format {
    name: "warp",
    about: "the text that warp prints after a benchmark",
    file: "warp.txt",
    kept: false,
    read: Some(Reader {
        recognises: text::recognises,
        read: |text, selection| {
            let text = whole(text, selection, "the text of warp")?;
            text::reported(&text).map(|it| content(&it))
        },
        reported: Some(text::reported),
    }),
    write: Some(Writer::Run(|finished| {
        Ok(vec![Part {
            name: "warp".to_owned(),
            content: format!("{}{}\n", of_run(finished, None), mark(finished.document))
                .into_bytes(),
        }])
    })),
};

/// Whether a file starts like warp's aggregated results.
pub(super) fn is_sums(beginning: &[u8]) -> bool {
    json::recognises(beginning)
}

/// The result of a Tenbin run. `only` restricts the output to one operation.
pub fn of_run(finished: &Run<'_>, only: Option<&str>) -> String {
    let is_mix = match finished.plan.workloads.as_slice() {
        [only] => only.facts().operations().len() > 1,
        _ => false,
    };
    run(finished.document, &imported(finished), only, is_mix)
}

/// Converts the measurements of a Tenbin run to the form of imported results.
pub fn imported(finished: &Run<'_>) -> Imported {
    Imported::of_run(finished.directory, finished.record, |workload| {
        let mut workloads = finished.plan.workloads.iter();
        let known = workloads.find(|known| known.name == workload);
        known.map_or(1, |known| known.facts().objects_per_request())
    })
}

/// The text of `warp analyze` for a result. Segments are `segment_seconds` seconds long.
pub fn analyze(imported: &Imported, segment_seconds: u64) -> String {
    let mut text = String::new();
    for file in &imported.files {
        let _ = writeln!(text, "File: {}", for_terminal(file));
    }
    if let Some(judged) = &imported.judged {
        let (word, why) = (judged.trust.word(), for_terminal(&judged.why));
        let reason = if why.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "From a run of tenbin that was {word}{reason}{why}");
    }
    if let Some(line) = &imported.command_line {
        let _ = writeln!(text, "Command line: {}", for_terminal(line));
    }
    for operation in &imported.operations {
        let _ = write!(text, "\n{}", section::of(operation, segment_seconds));
    }
    caveats(&mut text, &imported.caveats);
    text
}

/// The result of a Tenbin run: figures from `imported`, findings and verdict from `document`.
/// `only` restricts the output to one operation. Only a mix gets a total: in other workloads, one
/// operation may be part of another and would count twice.
fn run(document: &Document, imported: &Imported, only: Option<&str>, is_mix: bool) -> String {
    let mut text = String::new();
    let wanted =
        |operation: &&Operation| only.is_none_or(|only| operation.name.eq_ignore_ascii_case(only));
    for operation in imported.operations.iter().filter(wanted) {
        let _ = write!(text, "\n{}", section::of(operation, 1));
    }
    if is_mix
        && only.is_none()
        && let Some(total) = total(imported)
    {
        let _ = write!(text, "\n{total}");
    }
    text.push('\n');
    for finding in &document.findings {
        let severity = finding.severity.word();
        let _ = write!(
            text,
            "* {severity} {}: {}",
            for_terminal(&finding.rule),
            for_terminal(&finding.evidence)
        );
        // Notes are printed without advice, which refers to options that warp does not have.
        if finding.severity != Severity::Note {
            let _ = write!(text, "; {}", for_terminal(&finding.advice));
        }
        text.push('\n');
    }
    text + &bottom(document)
}

/// The total of all operations of a run, which ran concurrently.
fn total(imported: &Imported) -> Option<String> {
    let elapsed = imported
        .operations
        .iter()
        .filter_map(Operation::elapsed)
        .reduce(f64::max)?;
    let sum = |part: fn(&Operation) -> Option<u64>| {
        let parts = imported.operations.iter().map(part);
        parts.sum::<Option<u64>>().map(|sum| sum as f64 / elapsed)
    };
    let failed: Option<u64> = imported.operations.iter().map(|o| o.failed).sum();
    Some(format!(
        "Total\n* Average: {}\n* Errors: {}\n",
        section::rates(
            sum(|operation| operation.bytes).filter(|&bytes| bytes > 0.0),
            sum(|operation| operation.objects),
            "obj"
        ),
        section::errors(failed)
    ))
}

fn caveats(text: &mut String, caveats: &[String]) {
    if !caveats.is_empty() {
        text.push('\n');
    }
    for caveat in caveats {
        let _ = writeln!(text, "Note: {}", for_terminal(caveat));
    }
}

/// The last line after several results if some results cannot be trusted.
pub fn unfit_line(unfit: &[String]) -> String {
    let unfit = for_terminal(&unfit.join(", "));
    format!("\nVerdict: INVALID: {unfit} cannot be trusted; see its findings.\n")
}

/// Whether the numbers are INVALID.
pub fn is_invalid(document: &Document) -> bool {
    matches!(document.trust, Trust::Invalid)
}

/// Results as JSON. Times are in seconds; unknown values are null.
pub fn analyze_json(results: &[Imported]) -> Vec<u8> {
    let parts: Vec<ResultPart<'_>> = results.iter().map(ResultPart::of).collect();
    let text = serde_json::to_string_pretty(&parts).expect("plain data becomes JSON");
    (for_json(text) + "\n").into_bytes()
}

#[derive(Serialize)]
struct ResultPart<'a> {
    files: &'a [String],
    command_line: Option<&'a str>,
    operations: Vec<OperationPart<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct OperationPart<'a> {
    operation: &'a str,
    ok: Option<u64>,
    failed: Option<u64>,
    seconds: Option<f64>,
    objects_per_second: Option<f64>,
    bytes_per_second: Option<f64>,
    min: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    p50: Bounds,
    p90: Bounds,
    p99: Bounds,
}

/// Bounds of a percentile, seconds; equal if the percentile is known exactly.
#[derive(Serialize)]
struct Bounds {
    from: Option<f64>,
    to: Option<f64>,
}

impl<'a> ResultPart<'a> {
    fn of(imported: &'a Imported) -> Self {
        Self {
            files: &imported.files,
            command_line: imported.command_line.as_deref(),
            operations: imported.operations.iter().map(OperationPart::of).collect(),
            notes: &imported.caveats,
        }
    }
}

impl<'a> OperationPart<'a> {
    fn of(operation: &'a Operation) -> Self {
        let exactly = |figure: Quantile| match figure {
            Quantile::Exactly(value) => Some(value / 1e9),
            Quantile::Between(..) | Quantile::Unknown => None,
        };
        let [min, mean, max] = operation.times.ends_and_mean().map(exactly);
        let bounds = |quantile| match operation.times.quantile(quantile) {
            Quantile::Exactly(value) => Bounds::of(value, value),
            Quantile::Between(from, to) => Bounds::of(from, to),
            Quantile::Unknown => Bounds {
                from: None,
                to: None,
            },
        };
        Self {
            operation: &operation.name,
            ok: operation.ok,
            failed: operation.failed,
            seconds: operation.elapsed(),
            objects_per_second: operation.objects_per_second(),
            bytes_per_second: operation.bytes_per_second(),
            min,
            mean,
            max,
            p50: bounds(0.5),
            p90: bounds(0.9),
            p99: bounds(0.99),
        }
    }
}

impl Bounds {
    fn of(from: f64, to: f64) -> Self {
        Self {
            from: Some(from / 1e9),
            to: Some(to / 1e9),
        }
    }
}
