//! Histograms that store only the counts that are not 0.
//!
//! A latency histogram has 28,000 counts of 8 bytes, but a slice uses only a few hundred counts.
//! The histograms of every slice therefore stay in HdrHistogram's encoding V2
//! (`EncodableHistogram`): counts in order as ZigZag LEB128 numbers, with a run of n zeros as −n.

mod digest;
mod encoding;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fs::File;
use std::sync::{Arc, OnceLock};

use hdrhistogram::Histogram;
use tenbin_engine::histogram::{SampleHistogram, latency_histogram, lowest_of_slot, slot_of};
use tenbin_plan::{Sentence, sentence};

use self::digest::{DIGESTED, Digest, DigestSum, rank};
use self::encoding::{
    LAST_SHORT_COUNT, LAST_SHORT_RUN, Number, Slots, highest_of_slot, median_of_slot, push_count,
    push_zeros,
};
pub(crate) use self::encoding::{checked_slots, first_slot, for_each_slot};
use crate::histogram::slot_window::SlotWindow;
use crate::histogram::store::{self, SHORT, Stored};

/// Number of counts that are packed together.
pub(crate) const GROUP: usize = 8;

/// A histogram of nanoseconds in the slots of [`latency_histogram`], in a few hundred bytes.
///
/// All figures equal those of a [`Histogram`] with three significant digits. The extremes, the mean
/// and the usual percentiles are computed only once; other figures take time in proportion to the
/// number of filled slots. To add many histograms, use [`crate::merged`].
#[derive(Clone, Default)]
pub struct PackedHistogram(Option<Arc<Packed>>);

/// A histogram with at least one value. Shared, because in a closed loop response times and service
/// times are equal.
struct Packed {
    total: u64,
    digest: OnceLock<Digest>,
    counts: Counts,
}

/// Encoded counts.
enum Counts {
    /// Counts that take no more memory than a reference to the file.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    Memory(Box<[u8]>),
    File {
        file: Arc<File>,
        offset: u64,
        length: u32,
    },
}

impl Counts {
    fn of(encoded: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..encoded.len()) {
            None => Self::Memory(encoded.into()),
            Some(start) => {
                start.copy_from_slice(encoded);
                Self::Short {
                    length: encoded.len() as u8,
                    bytes,
                }
            }
        }
    }

    /// The bytes, if they are in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)),
            Self::Memory(bytes) => Some(bytes),
            Self::File { .. } => None,
        }
    }
}

