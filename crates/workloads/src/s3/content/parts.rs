//! Bodies cut into parts.

use tenbin_engine::InFile;
use tenbin_plan::Checksum;

use super::in_memory::SMALLEST_IN_FILE;
use super::{Content, Recipe, sha256};
use crate::s3::content::checksum;

/// Bodies cut into parts.
pub(super) struct Parts {
    /// Bytes in each but the last of a body.
    size: usize,
    /// Of each body and part; empty when payloads are not signed.
    hashes: Vec<Vec<[u8; 64]>>,
    /// Of each body and part, as headers have them; empty without a checksum.
    checksums: Vec<Vec<String>>,
}

impl Parts {
    /// So many bytes in each; without, a body is one.
    pub(super) fn of_size(bytes: Option<u64>) -> Self {
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        Self {
            size: bytes.unwrap_or(usize::MAX).max(1),
            hashes: Vec::new(),
            checksums: Vec::new(),
        }
    }
}

impl Content {
    /// Works out what is wanted of each part.
    pub(super) fn cut(&mut self, recipe: &Recipe) {
        let size = self.parts.size;
        // A body of nothing is one part all the same.
        let parts = |body: &'_ [u8]| -> Vec<std::ops::Range<usize>> {
            let starts = (0..body.len().max(1)).step_by(size);
            starts
                .map(|from| from..from.saturating_add(size).min(body.len()))
                .collect()
        };
        if recipe.hashed {
            self.parts.hashes = self.of_each(|body| {
                let parts = parts(body).into_iter();
                parts.map(|part| sha256(&body[part])).collect()
            });
        }
        if recipe.checksum != Checksum::None {
            self.parts.checksums = self.of_each(|body| {
                let parts = parts(body).into_iter();
                parts
                    .map(|part| checksum::of(recipe.checksum, &body[part]))
                    .collect()
            });
        }
    }

    /// How many parts an object has, at least 1.
    pub fn parts(&self, object: u64) -> u64 {
        self.parts_of(self.sizes[self.index(object)])
    }

    /// The most parts that any object has, at least 1.
    pub fn most_parts(&self) -> u64 {
        let largest = self.sizes.iter().copied().max();
        self.parts_of(largest.unwrap_or(0))
    }

    fn parts_of(&self, size: usize) -> u64 {
        size.div_ceil(self.parts.size).max(1) as u64
    }

    /// A part of [`Content::body`], from 0; empty behind the last.
    pub fn part(&self, object: u64, part: u64) -> &[u8] {
        let body = self.body(object);
        let from = self.start_of(part).min(body.len());
        &body[from..from.saturating_add(self.parts.size).min(body.len())]
    }

    /// Where [`Content::part`] lies in a file, if it does.
    pub fn part_in_file(&self, object: u64, part: u64) -> Option<InFile<'_>> {
        let body = self.body_in_file(object)?;
        let large = self.part(object, part).len() >= SMALLEST_IN_FILE;
        large.then(|| InFile {
            offset: body.offset + self.start_of(part) as u64,
            ..body
        })
    }

    /// Hexadecimal SHA-256 of [`Content::part`], if it was asked for.
    pub fn part_hash(&self, object: u64, part: u64) -> Option<&[u8; 64]> {
        let parts = self.parts.hashes.get(self.index(object))?;
        parts.get(part as usize)
    }

    /// The checksum of [`Content::part`] as headers have it, if it was asked for.
    pub fn part_checksum(&self, object: u64, part: u64) -> Option<&str> {
        let parts = self.parts.checksums.get(self.index(object))?;
        parts.get(part as usize).map(String::as_str)
    }

    /// Where a part begins in its object, bytes.
    pub fn start_of(&self, part: u64) -> usize {
        usize::try_from(part)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.parts.size)
    }
}
