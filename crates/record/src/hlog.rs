//! `latency.hlog`: histograms in HdrHistogram's interval log format 1.3, one
//! line a second, a target, an operation or a host, and a kind.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::fold::Interval;
use crate::lines::{ByteRange, Quantiles};
use crate::slice::SliceStart;

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

    /// Appends histograms of one second and one subject to `text`, each with the
    /// name of its kind, the empty ones left out.
    pub(crate) fn push(
        &mut self,
        text: &mut Vec<u8>,
        slice: &SliceStart,
        interval: &Interval,
        subject: Subject<'_>,
        histograms: &[(&str, &Histogram<u64>)],
    ) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut log = IntervalLogWriterBuilder::new()
            .with_max_value_divisor(MAX_VALUE_DIVISOR)
            .begin_log_with(&mut lines, &mut self.serializer)?;
        for (kind, histogram) in histograms {
            if histogram.is_empty() {
                continue;
            }
            let tag = tag(slice, subject, kind);
            log.write_histogram(
                *histogram,
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

/// Whose histograms they are: the third part of their tags.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// One operation.
    Operation(&'a str),
    /// All operations.
    All,
    /// All operations on one host.
    Host(&'a str),
}

impl Subject<'_> {
    fn tag_part(self) -> String {
        match self {
            Self::Operation(name) => tag_part(name),
            Self::All => "*".to_owned(),
            Self::Host(name) => format!("*@{}", tag_part(name)),
        }
    }
}

fn tag(slice: &SliceStart, subject: Subject<'_>, kind: &str) -> String {
    format!(
        "{}/{}/{}/{kind}",
        tag_part(&slice.target),
        tag_part(&slice.workload),
        subject.tag_part(),
    )
}

/// `name` without what may not stand in a part of a tag.
fn tag_part(name: &str) -> String {
    name.replace(
        |c: char| c == ',' || c == '/' || c.is_whitespace() || c.is_control(),
        "_",
    )
}

/// Histograms read from the file, by kind.
pub(crate) struct Decoded(BTreeMap<String, Histogram<u64>>);

/// The histograms in `lines`, the part of the file that a line points to.
///
/// # Errors
/// When there is anything else.
pub(crate) fn decode(lines: &[u8]) -> Result<Decoded, String> {
    let mut decoded = BTreeMap::new();
    for entry in IntervalLogIterator::new(lines) {
        let Ok(LogEntry::Interval(entry)) = entry else {
            return Err("expected a histogram".to_owned());
        };
        let kind = entry
            .tag()
            .and_then(|tag| tag.as_str().rsplit_once('/'))
            .map_or("", |(_, kind)| kind);
        decoded.insert(kind.to_owned(), histogram(entry.encoded_histogram())?);
    }
    Ok(Decoded(decoded))
}

impl Decoded {
    /// Moves the histogram of a kind to where it belongs. An empty one was never
    /// written, and leaves what is there.
    ///
    /// # Errors
    /// When it does not hold what its line says it holds.
    pub(crate) fn take(
        &mut self,
        kind: &str,
        promised: Option<Quantiles>,
        to: &mut Histogram<u64>,
    ) -> Result<(), String> {
        let found = self.0.remove(kind);
        let count = found.as_ref().map_or(0, Histogram::len);
        let expected = promised.map_or(0, |quantiles| quantiles.count);
        if count != expected {
            return Err(format!(
                "the {kind} histogram holds {count} values where {expected} were written"
            ));
        }
        if let Some(found) = found {
            *to = found;
        }
        Ok(())
    }

    /// # Errors
    /// When a histogram was left.
    pub(crate) fn all_taken(self) -> Result<(), String> {
        match self.0.keys().next() {
            Some(kind) => Err(format!("the histogram has no known kind: `{kind}`")),
            None => Ok(()),
        }
    }
}

fn histogram(encoded: &str) -> Result<Histogram<u64>, String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .map_err(|e| format!("the histogram is not base64: {e}"))?;
    expect_bounded(&bytes)?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|e| format!("the histogram cannot be decoded: {e}"))
}

/// Largest payload of one histogram, bytes: a run's own take at most 9 bytes for each of
/// some 28,000 counts.
const LARGEST_PAYLOAD: u32 = 1 << 20;
/// Significant digits of a run's own histograms.
const MOST_DIGITS: u32 = 3;
/// `HDR_V2_COMPRESSED_COOKIE` of HdrHistogram's encoding.
const COMPRESSED: [u8; 4] = 0x1c84_9314_u32.to_be_bytes();

/// The deserializer sets aside as much memory as a histogram's header asks for, up to 4 GiB.
///
/// # Errors
/// When a header asks for more than any histogram of a run needs.
fn expect_bounded(bytes: &[u8]) -> Result<(), String> {
    // Cookie, length of the payload, normalising offset, significant digits.
    let mut head = [0; 16];
    let read = match bytes.strip_prefix(&COMPRESSED) {
        Some(packed) => ZlibDecoder::new(packed.get(4..).unwrap_or_default()).read_exact(&mut head),
        None => (&mut &*bytes).read_exact(&mut head),
    };
    read.map_err(|e| format!("the histogram cannot be decoded: {e}"))?;
    let field =
        |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    match field(4) <= LARGEST_PAYLOAD && field(12) <= MOST_DIGITS {
        true => Ok(()),
        false => Err("the histogram is larger than any that a run writes".to_owned()),
    }
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    /// A compressed histogram of nothing with this length of payload and these digits.
    fn packed(payload: u32, digits: u32) -> String {
        let mut zip = ZlibEncoder::new(Vec::new(), Compression::fast());
        for field in [0x1c84_9313, payload, 0, digits] {
            zip.write_all(&field.to_be_bytes()).unwrap();
        }
        for field in [1, 60_000_000_000, 1.0_f64.to_bits()] {
            zip.write_all(&field.to_be_bytes()).unwrap();
        }
        zip.write_all(&vec![0; payload.min(1 << 22) as usize])
            .unwrap();
        let body = zip.finish().unwrap();
        let length = (body.len() as u32).to_be_bytes();
        let bytes = [&COMPRESSED[..], &length, &body].concat();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    #[test]
    fn a_histogram_that_asks_for_gigabytes_is_refused_before_they_are_set_aside() {
        assert!(histogram(&packed(0, 3)).unwrap().is_empty());
        for bomb in [packed(u32::MAX, 3), packed(2 << 20, 3), packed(0, 5)] {
            let why = histogram(&bomb).unwrap_err();
            assert!(why.contains("larger than any"), "{why}");
        }
        assert!(histogram("").is_err());
        assert!(histogram("HISTFAA=").is_err());
    }
}
