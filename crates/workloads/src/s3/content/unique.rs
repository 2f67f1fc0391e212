//! Unique content for every object, generated for each request. Seed, object and offset determine
//! each byte, so that any part can be generated again and compared with a response.
//!
//! Content consists of pages of 4096 bytes. All pages of all objects are the same random bytes,
//! XORed with an eight-byte key for the object and the page. XOR is as fast as memory; a random
//! number generator would take as long as the system calls that send the content. The longest byte
//! sequence that two pages have in common is no longer than in random data, so that the content can
//! neither be compressed nor deduplicated.

use std::ops::Range;

use tenbin_engine::equal;
use tenbin_plan::rng::{mix, unmix};

/// Bytes generated at a time for a comparison.
const BLOCK: usize = 1024;

/// Number of bytes of content that are XORed with one key.
const PAGE: usize = 4096;

/// The page of random bytes that is XORed with keys.
static BACKGROUND: [u8; PAGE] = background();

const fn background() -> [u8; PAGE] {
    let mut page = [0; PAGE];
    let mut at = 0;
    while at < PAGE {
        let word = mix(0x7465_6e62_696e ^ at as u64).to_le_bytes();
        let mut byte = 0;
        while byte < 8 {
            page[at + byte] = word[byte];
            byte += 1;
        }
        at += 8;
    }
    page
}

/// Longest range in compressible content, bytes. A range has one random part and one constant part.
const LONGEST: u64 = 1024;

/// Shortest range in compressible content, bytes.
const SHORTEST: u64 = 64;

/// Minimum number of consecutive equal bytes that a compressor can use.
const WORTHWHILE: u64 = 16;

/// Bytes at the start of every object that are always random: they identify the object.
const FRONT: u64 = 16;

/// Value of the constant bytes in compressible content.
const SAME: u8 = b'~';

/// Generates the content of all objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unique {
    salt: u64,
    pattern: Pattern,
}

impl Unique {
    pub(crate) fn new(seed: u64, compressible: u8) -> Self {
        Self {
            salt: mix(seed ^ mix(crate::rng::name_number("content"))),
            pattern: Pattern::new(compressible),
        }
    }

    /// Fills `out` with the bytes of an object from `offset` on.
    pub(crate) fn fill(self, number: u64, offset: u64, out: &mut [u8]) {
        let mut rest = &mut *out;
        for page in self.pages(number, offset, rest.len()) {
            let (piece, behind) = rest.split_at_mut(page.background.len());
            lay(page.background, page.key, piece);
            rest = behind;
        }
        self.pattern.lay_over(offset, out);
    }

    /// The pages, or parts of pages, that contain `length` bytes of an object from `offset` on.
    fn pages(self, number: u64, offset: u64, length: usize) -> impl Iterator<Item = Page> {
        let (mut at, mut left) = (offset, length);
        std::iter::from_fn(move || {
            let inside = (at % PAGE as u64) as usize;
            let length = left.min(PAGE - inside);
            let turned = 8 * (inside % 8) as u32;
            let page = Page {
                background: &BACKGROUND[inside..][..length],
                key: self.key(number, at / PAGE as u64).rotate_right(turned),
            };
            at += length as u64;
            left -= length;
            (length > 0).then_some(page)
        })
    }

    /// The XOR key for a page of an object.
    fn key(self, number: u64, page: u64) -> u64 {
        mix(mix(self.salt ^ mix(number)).wrapping_add(page))
    }

    /// The object whose page `page` has this XOR key.
    fn number_of_key(self, key: u64, page: u64) -> u64 {
        unmix(unmix(unmix(key).wrapping_sub(page)) ^ self.salt)
    }

