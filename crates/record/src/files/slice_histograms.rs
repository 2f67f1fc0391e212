//! Reads and writes `slices.bin`: the histograms of complete slices. Except those by agent, each is the
//! sum of histograms in `latency.hlog`. Reading `slices.bin` is much faster than decoding and adding all seconds.
//!
//! A slice has one range of the file, with the counts of all its histograms in HdrHistogram's
//! encoding V2. The `end` line of the slice has the position, the check value and the lengths.

use tenbin_engine::{Setup, SetupStep, Timed, Times};
use tenbin_plan::{Sentence, sentence};

use crate::files::lines::{ByteRange, TotalsPart};
use crate::histogram::packed::PackedHistogram;

/// Histograms of a complete slice.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Histograms of each operation. In a closed loop, response times are empty.
    pub(crate) ops: Vec<Times<PackedHistogram>>,
    /// Histograms of connection set-up.
    pub(crate) setup: Setup<PackedHistogram>,
    /// Service times by host.
    pub(crate) hosts: Vec<PackedHistogram>,
    /// Times of the work by agent: service times in a closed loop, response times in an open loop.
    /// The seconds in `latency.hlog` lack these histograms.
    pub(crate) agents: Vec<PackedHistogram>,
}

/// Number of values in each histogram of a slice, according to the lines of the slice's seconds.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) ops: Vec<Times<u64>>,
    pub(crate) setup: Setup<u64>,
    pub(crate) hosts: Vec<u64>,
}

/// Limit for the size of a histogram, bytes, which no histogram of a run reaches.
const LARGEST: u32 = 1 << 20;

impl TotalsPart {
    /// Whether both have the same range and lengths. A kind of histogram that a file of an older
    /// version lacks is as one without values.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        fn filled(lengths: &[u32]) -> &[u32] {
            let last = lengths.iter().rposition(|length| *length > 0);
            &lengths[..last.map_or(0, |last| last + 1)]
        }
        let ops = |part: &Self| {
            part.operations
                .iter()
                .map(|all| filled(all).to_vec())
                .collect()
        };
        let (own, others): (Vec<_>, Vec<_>) = (ops(self), ops(other));
        self.range == other.range
            && own == others
            && filled(&self.setup) == filled(&other.setup)
            && self.hosts == other.hosts
            && self.agents == other.agents
    }

    /// Total length of all histograms, bytes; `None` if the total differs from the length of the
    /// range, or a histogram is too large.
    pub(crate) fn length(&self) -> Option<usize> {
        let operations = self.operations.iter();
        let lengths = operations.flatten().chain(&self.setup);
        let lengths = lengths.chain(&self.hosts);
        let mut lengths = lengths.chain(&self.agents);
        let sum = lengths.try_fold(0_u64, |sum, length| {
            (*length <= LARGEST).then_some(sum + u64::from(*length))
        });
        let sum = sum.filter(|sum| *sum == self.range.length)?;
        usize::try_from(sum).ok()
    }
}

impl Totals {
    /// Appends all histograms to `bytes`, which will be written at `offset`.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>, offset: u64) -> TotalsPart {
        let mut write = |histogram: &PackedHistogram| {
            let encoded = histogram.encoded();
            bytes.extend_from_slice(&encoded);
            encoded.len() as u32
        };
        let ops = self.ops.iter();
        let of_op =
            |times: &Times<PackedHistogram>| times.as_ref().map(&mut write).into_array().to_vec();
        let operations = ops.map(of_op).collect();
        let setup = self.setup.as_ref().map(&mut write).into_array().to_vec();
        let hosts = self.hosts.iter().map(&mut write).collect();
        let agents = self.agents.iter().map(&mut write).collect();
        TotalsPart {
            range: ByteRange::of(offset, bytes),
            operations,
            setup,
            hosts,
            agents,
        }
    }

    /// Reads the histograms that [`Totals::write`] has written.
    ///
    /// # Errors
    /// When the bytes are damaged, or the number of values differs from `counts`.
    pub(crate) fn read(part: &TotalsPart, bytes: &[u8], counts: &Counts) -> Result<Self, Sentence> {
        let as_many =
            part.operations.len() == counts.ops.len() && part.hosts.len() == counts.hosts.len();
        if !as_many {
            return Err(sentence!(
                "totals-of-others",
                "it has other operations or hosts than its seconds"
            ));
        }
        let mut pieces = Pieces(bytes);
        let mut totals = Self::default();
        for (lengths, counts) in part.operations.iter().zip(&counts.ops) {
            let mut times = Times::default();
            for (timed, length) in Timed::ALL.into_iter().zip(lengths) {
                let piece = pieces.next(*length)?;
                times[timed] = PackedHistogram::checked(piece, counts[timed], is_digested(timed))?;
            }
            totals.ops.push(times);
        }
        for (step, length) in SetupStep::ALL.into_iter().zip(&part.setup) {
            let piece = pieces.next(*length)?;
            totals.setup[step] = PackedHistogram::checked(piece, counts.setup[step], false)?;
        }
        for (length, count) in part.hosts.iter().zip(&counts.hosts) {
            let piece = pieces.next(*length)?;
            let histogram = PackedHistogram::checked(piece, *count, false)?;
            totals.hosts.push(histogram);
        }
        for length in &part.agents {
            let histogram = PackedHistogram::decode(pieces.next(*length)?)?;
            totals.agents.push(histogram.with_digest());
        }
        match pieces.0 {
            [] => Ok(totals),
            _ => Err(sentence!(
                "totals-too-long",
                "it is longer than its histograms"
            )),
        }
    }
}

