//! What objects contain: bytes that follow from the seed and the object's
//! number, so that every byte of every answer can be checked.
//!
//! All objects share one pool of random bytes. An object is one of a few
//! *variants*, each the same length of pool from another offset; which one
//! follows from its number. So a body is sent by reference, its hash is known
//! beforehand, and an answer is checked by comparing memory.

use std::num::NonZero;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;

use sha2::{Digest, Sha256};
use tenbin_engine::InFile;

use crate::rng::{Rng, mix};
use crate::text::hex;

/// Variants of small objects.
const MOST_VARIANTS: u64 = 64;

/// Even the largest objects come in two kinds, or a server that mixes them up
/// would go unseen.
const FEWEST_VARIANTS: u64 = 2;

/// Bytes to hash before a run, at most, where the fewest variants allow it.
const HASHED_BYTES: u64 = 256 << 20;

/// Pool bytes from one variant to the next: a prime just above 4 KiB, so that
/// variants share no block with a server that stores equal blocks once.
const STRIDE: usize = 4099;

/// Below this, hashing in parallel costs more than it saves.
const PARALLEL_BYTES: u64 = 8 << 20;

/// Smaller bodies are copied: that costs less than a system call of their own.
const SMALLEST_IN_FILE: usize = 32 << 10;

/// The file is a second copy of the pool; beyond this that is too much memory.
const LARGEST_POOL_IN_FILE: usize = 512 << 20;

/// The content of all objects of one size.
pub struct Content {
    pool: Vec<u8>,
    size: usize,
    variants: u64,
    salt: u64,
    /// Of each variant; empty when payloads are not signed.
    hashes: Vec<[u8; 64]>,
    /// The pool as a file in memory, for the kernel to send from.
    file: Option<OwnedFd>,
}

impl Content {
    /// Makes the pool for objects of `size` bytes and, if `hashed`, the SHA-256 of
    /// every variant.
    pub fn new(seed: u64, size: usize, hashed: bool) -> Self {
        let variants = (HASHED_BYTES / (size as u64).max(1)).clamp(FEWEST_VARIANTS, MOST_VARIANTS);
        let mut pool = vec![0; size + (variants as usize - 1) * STRIDE];
        Rng::new(seed, &[crate::rng::name_number("content")]).fill(&mut pool);
        let mut content = Self {
            pool,
            size,
            variants,
            salt: mix(seed),
            hashes: Vec::new(),
            file: None,
        };
        if hashed {
            content.hashes = content.hash_variants();
        }
        content
    }

    /// The content of an object.
    pub fn body(&self, object: u64) -> &[u8] {
        self.variant_body(self.variant(object))
    }

    /// Lays the pool down in a file as well, where that is worth its memory and the
    /// system has such files. Bodies are then sent without being copied.
    pub fn sent_from_file(mut self) -> Self {
        if self.size >= SMALLEST_IN_FILE && self.pool.len() <= LARGEST_POOL_IN_FILE {
            self.file = file_in_memory(&self.pool);
        }
        self
    }

