//! Reads warp's aggregated results: `.json.zst`, version 2, warp's default output file.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};

use serde::Deserialize;

use super::{WARP, instant};
use crate::formats::imported::{Imported, Operation, SECOND, Times, Windows};
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
    let object = beginning.trim_ascii_start().strip_prefix(b"{");
    object.is_some_and(|members| members.trim_ascii_start().starts_with(b"\"v\""))
}

/// Reads a whole file of aggregated results.
pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Imported, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(
            "holds sums only, of which no host, time or count can be picked; use a .csv.zst, \
             which warp writes with --full",
        ));
    }
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
    let mut imported = Imported {
        judged: None,
        tool: WARP,
        files: Vec::new(),
        command_line: file.commandline,
        operations: Vec::new(),
        caveats: Vec::new(),
    };
    if file.last == Some(false) {
        imported
            .caveats
            .push("these are sums from the middle of a run".to_owned());
    }
    for (name, sums) in &file.by_op_type {
        if selection.wants(name) {
            let operation = operation(name, sums, &mut imported.caveats)
                .map_err(|what| Fault::of_the_file(format!("{name:?}: {what}")))?;
            imported.operations.push(operation);
        }
    }
    if imported.operations.is_empty() {
        return Err(Fault::of_the_file("has no operation that was asked for"));
    }
    Ok(imported)
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

fn operation(name: &str, sums: &Sums, caveats: &mut Vec<String>) -> Result<Operation, String> {
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
    let mut operation = Operation::new(name);
    operation.ok = Some(ok);
    operation.failed = Some(sums.total_errors);
    operation.concurrency = sums.concurrency;
    operation.start = start;
    operation.end = end;
    operation.objects = Some(sums.total_objects);
    operation.bytes = Some(sums.total_bytes);
    operation.times = times(name, sums, caveats);
    if sums.total_errors == 0 {
        add_segments(&mut operation, sums)?;
        return Ok(operation);
    }
    // warp includes failed requests in objects, bytes and times. If each request is one object, the
    // number of successful objects is still certain.
    let one_each = sums.total_objects == sums.total_requests;
    operation.objects = one_each.then_some(ok);
    operation.bytes = (sums.total_bytes == 0).then_some(0);
    operation.times = Times::Unknown;
    for text in sums.first_errors.iter().flatten() {
        operation.add_failure(text, 1);
    }
    caveats.push(format!(
        "{name}: warp counts failed requests in its bytes, its seconds and its times, so these are \
         unknown; its .csv.zst, written with --full, has them"
    ));
    Ok(operation)
}

/// Adds the segments of the file: only one-second segments without failures can be used.
fn add_segments(operation: &mut Operation, sums: &Sums) -> Result<(), String> {
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
        let (first, last) = operation.known_seconds.unwrap_or((second, second));
        operation.known_seconds = Some((first.min(second), last.max(second + 1)));
        if !operation.add_second(second, segment.obj_per_sec, segment.bytes_per_sec) {
            return Err("is longer than a million seconds; the file may be damaged".to_owned());
        }
    }
    Ok(())
}

fn times(name: &str, sums: &Sums, caveats: &mut Vec<String>) -> Times {
    let windows = sums
        .requests_by_client
        .iter()
        .flat_map(BTreeMap::values)
        .flatten();
    let mut whole: Option<Windows> = None;
    let mut merged = false;
    for window in windows {
        let Some(requests) = &window.single_sized_requests else {
            caveats.push(format!(
                "{name}: warp keeps no times of requests of several sizes, so they are unknown; \
                 its .csv.zst, written with --full, has them"
            ));
            return Times::Unknown;
        };
        merged |= requests.merged_entries > 1;
        let part = window_of(requests);
        whole = Some(whole.map_or(part, |whole| whole.and(&part)));
    }
    let Some(whole) = whole else {
        return Times::Unknown;
    };
    if merged {
        caveats.push(format!(
            "{name}: the percentiles are means of percentiles already, so these are unknown"
        ));
        return Times::Unknown;
    }
    if whole.windows > 1 {
        caveats.push(format!(
            "{name}: the file has percentiles of {} windows, of which warp shows the means; the \
             true ones are unknown and lie in the ranges shown",
            whole.windows
        ));
    }
    Times::Windows(whole)
}

fn window_of(requests: &SingleSize) -> Windows {
    let nanoseconds = |millis: f64| (millis * 1e6).round();
    let both = |millis: f64| (nanoseconds(millis), nanoseconds(millis));
    Windows {
        requests: requests.requests,
        windows: 1,
        min: nanoseconds(requests.fastest_millis),
        max: nanoseconds(requests.slowest_millis),
        mean: nanoseconds(requests.dur_avg_millis),
        p50: both(requests.dur_median_millis),
        p90: both(requests.dur_90_millis),
        p99: both(requests.dur_99_millis),
    }
}
