//! Reads warp's aggregated results: `.json.zst`, version 2, warp's default output file.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};

use serde::Deserialize;
use tenbin_verdict::lint::{
    Listed, Measurement, Percentile, Quote, Range, Reported, SECOND, Second,
};

use crate::formats::imported::{Counted, add_windows, unquoted, with_figures};
use crate::formats::instant;
use crate::formats::reader::{Fault, Selection};

/// Supported version of the file.
const VERSION: u64 = 2;

/// Maximum size of a file, bytes: the file has no single requests, so a larger file is not warp's.
const LARGEST: u64 = 256 << 20;

/// Seconds by which warp labels segments too early: warp drops the first two segments, but labels
/// the remaining segments as if none had been dropped.
const LABELLED_EARLY: i64 = 2;

/// Whether a file starts like warp's aggregated results: with the version.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let object = beginning[notice(beginning)..]
        .trim_ascii_start()
        .strip_prefix(b"{");
    object.is_some_and(|members| members.trim_ascii_start().starts_with(b"\"v\""))
}

/// Length of the notice `Loading "FILE"` that `warp analyze --json` prints before its document, bytes.
fn notice(beginning: &[u8]) -> usize {
    let is_there = beginning.starts_with(b"Loading \"");
    let document = || beginning.iter().position(|byte| *byte == b'{');
    is_there.then(document).flatten().unwrap_or(0)
}

/// Reads a whole file of aggregated results.
pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(
            "holds sums only, of which no host, time or count can be picked; use a .csv.zst, \
             which warp writes with --full",
        ));
    }
    let beginning = text.fill_buf().map_err(|error| Fault::reading(1, &error))?;
    let notice = notice(beginning);
    text.consume(notice);
    let file: FileOfSums =
        serde_json::from_reader(text.take(LARGEST)).map_err(|error| fault(&error))?;
    if file.v != Some(VERSION) {
        let found = file
            .v
            .map_or("no version".to_owned(), |v| format!("version {v}"));
        return Err(Fault::of_the_file(format!(
            "has {found} of warp's sums, and version {VERSION} is read"
        )));
    }
    let mut reported = Reported {
        tool: "warp",
        command_line: file.commandline,
        ..Reported::default()
    };
    if file.last == Some(false) {
        reported
            .caveats
            .push("these are sums from the middle of a run".to_owned());
    }
    for (name, sums) in &file.by_op_type {
        if selection.wants(name) {
            let operation = operation(name, sums, &mut reported.caveats)
                .map_err(|what| Fault::of_the_file(format!("{name:?}: {what}")))?;
            reported.measurements.push(operation);
        }
    }
    if file.by_op_type.is_empty() {
        return Err(Fault::of_the_file("has no sums of an operation"));
    }
    if reported.measurements.is_empty() {
        return Err(Fault::of_the_file("has no operation that was asked for"));
    }
    Ok(reported)
}

fn fault(error: &serde_json::Error) -> Fault {
    let whole = error.to_string();
    // Our message puts the line before the text, so the end of serde's message is cut off.
    let what = whole.split(" at line ").next().unwrap_or_default();
    let what = format!("is not what warp writes: {what}");
    match error.line() {
        0 => Fault::of_the_file(what),
        line => Fault::in_line(line as u64, what),
    }
}

#[derive(Deserialize)]
struct FileOfSums {
    v: Option<u64>,
    #[serde(default)]
    commandline: Option<String>,
    #[serde(default, rename = "final")]
    last: Option<bool>,
    #[serde(default)]
    by_op_type: BTreeMap<String, Sums>,
}

#[derive(Deserialize)]
struct Sums {
    total_requests: u64,
    #[serde(default)]
    total_objects: u64,
    #[serde(default)]
    total_errors: u64,
    #[serde(default)]
    total_bytes: u64,
    #[serde(default)]
    concurrency: Option<u64>,
    start_time: String,
    end_time: String,
    #[serde(default)]
    first_errors: Option<Vec<String>>,
    #[serde(default)]
    throughput: Option<Throughput>,
    #[serde(default)]
    requests_by_client: Option<BTreeMap<String, Vec<Window>>>,
}

#[derive(Deserialize)]
struct Throughput {
    #[serde(default)]
    segmented: Option<Segmented>,
}

#[derive(Deserialize)]
struct Segmented {
    #[serde(default)]
    segment_duration_millis: u64,
    #[serde(default)]
    segments: Option<Vec<Segment>>,
}

#[derive(Deserialize)]
struct Segment {
    start: String,
    #[serde(default)]
    bytes_per_sec: f64,
    #[serde(default)]
    obj_per_sec: f64,
}

#[derive(Deserialize)]
struct Window {
    #[serde(default)]
    single_sized_requests: Option<SingleSize>,
}

#[derive(Deserialize)]
struct SingleSize {
    requests: u64,
    #[serde(default)]
    merged_entries: u64,
    fastest_millis: f64,
    slowest_millis: f64,
    dur_avg_millis: f64,
    dur_median_millis: f64,
    dur_90_millis: f64,
    dur_99_millis: f64,
}