impl PackedHistogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of values.
    pub fn len(&self) -> u64 {
        self.0.as_ref().map_or(0, |packed| packed.total)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether `self` and `other` share one histogram in memory, or both are empty.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }

    /// The lowest value of the first filled slot; 0 for an empty histogram.
    pub fn min(&self) -> u64 {
        self.digest()
            .map_or(0, |digest| lowest_of_slot(digest.lowest_slot()))
    }

    /// The highest value of the last filled slot; 0 for an empty histogram.
    pub fn max(&self) -> u64 {
        self.digest()
            .map_or(0, |digest| highest_of_slot(digest.highest_slot()))
    }

    /// The mean, computed from the middle value of each slot; 0 for an empty histogram.
    pub fn mean(&self) -> f64 {
        self.digest().map_or(0.0, Digest::mean)
    }

    /// The highest value of the slot that contains quantile `q` (0 to 1), or the lowest value for
    /// `q` 0; 0 for an empty histogram.
    pub fn value_at_quantile(&self, q: f64) -> u64 {
        if let Some(at) = DIGESTED.iter().position(|digested| *digested == q) {
            let slot = self.digest().map(|digest| digest.quantile_slot(at));
            return slot.map_or(0, highest_of_slot);
        }
        let rank = rank(q, self.len());
        let mut below = 0;
        let found = self.slots().find(|(_, count)| {
            below += count;
            below >= rank
        });
        found.map_or(0, |(slot, _)| {
            if q == 0.0 {
                lowest_of_slot(slot)
            } else {
                highest_of_slot(slot)
            }
        })
    }

    /// Number of values from the slot of `low` to the slot of `high`, including both slots.
    pub fn count_between(&self, low: u64, high: u64) -> u64 {
        let (first, last) = (slot_of(low), slot_of(high));
        let inside = self.slots().skip_while(|(slot, _)| *slot < first);
        let inside = inside.take_while(|(slot, _)| *slot <= last);
        inside.map(|(_, count)| count).sum()
    }

    /// Number of values in the slot of `value`.
    pub fn count_at(&self, value: u64) -> u64 {
        self.count_between(value, value)
    }

    /// The filled slots in order, each as the slot's highest value and its count.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        let slots = self.slots();
        slots.map(|(slot, count)| (highest_of_slot(slot), count))
    }

    /// The value in the middle of the slot of `value`.
    pub fn median_equivalent(&self, value: u64) -> u64 {
        median_of_slot(slot_of(value))
    }

    /// Adds the values of `other`.
    pub fn add(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
        } else if !other.is_empty() {
            *self = self.sum_with(other);
        }
    }

    fn sum_with(&self, other: &Self) -> Self {
        let mut packer = Packer::default();
        let (mut some, mut others) = (self.slots().peekable(), other.slots().peekable());
        loop {
            let next = match (some.peek(), others.peek()) {
                (Some((one, _)), Some((two, _))) if one <= two => some.next(),
                (Some(_), None) => some.next(),
                _ => others.next(),
            };
            match next {
                Some((slot, count)) => packer.push(slot, count),
                None => return packer.finish(),
            }
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// Never. The result makes the call interchangeable with [`Histogram::record`].
    pub fn record(&mut self, value: u64) -> Result<(), Infallible> {
        self.record_n(value, 1)
    }

    /// Adds `count` equal values. Each call reads the complete histogram, so to record many values,
    /// use a [`Histogram`] and convert the result.
    ///
    /// # Errors
    /// Never, like [`PackedHistogram::record`].
    pub fn record_n(&mut self, value: u64, count: u64) -> Result<(), Infallible> {
        let mut packer = Packer::default();
        packer.push(slot_of(value), count);
        self.add(&packer.finish());
        Ok(())
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Converts to a [`Histogram`], in which further values can be recorded quickly.
    pub fn unpacked(&self) -> Histogram<u64> {
        let mut histogram = latency_histogram();
        self.add_to(&mut histogram);
        histogram
    }

    /// Adds all values to `sum`, which grows if necessary.
    pub(crate) fn add_to(&self, sum: &mut Histogram<u64>) {
        sum.auto(true);
        for (slot, count) in self.slots() {
            sum.record_n(lowest_of_slot(slot), count)
                .expect("a histogram that resizes itself takes any value");
        }
    }

    /// Adds the counts to all windows in one pass. Fastest if windows are in ascending order and
    /// share no slots.
    pub fn add_to_windows(&self, windows: &mut [SlotWindow]) {
        let encoded = self.encoded();
        if !windows.is_sorted_by(|one, next| one.end() <= next.first()) {
            return for_each_slot(&encoded, |slot, count| {
                for window in &mut *windows {
                    window.add(slot, count);
                }
            });
        }
        let (mut rest, mut slot, mut below) = (&*encoded, 0, 0);
        for window in windows {
            while slot < window.first()
                && let Some((number, length)) = Number::at_start_of(rest)
            {
                rest = &rest[length..];
                below += number.count();
                slot += number.slots();
            }
            window.add_below(below);
            while slot < window.end()
                && let Some((number, length)) = Number::at_start_of(rest)
            {
                rest = &rest[length..];
                window.add(slot, number.count());
                below += number.count();
                slot += number.slots();
            }
        }
    }

    /// The counts in HdrHistogram's encoding V2.
    pub(crate) fn encoded(&self) -> Cow<'_, [u8]> {
        match self.0.as_deref().map(|packed| &packed.counts) {
            None => Cow::Borrowed(&[]),
            Some(Counts::File {
                file,
                offset,
                length,
            }) => Cow::Owned(store::read(file, *offset, *length)),
            Some(counts) => Cow::Borrowed(counts.in_memory().unwrap_or_default()),
        }
    }

    /// The counts, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[u8]> {
        self.0.as_deref()?.counts.in_memory()
    }

    /// Replaces the counts by a reference to the file, where `stored` has the same counts next. Frees
    /// the memory of the counts unless a clone of this histogram still uses the memory.
    pub(crate) fn move_to(&mut self, stored: &mut Stored) {
        let Some(packed) = self.0.as_deref() else {
            return;
        };
        let length = packed.counts.in_memory().map_or(0, <[u8]>::len) as u32;
        let (file, offset) = stored.next(length);
        self.0 = Some(Arc::new(Packed {
            total: packed.total,
            digest: packed.digest.clone(),
            counts: Counts::File {
                file,
                offset,
                length,
            },
        }));
    }

    /// The digest, computed at the first call; `None` for an empty histogram.
    fn digest(&self) -> Option<&Digest> {
        let packed = self.0.as_deref()?;
        Some(
            packed
                .digest
                .get_or_init(|| Digest::of(packed.total, &self.encoded())),
        )
    }

    /// Computes the digest now, because later the counts may have to be read from a file.
    pub(crate) fn with_digest(self) -> Self {
        self.digest();
        self
    }

    /// Decodes counts in HdrHistogram's encoding V2; see [`checked_slots`].
    ///
    /// # Errors
    /// When the counts are not valid.
    pub(crate) fn decode(encoded: &[u8]) -> Result<Self, Sentence> {
        let mut packer = Packer::default();
        checked_slots(encoded, |slot, count| packer.push(slot, count))?;
        Ok(packer.finish())
    }

    /// Checks and wraps counts in HdrHistogram's encoding V2 whose sum must be `total`; see
    /// [`checked_slots`]. With `is_digested`, the digest is computed in the same pass.
    ///
    /// # Errors
    /// When the counts are not valid, or have another sum.
    pub(crate) fn checked(encoded: &[u8], total: u64, is_digested: bool) -> Result<Self, Sentence> {
        let mut digest = DigestSum::new(total);
        let found = if is_digested {
            checked_slots(encoded, |slot, count| digest.add(slot, count))?
        } else {
            checked_slots(encoded, |_, _| {})?
        };
        if found != total {
            return Err(sentence!(
                "histogram-of-other-count",
                "a histogram of it has {found} values, but its line states {total}",
                found,
                total
            ));
        }
        let packed = Self::of(total, encoded);
        if let Some(packed) = packed.0.as_ref().filter(|_| is_digested) {
            let _ = packed.digest.set(digest.finish(encoded));
        }
        Ok(packed)
    }

    /// Packs the counts of all slots from `first` on, in groups; `bytes` is a reusable buffer.
    pub(crate) fn of_counts(first: usize, counts: &[[u64; GROUP]], bytes: &mut Vec<u8>) -> Self {
        bytes.clear();
        let (mut total, mut at) = (0_u64, 0);
        // Number of empty slots not written yet.
        let mut zeros = first;
        for some in counts {
            if some.iter().fold(0, |any, count| any | count) == 0 {
                zeros += some.len();
                continue;
            }
            for &count in some {
                total = total.saturating_add(count);
                if count > LAST_SHORT_COUNT || zeros > LAST_SHORT_RUN {
                    if count > 0 {
                        bytes.truncate(at);
                        push_zeros(bytes, zeros);
                        push_count(bytes, count);
                        at = bytes.len();
                        zeros = 0;
                    } else {
                        zeros += 1;
                    }
                    continue;
                }
                // A branch on empty slots would be unpredictable. So both numbers are written
                // without a branch, and unneeded numbers are overwritten.
                if bytes.len() < at + 2 {
                    bytes.resize(at + 512, 0);
                }
                // `is_filled` and `has_zeros` are 0 or 1; comparisons would compile to branches.
                let is_filled = (count + LAST_SHORT_COUNT) as usize / 64;
                let has_zeros = ((zeros + LAST_SHORT_RUN - 1) / 64) & is_filled;
                bytes[at] = (2 * zeros).wrapping_sub(1 + usize::from(zeros == 1)) as u8;
                at += has_zeros;
                bytes[at] = 2 * count as u8;
                at += is_filled;
                zeros = (zeros + 1) & is_filled.wrapping_sub(1);
            }
        }
        Self::of(total, &bytes[..at])
    }

    fn of(total: u64, encoded: &[u8]) -> Self {
        let packed = (total > 0).then(|| {
            Arc::new(Packed {
                total,
                digest: OnceLock::new(),
                counts: Counts::of(encoded),
            })
        });
        Self(packed)
    }

    fn slots(&self) -> Slots<'_> {
        Slots::of(self.encoded())
    }
}

