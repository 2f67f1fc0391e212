//! Reads and writes `latency.hlog`: histograms in HdrHistogram's interval log format 1.3. A line
//! has one histogram: of one kind and one second, for one target and for one operation, one host or
//! all operations.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use tenbin_engine::histogram::HIGHEST_NANOS;
use tenbin_plan::{Sentence, sentence};

use crate::files::check_values::CheckValue;
use crate::files::lines::{ByteRange, Quantiles};
use crate::histogram::packed::PackedHistogram;
use crate::seconds::second::Interval;
use crate::slice::SliceHead;

/// Divisor for the maximum of an interval: histograms contain nanoseconds, but HdrHistogram's tools
/// expect the maximum in milliseconds.
const MAX_VALUE_DIVISOR: f64 = 1e6;

/// The header of `latency.hlog`. Times in the file are relative to `started`.
pub(crate) fn header(started: SystemTime) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("nanoseconds; Tag=target/workload/operation/kind")
        .with_start_time(started)
        .with_base_time(started)
        .with_max_value_divisor(MAX_VALUE_DIVISOR)
        .begin_log_with(&mut head, &mut V2DeflateSerializer::new())?;
    head.extend_from_slice(
        b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
    );
    Ok(head)
}

/// Encodes histograms with reused memory: a compressor takes about 300 KiB, and an allocation per
/// histogram would fragment memory.
pub(crate) struct Encoder {
    zip: Compress,
    zipped: Vec<u8>,
    base64: String,
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            zip: Compress::new(Compression::default(), true),
            zipped: Vec::new(),
            base64: String::new(),
        }
    }
}

impl Encoder {
    /// Appends the histograms of one second and one subject to `text`, each with the name of its
    /// kind. Skips empty histograms.
    pub(crate) fn push(
        &mut self,
        text: &mut Vec<u8>,
        slice: &SliceHead,
        interval: &Interval,
        subject: Subject<'_>,
        histograms: &[(&str, &PackedHistogram)],
    ) -> io::Result<()> {
        let start = seconds(slice.start) + Duration::from_nanos(interval.start);
        let length = Duration::from_nanos(interval.end.saturating_sub(interval.start));
        for (kind, histogram) in histograms {
            if histogram.is_empty() {
                continue;
            }
            self.compress(histogram)?;
            self.base64.clear();
            STANDARD.encode_string(&self.zipped, &mut self.base64);
            writeln!(
                text,
                "Tag={},{:.3},{:.3},{:.3},{}",
                tag(slice, subject, kind),
                start.as_secs_f64(),
                length.as_secs_f64(),
                histogram.max() as f64 / MAX_VALUE_DIVISOR,
                self.base64,
            )?;
        }
        Ok(())
    }

