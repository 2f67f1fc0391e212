//! Latency histograms: 1 ns to 10 min, three significant digits.

use std::ops::{Deref, DerefMut};

use hdrhistogram::Histogram;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Base-2 logarithm of the value below which every nanosecond has a separate slot. 2^11 gives three
/// significant digits.
const SUB_BUCKET_BITS: u32 = 11;
/// Slots per power of two, for values from 1,024 ns.
const HALF: usize = 1 << (SUB_BUCKET_BITS - 1);
/// Number of slots for values up to [`HIGHEST_NANOS`].
const SLOTS: usize = slot_of(HIGHEST_NANOS) + 1;

/// Longest value recorded, nanoseconds (10 min); longer values count as 10 min.
pub const HIGHEST_NANOS: u64 = 600_000_000_000;

/// An empty latency histogram in nanoseconds.
pub fn latency_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HIGHEST_NANOS, 3).expect("constant bounds are valid")
}

/// An empty histogram of nanoseconds whose memory grows with the recorded values, for figures that
/// usually have few or no values. Can be added to a [`latency_histogram`].
pub fn small_histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are valid")
}

/// A histogram of nanoseconds in a sample. Its memory grows with the recorded values.
///
/// Serialized for other processes as the counts that are not 0: pairs of the distance from the last
/// value in use, nanoseconds, and the count. Reading restores the counts exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleHistogram(Histogram<u64>);

impl Default for SampleHistogram {
    fn default() -> Self {
        Self(small_histogram())
    }
}

impl Deref for SampleHistogram {
    type Target = Histogram<u64>;

    fn deref(&self) -> &Histogram<u64> {
        &self.0
    }
}

impl DerefMut for SampleHistogram {
    fn deref_mut(&mut self) -> &mut Histogram<u64> {
        &mut self.0
    }
}

impl Serialize for SampleHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0;
        let used = self.iter_recorded().map(|step| {
            let value = self.lowest_equivalent(step.value_iterated_to());
            let distance = value - last;
            last = value;
            (distance, step.count_at_value())
        });
        used.collect::<Vec<(u64, u64)>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SampleHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut histogram = small_histogram();
        let mut value = 0_u64;
        for (distance, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
            value = value.saturating_add(distance);
            if value > HIGHEST_NANOS {
                return Err(D::Error::custom("a time of more than 10 minutes"));
            }
            histogram.record_n(value, count).map_err(D::Error::custom)?;
        }
        Ok(Self(histogram))
    }
}

/// A latency histogram for the hot path: recording is one shift and one addition. Has the slots of
/// [`latency_histogram`], so the conversion is exact.
#[derive(Debug)]
pub(crate) struct SlotCounts {
    slots: Box<[u32]>,
    /// Lowest slot in use; `highest` is the highest slot in use.
    lowest: usize,
    highest: usize,
}

impl Default for SlotCounts {
    fn default() -> Self {
        Self {
            slots: vec![0; SLOTS].into_boxed_slice(),
            lowest: SLOTS,
            highest: 0,
        }
    }
}

impl SlotCounts {
    /// Counts a latency. 0 counts as 1 ns, and values above [`HIGHEST_NANOS`] as [`HIGHEST_NANOS`].
    #[inline]
    pub(crate) fn record(&mut self, nanos: u64) {
        let slot = slot_of(nanos.clamp(1, HIGHEST_NANOS));
        // Cannot overflow: a sample covers a second, and a thread does not complete four billion
        // operations in one second.
        self.slots[slot] += 1;
        self.lowest = self.lowest.min(slot);
        self.highest = self.highest.max(slot);
    }

    /// Returns the counts as a histogram and clears them.
    pub(crate) fn take(&mut self) -> SampleHistogram {
        let mut histogram = small_histogram();
        if self.lowest <= self.highest {
            // Resizes the histogram once, and not with each larger value.
            let _ = histogram.record_n(lowest_of_slot(self.highest), 0);
        }
        for slot in self.lowest..=self.highest {
            let count = std::mem::take(&mut self.slots[slot]);
            if count > 0 {
                histogram
                    .record_n(lowest_of_slot(slot), u64::from(count))
                    .expect("every slot lies within the bounds");
            }
        }
        (self.lowest, self.highest) = (SLOTS, 0);
        SampleHistogram(histogram)
    }

    /// Clears the counts.
    pub(crate) fn clear(&mut self) {
        if self.lowest <= self.highest {
            self.slots[self.lowest..=self.highest].fill(0);
            (self.lowest, self.highest) = (SLOTS, 0);
        }
    }
}

/// The slot of a value in a [`latency_histogram`]. Up to 2,047 every value has its own slot;
/// after that every power of two has 1,024 slots, as in HdrHistogram.
#[inline]
pub const fn slot_of(value: u64) -> usize {
    let lowest_power = (1 << SUB_BUCKET_BITS) - 1;
    let shift = 64 - SUB_BUCKET_BITS - (value | lowest_power).leading_zeros();
    shift as usize * HALF + (value >> shift) as usize
}

/// The lowest value of a slot.
pub fn lowest_of_slot(slot: usize) -> u64 {
    if slot < 2 * HALF {
        return slot as u64;
    }
    let shift = slot / HALF - 1;
    ((slot % HALF + HALF) as u64) << shift
}

/// Number of different values that share a slot.
pub fn width_of_slot(slot: usize) -> u64 {
    1 << (slot / HALF).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_slot_begins_at_its_value() {
        for slot in 1..SLOTS {
            assert_eq!(slot_of(lowest_of_slot(slot)), slot);
            assert!(slot_of(lowest_of_slot(slot) - 1) < slot);
        }
    }

    #[test]
    fn what_was_taken_is_gone() {
        let mut counts = SlotCounts::default();
        assert!(counts.take().is_empty());
        for nanos in [0, 5_000, u64::MAX] {
            counts.record(nanos);
        }
        let taken = counts.take();
        assert_eq!((taken.len(), taken.min()), (3, 1));
        assert!(taken.max() >= HIGHEST_NANOS);
        assert!(counts.take().is_empty());
        counts.record(7);
        counts.clear();
        assert!(counts.take().is_empty());
    }

    proptest! {
        #[test]
        fn counts_become_the_histogram_of_the_same_values(
            values in prop::collection::vec(1u64..HIGHEST_NANOS, 1..200),
            shifts in prop::collection::vec(0u32..39, 200),
        ) {
            let mut counts = SlotCounts::default();
            let mut expected = latency_histogram();
            for (value, shift) in values.iter().zip(shifts) {
                let value = (value >> shift).max(1);
                counts.record(value);
                expected.record(value).unwrap();
            }
            let found = counts.take();
            prop_assert_eq!(found.len(), expected.len());
            for quantile in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0] {
                prop_assert_eq!(
                    found.value_at_quantile(quantile),
                    expected.value_at_quantile(quantile)
                );
            }
            prop_assert_eq!(found.max(), expected.max());
            prop_assert_eq!(found.mean(), expected.mean());
        }
    }
}