fn operation(name: &str, sums: &Sums, caveats: &mut Vec<String>) -> Result<Measurement, String> {
    let time =
        |text: &str| instant::read(text).ok_or_else(|| format!("{text:?} is not a timestamp"));
    let (start, end) = (time(&sums.start_time)?, time(&sums.end_time)?);
    if end < start {
        return Err("ends before it starts".to_owned());
    }
    let ok = sums
        .total_requests
        .checked_sub(sums.total_errors)
        .ok_or("has more errors than requests")?;
    // warp includes failed requests in objects, bytes and times. If each request is one object, the
    // number of successful objects is still certain.
    let all_ok = sums.total_errors == 0;
    let one_each = sums.total_objects == sums.total_requests;
    let objects = if all_ok {
        Some(sums.total_objects)
    } else {
        one_each.then_some(ok)
    };
    let mut listed = Listed {
        span: Some((start, end)),
        objects,
        ..Listed::default()
    };
    if all_ok {
        add_segments(&mut listed, sums)?;
    } else {
        for text in sums.first_errors.iter().flatten() {
            listed.add_failure(text, 1);
        }
    }
    let counted = Counted {
        ok,
        failed: sums.total_errors,
        bytes: sums.total_bytes,
        listed,
    };
    let mut of = counted.measurement(name, true);
    of.closed_loop = true;
    let concurrency = sums.concurrency.filter(|concurrency| *concurrency > 0);
    of.connections = concurrency.map(unquoted);
    let windows = windows(name, sums, caveats);
    if all_ok {
        if let Some(windows) = windows {
            (of.min, of.mean, of.max) = (windows.min, windows.mean, windows.max);
            (of.percentiles, of.windows) = (windows.percentiles, windows.windows);
        }
    } else {
        of.bytes = of.bytes.filter(|bytes| *bytes == 0);
        caveats.push(format!(
            "{name}: warp counts failed requests in its bytes, its seconds and its times, so these are \
             unknown; its .csv.zst, written with --full, has them"
        ));
    }
    Ok(with_figures(of))
}

/// Adds the segments of the file: only one-second segments without failures can be used.
fn add_segments(listed: &mut Listed, sums: &Sums) -> Result<(), String> {
    let segmented = sums
        .throughput
        .as_ref()
        .and_then(|part| part.segmented.as_ref());
    let Some(segmented) = segmented.filter(|part| part.segment_duration_millis == 1000) else {
        return Ok(());
    };
    for segment in segmented.segments.iter().flatten() {
        let start = instant::read(&segment.start)
            .ok_or_else(|| format!("{:?} is not a timestamp", segment.start))?;
        let second = start.div_euclid(SECOND) + LABELLED_EARLY;
        let (first, last) = listed.known_seconds.unwrap_or((second, second));
        listed.known_seconds = Some((first.min(second), last.max(second + 1)));
        let part = Second {
            objects: segment.obj_per_sec,
            bytes: segment.bytes_per_sec,
        };
        if !listed.add_second(second, part) {
            return Err("is longer than a million seconds; the file may be damaged".to_owned());
        }
    }
    Ok(())
}

/// The times of all windows; `None` if unknown.
fn windows(name: &str, sums: &Sums, caveats: &mut Vec<String>) -> Option<Measurement> {
    let windows = sums
        .requests_by_client
        .iter()
        .flat_map(BTreeMap::values)
        .flatten();
    let mut whole: Option<Measurement> = None;
    let (mut merged, mut count) = (false, 0);
    for window in windows {
        let Some(requests) = &window.single_sized_requests else {
            caveats.push(format!(
                "{name}: warp keeps no times of requests of several sizes, so they are unknown; \
                 its .csv.zst, written with --full, has them"
            ));
            return None;
        };
        merged |= requests.merged_entries > 1;
        count += 1;
        let part = window_of(requests);
        match &mut whole {
            Some(whole) => add_windows(whole, &part),
            None => whole = Some(part),
        }
    }
    let whole = whole?;
    if merged {
        caveats.push(format!(
            "{name}: the percentiles are means of percentiles already, so these are unknown"
        ));
        return None;
    }
    if count > 1 {
        caveats.push(format!(
            "{name}: the file has percentiles of {count} windows, of which warp shows the means; the \
             true ones are unknown and lie in the ranges shown"
        ));
    }
    Some(whole)
}

fn window_of(requests: &SingleSize) -> Measurement {
    let exactly = |millis: f64| Range::exactly((millis * 1e6).round() / 1e9);
    let percentiles = [
        (0.5, requests.dur_median_millis),
        (0.9, requests.dur_90_millis),
        (0.99, requests.dur_99_millis),
    ];
    Measurement {
        min: Some(unquoted(exactly(requests.fastest_millis))),
        mean: Some(unquoted(exactly(requests.dur_avg_millis))),
        max: Some(unquoted(exactly(requests.slowest_millis))),
        percentiles: percentiles
            .into_iter()
            .map(|(quantile, millis)| Percentile {
                quantile,
                time: exactly(millis),
                quote: Quote::default(),
            })
            .collect(),
        samples: Some(requests.requests),
        windows: Some(unquoted(1)),
        ..Measurement::default()
    }
}