    /// Whether `part` equals the output of [`Unique::fill`]. Allocates nothing.
    pub(crate) fn matches(self, number: u64, offset: u64, part: &[u8]) -> bool {
        if self.pattern.percent == 0 {
            let mut rest = part;
            return self.pages(number, offset, part.len()).all(|page| {
                let (piece, behind) = rest.split_at(page.background.len());
                rest = behind;
                is_laid(page.background, page.key, piece)
            });
        }
        let mut made = [0; BLOCK];
        let mut from = offset;
        part.chunks(BLOCK).all(|piece| {
            let made = &mut made[..piece.len()];
            self.fill(number, from, made);
            from += piece.len() as u64;
            equal(made, piece)
        })
    }

    /// The object whose content from `offset` on matches `part`; `None` if no object matches.
    /// Compares 16 bytes, from the first offset that is a multiple of 8. Not for compressible
    /// content.
    pub(crate) fn number_of(self, offset: u64, part: &[u8]) -> Option<u64> {
        let skipped = (offset.next_multiple_of(8) - offset) as usize;
        let from = offset + skipped as u64;
        let telling = part.get(skipped..skipped + 16)?;
        let word = u64::from_le_bytes(*telling.first_chunk()?);
        let background = BACKGROUND[(from % PAGE as u64) as usize..].first_chunk()?;
        let key = word ^ u64::from_le_bytes(*background);
        let number = self.number_of_key(key, from / PAGE as u64);
        self.matches(number, from, telling).then_some(number)
    }

    /// Whether two objects are equal in this range.
    pub(crate) fn alike(self, one: u64, other: u64, stretch: Range<u64>) -> bool {
        let mut made = [0; BLOCK];
        let end = stretch.end;
        stretch.step_by(BLOCK).all(|from| {
            let made = &mut made[..(end - from).min(BLOCK as u64) as usize];
            self.fill(one, from, made);
            self.matches(other, from, made)
        })
    }
}

/// A part of a page: the same part of [`BACKGROUND`], and the XOR key, rotated to the start of the
/// part.
struct Page {
    background: &'static [u8],
    key: u64,
}

/// XORs a part of the background with a key.
fn lay(background: &[u8], key: u64, out: &mut [u8]) {
    let (from, last) = background.as_chunks::<8>();
    let (to, rest) = out.as_chunks_mut::<8>();
    for (from, to) in from.iter().zip(to) {
        *to = (u64::from_le_bytes(*from) ^ key).to_le_bytes();
    }
    for ((from, to), key) in last.iter().zip(rest).zip(key.to_le_bytes()) {
        *to = from ^ key;
    }
}

/// Whether bytes are a part of the background XORed with a key. Compares all bytes, which is faster
/// than stopping at the first difference.
fn is_laid(background: &[u8], key: u64, bytes: &[u8]) -> bool {
    let (from, last) = background.as_chunks::<8>();
    let (of, rest) = bytes.as_chunks::<8>();
    let words = from.iter().zip(of);
    let off = words.fold(0, |off, (from, of)| {
        off | (u64::from_le_bytes(*from) ^ key ^ u64::from_le_bytes(*of))
    });
    let rest = last.iter().zip(rest).zip(key.to_le_bytes());
    let off_behind = rest.fold(0, |off, ((from, of), key)| off | (from ^ key ^ of));
    off == 0 && off_behind == 0
}

/// Division of an object into ranges that each end with constant bytes. Ranges are short at the
/// start of the object, so that small objects also have the configured share of constant bytes.
/// Further ranges are as long as an eighth of the preceding content, rounded down to a power of
/// two, but at most [`LONGEST`].
#[derive(Debug, Clone, Copy)]
struct Pattern {
    percent: u64,
    shortest: u64,
}

impl Pattern {
    fn new(percent: u8) -> Self {
        let percent = u64::from(percent.min(100));
        let worthwhile = (100 * WORTHWHILE).checked_div(percent).unwrap_or(LONGEST);
        Self {
            percent,
            shortest: worthwhile.next_power_of_two().clamp(SHORTEST, LONGEST),
        }
    }

