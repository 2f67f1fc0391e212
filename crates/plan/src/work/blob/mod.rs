//! Blob work: put, get and delete by location, phase after phase.

mod draft;
mod facts;
mod keys;
mod print;
mod resolve;

pub use draft::BlobDraft;

use std::path::PathBuf;
use std::time::Duration;

use crate::bucket::DEFAULT_BUCKET;
use crate::choose::ByteRange;
use crate::names::Named;
use crate::sizes::Sizes;
use crate::work::Traits;

/// What holds of all blob work.
pub(crate) const TRAITS: Traits = Traits {
    name: "blob",
    is_object_store: false,
    learns_responses: false,
    benchmark: None,
};

/// Locations in one request of the access layer, at most.
pub const MOST_LOCATIONS: u32 = 1024;

/// The largest blob that one request stores, bytes.
pub const LARGEST_PUT: u64 = 1 << 30;

/// Blobs larger than this are stored piece by piece unless a plan says otherwise, bytes;
/// as the access layer's own client has it.
const ALLOC_ABOVE: u64 = 256 << 20;

/// How long a deleted blob may still be there unless a plan says otherwise.
const GONE_WITHIN: Duration = Duration::from_secs(60);

/// The longest rest between two polls of a deleted blob unless a plan says otherwise.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Connections to poll deleted blobs on unless a plan says otherwise.
const POLL_CONNECTIONS: usize = 16;

/// The most connections to poll deleted blobs on.
pub(crate) const MOST_POLL_CONNECTIONS: u64 = 1024;

/// One phase of blob work. The phases of a plan that have locations and prefix in
/// common work on the same blobs: what one stores the next reads or deletes.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobWork {
    /// What is done.
    pub phase: Phase,
    /// How large the blobs are.
    pub sizes: Sizes,
    /// Blobs of a slice, at most; without, as many as its time allows.
    pub objects: Option<u64>,
    /// Name of the set of blobs: among the locations, and of keys and files where the
    /// target has such.
    pub prefix: Option<String>,
    /// Directory in which locations outlive the run; in memory without.
    pub locations: Option<PathBuf>,
    /// Where the target is an S3 store: bucket, made if missing.
    pub bucket: String,
    /// Compare every byte that is read with what was put.
    pub verify: bool,
    /// Sums that the server makes of what it takes in, to be compared. Ascending, each
    /// once.
    pub hashes: Vec<BlobHash>,
    /// Bytes; larger blobs are stored piece by piece where the target is an access layer:
    /// 1 to [`LARGEST_PUT`].
    pub alloc_above: u64,
    /// Whether content is sent in blocks, each with its CRC-32, which the access layer
    /// checks as it takes them in.
    pub crc_framed: bool,
    /// The part of a blob that is read; all of it without.
    pub range: Option<ByteRange>,
    /// Whether a slice that reads begins again when it has read all there is.
    pub around: bool,
    /// Blobs in one request that deletes, 1 to [`MOST_LOCATIONS`].
    pub batch: u32,
    /// Read deleted blobs until they are gone.
    pub until_gone: bool,
    /// How long a blob may still be there after its deletion was acknowledged; one that is
    /// there longer has failed to go.
    pub gone_within: Duration,
    /// The longest rest between two polls of a deleted blob.
    pub poll_interval: Duration,
    /// Connections for polling deleted blobs, in addition to those of the load, and so blobs that are
    /// followed at once: 1 to 1,024.
    pub poll_connections: usize,
    /// Failures that the whole run may have; more end it. Without, any number.
    pub errors: Option<u64>,
}

impl BlobWork {
    /// That phase with blobs of one size, bytes, and default settings.
    pub fn new(phase: Phase, size: u64) -> Self {
        Self {
            phase,
            sizes: Sizes::fixed(size),
            objects: None,
            prefix: None,
            locations: None,
            bucket: DEFAULT_BUCKET.to_owned(),
            verify: true,
            hashes: Vec::new(),
            alloc_above: ALLOC_ABOVE,
            crc_framed: false,
            range: None,
            around: false,
            batch: 1,
            until_gone: false,
            gone_within: GONE_WITHIN,
            poll_interval: POLL_INTERVAL,
            poll_connections: POLL_CONNECTIONS,
            errors: None,
        }
    }
}

/// What is done in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Blobs are stored.
    Put,
    /// Blobs are read.
    Get,
    /// Blobs are deleted.
    Delete,
}

impl Named for Phase {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("put", Self::Put),
        ("get", Self::Get),
        ("delete", Self::Delete),
    ];
}

impl Phase {
    /// Its name in plans: `put`, `get`, `delete`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// Its letter in a string of phases: `p`, `g`, `d`.
    pub fn letter(self) -> char {
        match self {
            Self::Put => 'p',
            Self::Get => 'g',
            Self::Delete => 'd',
        }
    }

    /// Phases in their order: one by its name, or a string such as `pgd`.
    ///
    /// # Errors
    ///
    /// A sentence without the value's key.
    pub fn several(text: &str) -> Result<Vec<Self>, String> {
        let all = [Self::Put, Self::Get, Self::Delete];
        if let Some(only) = all.into_iter().find(|phase| phase.name() == text) {
            return Ok(vec![only]);
        }
        let of_letter = |letter| all.into_iter().find(|phase| phase.letter() == letter);
        let phases: Option<Vec<Self>> = text.chars().map(of_letter).collect();
        match phases {
            Some(phases) if (1..=MOST_PHASES).contains(&phases.len()) => Ok(phases),
            Some(phases) if phases.len() > MOST_PHASES => {
                Err(format!("has more than {MOST_PHASES} phases"))
            }
            _ => Err(format!(
                "{text:?} is no string of phases; write \"put\", \"get\" or \"delete\", or \
                 several by their letters, such as \"pgd\""
            )),
        }
    }
}

/// The most phases: a longer text is taken for a typing error.
const MOST_PHASES: usize = 100;

/// A sum that the access layer makes of what it takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlobHash {
    /// CRC-32 (IEEE).
    Crc32,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl Named for BlobHash {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("crc32", Self::Crc32),
        ("md5", Self::Md5),
        ("sha1", Self::Sha1),
        ("sha256", Self::Sha256),
    ];
}

impl BlobHash {
    /// Its name in plans.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// Its bit in `/put?hashes=`.
    pub fn bit(self) -> u8 {
        match self {
            Self::Crc32 => 2,
            Self::Md5 => 4,
            Self::Sha1 => 8,
            Self::Sha256 => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_read_by_name_and_by_letter() {
        use Phase::{Delete, Get, Put};
        assert_eq!(Phase::several("pggd"), Ok(vec![Put, Get, Get, Delete]));
        assert_eq!(Phase::several("put"), Ok(vec![Put]));
        assert_eq!(Phase::several("d"), Ok(vec![Delete]));
        for wrong in ["", "px", "PUT", "p g"] {
            assert!(Phase::several(wrong).is_err(), "{wrong}");
        }
        assert!(Phase::several(&"p".repeat(101)).is_err());
    }
}
