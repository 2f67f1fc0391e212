//! Blobs: put, get and delete by location, phase after phase.
//!
//! The phases of a target that have locations and prefix in common share a [`set`]
//! of blobs. How they speak to the target is a [`dialect`].

mod access;
mod allocation;
mod answer;
mod batch;
mod delete;
mod dialect;
mod disk;
mod dummy;
mod files;
mod flight;
mod get;
mod gone;
mod journal;
mod keeper;
mod parcel;
mod pieced;
mod prepared;
mod put;
mod round;
mod s3;
mod sentences;
mod set;
mod sums;
mod trail;
mod work;

use tenbin_plan::{self as plan, BlobWork, Reach, Store, WorkloadKind};

use self::prepared::PreparedBlob;
use crate::error::WorkloadError;
use crate::kind::{Kind, Prepared};
use crate::site::Site;

/// Name of the set of blobs that a phase works on.
pub fn set_name(work: &BlobWork, seed: u64) -> String {
    match &work.prefix {
        Some(prefix) => prefix.clone(),
        None if work.locations.is_some() => "blobs".to_owned(),
        None => format!("tenbin-{seed:016x}"),
    }
}

/// The kind `blob`.
#[derive(Debug, Clone, Copy)]
pub struct Blob;

impl Kind for Blob {
    fn name(&self) -> &'static str {
        "blob"
    }

    fn summary(&self) -> &'static str {
        "blobs put, read and deleted by location, phase after phase"
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::Blob(blob) = &work.kind else {
            return Err(WorkloadError::no_kind(work));
        };
        let prepared = PreparedBlob::new(work, blob, target, seed, threads)?;
        Ok(Box::new(prepared))
    }

    /// Blobs whose locations are on disk are to stay.
    fn place(&self, work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<String> {
        let WorkloadKind::Blob(blob) = &work.kind else {
            return None;
        };
        blob.locations.is_none().then(|| {
            let set = set_name(blob, seed);
            match (&target.reach, target.reach.store(target.store)) {
                (Reach::Files(_), _) => format!("in directory {set}"),
                (_, Store::S3) => {
                    format!("under tenbin-{seed:016x}/{set}/ in bucket {}", blob.bucket)
                }
                _ => format!("in set {set}"),
            }
        })
    }
}
