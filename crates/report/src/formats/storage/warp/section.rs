//! Prints one operation in warp's output format.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tenbin_result::format::UNKNOWN;
use tenbin_verdict::lint::{Listed, Measurement, Percentile, Range, Said, Second, percentile_name};

use crate::escape::for_terminal;
use crate::formats::imported::state_times;

/// Bytes in a MiB.
pub(super) const MIB: f64 = 1_048_576.0;

/// Relative rounding below which the two bounds of a figure are displayed as one value.
const FINE: f64 = 0.01;

/// Most percentiles of a summary that are all printed.
const MOST_PERCENTILES: usize = 12;

/// Everything about one operation, one item per line.
pub(super) fn operation(of: &Measurement, segment_seconds: u64) -> String {
    let mut text = format!("Operation: {}", for_terminal(&of.name()));
    if let Some(connections) = &of.connections {
        let _ = write!(text, ". Concurrency: {}", connections.value);
    }
    if let Some(elapsed) = of.elapsed() {
        let _ = write!(text, ". Ran: {elapsed:.1}s");
    }
    let average = rates(of.bytes_per_second(), of.objects_per_second(), of.unit());
    let _ = writeln!(text, "\n* Average: {average}");
    if let Some(throughput) = throughput(of, segment_seconds) {
        let _ = writeln!(text, "* Throughput: {throughput}");
    }
    let _ = writeln!(text, "* Latency: {}", latency(of));
    let first_byte = of.listed.as_ref().and_then(|it| it.first_byte.as_ref());
    if let Some(times) = first_byte.filter(|times| !times.is_empty()) {
        let mut first_byte = Measurement::default();
        state_times(&mut first_byte, times);
        let at = |at: f64| shown(percentile(&first_byte, at));
        let _ = writeln!(
            text,
            "* TTFB: median: {}, p90: {}, p99: {}",
            at(0.5),
            at(0.9),
            at(0.99)
        );
    }
    let _ = writeln!(text, "* Errors: {}", errors(of.known_failed()));
    for (failure, count) in failures(of) {
        let _ = writeln!(text, "  - {count} x {}", for_terminal(&failure));
    }
    text
}

/// The texts of the failures with their counts.
fn failures(of: &Measurement) -> BTreeMap<String, u64> {
    if let Some(listed) = &of.listed {
        return listed.failures.clone();
    }
    let mut all = Listed::default();
    for failed in &of.failures {
        all.add_failure(&failed.what, failed.count);
    }
    all.failures
}

/// A number of failures.
pub(super) fn errors(failed: Option<u64>) -> String {
    failed.map_or_else(|| UNKNOWN.to_owned(), |failed| failed.to_string())
}

/// Formats rates: `145.32 MiB/s, 145.32 obj/s`.
pub(super) fn rates(bytes: Option<f64>, objects: Option<f64>, unit: &str) -> String {
    let objects = objects.map_or(UNKNOWN.to_owned(), |objects| {
        format!("{objects:.2} {}", for_terminal(unit))
    });
    match bytes {
        Some(bytes) => format!("{:.2} MiB/s, {objects}", bytes / MIB),
        None => objects,
    }
}

/// The throughput of segments; `None` if the file has no figures of seconds, only the average.
fn throughput(of: &Measurement, segment_seconds: u64) -> Option<String> {
    let listed = of.listed.as_deref();
    let segments = listed.map_or_else(Vec::new, |listed| listed.segments(segment_seconds));
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
        let is_known = listed.is_some_and(|it| !it.seconds.is_empty() || it.span.is_some());
        return is_known.then(|| format!("{UNKNOWN}, too short for a whole segment"));
    };
    let unit = if carries {
        "MiB/s".to_owned()
    } else {
        for_terminal(of.unit())
    };
    Some(format!(
        "min: {min:.2} {unit}, median: {:.2} {unit}, max: {max:.2} {unit} ({} x {}s)",
        median(&rates),
        rates.len(),
        segment_seconds.max(1)
    ))
}

/// The median of sorted values; at least one value is required.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return sorted[middle];
    }
    (sorted[middle - 1] + sorted[middle]) / 2.0
}

fn latency(of: &Measurement) -> String {
    let [min, mean, max] = [&of.min, &of.mean, &of.max].map(|said| bounds_of(of, said));
    let p = |at: f64| percentile(of, at);
    let known = [min, mean, max, p(0.5), p(0.9), p(0.99)];
    if known.iter().all(Option::is_none) {
        return UNKNOWN.to_owned();
    }
    let more = other_percentiles(of);
    // A tool that prints other percentiles in place of p99 does not leave p99 unknown.
    let others_stand_for_p99 = !more.is_empty() && of.percentile(0.99).is_none();
    let p99 = (!others_stand_for_p99).then(|| format!("p99: {}, ", shown(p(0.99))));
    format!(
        "min: {}, median: {}, max: {}, {}p90: {}, avg: {}{more}",
        shown(min),
        shown(p(0.5)),
        shown(max),
        p99.unwrap_or_default(),
        shown(p(0.9)),
        shown(mean)
    )
}

/// The percentiles that a file states and warp does not print, each after a comma. A histogram has too
/// many.
fn other_percentiles(of: &Measurement) -> String {
    let is_summary = of.listed.is_none() && of.percentiles.len() <= MOST_PERCENTILES;
    let is_other = |each: &&Percentile| {
        let known = [0.5, 0.9, 0.99];
        !each.quote.text.is_empty() && known.iter().all(|it| (it - each.quantile).abs() > 1e-9)
    };
    let each = of.percentiles.iter().filter(|_| is_summary);
    each.filter(is_other)
        .filter_map(|each| {
            let time = shown(Some(percentile(of, each.quantile)?));
            Some(format!(", {}: {time}", percentile_name(each.quantile)))
        })
        .collect()
}

/// The bounds of a percentile, seconds, if it is known and enough requests are behind it. The
/// percentile over several windows is only known to lie between those of the windows.
pub(super) fn percentile(of: &Measurement, quantile: f64) -> Option<Range> {
    let found = match of.windows {
        Some(_) => of.percentile(quantile),
        None => of.printable(quantile),
    };
    found.map(|each| bounds(of, each.time))
}

/// The bounds of a stated figure, seconds.
pub(super) fn bounds_of(of: &Measurement, said: &Option<Said<Range>>) -> Option<Range> {
    said.as_ref().map(|said| bounds(of, said.value))
}

/// Both bounds; equal if they differ by negligible rounding.
fn bounds(of: &Measurement, range: Range) -> Range {
    let is_rounding = of.windows.is_none() && range.to - range.from <= FINE * range.to;
    if is_rounding {
        Range::exactly(range.middle())
    } else {
        range
    }
}

/// The value, if its bounds are equal.
pub(super) fn exact(range: Range) -> Option<f64> {
    (range.from == range.to).then_some(range.from)
}

fn shown(bounds: Option<Range>) -> String {
    let Some(Range { from, to }) = bounds else {
        return UNKNOWN.to_owned();
    };
    let (from, to) = (time(from), time(to));
    if from == to {
        from
    } else {
        format!("between {from} and {to}")
    }
}

/// Formats seconds as warp does, with more digits below a millisecond.
pub(super) fn time(seconds: f64) -> String {
    let millis = seconds * 1e3;
    if millis >= 10_000.0 {
        format!("{:.2}s", millis / 1e3)
    } else if millis >= 1.0 {
        format!("{millis:.1}ms")
    } else {
        format!("{millis:.3}ms")
    }
}