    /// Where [`Content::body`] lies in a file, if it does.
    pub fn body_in_file(&self, object: u64) -> Option<InFile<'_>> {
        Some(InFile {
            file: self.file.as_ref()?.as_fd(),
            offset: (self.variant(object) * STRIDE) as u64,
        })
    }

    /// Hexadecimal SHA-256 of [`Content::body`], if it was asked for.
    pub fn hash(&self, object: u64) -> Option<&[u8; 64]> {
        self.hashes.get(self.variant(object))
    }

    /// Whether `part` is what the object contains from `offset` on.
    pub fn matches(&self, object: u64, offset: u64, part: &[u8]) -> bool {
        usize::try_from(offset)
            .ok()
            .and_then(|from| self.body(object).get(from..from.checked_add(part.len())?))
            == Some(part)
    }

    /// Size of every object, bytes.
    pub fn size(&self) -> u64 {
        self.size as u64
    }

    /// Which variant an object is. Mixed, so that servers which confuse objects a
    /// fixed distance apart are found out as well.
    fn variant(&self, object: u64) -> usize {
        (mix(object ^ self.salt) % self.variants) as usize
    }

    fn variant_body(&self, variant: usize) -> &[u8] {
        &self.pool[variant * STRIDE..][..self.size]
    }

    fn hash_variants(&self) -> Vec<[u8; 64]> {
        let variants: Vec<usize> = (0..self.variants as usize).collect();
        let hash = |&variant: &usize| hex(&Sha256::digest(self.variant_body(variant)).into());
        if self.variants * self.size() < PARALLEL_BYTES {
            return variants.iter().map(hash).collect();
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let hashers: Vec<_> = variants
                .chunks(variants.len().div_ceil(threads))
                .map(|share| scope.spawn(move || share.iter().map(hash).collect::<Vec<_>>()))
                .collect();
            hashers
                .into_iter()
                .flat_map(|hasher| hasher.join().expect("hashing cannot panic"))
                .collect()
        })
    }
}

/// A file that exists in memory alone and goes when it is closed; `None` where the
/// system has none, which costs copies and nothing else.
#[cfg(target_os = "linux")]
fn file_in_memory(bytes: &[u8]) -> Option<OwnedFd> {
    use std::io::Write;

    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    let mut file = std::fs::File::from(rustix::fs::memfd_create("tenbin-bodies", flags).ok()?);
    file.write_all(bytes).ok()?;
    Some(file.into())
}

#[cfg(not(target_os = "linux"))]
fn file_in_memory(_bytes: &[u8]) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn content_follows_from_seed_and_number() {
        let content = Content::new(5, 1000, true);
        let again = Content::new(5, 1000, false);
        let other = Content::new(6, 1000, false);
        assert_eq!(content.body(17), again.body(17));
        assert_ne!(content.body(17), other.body(17));
        let kinds: std::collections::BTreeSet<_> =
            (0..1000).map(|object| content.body(object)).collect();
        assert_eq!(kinds.len(), 64);
        assert!(again.hash(17).is_none());
    }

    #[test]
    fn hashes_are_those_of_the_bodies_alone_or_in_parallel() {
        for size in [0, 1, 1000, 200_000] {
            let content = Content::new(1, size, true);
            for object in 0..5 {
                let hash = hex(&Sha256::digest(content.body(object)).into());
                assert_eq!(content.hash(object), Some(&hash));
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_file_holds_every_body_where_it_says() {
        let content = Content::new(3, 100_000, false);
        assert!(content.body_in_file(1).is_none());
        let content = content.sent_from_file();
        for object in 0..20 {
            let place = content.body_in_file(object).unwrap();
            let mut found = vec![0; 100_000];
            rustix::io::pread(place.file, &mut found, place.offset).unwrap();
            assert_eq!(found, content.body(object));
        }
        let small = Content::new(3, 1000, false).sent_from_file();
        assert!(small.body_in_file(1).is_none());
    }

    proptest! {
        #[test]
        fn only_the_right_bytes_match(
            size in 1_usize..3000, object: u64, from: prop::sample::Index,
            length: prop::sample::Index, flip: prop::sample::Index, bit in 0_u32..8,
        ) {
            let content = Content::new(9, size, false);
            let from = from.index(size);
            let length = 1 + length.index(size - from);
            let mut part = content.body(object)[from..from + length].to_vec();
            prop_assert!(content.matches(object, from as u64, &part));
            part[flip.index(length)] ^= 1_u8 << bit;
            prop_assert!(!content.matches(object, from as u64, &part));
        }

        #[test]
        fn nothing_past_the_end_matches(size in 0_usize..100, object: u64, offset: u64) {
            let content = Content::new(9, size, false);
            let body = [content.body(object), b"x"].concat();
            prop_assert!(!content.matches(object, 0, &body));
            prop_assert!(!content.matches(object, offset.max(size as u64), b"x"));
        }
    }
}