    /// Writes `histogram` to `zipped`, in HdrHistogram's compressed encoding V2.
    fn compress(&mut self, histogram: &PackedHistogram) -> io::Result<()> {
        let counts = histogram.encoded();
        self.zip.reset();
        self.zipped.clear();
        self.zipped.resize(8, 0);
        let mut head = Vec::with_capacity(HEAD);
        for field in [PLAIN, counts.len() as u32, 0, DIGITS] {
            head.extend_from_slice(&field.to_be_bytes());
        }
        let highest = HIGHEST_NANOS.max(histogram.max());
        for field in [LOWEST, highest, NO_CONVERSION] {
            head.extend_from_slice(&field.to_be_bytes());
        }
        self.zip(&head, FlushCompress::None)?;
        self.zip(&counts, FlushCompress::Finish)?;
        let length = (self.zipped.len() - 8) as u32;
        self.zipped[..4].copy_from_slice(&COMPRESSED);
        self.zipped[4..8].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    fn zip(&mut self, mut bytes: &[u8], flush: FlushCompress) -> io::Result<()> {
        loop {
            self.zipped.reserve(bytes.len() + 64);
            let before = self.zip.total_in();
            let status = self.zip.compress_vec(bytes, &mut self.zipped, flush)?;
            bytes = &bytes[(self.zip.total_in() - before) as usize..];
            let is_done = match flush {
                FlushCompress::Finish => status == Status::StreamEnd,
                _ => bytes.is_empty(),
            };
            if is_done {
                return Ok(());
            }
        }
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// The operation or host that histograms belong to: the third part of their tags.
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

fn tag(slice: &SliceHead, subject: Subject<'_>, kind: &str) -> String {
    format!(
        "{}/{}/{}/{kind}",
        tag_part(&slice.target),
        tag_part(&slice.workload),
        subject.tag_part(),
    )
}

/// `name`, in which `_` replaces every character that a tag does not allow.
fn tag_part(name: &str) -> String {
    name.replace(
        |c: char| c == ',' || c == '/' || c.is_whitespace() || c.is_control(),
        "_",
    )
}

/// Decodes histograms with reused memory: a ten-hour run has about a hundred thousand histograms.
pub(crate) struct Decoder {
    zip: Decompress,
    packed: Vec<u8>,
    plain: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            zip: Decompress::new(true),
            packed: Vec::new(),
            plain: Vec::new(),
        }
    }
}

impl Decoder {
    /// Calls `take` for each histogram in `lines`, a part of the file. The arguments of `take` are
    /// the index of the histogram's kind in `promised` and the encoded counts; the result is the
    /// number of values in the histogram.
    ///
    /// # Errors
    /// When `lines` contain anything other than histograms of the kinds in `promised`, or a number
    /// of values that differs from `promised`.
    pub(crate) fn decode<const N: usize>(
        &mut self,
        lines: &[u8],
        promised: [(&'static str, Option<Quantiles>); N],
        mut take: impl FnMut(usize, &[u8]) -> Result<u64, Sentence>,
    ) -> Result<(), Sentence> {
        let mut found = [0_u64; N];
        for entry in IntervalLogIterator::new(lines) {
            let Ok(LogEntry::Interval(entry)) = entry else {
                return Err(sentence!("no-histogram", "expected a histogram"));
            };
            let kind = entry
                .tag()
                .and_then(|tag| tag.as_str().rsplit_once('/'))
                .map_or("", |(_, kind)| kind);
            let Some(at) = promised.iter().position(|(known, _)| *known == kind) else {
                return Err(sentence!(
                    "histogram-kind",
                    "the histogram has no known kind: `{kind}`",
                    kind
                ));
            };
            let counts = self.counts(entry.encoded_histogram())?;
            let count = take(at, &counts).map_err(undecodable)?;
            found[at] = found[at].saturating_add(count);
        }
        for ((kind, quantiles), count) in promised.into_iter().zip(found) {
            // An empty histogram is never written.
            let expected = quantiles.map_or(0, |quantiles| quantiles.count);
            if count != expected {
                return Err(sentence!(
                    "histogram-count",
                    "the {kind} histogram has {count} values, but its line states {expected}",
                    kind,
                    count,
                    expected
                ));
            }
        }
        Ok(())
    }

    /// Decodes a histogram from base64, decompresses the histogram and returns its encoded counts.
    fn counts(&mut self, encoded: &str) -> Result<Cow<'_, [u8]>, Sentence> {
        self.packed.clear();
        let decoded = STANDARD.decode_vec(encoded, &mut self.packed);
        decoded.map_err(|error| {
            sentence!(
                "histogram-no-base64",
                "the histogram is not base64: {error}",
                error
            )
        })?;
        let is_zipped = self.packed.starts_with(&COMPRESSED);
        self.plain.clear();
        self.zip.reset(true);
        if !is_zipped {
            self.plain.extend_from_slice(&self.packed);
        }
        let mut unzip_to = |plain: &mut Vec<u8>, length| {
            if is_zipped {
                unzip(
                    &mut self.zip,
                    &self.packed[8.min(self.packed.len())..],
                    plain,
                    length,
                )
            } else {
                Ok(())
            }
        };
        unzip_to(&mut self.plain, HEAD).map_err(undecodable)?;
        let too_short = || undecodable(ends_early());
        let head = Head::of(&self.plain).ok_or_else(too_short)?;
        head.expect_bounded()?;
        if head.is_ours() {
            let length = HEAD + head.field(4) as usize;
            unzip_to(&mut self.plain, length).map_err(undecodable)?;
            let counts = self.plain.get(HEAD..length).ok_or_else(too_short)?;
            return Ok(Cow::Borrowed(counts));
        }
        let other = Deserializer::new().deserialize(&mut self.packed.as_slice());
        other
            .map(|histogram| Cow::Owned(PackedHistogram::from(&histogram).encoded().into_owned()))
            .map_err(|e| undecodable(Sentence::quoted(e)))
    }
}

/// The histogram in a line of an interval log: HdrHistogram's encoding V2, in base64, compressed or
/// not. Its memory is bounded. The checksum of the compression is compared, because such a line has
/// no other.
///
/// # Errors
/// What is wrong with it, in one clause.
pub fn decode_histogram(encoded: &str) -> Result<PackedHistogram, Sentence> {
    let mut decoder = Decoder::default();
    let histogram = PackedHistogram::decode(&decoder.counts(encoded)?)?;
    if decoder.packed.starts_with(&COMPRESSED) {
        expect_whole(decoder.packed.get(8..).unwrap_or_default()).map_err(undecodable)?;
    }
    Ok(histogram)
}

/// Decompresses to the end, where the checksum is.
fn expect_whole(zipped: &[u8]) -> Result<(), Sentence> {
    let mut zip = Decompress::new(true);
    let mut plain = Vec::with_capacity(FIRST_ROOM);
    loop {
        plain.clear();
        let before = (zip.total_in(), zip.total_out());
        let rest = zipped.get(before.0 as usize..).unwrap_or_default();
        let status = zip.decompress_vec(rest, &mut plain, FlushDecompress::None);
        match status.map_err(Sentence::quoted)? {
            Status::StreamEnd => return Ok(()),
            _ if (zip.total_in(), zip.total_out()) == before => {
                return Err(ends_early());
            }
            _ if zip.total_out() > HEAD as u64 + u64::from(LARGEST_PAYLOAD) => {
                return Err(sentence!(
                    "histogram-too-long", "it has more than its counts"
                ));
            }
            _ => {}
        }
    }
}

fn ends_early() -> Sentence {
    sentence!("histogram-too-short", "it ends too early")
}

fn undecodable(why: Sentence) -> Sentence {
    sentence!(
        "histogram-undecodable",
        "the histogram cannot be decoded: {why}",
        why
    )
}

/// Decompresses until `plain` has at least `length` bytes or `zipped` ends. A further call
/// continues at this position.
fn unzip(
    zip: &mut Decompress,
    zipped: &[u8],
    plain: &mut Vec<u8>,
    length: usize,
) -> Result<(), Sentence> {
    // Most histograms fit into the first buffer.
    plain.reserve(length.saturating_sub(plain.len()).max(FIRST_ROOM));
    while plain.len() < length {
        let (read, written) = (zip.total_in(), zip.total_out());
        let rest = zipped.get(read as usize..).unwrap_or_default();
        let status = zip.decompress_vec(rest, plain, FlushDecompress::None);
        let status = status.map_err(Sentence::quoted)?;
        let is_stuck = (zip.total_in(), zip.total_out()) == (read, written);
        if is_stuck || status == Status::StreamEnd {
            break;
        }
    }
    Ok(())
}

/// Largest accepted payload of one histogram, bytes: a run's histograms have at most 9 bytes for
/// each of about 28,000 counts.
const LARGEST_PAYLOAD: u32 = 1 << 20;
/// Initial size of the decompression buffer, bytes.
const FIRST_ROOM: usize = 4 << 10;
/// Significant digits of the histograms of a run.
const DIGITS: u32 = 3;
/// Lowest discernible value of the histograms of a run, nanoseconds.
const LOWEST: u64 = 1;
/// The bits of 1.0, the conversion ratio between stored and reported values.
const NO_CONVERSION: u64 = 1.0_f64.to_bits();
/// `HDR_V2_COMPRESSED_COOKIE`, which starts HdrHistogram's compressed encoding.
const COMPRESSED: [u8; 4] = 0x1c84_9314_u32.to_be_bytes();
/// `HDR_V2_COOKIE`, which starts HdrHistogram's encoding after decompression.
const PLAIN: u32 = 0x1c84_9313;
/// Length of the header before the counts, bytes.
const HEAD: usize = 40;

/// The header of an encoded histogram: cookie, length of the payload, normalizing offset,
/// significant digits, lowest discernible value, highest trackable value, conversion ratio.
struct Head([u8; HEAD]);

impl Head {
    /// The header at the start of `plain`; `None` if `plain` is too short.
    fn of(plain: &[u8]) -> Option<Self> {
        plain.first_chunk().copied().map(Self)
    }

