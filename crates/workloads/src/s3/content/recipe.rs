//! Settings for content.

use std::num::NonZero;

use tenbin_plan::{Checksum, Sizes};

use crate::s3::content::chunked::Framing;

/// Settings for the content of objects.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// Sizes of the objects.
    pub sizes: Sizes,
    /// Whether SHA-256 hashes are needed.
    pub hashed: bool,
    /// The checksum to compute.
    pub checksum: Checksum,
    /// Share of the content that a compressor can remove, percent.
    pub compressible: u8,
    /// Framing of bodies. A trailer needs a checksum other than MD5.
    pub framing: Framing,
    /// Whether every object has unique content, generated for each request. Hashes and checksums
    /// are then not available.
    pub unique: bool,
    /// Whether objects are overwritten.
    pub rewritten: bool,
    /// Number of objects, if each object is stored in several versions: version `v` of object `o`
    /// has the number `o + v × objects`.
    pub versioned_objects: Option<NonZero<u64>>,
    /// Whether bodies are sent in one request, so that hashes of each body are needed.
    pub whole: bool,
    /// Part size in bytes, if bodies are sent in parts, so that hashes of each part are needed.
    pub part_size: Option<u64>,
}

impl Recipe {
    /// Objects of one size in bytes, without hashes or checksums.
    pub fn plain(size: u64) -> Self {
        Self {
            sizes: Sizes::fixed(size),
            hashed: false,
            checksum: Checksum::None,
            compressible: 0,
            framing: Framing::None,
            unique: false,
            rewritten: false,
            versioned_objects: None,
            whole: true,
            part_size: None,
        }
    }
}
