//! Sums of histograms, slot by slot.

use tenbin_plan::Sentence;

use crate::histogram::packed::{GROUP, PackedHistogram, checked_slots, first_slot, for_each_slot};

/// Counts by slot, summed over histograms. Cleared and reused for every slice, because an
/// allocation per slice would take longer than the additions.
#[derive(Debug, Default)]
pub(crate) struct SlotSum {
    counts: Vec<u64>,
    /// The first slot in use.
    first: usize,
    /// The slot after the last slot in use.
    behind: usize,
    /// Reusable buffer for packing.
    bytes: Vec<u8>,
}

impl SlotSum {
    /// Adds all values of `part`.
    pub(crate) fn add(&mut self, part: &PackedHistogram) {
        let encoded = part.encoded();
        let mut last = 0;
        for_each_slot(&encoded, |slot, count| {
            last = slot;
            self.add_count(slot, count);
        });
        if !part.is_empty() {
            self.extend_over(first_slot(&encoded), last + 1);
        }
    }

    /// Adds counts in HdrHistogram's encoding V2, and returns their total.
    ///
    /// # Errors
    /// When the counts are damaged. Some counts have then already been added.
    pub(crate) fn add_encoded(&mut self, encoded: &[u8]) -> Result<u64, Sentence> {
        let mut last = 0;
        let total = checked_slots(encoded, |slot, count| {
            last = slot;
            self.add_count(slot, count);
        })?;
        if total > 0 {
            self.extend_over(first_slot(encoded), last + 1);
        }
        Ok(total)
    }

    #[inline]
    fn add_count(&mut self, slot: usize, count: u64) {
        if self.counts.len() <= slot {
            self.counts.resize((slot + 1).next_multiple_of(GROUP), 0);
        }
        self.counts[slot] = self.counts[slot].saturating_add(count);
    }

    /// Adds all values of another sum.
    pub(crate) fn add_all(&mut self, part: &Self) {
        if part.behind == 0 {
            return;
        }
        for (slot, count) in part.slots() {
            self.add_count(slot, count);
        }
        self.extend_over(part.first, part.behind);
    }

    fn extend_over(&mut self, first: usize, behind: usize) {
        self.first = match self.behind {
            0 => first,
            _ => self.first.min(first),
        };
        self.behind = self.behind.max(behind);
    }

    /// Slots and counts from the first to the last slot in use, including empty slots.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, u64)> {
        let counts = self.counts.iter().copied().enumerate();
        counts.take(self.behind).skip(self.first)
    }

    /// Takes the sum, and resets it.
    pub(crate) fn take(&mut self) -> PackedHistogram {
        let (groups, _) = self.counts.as_chunks_mut();
        let first = self.first / GROUP;
        let groups = &mut groups[first..self.behind.div_ceil(GROUP)];
        let sum = PackedHistogram::of_counts(first * GROUP, groups, &mut self.bytes);
        groups.as_flattened_mut().fill(0);
        (self.first, self.behind) = (0, 0);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[(u64, u64)]) -> PackedHistogram {
        let mut packed = PackedHistogram::new();
        for (value, count) in values {
            packed.record_n(*value, *count).unwrap();
        }
        packed
    }

    #[test]
    fn a_sum_is_that_of_its_parts_and_leaves_nothing_behind() {
        let (one, two) = (
            histogram(&[(700, 3), (5_000_000, 1)]),
            histogram(&[(20, 2), (700, 4)]),
        );
        let mut sum = SlotSum::default();
        assert!(sum.take().is_empty());
        sum.add(&one);
        sum.add(&PackedHistogram::new());
        sum.add(&two);
        assert_eq!(sum.take(), histogram(&[(20, 2), (700, 7), (5_000_000, 1)]));
        sum.add(&two);
        assert_eq!(sum.take(), two);
        assert_eq!(sum.slots().count(), 0);
    }

    #[test]
    fn encoded_counts_are_added_as_those_of_a_histogram() {
        let (one, two) = (
            histogram(&[(700, 3), (5_000_000, 100)]),
            histogram(&[(20, 2), (700, 4)]),
        );
        let mut sum = SlotSum::default();
        assert_eq!(sum.add_encoded(&one.encoded()), Ok(103));
        // 0x7f encodes a run of zeros.
        assert_eq!(sum.add_encoded(&[0x7f]), Ok(0));
        assert_eq!(sum.add_encoded(&two.encoded()), Ok(6));
        let mut other = SlotSum::default();
        assert_eq!(other.add_encoded(&[0x7f]), Ok(0));
        other.add_all(&sum);
        for mut sum in [sum, other] {
            assert_eq!(
                sum.take(),
                histogram(&[(20, 2), (700, 7), (5_000_000, 100)])
            );
            assert!(sum.take().is_empty());
            assert!(sum.add_encoded(&[0x80]).is_err());
        }
    }
}