    /// Checks the payload length and the significant digits in the header, because a deserializer
    /// would allocate up to 4 GiB for wrong values.
    ///
    /// # Errors
    /// When either value is larger than in any histogram of a run.
    fn expect_bounded(&self) -> Result<(), Sentence> {
        if self.field(4) <= LARGEST_PAYLOAD && self.field(12) <= DIGITS {
            Ok(())
        } else {
            Err(sentence!(
                "histogram-too-large",
                "the histogram is larger than any that is read: more than {bytes} bytes of counts, \
                 or more than {digits} significant digits",
                bytes = LARGEST_PAYLOAD,
                digits = DIGITS
            ))
        }
    }

    fn is_ours(&self) -> bool {
        let same = self.field(0) == PLAIN && self.field(8) == 0 && self.field(12) == DIGITS;
        same && self.0[16..24] == LOWEST.to_be_bytes()
    }

    fn field(&self, at: usize) -> u32 {
        let bytes = &self.0[at..at + 4];
        bytes
            .iter()
            .fold(0, |field, byte| field << 8 | u32::from(*byte))
    }
}

impl ByteRange {
    /// The range of `bytes`, which start at `offset`, with their check value.
    pub(crate) fn of(offset: u64, bytes: &[u8]) -> Self {
        Self {
            offset,
            length: bytes.len() as u64,
            h: Some(CheckValue::of(bytes)),
        }
    }

