//! What content is asked for.

use tenbin_plan::{Checksum, Sizes};

use crate::s3::content::chunked::Framing;

/// What content there is to be.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// How large the objects are.
    pub sizes: Sizes,
    /// Whether SHA-256 sums are wanted.
    pub hashed: bool,
    /// The checksum that is wanted.
    pub checksum: Checksum,
    /// How much of it a compressor can take away, percent.
    pub compressible: u8,
    /// How bodies are framed for sending. With a trailer, a checksum other than MD5
    /// is needed.
    pub framing: Framing,
    /// Whether every object has content of its own, made while it is sent. Nothing
    /// else can then be wanted of it.
    pub unique: bool,
    /// Whether objects are written over.
    pub rewritten: bool,
    /// Whether bodies are sent whole, so that sums of each body are wanted.
    pub whole: bool,
    /// Bytes in a part, where bodies are sent in parts, so that sums of each part are.
    pub part_size: Option<u64>,
}

impl Recipe {
    /// Objects of one size, bytes, with nothing else asked for.
    pub fn plain(size: u64) -> Self {
        Self {
            sizes: Sizes::fixed(size),
            hashed: false,
            checksum: Checksum::None,
            compressible: 0,
            framing: Framing::None,
            unique: false,
            rewritten: false,
            whole: true,
            part_size: None,
        }
    }
}
