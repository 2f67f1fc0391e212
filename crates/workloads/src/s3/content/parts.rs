//! Parts of bodies, for multipart uploads.

use tenbin_engine::InFile;
use tenbin_plan::Checksum;

use super::in_memory::SMALLEST_IN_FILE;
use super::{Content, Recipe, sha256};
use crate::s3::content::checksum;

/// Parts of bodies, for multipart uploads.
pub(super) struct Parts {
    /// Size of each part except the last part of a body, bytes.
    size: usize,
    /// Hexadecimal SHA-256 by body and part; empty if payloads are not signed.
    hashes: Vec<Vec<[u8; 64]>>,
    /// Checksums by body and part, as in headers; empty without a checksum.
    checksums: Vec<Vec<String>>,
}

impl Parts {
    /// Parts of `bytes` bytes; with `None`, each body is one part.
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
    /// Computes the hashes and checksums of each part.
    pub(super) fn cut(&mut self, recipe: &Recipe) {
        let size = self.parts.size;
        // An empty body still has one part.
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

    /// Number of parts of an object, at least 1.
    pub fn parts(&self, object: u64) -> u64 {
        self.parts_of(self.sizes[self.index(object)])
    }

    /// Largest number of parts of an object, at least 1.
    pub fn most_parts(&self) -> u64 {
        let largest = self.sizes.iter().copied().max();
        self.parts_of(largest.unwrap_or(0))
    }

    fn parts_of(&self, size: usize) -> u64 {
        size.div_ceil(self.parts.size).max(1) as u64
    }

    /// The part of [`Content::body`] with index `part`, from 0; empty after the last part.
    pub fn part(&self, object: u64, part: u64) -> &[u8] {
        let body = self.body(object);
        let from = self.start_of(part).min(body.len());
        &body[from..from.saturating_add(self.parts.size).min(body.len())]
    }

    /// Position of [`Content::part`] in the file, if there is a file.
    pub fn part_in_file(&self, object: u64, part: u64) -> Option<InFile<'_>> {
        let body = self.body_in_file(object)?;
        let large = self.part(object, part).len() >= SMALLEST_IN_FILE;
        large.then(|| InFile {
            offset: body.offset + self.start_of(part) as u64,
            ..body
        })
    }

    /// Hexadecimal SHA-256 of [`Content::part`], if requested.
    pub fn part_hash(&self, object: u64, part: u64) -> Option<&[u8; 64]> {
        let parts = self.parts.hashes.get(self.index(object))?;
        parts.get(part as usize)
    }

    /// The checksum of [`Content::part`] as in headers, if requested.
    pub fn part_checksum(&self, object: u64, part: u64) -> Option<&str> {
        let parts = self.parts.checksums.get(self.index(object))?;
        parts.get(part as usize).map(String::as_str)
    }

    /// Offset of a part in its object, bytes.
    pub fn start_of(&self, part: u64) -> usize {
        usize::try_from(part)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.parts.size)
    }
}
