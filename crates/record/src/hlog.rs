//! `latency.hlog`: histograms in HdrHistogram's interval log format 1.3, one
//! line a second, a target, an operation and a kind.

use std::io;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::fold::{Interval, Kind};
use crate::lines::{ByteRange, OperationLine};
use crate::slice::{OpFigures, SliceStart};

/// Histograms hold nanoseconds; HdrHistogram's tools read the largest value of
/// an interval in milliseconds.
const MAX_VALUE_DIVISOR: f64 = 1e6;

/// Turns histograms into lines.
pub(crate) struct HlogEncoder {
    serializer: V2DeflateSerializer,
}

impl HlogEncoder {
    pub(crate) fn new() -> Self {
        Self {
            serializer: V2DeflateSerializer::new(),
        }
    }

    /// The head of the file. Times in the file count from `started`.
    pub(crate) fn header(&mut self, started: SystemTime) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("nanoseconds; Tag=target/workload/operation/kind")
            .with_start_time(started)
            .with_base_time(started)
            .with_max_value_divisor(MAX_VALUE_DIVISOR)
            .begin_log_with(&mut head, &mut self.serializer)?;
        head.extend_from_slice(
            b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
        );
        Ok(head)
    }

    /// Appends the histograms of one operation in one second to `text`, the
    /// empty ones left out.
    pub(crate) fn push(
        &mut self,
        text: &mut Vec<u8>,
        slice: &SliceStart,
        interval: &Interval,
        op: &OpFigures,
    ) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut log = IntervalLogWriterBuilder::new()
            .with_max_value_divisor(MAX_VALUE_DIVISOR)
            .begin_log_with(&mut lines, &mut self.serializer)?;
        for kind in Kind::ALL {
            let histogram = kind.of(op);
            if histogram.is_empty() {
                continue;
            }
            let tag = tag(slice, op, kind);
            log.write_histogram(
                histogram,
                seconds(slice.start) + Duration::from_nanos(interval.start),
                Duration::from_nanos(interval.end.saturating_sub(interval.start)),
                Tag::new(&tag),
            )
            .map_err(|e| io::Error::other(e.to_string()))?;
        }
        text.extend_from_slice(without_head(&lines));
        Ok(())
    }
}

/// The builder writes a comment about the divisor at the head of everything;
/// once, at the head of the file, is enough.
fn without_head(lines: &[u8]) -> &[u8] {
    let head = lines
        .split_inclusive(|&byte| byte == b'\n')
        .take_while(|line| line.starts_with(b"#"))
        .map(<[u8]>::len)
        .sum();
    &lines[head..]
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn tag(slice: &SliceStart, op: &OpFigures, kind: Kind) -> String {
    format!(
        "{}/{}/{}/{}",
        tag_part(&slice.target),
        tag_part(&slice.workload),
        tag_part(&op.name),
        kind.name()
    )
}

/// `name` without what may not stand in a part of a tag.
fn tag_part(name: &str) -> String {
    name.replace(
        |c: char| c == ',' || c == '/' || c.is_whitespace() || c.is_control(),
        "_",
    )
}

/// Puts the histograms of `line` into `figures`.
///
/// # Errors
/// When `lines`, the part of the file that the line points to, does not hold
/// what the line says it holds.
pub(crate) fn decode(
    lines: &[u8],
    line: &OperationLine,
    figures: &mut OpFigures,
) -> Result<(), String> {
    for entry in IntervalLogIterator::new(lines) {
        let Ok(LogEntry::Interval(entry)) = entry else {
            return Err("expected a histogram".to_owned());
        };
        let name = entry
            .tag()
            .and_then(|tag| tag.as_str().rsplit_once('/'))
            .map_or("", |(_, kind)| kind);
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or("the histogram has no known kind")?;
        *kind.of_mut(figures) = histogram(entry.encoded_histogram())?;
    }
    check_counts(line, figures)
}

fn histogram(encoded: &str) -> Result<Histogram<u64>, String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .map_err(|e| format!("the histogram is not base64: {e}"))?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|e| format!("the histogram cannot be decoded: {e}"))
}

fn check_counts(line: &OperationLine, figures: &OpFigures) -> Result<(), String> {
    let promised = [
        (Kind::Service, line.service),
        (Kind::Response, line.response),
        (Kind::Lag, line.lag),
        (Kind::Failed, line.failed),
    ];
    for (kind, quantiles) in promised {
        let expected = quantiles.map_or(0, |q| q.count);
        let found = kind.of(figures).len();
        if found != expected {
            return Err(format!(
                "the {} histogram holds {found} values where {expected} were written",
                kind.name()
            ));
        }
    }
    Ok(())
}

impl ByteRange {
    /// That part of `bytes`, if all of it is there.
    pub(crate) fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.offset).ok()?;
        let length = usize::try_from(self.length).ok()?;
        if length == 0 {
            return Some(&[]);
        }
        bytes.get(start..start.checked_add(length)?)
    }
}
