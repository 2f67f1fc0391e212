//! The file formats of HdrHistogram: the interval log, and the percentile distribution for plots.

mod distribution;
mod log;

use std::fmt::Write as _;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use tenbin_plan::sentence;
use tenbin_record::{OpFigures, Slice, latency_histogram, merge};

use super::format::Format;
use super::judged::mark;
use super::reader::{Read, Reader};
use super::write::{Part, Run, WriteError, Writer};
use crate::escape::for_terminal;

pub(super) const LOG: Format = Format {
    name: "hlog",
    about: "HdrHistogram interval log; written: a histogram for each operation of each slice",
    file: "slices.hlog",
    read: Some(Reader::new(log::recognises, Read::Requests(log::read))),
    write: Some(Writer::Run(slices)),
    ..Format::PLAIN
};

pub(super) const DISTRIBUTION: Format = Format {
    name: "hgrm",
    about: "HdrHistogram percentile distribution; written: a file for each operation",
    file: "latency.hgrm",
    read: Some(Reader::new(
        distribution::recognises,
        Read::Figures("a distribution of percentiles", distribution::reported),
    )),
    write: Some(Writer::Run(distributions)),
    ..Format::PLAIN
};

/// Values are nanoseconds; HdrHistogram's programs expect the largest value of an interval in
/// milliseconds.
const MAX_VALUE_DIVISOR: f64 = 1e6;

/// Number of percentiles printed each time the distance to 100 % halves.
const STEPS_IN_HALF: u32 = 5;

/// Number of sub-buckets of an HdrHistogram with three significant digits.
const SUB_BUCKETS: u32 = 2_048;

/// The error of a run whose histograms are all empty.
fn nothing() -> WriteError {
    WriteError::Lacks(sentence!(
        "no-timed-response",
        "the run has no response that was timed"
    ))
}

/// The times of an operation: response times in an open loop, otherwise service times.
fn times(op: &OpFigures) -> Histogram<u64> {
    if op.times.response.is_empty() {
        op.times.service.unpacked()
    } else {
        op.times.response.unpacked()
    }
}

fn slices(run: &Run<'_>) -> Result<Vec<Part>, WriteError> {
    let failed = |error: &dyn std::fmt::Display| {
        WriteError::Lacks(sentence!(
            "no-interval-log",
            "the interval log cannot be written: {error}",
            error
        ))
    };
    let mut content = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut count = 0;
    {
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment(&format!(
                "run {}, {}; nanoseconds; Tag=target/workload/operation",
                for_terminal(&run.document.run.id),
                run.document.trust.word()
            ))
            .add_comment(&format!("[{}]", mark(run.document)))
            .with_start_time(run.record.started)
            .with_base_time(run.record.started)
            .with_max_value_divisor(MAX_VALUE_DIVISOR)
            .begin_log_with(&mut content, &mut serializer)
            .map_err(|error| failed(&error))?;
        for slice in &run.record.slices {
            let (start, length) = (seconds(slice.start), seconds(slice.end.seconds));
            for op in slice.ops.iter().filter(|op| !op.times.service.is_empty()) {
                let name = tag(slice, op);
                log.write_histogram(&times(op), start, length, Tag::new(&name))
                    .map_err(|error| failed(&format!("{error:?}")))?;
                count += 1;
            }
        }
    }
    match count {
        0 => Err(nothing()),
        _ => Ok(vec![Part {
            name: "slices".to_owned(),
            content,
        }]),
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// The tag of an interval: without commas, which end a tag, and without spaces, at which programs
/// split lines.
fn tag(slice: &Slice, op: &OpFigures) -> String {
    let part = |name: &str| -> String {
        let breaks =
            |c: char| c == ',' || c == '/' || c == '"' || c.is_whitespace() || c.is_control();
        let kept = name.chars().map(|c| if breaks(c) { '_' } else { c });
        kept.collect()
    };
    let parts = [&slice.target, &slice.workload, &op.name];
    parts.map(|name| part(name)).join("/")
}

fn distributions(run: &Run<'_>) -> Result<Vec<Part>, WriteError> {
    let mut all: Vec<(String, Histogram<u64>)> = Vec::new();
    let none_is_full = run.record.slices.iter().all(|slice| slice.end.cut_short);
    let counts = |slice: &&Slice| none_is_full || !slice.end.cut_short;
    for slice in run.record.slices.iter().filter(counts) {
        for op in slice.ops.iter().filter(|op| !op.times.service.is_empty()) {
            let name = tag(slice, op).replace('/', "-");
            let at = match all.iter().position(|(known, _)| *known == name) {
                Some(at) => at,
                None => {
                    all.push((name, latency_histogram()));
                    all.len() - 1
                }
            };
            merge(
                &mut all[at].1,
                if op.times.response.is_empty() {
                    &op.times.service
                } else {
                    &op.times.response
                },
            );
        }
    }
    if all.is_empty() {
        return Err(nothing());
    }
    let parts = all.into_iter().map(|(name, histogram)| Part {
        name,
        content: (percentiles(&histogram) + &format!("#[{}]\n", mark(run.document))).into_bytes(),
    });
    Ok(parts.collect())
}

/// Formats a histogram like `outputPercentileDistribution` of HdrHistogram, with values in
/// milliseconds.
fn percentiles(histogram: &Histogram<u64>) -> String {
    let millis = |nanos: f64| nanos / 1e6;
    let mut text = format!(
        "{:>12} {:>14} {:>10} {:>14}\n\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    for row in rows(histogram) {
        let quantile = row.percentile / 100.0;
        let value = millis(row.value as f64);
        let _ = write!(text, "{value:>12.3} {quantile:>14.12} {:>10}", row.count);
        if row.percentile < 100.0 {
            let _ = write!(text, " {:>14.2}", 1.0 / (1.0 - quantile));
        }
        text.push('\n');
    }
    text.push_str(&summary(histogram));
    text
}

/// The last lines of a percentile distribution, in milliseconds.
pub(super) fn summary(histogram: &Histogram<u64>) -> String {
    let millis = |nanos: f64| nanos / 1e6;
    format!(
        "#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]\n\
         #[Max     = {:>12.3}, Total count    = {:>12}]\n\
         #[Buckets = {:>12}, SubBuckets     = {SUB_BUCKETS:>12}]\n",
        millis(histogram.mean()),
        millis(histogram.stdev()),
        millis(histogram.max() as f64),
        histogram.len(),
        histogram.buckets()
    )
}

/// A line of a percentile distribution.
struct Row {
    value: u64,
    percentile: f64,
    /// Requests that took at most the value.
    count: u64,
}

/// The steps of `PercentileIterator` of HdrHistogram for Java, in the same floating-point operations: a
/// percentile that exactly N requests reach is on one side or the other of a rounding error.
/// [`Histogram::iter_quantiles`] has other rounding errors.
fn rows(histogram: &Histogram<u64>) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut percentile, mut count) = (0.0, 0);
    let mut last = 0;
    for each in histogram.iter_recorded() {
        last = each.value_iterated_to();
        count += each.count_at_value();
        while 100.0 * count as f64 / histogram.len() as f64 >= percentile {
            rows.push(Row {
                value: last,
                percentile,
                count,
            });
            if count == histogram.len() {
                break;
            }
            let halvings = (100.0 / (100.0 - percentile)).ln() / std::f64::consts::LN_2;
            let ticks = f64::from(STEPS_IN_HALF) * 2_f64.powi(halvings as i32 + 1);
            percentile += 100.0 / ticks;
        }
    }
    rows.push(Row {
        value: last,
        percentile: 100.0,
        count,
    });
    rows
}
