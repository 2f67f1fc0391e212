//! Results of Tenbin and of warp in warp's output format.
//!
//! All functions are pure, like every report.

mod cmp;
mod csv;
mod json;
mod section;
mod text;
mod title;

use std::fmt::Write as _;

use serde::Serialize;
use tenbin_result::format::count;
use tenbin_result::{Document, Severity, Trust};
use tenbin_verdict::lint::{Measurement, Range, Reported, Said, Unit};

use crate::escape::{for_json, for_terminal};
use crate::foreign::bottom;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::imported::of_run as figures_of_run;
use crate::formats::judged::mark;
use crate::formats::reader::{Read, Reader};
use crate::formats::write::{Part, Run, Writer};
use crate::language;

pub use cmp::cmp;
use section::{bounds_of, exact, percentile};

/// The throughput of warp, which counts the objects of a request.
const OBJECTS: &str = "obj/s";

/// Operations whose requests can be for several objects.
const SEVERAL_OBJECTS: [&str; 3] = ["DELETE", "LIST", "POST"];

fn may_have_several_objects(operation: &str) -> bool {
    SEVERAL_OBJECTS.contains(&operation)
}

/// States the unit of warp's throughputs, which is the same in its text, its sums and its lists.
fn with_units(mut reported: Reported) -> Reported {
    for of in &mut reported.measurements {
        let ok = of.ok();
        let Some(listed) = &mut of.listed else {
            continue;
        };
        let is_without = listed.objects == Some(0) && ok > Some(0);
        if is_without {
            // warp then counts requests.
            (listed.objects, listed.unit) = (ok, Unit::Requests);
        }
        let is_other = listed.objects.is_some_and(|objects| Some(objects) != ok);
        let is_several = is_other || may_have_several_objects(&of.operation);
        of.per_second = (is_several && !is_without).then(|| OBJECTS.to_owned());
        if is_other && !is_without {
            reported.caveats.push(objects_caveat(&of.operation));
        }
    }
    reported
}

/// What readers of a throughput without its unit must know.
fn objects_caveat(operation: &str) -> String {
    format!("{operation}: the throughput counts {OBJECTS}, not requests")
}

/// warp's list of requests.
pub(in crate::formats) const REQUESTS: Format = Format {
    name: "warp-csv",
    about: "warp's list of requests (.csv.zst, written with --full)",
    file: "warp.csv",
    read: Some(Reader::new(
        csv::recognises,
        Read::Content(|text, selection| {
            csv::read(text, selection)
                .map(with_units)
                .map(Content::Requests)
        }),
    )),
    ..Format::PLAIN
};

/// warp's aggregated results: `.json.zst`.
pub(in crate::formats) const SUMS: Format = Format {
    name: "warp-json",
    about: "warp's sums (.json.zst)",
    file: "warp.json",
    read: Some(Reader::new(
        json::recognises,
        Read::Content(|text, selection| {
            json::read(text, selection)
                .map(with_units)
                .map(Content::Requests)
        }),
    )),
    ..Format::PLAIN
};

/// The text that warp prints.
pub(in crate::formats) const TEXT: Format = Format {
    name: "warp",
    about: "the text that warp prints after a benchmark",
    file: "warp.txt",
    read: Some(Reader::new(
        text::recognises,
        Read::Figures("the text of warp", text::reported),
    )),
    write: Some(Writer::Run(|finished| {
        Ok(vec![Part {
            name: "warp".to_owned(),
            content: format!("{}{}\n", of_run(finished, None), mark(finished.document))
                .into_bytes(),
        }])
    })),
    ..Format::PLAIN
};

/// The result of a Tenbin run. `only` restricts the output to one operation.
pub fn of_run(finished: &Run<'_>, only: Option<&str>) -> String {
    let is_mix = match finished.plan.workloads.as_slice() {
        [only] => only.facts().operations().len() > 1,
        _ => false,
    };
    run(finished.document, &reported(finished), only, is_mix)
}

/// The figures of a Tenbin run as those of a result file.
pub fn reported(finished: &Run<'_>) -> Reported {
    figures_of_run(finished.directory, finished.record, |workload| {
        let mut workloads = finished.plan.workloads.iter();
        let known = workloads.find(|known| known.name == workload);
        known.map_or(1, |known| known.facts().objects_per_request())
    })
}