/// Whether reports show percentiles of these times for each slice.
pub(crate) fn is_digested(timed: Timed) -> bool {
    matches!(timed, Timed::Service | Timed::Response)
}

/// The bytes of a slice that have not been read yet.
struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    fn next(&mut self, length: u32) -> Result<&'a [u8], Sentence> {
        let split = self.0.split_at_checked(length as usize);
        let (piece, rest) = split
            .ok_or_else(|| sentence!("totals-too-short", "it is shorter than its histograms"))?;
        self.0 = rest;
        Ok(piece)
    }
}

impl Counts {
    /// Counts of 0 for this number of operations and hosts.
    pub(crate) fn new(operations: usize, hosts: usize) -> Self {
        Self {
            ops: vec![Times::default(); operations],
            setup: Setup::default(),
            hosts: vec![0; hosts],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[u64]) -> PackedHistogram {
        let mut packed = PackedHistogram::new();
        for value in values {
            packed.record(*value).unwrap();
        }
        packed
    }

    fn totals() -> (Totals, Counts) {
        let mut totals = Totals {
            ops: vec![Default::default(), Default::default()],
            setup: Default::default(),
            hosts: vec![histogram(&[7; 90]), histogram(&[])],
            agents: vec![histogram(&[1_000]), histogram(&[2_000, 300_000])],
        };
        totals.ops[0].service = histogram(&[1_000, 2_000, 300_000]);
        totals.ops[1].failed = histogram(&[5]);
        totals.setup.first_byte = histogram(&[u64::MAX, 0]);
        let mut counts = Counts::new(2, 2);
        (counts.ops[0].service, counts.ops[1].failed) = (3, 1);
        counts.setup.first_byte = 2;
        counts.hosts[0] = 90;
        (totals, counts)
    }

    #[test]
    fn what_was_written_is_read() {
        let (totals, counts) = totals();
        let mut bytes = Vec::new();
        let part = totals.write(&mut bytes, 40);
        assert_eq!(
            (part.range.offset, part.range.length),
            (40, bytes.len() as u64)
        );
        let back = Totals::read(&part, &bytes, &counts).unwrap();
        assert_eq!(back.ops, totals.ops);
        assert_eq!(back.setup, totals.setup);
        assert_eq!(back.hosts, totals.hosts);
        assert_eq!(back.agents, totals.agents);
        let text = serde_json::to_string(&part).unwrap();
        assert_eq!(serde_json::from_str::<TotalsPart>(&text).unwrap(), part);
    }

    #[test]
    fn what_does_not_agree_with_the_seconds_is_refused() {
        let (totals, counts) = totals();
        let mut bytes = Vec::new();
        let part = totals.write(&mut bytes, 0);
        for at in 0..bytes.len() {
            let read = Totals::read(&part, &bytes[..at], &counts);
            assert!(read.is_err(), "the first {at} bytes");
        }
        let longer = [&bytes[..], &[2]].concat();
        assert!(Totals::read(&part, &longer, &counts).is_err());
        let mut other = Counts::new(2, 2);
        other.ops.clone_from(&counts.ops);
        assert!(Totals::read(&part, &bytes, &other).is_err());
        assert!(Totals::read(&part, &bytes, &Counts::new(1, 2)).is_err());
        assert!(Totals::read(&part, &bytes, &Counts::new(2, 0)).is_err());
    }
}