    /// Whether a file of `length` bytes contains the complete range.
    pub(crate) fn is_within(self, length: u64) -> bool {
        let end = self.offset.checked_add(self.length);
        self.length == 0 || end.is_some_and(|end| end <= length)
    }

    /// The first byte after the range.
    pub(crate) fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

#[cfg(test)]
mod tests {
    use flate2::write::ZlibEncoder;
    use hdrhistogram::serialization::Serializer as _;
    use tenbin_engine::histogram::latency_histogram;

    use super::*;

    /// An empty compressed histogram whose header states this payload length and these digits.
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
        STANDARD.encode(bytes)
    }

    #[test]
    fn hdrhistogram_reads_what_is_written() {
        let mut times = latency_histogram();
        for time in 1..5_000 {
            times.record(time * time * 1_000).unwrap();
        }
        let mut encoder = Encoder::default();
        // The second pass reuses the buffers of the first.
        for _ in 0..2 {
            encoder.compress(&PackedHistogram::from(&times)).unwrap();
            let written = &encoder.zipped;
            let read: Result<hdrhistogram::Histogram<u64>, _> =
                Deserializer::new().deserialize(&mut written.as_slice());
            assert_eq!(read.unwrap(), times);
            let back = decode_histogram(&STANDARD.encode(written)).unwrap();
            assert_eq!(back, PackedHistogram::from(&times));
        }
    }

    #[test]
    fn a_histogram_of_other_resolution_is_read() {
        let mut coarse =
            hdrhistogram::Histogram::<u64>::new_with_bounds(100, 10_000_000, 2).unwrap();
        coarse.record_n(1_000_000, 5).unwrap();
        let mut bytes = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        serializer.serialize(&coarse, &mut bytes).unwrap();
        let read = decode_histogram(&STANDARD.encode(bytes)).unwrap();
        assert_eq!((read.len(), read.max() / 10_000), (5, 100));
    }

    #[test]
    fn a_histogram_that_asks_for_gigabytes_is_refused_before_they_are_set_aside() {
        assert!(decode_histogram(&packed(0, 3)).unwrap().is_empty());
        for bomb in [packed(u32::MAX, 3), packed(2 << 20, 3), packed(0, 5)] {
            let why = decode_histogram(&bomb).unwrap_err();
            assert!(why.text().contains("larger than any"), "{why}");
        }
        assert!(decode_histogram("").is_err());
        let whole = packed(200, 3);
        for at in 20..whole.len() - 4 {
            let cut = &whole[..at - at % 4];
            assert!(decode_histogram(cut).is_err(), "cut at {at}");
        }
        assert!(decode_histogram("HISTFAA=").is_err());
    }
}