impl From<&Histogram<u64>> for PackedHistogram {
    fn from(histogram: &Histogram<u64>) -> Self {
        let mut packer = Packer::default();
        if !histogram.is_empty() {
            for step in histogram.iter_recorded() {
                packer.push(slot_of(step.value_iterated_to()), step.count_at_value());
            }
        }
        packer.finish()
    }
}

impl From<&SampleHistogram> for PackedHistogram {
    fn from(histogram: &SampleHistogram) -> Self {
        (&**histogram).into()
    }
}

impl PartialEq for PackedHistogram {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other)
            || (self.len() == other.len() && self.encoded() == other.encoded())
    }
}

impl Eq for PackedHistogram {}

impl std::fmt::Debug for PackedHistogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.recorded()).finish()
    }
}

/// Packs counts, which must be pushed in the order of their slots. Adds consecutive counts of the
/// same slot.
#[derive(Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    total: u64,
    /// The first slot not yet in `bytes`.
    next: usize,
    pending: Option<(usize, u64)>,
}

impl Packer {
    pub(crate) fn push(&mut self, slot: usize, count: u64) {
        match &mut self.pending {
            _ if count == 0 => {}
            Some((pending, sum)) if *pending == slot => *sum += count,
            _ => {
                self.flush();
                self.pending = Some((slot, count));
            }
        }
    }

