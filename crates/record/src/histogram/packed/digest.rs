//! The figures of a histogram that reports show for each slice, computed once.

use super::encoding::{LAST_SLOT, first_slot, for_each_slot, median_of_slot};

/// The quantiles in a [`Digest`], ascending, which reports show for each slice.
pub(super) const DIGESTED: [f64; 3] = [0.5, 0.9, 0.99];

/// The most frequently needed figures of a histogram. Every slice has several, so each takes few
/// bytes.
#[derive(Clone, Copy)]
pub(super) struct Digest {
    lowest_slot: u16,
    highest_slot: u16,
    /// The slots of the quantiles of [`DIGESTED`].
    quantile_slots: [u16; DIGESTED.len()],
    /// A number of eight bytes would be aligned to eight bytes, which takes six bytes more.
    mean: [u8; 8],
}

const _: () = assert!(LAST_SLOT <= u16::MAX as usize, "every slot has 16 bits");

impl Digest {
    pub(super) fn lowest_slot(&self) -> usize {
        usize::from(self.lowest_slot)
    }

    pub(super) fn highest_slot(&self) -> usize {
        usize::from(self.highest_slot)
    }

    /// The slot of a quantile, by the quantile's position in [`DIGESTED`].
    pub(super) fn quantile_slot(&self, at: usize) -> usize {
        usize::from(self.quantile_slots[at])
    }

    pub(super) fn mean(&self) -> f64 {
        f64::from_le_bytes(self.mean)
    }

    /// Computes the digest of encoded counts whose sum is `total`, at least 1.
    pub(super) fn of(total: u64, encoded: &[u8]) -> Self {
        let mut sum = DigestSum::new(total);
        for_each_slot(encoded, |slot, count| sum.add(slot, count));
        sum.finish(encoded)
    }
}

/// Computes a [`Digest`] slot by slot.
pub(super) struct DigestSum {
    total: f64,
    ranks: [u64; DIGESTED.len()],
    /// Number of quantiles known so far.
    known: usize,
    reached: u64,
    highest_slot: usize,
    quantile_slots: [usize; DIGESTED.len()],
    mean: f64,
}

impl DigestSum {
    pub(super) fn new(total: u64) -> Self {
        Self {
            total: total as f64,
            ranks: DIGESTED.map(|q| rank(q, total)),
            known: 0,
            reached: 0,
            highest_slot: 0,
            quantile_slots: [0; DIGESTED.len()],
            mean: 0.0,
        }
    }

    /// Adds a slot. Slots must be in order; the last slot must be filled, other slots can be empty.
    #[inline]
    pub(super) fn add(&mut self, slot: usize, count: u64) {
        self.reached = self.reached.saturating_add(count);
        while let Some(rank) = self.ranks.get(self.known)
            && *rank <= self.reached
        {
            self.quantile_slots[self.known] = slot;
            self.known += 1;
        }
        self.highest_slot = slot;
        self.mean += float(median_of_slot(slot)) * float(count) / self.total;
    }

    pub(super) fn finish(self, encoded: &[u8]) -> Digest {
        Digest {
            lowest_slot: first_slot(encoded) as u16,
            highest_slot: self.highest_slot as u16,
            quantile_slots: self.quantile_slots.map(|slot| slot as u16),
            mean: self.mean.to_le_bytes(),
        }
    }
}

/// Converts `number` by way of a signed integer, which is much faster.
#[inline]
fn float(number: u64) -> f64 {
    i64::try_from(number).map_or(number as f64, |number| number as f64)
}

/// Rank of the value at quantile `q` (0 to 1) among `total` values in order, from 1.
pub(super) fn rank(q: f64, total: u64) -> u64 {
    ((q.min(1.0) * total as f64).ceil() as u64).max(1)
}
