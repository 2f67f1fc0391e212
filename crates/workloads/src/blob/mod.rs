//! Blobs that are stored, read and deleted by location, in phases.
//!
//! Phases on one target with the same plan keys `locations` and `prefix` share a
//! [set](stored::set) of blobs. Each protocol for blobs implements the trait in [`protocols`].

mod phases;
mod prepared;
mod protocols;
mod read_back;
pub(crate) mod stored;

use tenbin_plan::{self as plan, BlobWork, Reach, Store, WorkloadKind};

use self::prepared::PreparedBlob;
use crate::error::WorkloadError;
use crate::kind::{BucketAddress, Kind};
use crate::prepared::Prepared;
use crate::site::{BlobAccess, Site};

/// Name of the set of blobs that a phase uses.
pub fn set_name(work: &BlobWork, seed: u64) -> String {
    match &work.prefix {
        Some(prefix) => prefix.clone(),
        None if work.locations.is_some() => "blobs".to_owned(),
        None => format!("tenbin-{seed:016x}"),
    }
}

/// The workload kind `blob`.
#[derive(Debug, Clone, Copy)]
pub struct Blob;

impl Kind for Blob {
    fn name(&self) -> &'static str {
        "blob"
    }

    fn summary(&self) -> &'static str {
        "blobs stored, read and deleted by location, in phases"
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

    fn buckets(&self, work: &plan::Workload, target: &Site) -> Vec<BucketAddress> {
        match &work.kind {
            WorkloadKind::Blob(blob) if target.means() == BlobAccess::S3 => {
                protocols::s3::place(target, blob, 0, &work.name).addresses()
            }
            _ => Vec::new(),
        }
    }

    /// `None` if locations are on disk, because these blobs are kept.
    fn place(
        &self,
        work: &plan::Workload,
        target: &plan::Target,
        seed: u64,
    ) -> Option<plan::Sentence> {
        let WorkloadKind::Blob(blob) = &work.kind else {
            return None;
        };
        blob.locations.is_none().then(|| {
            let set = set_name(blob, seed);
            match (&target.reach, target.reach.store(target.store)) {
                (Reach::Files(_), _) => {
                    plan::sentence!("in-directory", "in directory {directory}", directory = set)
                }
                (_, Store::S3) => {
                    plan::sentence!(
                        "under-in-bucket",
                        "under {prefix} in bucket {bucket}",
                        prefix = format!("tenbin-{seed:016x}/{set}/"),
                        bucket = blob.bucket
                    )
                }
                _ => plan::sentence!("in-set", "in set {set}", set),
            }
        })
    }
}