    /// Sets the constant parts of `out`, the content of an object from `offset` on, to [`SAME`].
    fn lay_over(self, offset: u64, out: &mut [u8]) {
        if self.percent == 0 {
            return;
        }
        let end = offset + out.len() as u64;
        let mut at = offset;
        while at < end {
            let length = self.stretch_at(at);
            let start = at - at % length;
            let random = (length - length * self.percent / 100).max(match start {
                0 => FRONT,
                _ => 0,
            });
            let next = (start + length).min(end);
            let from = at.max(start + random).min(next);
            out[(from - offset) as usize..(next - offset) as usize].fill(SAME);
            at = next;
        }
    }

    /// Length of the range that contains position `at`, bytes: a power of two. The range starts at
    /// a multiple of its length.
    fn stretch_at(self, at: u64) -> u64 {
        let eighth = at / 8;
        let grown = match eighth {
            0 => 0,
            _ => 1 << eighth.ilog2(),
        };
        grown.clamp(self.shortest, LONGEST)
    }
}

/// Makes `percent` of the bytes of a pool constant, in the same places after each multiple of
/// `stride`, because objects start at multiples of `stride`.
pub(crate) fn make_compressible(pool: &mut [u8], stride: usize, percent: u8) {
    let pattern = Pattern::new(percent);
    for stretch in pool.chunks_mut(stride) {
        pattern.lay_over(0, stretch);
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
    fn unique_content_has_the_configured_constant_share() {
        for percent in [10, 30, 50, 90] {
            for size in [300, 1000, 5000, 100 * BLOCK] {
                let content = whole(Unique::new(3, percent), 1, size);
                let same = content.iter().filter(|&&byte| byte == SAME).count();
                // On average, one random byte in 256 also has this value; a range can be cut.
                let expected = size * usize::from(percent) / 100;
                let off = expected.abs_diff(same);
                assert!(off <= 64 + size / 64, "{percent} of {size}: {same}");
            }
        }
    }

    #[test]
    fn a_compressor_removes_the_configured_share() {
        for percent in [0, 20, 50, 80] {
            for size in [1000, 4096, 100_000, 1 << 20] {
                let content = whole(Unique::new(3, percent), 1, size);
                let packed = zstd::bulk::compress(&content, 3).unwrap().len() as f64;
                let taken = 100.0 * (1.0 - packed / size as f64);
                let off = (taken - f64::from(percent)).abs();
                // The compressed frame and one match per range take some bytes.
                let most = 5.0 + 4000.0 / size as f64;
                assert!(off < most, "{percent} % of {size}: {taken:.1} %");
            }
        }
    }

    #[test]
    fn small_objects_that_compress_are_still_their_own() {
        for percent in [30, 90, 100] {
            for size in [8, 64, 300, 2000] {
                let unique = Unique::new(3, percent);
                let contents: std::collections::BTreeSet<_> = (0..1000)
                    .map(|number| whole(unique, number, size))
                    .collect();
                assert_eq!(contents.len(), 1000, "{percent} % of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_part_is_the_same_as_in_the_whole(
            number: u64, compressible in prop_oneof![Just(0_u8), 0_u8..=100], size in 1_usize..10_000,
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
        fn bytes_identify_their_object(number: u64, offset in 0_u64..10_000, length in 0_usize..60) {
            let unique = Unique::new(9, 0);
            let mut part = vec![0; length];
            unique.fill(number, offset, &mut part);
            let skipped = (offset.next_multiple_of(8) - offset) as usize;
            let enough = length >= skipped + 16;
            prop_assert_eq!(unique.number_of(offset, &part), enough.then_some(number));
            if enough {
                part[skipped + 3] ^= 1;
                prop_assert_eq!(unique.number_of(offset, &part), None);
            }
        }

        #[test]
        fn stretches_are_compared_from_end_to_end(
            one: u64, other: u64, from in 0..2000_usize, length in 0..9000_usize,
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