/// The text of `warp analyze` for a result. Segments are `segment_seconds` seconds long.
pub fn analyze(reported: &Reported, segment_seconds: u64) -> String {
    let mut text = String::new();
    for file in &reported.files {
        let _ = writeln!(text, "File: {}", for_terminal(file));
    }
    if let Some(judged) = &reported.judged {
        let (word, why) = (judged.trust.word(), for_terminal(&judged.why));
        let reason = if why.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "From a run of tenbin that was {word}{reason}{why}");
    }
    if let Some(line) = &reported.command_line {
        let _ = writeln!(text, "Command line: {}", for_terminal(line));
    }
    for of in &reported.measurements {
        let _ = write!(text, "\n{}", section::operation(of, segment_seconds));
    }
    caveats(&mut text, &notes(reported));
    text
}

/// The result of a Tenbin run: figures from `reported`, findings and verdict from `document`.
/// `only` restricts the output to one operation. Only a mix gets a total: in other workloads, one
/// operation may be part of another and would count twice.
fn run(document: &Document, reported: &Reported, only: Option<&str>, is_mix: bool) -> String {
    let document = &language::for_reader(document);
    let mut text = String::new();
    let wanted =
        |of: &&Measurement| only.is_none_or(|only| of.operation.eq_ignore_ascii_case(only));
    for of in reported.measurements.iter().filter(wanted) {
        let _ = write!(text, "\n{}", section::operation(of, 1));
    }
    if is_mix
        && only.is_none()
        && let Some(total) = total(&reported.measurements)
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
fn total(all: &[Measurement]) -> Option<String> {
    let elapsed = all.iter().filter_map(Measurement::elapsed);
    let elapsed = elapsed.reduce(f64::max)?;
    let sum = |part: fn(&Measurement) -> Option<u64>| {
        let parts = all.iter().map(part);
        parts.sum::<Option<u64>>().map(|sum| sum as f64 / elapsed)
    };
    let failed: Option<u64> = all.iter().map(Measurement::known_failed).sum();
    Some(format!(
        "Total\n* Average: {}\n* Errors: {}\n",
        section::rates(
            sum(Measurement::bytes_of_ok).filter(|&bytes| bytes > 0.0),
            sum(Measurement::objects),
            OBJECTS
        ),
        section::errors(failed)
    ))
}

/// What the file does not say, and which of its figures are shown without failed requests.
fn notes(reported: &Reported) -> Vec<String> {
    let mut notes = reported.caveats.clone();
    for of in reported
        .measurements
        .iter()
        .filter(|of| of.listed.is_none())
    {
        let counted = of.failed_and_counted();
        if counted > 0 {
            let here = match of.objects_per_second() {
                Some(_) => "the throughput here is that of correct responses",
                None => "that of correct responses is unknown",
            };
            notes.push(format!(
                "{}: the tool counts {} failed requests in its throughput; {here}",
                of.name(),
                count(counted)
            ));
        }
    }
    notes
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
pub fn analyze_json(results: &[Reported]) -> Vec<u8> {
    let parts: Vec<ResultPart<'_>> = results.iter().map(ResultPart::of).collect();
    let text = serde_json::to_string_pretty(&parts).expect("plain data becomes JSON");
    (for_json(text) + "\n").into_bytes()
}

#[derive(Serialize)]
struct ResultPart<'a> {
    files: &'a [String],
    command_line: Option<&'a str>,
    operations: Vec<OperationPart>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct OperationPart {
    operation: String,
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
    fn of(reported: &'a Reported) -> Self {
        let operations = reported.measurements.iter();
        Self {
            files: &reported.files,
            command_line: reported.command_line.as_deref(),
            operations: operations.map(OperationPart::of).collect(),
            notes: notes(reported),
        }
    }
}

impl OperationPart {
    fn of(of: &Measurement) -> Self {
        let exactly = |said: &Option<Said<Range>>| exact(bounds_of(of, said)?);
        let bounds = |quantile| Bounds::of(percentile(of, quantile));
        Self {
            operation: of.name(),
            ok: of.ok(),
            failed: of.known_failed(),
            seconds: of.elapsed(),
            objects_per_second: of.objects_per_second(),
            bytes_per_second: of.bytes_per_second(),
            min: exactly(&of.min),
            mean: exactly(&of.mean),
            max: exactly(&of.max),
            p50: bounds(0.5),
            p90: bounds(0.9),
            p99: bounds(0.99),
        }
    }
}

impl Bounds {
    fn of(range: Option<Range>) -> Self {
        Self {
            from: range.map(|range| range.from),
            to: range.map(|range| range.to),
        }
    }
}
