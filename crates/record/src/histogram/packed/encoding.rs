//! Counts of slots in HdrHistogram's encoding V2: ZigZag LEB128 numbers, with a run of n zeros as −n.

use std::borrow::Cow;

use tenbin_engine::histogram::{lowest_of_slot, slot_of, width_of_slot};
use tenbin_plan::{Sentence, sentence};

/// The highest slot index, that of the largest 64-bit value.
pub(super) const LAST_SLOT: usize = slot_of(u64::MAX);

/// The highest value of a slot.
pub(super) fn highest_of_slot(slot: usize) -> u64 {
    lowest_of_slot(slot) + (width_of_slot(slot) - 1)
}

/// The value in the middle of a slot.
pub(super) fn median_of_slot(slot: usize) -> u64 {
    lowest_of_slot(slot) + width_of_slot(slot) / 2
}

/// The first filled slot of encoded counts. Only a lower bound if another tool wrote the counts.
pub(crate) fn first_slot(encoded: &[u8]) -> usize {
    let first = Number::at_start_of(encoded).filter(|(number, _)| number.count() == 0);
    first.map_or(0, |(number, _)| number.slots())
}

/// Like [`for_each_slot`], for untrusted counts from a file; returns the sum of the counts. The
/// counts must come from a histogram with a lowest discernible value of 1 and three significant
/// digits.
///
/// # Errors
/// When the counts are not valid; `each` was called for the counts before the error.
#[inline]
pub(crate) fn checked_slots(
    mut encoded: &[u8],
    mut each: impl FnMut(usize, u64),
) -> Result<u64, Sentence> {
    let damaged = || sentence!("counts-damaged", "its counts are damaged");
    // 128 bits, because the sum of damaged counts can exceed 64 bits.
    let (mut slot, mut total) = (0_usize, 0_u128);
    while !encoded.is_empty() {
        let (number, length) = Number::at_start_of(encoded).ok_or_else(damaged)?;
        encoded = &encoded[length..];
        if slot <= LAST_SLOT {
            each(slot, number.count());
        } else if !number.is_run() {
            return Err(damaged());
        }
        total += u128::from(number.count());
        slot = slot.checked_add(number.slots()).ok_or_else(damaged)?;
    }
    u64::try_from(total).map_err(|_| damaged())
}

/// Calls `each` with every filled slot and its count, and with the first slot of each run of empty
/// slots and a count of 0. Skipping the empty slots would take longer than adding 0, as most
/// callers do.
#[inline]
pub(crate) fn for_each_slot(mut encoded: &[u8], mut each: impl FnMut(usize, u64)) {
    let mut slot = 0_usize;
    while let Some((number, length)) = Number::at_start_of(encoded) {
        encoded = &encoded[length..];
        each(slot, number.count());
        slot += number.slots();
    }
}

/// Iterates over the filled slots and their counts.
pub(super) struct Slots<'a> {
    encoded: Cow<'a, [u8]>,
    at: usize,
    slot: usize,
}

impl<'a> Slots<'a> {
    pub(super) fn of(encoded: Cow<'a, [u8]>) -> Self {
        Self {
            encoded,
            at: 0,
            slot: 0,
        }
    }
}

impl Iterator for Slots<'_> {
    type Item = (usize, u64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, length) = Number::at_start_of(&self.encoded[self.at..])?;
            self.at += length;
            let slot = self.slot;
            self.slot += number.slots();
            if number.count() > 0 {
                return Some((slot, number.count()));
            }
        }
    }
}

/// Longest encoded number, bytes. The last byte holds eight bits, so that 64 bits fit
/// (LEB128-64b9B).
const MOST_BYTES: usize = 9;

/// An encoded number in ZigZag form: 2n is a count n, and 2n − 1 is a run of n zeros.
///
/// Counts and runs alternate unpredictably, so the methods distinguish them without a branch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u64);

impl Number {
    /// The number at the start of `bytes`, and its length in bytes; `None` if the number is
    /// incomplete.
    #[inline]
    pub(super) fn at_start_of(bytes: &[u8]) -> Option<(Self, usize)> {
        match *bytes {
            // Most counts are small.
            [byte @ ..0x80, ..] => Some((Self(u64::from(byte)), 1)),
            [low, high @ ..0x80, ..] => {
                Some((Self(u64::from(low & 0x7f) | u64::from(high) << 7), 2))
            }
            _ => Self::long(bytes),
        }
    }

    fn long(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut zigzag = 0_u64;
        for (at, &byte) in bytes.iter().take(MOST_BYTES).enumerate() {
            let is_last = byte < 0x80 || at == MOST_BYTES - 1;
            let bits = if at == MOST_BYTES - 1 {
                byte
            } else {
                byte & 0x7f
            };
            zigzag |= u64::from(bits) << (7 * at);
            if is_last {
                return Some((Self(zigzag), at + 1));
            }
        }
        None
    }

    #[inline]
    fn is_run(self) -> bool {
        self.0 & 1 == 1
    }

    /// The count; 0 for a run of zeros.
    #[inline]
    pub(super) fn count(self) -> u64 {
        (self.0 >> 1) & (self.0 & 1).wrapping_sub(1)
    }

    /// Number of slots that the number covers.
    #[inline]
    pub(super) fn slots(self) -> usize {
        1 + ((self.0 >> 1) & (self.0 & 1).wrapping_neg()) as usize
    }
}

/// Largest count that takes one byte; [`LAST_SHORT_RUN`] is the longest run of zeros that takes one
/// byte.
pub(super) const LAST_SHORT_COUNT: u64 = 63;
pub(super) const LAST_SHORT_RUN: usize = 64;

pub(super) fn push_zeros(bytes: &mut Vec<u8>, zeros: usize) {
    match zeros {
        0 => {}
        1 => bytes.push(0),
        zeros => push_number(bytes, -(zeros as i64)),
    }
}

pub(super) fn push_count(bytes: &mut Vec<u8>, count: u64) {
    push_number(bytes, count.min(i64::MAX as u64) as i64);
}

pub(super) fn push_number(bytes: &mut Vec<u8>, number: i64) {
    let mut zigzag = ((number << 1) ^ (number >> 63)) as u64;
    for _ in 1..MOST_BYTES {
        if zigzag < 0x80 {
            break;
        }
        bytes.push((zigzag as u8) | 0x80);
        zigzag >>= 7;
    }
    bytes.push(zigzag as u8);
}
