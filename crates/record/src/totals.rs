//! Reads and writes `slices.bin`: the histograms of complete slices. Except those by agent, each is the
//! sum of histograms in `latency.hlog`. Reading `slices.bin` is much faster than decoding and adding all seconds.
//!
//! A slice has one range of the file, with the counts of all its histograms in HdrHistogram's
//! encoding V2. The `end` line of the slice has the position, the check value and the lengths.

use crate::kind::{Kind, Step};
use crate::lines::{ByteRange, TotalsPart};
use crate::packed::PackedHistogram;

/// Histograms of a complete slice.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Histograms of each operation, in the order of [`Kind::ALL`]. In a closed loop, histograms of
    /// [`Kind::Response`] are empty.
    pub(crate) ops: Vec<[PackedHistogram; Kind::ALL.len()]>,
    /// Histograms of connection set-up, in the order of [`Step::ALL`].
    pub(crate) setup: [PackedHistogram; Step::ALL.len()],
    /// Service times by host.
    pub(crate) hosts: Vec<PackedHistogram>,
    /// Times of the work by agent: service times in a closed loop, response times in an open loop.
    /// The seconds in `latency.hlog` lack these histograms.
    pub(crate) agents: Vec<PackedHistogram>,
}

/// Number of values in each histogram of a slice, according to the lines of the slice's seconds.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) ops: Vec<[u64; Kind::ALL.len()]>,
    pub(crate) setup: [u64; Step::ALL.len()],
    pub(crate) hosts: Vec<u64>,
}

/// Limit for the size of a histogram, bytes, which no histogram of a run reaches.
const LARGEST: u32 = 1 << 20;

impl TotalsPart {
    /// Total length of all histograms, bytes; `None` if the total differs from the length of the
    /// range, or a histogram is too large.
    pub(crate) fn length(&self) -> Option<usize> {
        let operations = self.operations.iter().flatten();
        let lengths = operations.chain(&self.setup);
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
        let operations = ops.map(|kinds| kinds.each_ref().map(&mut write)).collect();
        let setup = self.setup.each_ref().map(&mut write);
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
    pub(crate) fn read(part: &TotalsPart, bytes: &[u8], counts: &Counts) -> Result<Self, String> {
        let as_many =
            part.operations.len() == counts.ops.len() && part.hosts.len() == counts.hosts.len();
        if !as_many {
            return Err("it has other operations or hosts than its seconds".to_owned());
        }
        let mut pieces = Pieces(bytes);
        let mut totals = Self::default();
        for (lengths, counts) in part.operations.iter().zip(&counts.ops) {
            let mut kinds = <[PackedHistogram; Kind::ALL.len()]>::default();
            let each = lengths.iter().zip(counts).zip(Kind::ALL);
            for (((length, count), kind), histogram) in each.zip(&mut kinds) {
                let piece = pieces.next(*length)?;
                *histogram = PackedHistogram::checked(piece, *count, kind.is_digested())?;
            }
            totals.ops.push(kinds);
        }
        let setup = part.setup.iter().zip(&counts.setup);
        for ((length, count), histogram) in setup.zip(&mut totals.setup) {
            *histogram = PackedHistogram::checked(pieces.next(*length)?, *count, false)?;
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
            _ => Err("it is longer than its histograms".to_owned()),
        }
    }
}

/// The bytes of a slice that have not been read yet.
struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    fn next(&mut self, length: u32) -> Result<&'a [u8], String> {
        let split = self.0.split_at_checked(length as usize);
        let (piece, rest) = split.ok_or("it is shorter than its histograms")?;
        self.0 = rest;
        Ok(piece)
    }
}

impl Counts {
    /// Counts of 0 for this number of operations and hosts.
    pub(crate) fn new(operations: usize, hosts: usize) -> Self {
        Self {
            ops: vec![[0; Kind::ALL.len()]; operations],
            setup: [0; Step::ALL.len()],
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
        totals.ops[0][0] = histogram(&[1_000, 2_000, 300_000]);
        totals.ops[1][4] = histogram(&[5]);
        totals.setup[2] = histogram(&[u64::MAX, 0]);
        let mut counts = Counts::new(2, 2);
        (counts.ops[0][0], counts.ops[1][4]) = (3, 1);
        counts.setup[2] = 2;
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
