//! Content of its own for every object, made while it is sent: each eight bytes
//! follow from the seed, the object and their place in it, so that any part of it can
//! be made again to be compared with what came back.

use std::ops::Range;

use tenbin_plan::rng::mix;

/// Blocks in which the same share of bytes is the same everywhere.
pub(super) const BLOCK: usize = 1024;

/// What stands where content is to compress away.
const SAME: u8 = b'~';

/// Makes the content of all objects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unique {
    salt: u64,
    /// Bytes at the beginning of each [`BLOCK`] that are the same everywhere.
    same: usize,
}

impl Unique {
    pub(super) fn new(seed: u64, compressible: u8) -> Self {
        Self {
            salt: mix(seed ^ mix(crate::rng::name_number("content"))),
            same: same_bytes(compressible),
        }
    }

    /// The bytes of an object from `offset` on, over all of `out`.
    pub(super) fn fill(self, number: u64, offset: u64, out: &mut [u8]) {
        let key = mix(self.salt ^ mix(number));
        let word = |index: u64| mix(key.wrapping_add(index)).to_le_bytes();
        let skipped = (offset % 8) as usize;
        let head = if skipped > 0 { 8 - skipped } else { 0 };
        let (head, rest) = out.split_at_mut(head.min(out.len()));
        let mut index = offset / 8;
        if !head.is_empty() {
            head.copy_from_slice(&word(index)[skipped..][..head.len()]);
            index += 1;
        }
        for eight in rest.chunks_mut(8) {
            eight.copy_from_slice(&word(index)[..eight.len()]);
            index += 1;
        }
        self.make_compressible(offset, out);
    }

    /// Whether `part` is what [`Unique::fill`] makes. Allocates nothing.
    pub(super) fn matches(self, number: u64, offset: u64, part: &[u8]) -> bool {
        let mut made = [0; BLOCK];
        let mut from = offset;
        part.chunks(BLOCK).all(|piece| {
            let made = &mut made[..piece.len()];
            self.fill(number, from, made);
            from += piece.len() as u64;
            made == piece
        })
    }

    /// Whether two objects have the same bytes in that stretch.
    pub(super) fn alike(self, one: u64, other: u64, stretch: Range<u64>) -> bool {
        let mut made = [0; BLOCK];
        let end = stretch.end;
        stretch.step_by(BLOCK).all(|from| {
            let made = &mut made[..(end - from).min(BLOCK as u64) as usize];
            self.fill(one, from, made);
            self.matches(other, from, made)
        })
    }

    fn make_compressible(self, offset: u64, out: &mut [u8]) {
        if self.same == 0 {
            return;
        }
        let mut at = (offset % BLOCK as u64) as usize;
        let mut rest = out;
        while !rest.is_empty() {
            let (block, others) = rest.split_at_mut((BLOCK - at).min(rest.len()));
            let same = self.same.saturating_sub(at).min(block.len());
            block[..same].fill(SAME);
            rest = others;
            at = 0;
        }
    }
}

/// Bytes of each block that a compressor is to take away.
fn same_bytes(percent: u8) -> usize {
    BLOCK * usize::from(percent.min(100)) / 100
}

/// Makes a share of what is random the same everywhere.
pub(super) fn make_compressible(pool: &mut [u8], percent: u8) {
    let same = same_bytes(percent);
    for block in pool.chunks_mut(BLOCK) {
        let same = same.min(block.len());
        block[..same].fill(SAME);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(unique: Unique, number: u64, size: usize) -> Vec<u8> {
        let mut out = vec![0; size];
        unique.fill(number, 0, &mut out);
        out
    }

    #[test]
    fn no_two_objects_are_alike_and_seeds_differ() {
        let unique = Unique::new(3, 0);
        let contents: std::collections::BTreeSet<_> =
            (0..1000).map(|number| whole(unique, number, 100)).collect();
        assert_eq!(contents.len(), 1000);
        assert_ne!(whole(unique, 1, 100), whole(Unique::new(4, 0), 1, 100));
    }

    #[test]
    fn as_much_is_compressible_as_was_asked_for() {
        let content = whole(Unique::new(3, 30), 1, 100 * BLOCK);
        let same = content.iter().filter(|&&byte| byte == SAME).count();
        // 307 of each block, and every 256th of the rest.
        assert!((30_700..31_300).contains(&same), "{same}");
    }

    proptest! {
        #[test]
        fn any_part_is_the_same_as_in_the_whole(
            number: u64, compressible in 0_u8..=100, size in 1_usize..5000,
            from: prop::sample::Index, length: prop::sample::Index,
            flip: prop::sample::Index, bit in 0_u32..8,
        ) {
            let unique = Unique::new(9, compressible);
            let whole = whole(unique, number, size);
            let from = from.index(size);
            let length = 1 + length.index(size - from);
            let mut part = vec![0; length];
            unique.fill(number, from as u64, &mut part);
            prop_assert_eq!(&part, &whole[from..from + length]);
            prop_assert!(unique.matches(number, from as u64, &part));
            part[flip.index(length)] ^= 1_u8 << bit;
            prop_assert!(!unique.matches(number, from as u64, &part));
        }

        #[test]
        fn stretches_are_compared_from_end_to_end(
            one: u64, other: u64, from in 0..2000_usize, length in 0..3000_usize,
            compressible in 0_u8..=100,
        ) {
            let unique = Unique::new(9, compressible);
            let end = from + length;
            let alike = whole(unique, one, end)[from..] == whole(unique, other, end)[from..];
            let stretch = from as u64..end as u64;
            prop_assert_eq!(unique.alike(one, other, stretch.clone()), alike);
            prop_assert!(unique.alike(one, one, stretch));
        }
    }
}
