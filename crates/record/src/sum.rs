//! Sums of histograms, slot by slot.

use crate::packed::{PackedHistogram, Packer};

/// Counts by slot, added up from histograms. It is emptied and used again: making one for each
/// slice would take longer than adding to it.
#[derive(Debug, Default)]
pub(crate) struct SlotSum {
    counts: Vec<u64>,
    /// The slots in use lie from here …
    first: usize,
    /// … to before here.
    behind: usize,
}

impl SlotSum {
    /// Adds all values of `part`.
    pub(crate) fn add(&mut self, part: &PackedHistogram) {
        let mut first = None;
        let mut last = 0;
        part.for_each_slot(|slot, count| {
            first = first.or(Some(slot));
            last = slot;
            if self.counts.len() <= slot {
                self.counts.resize(slot + 1, 0);
            }
            self.counts[slot] = self.counts[slot].saturating_add(count);
        });
        let Some(first) = first else { return };
        self.first = match self.behind {
            0 => first,
            _ => self.first.min(first),
        };
        self.behind = self.behind.max(last + 1);
    }

    /// The slots in use and their counts, the empty ones among them.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, u64)> {
        let counts = self.counts.iter().copied().enumerate();
        counts.take(self.behind).skip(self.first)
    }

    /// The sum so far; none of it is left here.
    pub(crate) fn take(&mut self) -> PackedHistogram {
        let mut packer = Packer::default();
        for (slot, count) in (self.first..).zip(&mut self.counts[self.first..self.behind]) {
            if *count > 0 {
                packer.push(slot, std::mem::take(count));
            }
        }
        (self.first, self.behind) = (0, 0);
        packer.finish().with_digest()
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
}
