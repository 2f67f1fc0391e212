//! Prints one operation in warp's output format.

use std::fmt::Write as _;

use tenbin_result::format::UNKNOWN;

use crate::escape::for_terminal;
use crate::formats::imported::{Operation, Quantile, Second, Times};

/// Bytes in a MiB.
pub(super) const MIB: f64 = 1_048_576.0;

/// Everything about one operation, one item per line.
pub(super) fn of(operation: &Operation, segment_seconds: u64) -> String {
    let mut text = format!("Operation: {}", for_terminal(&operation.name));
    if let Some(concurrency) = operation.concurrency {
        let _ = write!(text, ". Concurrency: {concurrency}");
    }
    if let Some(elapsed) = operation.elapsed() {
        let _ = write!(text, ". Ran: {elapsed:.1}s");
    }
    let average = rates(
        operation.bytes_per_second(),
        operation.objects_per_second(),
        operation.unit,
    );
    let _ = writeln!(text, "\n* Average: {average}");
    let _ = writeln!(
        text,
        "* Throughput: {}",
        throughput(operation, segment_seconds)
    );
    let _ = writeln!(text, "* Latency: {}", latency(operation));
    if let Some(first_byte) = operation
        .first_byte
        .as_ref()
        .filter(|times| !times.is_empty())
    {
        let times = Times::of(first_byte);
        let at = |at: f64| quantile(&times, at);
        let _ = writeln!(
            text,
            "* TTFB: median: {}, p90: {}, p99: {}",
            at(0.5),
            at(0.9),
            at(0.99)
        );
    }
    let _ = writeln!(text, "* Errors: {}", errors(operation.failed));
    for (failure, count) in &operation.failures {
        let _ = writeln!(text, "  - {count} x {}", for_terminal(failure));
    }
    text
}

/// A number of failures.
pub(super) fn errors(failed: Option<u64>) -> String {
    failed.map_or_else(|| UNKNOWN.to_owned(), |failed| failed.to_string())
}

/// Formats rates: `145.32 MiB/s, 145.32 obj/s`.
pub(super) fn rates(bytes: Option<f64>, objects: Option<f64>, unit: &str) -> String {
    let objects = objects.map_or(UNKNOWN.to_owned(), |objects| {
        format!("{objects:.2} {unit}/s")
    });
    match bytes {
        Some(bytes) => format!("{:.2} MiB/s, {objects}", bytes / MIB),
        None => objects,
    }
}

fn throughput(operation: &Operation, segment_seconds: u64) -> String {
    let segments = operation.segments(segment_seconds);
    let carries = segments.iter().any(|segment| segment.bytes > 0.0);
    let rate = |segment: &Second| {
        if carries {
            segment.bytes / MIB
        } else {
            segment.objects
        }
    };
    let mut rates: Vec<f64> = segments.iter().map(rate).collect();
    rates.sort_by(f64::total_cmp);
    let (Some(min), Some(max)) = (rates.first(), rates.last()) else {
        return if operation.seconds.is_empty() && operation.start > operation.end {
            format!("{UNKNOWN}, the file has no figures of seconds")
        } else {
            format!("{UNKNOWN}, too short for a whole segment")
        };
    };
    let unit = if carries {
        "MiB/s".to_owned()
    } else {
        format!("{}/s", operation.unit)
    };
    format!(
        "min: {min:.2} {unit}, median: {:.2} {unit}, max: {max:.2} {unit} ({} x {}s)",
        median(&rates),
        rates.len(),
        segment_seconds.max(1)
    )
}

/// The median of sorted values; at least one value is required.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return sorted[middle];
    }
    (sorted[middle - 1] + sorted[middle]) / 2.0
}

fn latency(operation: &Operation) -> String {
    let [min, mean, max] = operation.times.ends_and_mean();
    let p = |at: f64| operation.times.quantile(at);
    let known = [min, mean, max, p(0.5), p(0.9), p(0.99)];
    if known.iter().all(|each| *each == Quantile::Unknown) {
        return UNKNOWN.to_owned();
    }
    format!(
        "min: {}, median: {}, max: {}, p99: {}, p90: {}, avg: {}",
        shown(min),
        quantile(&operation.times, 0.5),
        shown(max),
        quantile(&operation.times, 0.99),
        quantile(&operation.times, 0.9),
        shown(mean)
    )
}

fn quantile(times: &Times, at: f64) -> String {
    shown(times.quantile(at))
}

fn shown(figure: Quantile) -> String {
    match figure {
        Quantile::Exactly(value) => time(value),
        Quantile::Between(from, to) if time(from) == time(to) => time(from),
        Quantile::Between(from, to) => format!("between {} and {}", time(from), time(to)),
        Quantile::Unknown => UNKNOWN.to_owned(),
    }
}

/// Formats nanoseconds as warp does, with more digits below a millisecond.
pub(super) fn time(nanoseconds: f64) -> String {
    let millis = nanoseconds / 1e6;
    if millis >= 10_000.0 {
        format!("{:.2}s", millis / 1e3)
    } else if millis >= 1.0 {
        format!("{millis:.1}ms")
    } else {
        format!("{millis:.3}ms")
    }
}
