//! Blob workloads: phases that put, get and delete blobs. Blobs have no names: a PUT returns a
//! location, which a GET or DELETE of the blob requires.

mod draft;
mod facts;
mod keys;
mod resolve;
mod shares;

pub use draft::{BlobDraft, BlobWork, blob_set_name};
pub use shares::Shares;

use std::fmt;

use crate::keys::names::Named;
use crate::units::sizes::Sizes;
use crate::work::Traits;
use crate::{Sentence, sentence};

/// The properties of all blob workloads.
pub(crate) const TRAITS: Traits = Traits {
    name: "blob",
    is_object_store: false,
    learns_responses: false,
    benchmark: None,
};

/// Maximum number of locations in one request to CubeFS's access layer.
pub const MOST_LOCATIONS: u32 = 1024;

/// The largest blob that one request stores, bytes.
pub const LARGEST_PUT: u64 = 1 << 30;

/// Maximum number of connections for polling deleted blobs.
pub(crate) const MOST_POLL_CONNECTIONS: u64 = 1024;

impl BlobWork {
    /// A phase with blobs of one size, bytes, and default settings.
    pub fn new(phase: Phase, size: u64) -> Self {
        Self {
            phase,
            sizes: Sizes::fixed(size),
            ..Self::default()
        }
    }
}

/// Number of blobs that are stored before a mix of operations, unless the plan sets a number.
const OBJECTS_OF_MIX: u64 = 1_000;

/// A phase of a blob workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Stores blobs.
    Put,
    /// Reads blobs.
    Get,
    /// Deletes blobs.
    Delete,
    /// Stores, reads and deletes blobs at the same time.
    Mixed(Shares),
}

/// Writes the phase as in plans: `put`, `get`, `delete`, or a mix such as `put:20,get:75,delete:5`.
impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mixed(shares) => shares.fmt(f),
            phase => f.write_str(phase.name()),
        }
    }
}

impl Phase {
    /// Name of the phase: `put`, `get`, `delete`, or `mixed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Delete => "delete",
            Self::Mixed(_) => "mixed",
        }
    }

    /// Letter in a list of phases: `p`, `g`, `d`; `m` for a mix, which is in no list.
    pub fn letter(self) -> char {
        match self {
            Self::Put => 'p',
            Self::Get => 'g',
            Self::Delete => 'd',
            Self::Mixed(_) => 'm',
        }
    }

    /// Whether the operation of phase `other` is sent in this phase.
    pub fn includes(self, other: Self) -> bool {
        match self {
            Self::Mixed(shares) => shares.of(other) > 0,
            own => own == other,
        }
    }

    /// Reads phases in their order: one name, a string such as `pgd`, or a mix such as
    /// `put:20,get:75,delete:5`.
    ///
    /// # Errors
    ///
    /// A sentence that does not name the key.
    pub fn several(text: &str) -> Result<Vec<Self>, Sentence> {
        if text.contains(':') {
            return text.parse().map(|shares| vec![Self::Mixed(shares)]);
        }
        let all = [Self::Put, Self::Get, Self::Delete];
        if let Some(only) = all.into_iter().find(|phase| phase.name() == text) {
            return Ok(vec![only]);
        }
        let of_letter = |letter| all.into_iter().find(|phase| phase.letter() == letter);
        let phases: Option<Vec<Self>> = text.chars().map(of_letter).collect();
        match phases {
            Some(phases) if (1..=MOST_PHASES).contains(&phases.len()) => Ok(phases),
            Some(phases) if phases.len() > MOST_PHASES => Err(sentence!(
                "many-phases",
                "has more than {most_phases} phases",
                most_phases = MOST_PHASES
            )),
            _ => Err(sentence!(
                "no-phases",
                "{text:?} is not a list of phases; write \"put\", \"get\" or \"delete\", \
                    several by their letters, such as \"pgd\", or a mix, such as \
                    \"put:20,get:75,delete:5\"",
                text
            )),
        }
    }
}

/// Maximum number of phases: a longer text is taken for a typing error.
const MOST_PHASES: usize = 100;

/// A checksum that CubeFS's access layer computes for uploads.
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
    /// Name in plans.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// Bit in `/put?hashes=`.
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
        let mix = Phase::several("put:20,get:75,delete:5").unwrap();
        assert_eq!(mix[0].to_string(), "put:20,get:75,delete:5");
        assert!(mix.len() == 1 && mix[0].includes(Delete) && !Put.includes(Get));
        for wrong in ["", "px", "PUT", "p g"] {
            assert!(Phase::several(wrong).is_err(), "{wrong}");
        }
        assert!(Phase::several(&"p".repeat(101)).is_err());
    }
}