    fn flush(&mut self) {
        let Some((slot, count)) = self.pending.take() else {
            return;
        };
        push_zeros(&mut self.bytes, slot - self.next);
        push_count(&mut self.bytes, count);
        self.total = self.total.saturating_add(count);
        self.next = slot + 1;
    }

    pub(crate) fn finish(mut self) -> PackedHistogram {
        self.flush();
        PackedHistogram::of(self.total, &self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::{Serializer as _, V2Serializer};

    use super::encoding::{LAST_SLOT, push_number};
    use super::*;
    use crate::histogram::move_to_file::move_out;
    use crate::histogram::store::Store;

    /// Random values over the complete range, from a linear congruential generator with Knuth's
    /// constants.
    fn values(count: u64, seed: u64) -> Vec<(u64, u64)> {
        let mut state = seed;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 24
        };
        let each = (0..count).map(|_| {
            let shift = draw() % 39;
            ((draw() >> shift).min(600_000_000_000), draw() % 300 + 1)
        });
        each.collect()
    }

    fn dense(values: &[(u64, u64)]) -> Histogram<u64> {
        let mut histogram = latency_histogram();
        for (value, count) in values {
            histogram.record_n(*value, *count).unwrap();
        }
        histogram
    }

    fn expect_alike(packed: &PackedHistogram, dense: &Histogram<u64>) {
        assert_eq!(packed.len(), dense.len());
        assert_eq!((packed.min(), packed.max()), (dense.min(), dense.max()));
        assert_eq!(packed.mean(), dense.mean());
        for q in [0.0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0, 2.0] {
            assert_eq!(
                packed.value_at_quantile(q),
                dense.value_at_quantile(q),
                "{q}"
            );
        }
        for (low, high) in [(0, 0), (0, 70_000), (900, 5_000_000), (4_000_000, u64::MAX)] {
            assert_eq!(
                packed.count_between(low, high),
                dense.count_between(low, high)
            );
        }
        let steps = dense.iter_recorded();
        let steps: Vec<_> = steps
            .map(|step| (step.value_iterated_to(), step.count_at_value()))
            .collect();
        assert_eq!(packed.recorded().collect::<Vec<_>>(), steps);
        for (value, count) in steps {
            assert_eq!(packed.count_at(value), count);
            assert_eq!(
                packed.median_equivalent(value),
                dense.median_equivalent(value)
            );
        }
        assert_eq!(packed.unpacked(), *dense);
    }

    #[test]
    fn a_packed_histogram_has_the_figures_of_the_histogram() {
        for (count, seed) in [(1, 1), (2, 2), (40, 3), (3_000, 4)] {
            let dense = dense(&values(count, seed));
            expect_alike(&PackedHistogram::from(&dense), &dense);
        }
        let nothing = PackedHistogram::default();
        assert!(nothing.is_empty() && nothing.recorded().next().is_none());
        assert_eq!((nothing.min(), nothing.max(), nothing.mean()), (0, 0, 0.0));
        assert_eq!(nothing.value_at_quantile(0.5), 0);
    }

    #[test]
    fn counts_of_slots_are_packed_as_those_of_a_histogram() {
        let near = |count| {
            (0..count)
                .map(|at| (1_000 + at * at / 3, at % 70))
                .collect()
        };
        for values in [values(40, 11), values(3_000, 12), near(300)] {
            let dense = dense(&values);
            let packed = PackedHistogram::from(&dense);
            let mut counts = vec![[0; GROUP]; LAST_SLOT / GROUP + 1];
            for (slot, count) in packed.slots() {
                counts[slot / GROUP][slot % GROUP] = count;
            }
            let mut bytes = vec![7; 3];
            let all = PackedHistogram::of_counts(0, &counts, &mut bytes);
            assert_eq!(all, packed);
            let first = packed.slots().next().map_or(0, |(slot, _)| slot / GROUP);
            let behind = PackedHistogram::of_counts(first * GROUP, &counts[first..], &mut bytes);
            assert_eq!(behind, packed);
        }
    }

    #[test]
    fn a_histogram_of_a_slice_takes_few_bytes() {
        assert!(size_of::<Packed>() <= 56, "{}", size_of::<Packed>());
    }

    #[test]
    fn counts_in_a_file_are_those_in_memory() {
        let mut store = Store::with_budget(0);
        for seed in 1..5 {
            let dense = dense(&values(300 * seed, seed));
            let mut packed = PackedHistogram::from(&dense);
            move_out(vec![&mut packed], &mut store);
            let counts = packed.0.as_ref().map(|packed| &packed.counts);
            assert!(matches!(counts, Some(Counts::File { .. })));
            expect_alike(&packed, &dense);
            assert_eq!(packed, PackedHistogram::from(&dense));
        }
    }

    #[test]
    fn sums_are_those_of_the_histograms() {
        let (some, others) = (values(500, 5), values(700, 6));
        let mut packed = PackedHistogram::from(&dense(&some));
        packed.add(&PackedHistogram::from(&dense(&others)));
        packed.record_n(5, 3).unwrap();
        let all = [some, others, vec![(5, 3)]].concat();
        expect_alike(&packed, &dense(&all));
        packed.clear();
        assert_eq!(packed, PackedHistogram::default());
    }

    #[test]
    fn the_bytes_are_those_of_hdrhistogram() {
        for (count, seed) in [(1, 7), (1_000, 8)] {
            let dense = dense(&values(count, seed));
            let mut bytes = Vec::new();
            V2Serializer::new().serialize(&dense, &mut bytes).unwrap();
            let packed = PackedHistogram::from(&dense);
            assert_eq!(&*packed.encoded(), &bytes[40..]);
            assert_eq!(PackedHistogram::decode(&bytes[40..]).unwrap(), packed);
        }
    }

    #[test]
    fn counts_that_are_none_are_refused() {
        let too_far = {
            let mut bytes = Vec::new();
            push_number(&mut bytes, -(1 << 40));
            push_number(&mut bytes, 1);
            bytes
        };
        let too_many = {
            let mut bytes = Vec::new();
            (0..3).for_each(|_| push_number(&mut bytes, i64::MAX));
            bytes
        };
        for bytes in [&too_far[..], &too_many, &[0x80], &[0xff; 8]] {
            assert!(PackedHistogram::decode(bytes).is_err(), "{bytes:?}");
        }
        let lowest = {
            let mut bytes = Vec::new();
            push_number(&mut bytes, i64::MIN);
            bytes
        };
        assert!(PackedHistogram::decode(&lowest).unwrap().is_empty());
    }
}
