//! S3: signed operations on objects whose content can be checked.

mod action;
mod actions;
pub(crate) mod cleanup;
pub mod content;
mod context;
pub(crate) mod messages;
mod objects;
pub(crate) mod place;
mod prepared;
pub(crate) mod read_back;
pub mod sessions;
pub(crate) mod setup;
pub(crate) mod signing;
pub(crate) mod slots;
mod worker;
mod workers;

use tenbin_plan::{self as plan, DataSet, WorkloadKind};

pub use messages::judging::{code, explain};
pub use place::prefix;
pub use signing::{keyring, sigv2, sigv4, uri};

use self::place::Place;
use self::prepared::PreparedS3;
use self::setup::requirements;
use crate::error::WorkloadError;
use crate::kind::{BucketAddress, Kind, TargetProbe};
use crate::prepared::Prepared;
use crate::site::Site;

/// The workload kind `s3`.
#[derive(Debug, Clone, Copy)]
pub struct S3;

impl Kind for S3 {
    fn name(&self) -> &'static str {
        "s3"
    }

    fn summary(&self) -> &'static str {
        "S3 operations on many objects: put, get, delete, list and others"
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::S3(s3) = &work.kind else {
            return Err(WorkloadError::no_kind(work));
        };
        requirements::check_work(&work.name, s3)?;
        requirements::check_site(target)?;
        Ok(Box::new(PreparedS3::new(work, s3, target, seed, threads)))
    }

    fn place(&self, work: &plan::Workload, _: &plan::Target, seed: u64) -> Option<plan::Sentence> {
        let WorkloadKind::S3(s3) = &work.kind else {
            return None;
        };
        (s3.data == DataSet::Fresh).then(|| {
            let prefix = prefix(s3, seed, &work.name);
            match s3.buckets {
                0 | 1 => plan::sentence!(
                    "under-in-bucket",
                    "under {prefix} in bucket {bucket}",
                    prefix,
                    bucket = s3.bucket
                ),
                many => plan::sentence!(
                    "under-in-buckets",
                    "under {prefix} in buckets {first} to {last}",
                    prefix,
                    first = format!("{}-000", s3.bucket),
                    last = format!("{}-{:03}", s3.bucket, many - 1)
                ),
            }
        })
    }

    fn buckets(&self, work: &plan::Workload, target: &Site) -> Vec<BucketAddress> {
        match &work.kind {
            WorkloadKind::S3(s3) => Place::new(target, s3, 0, &work.name).addresses(),
            _ => Vec::new(),
        }
    }

    fn probe_target(
        &self,
        work: &plan::Workload,
        target: &Site,
        times: u64,
    ) -> Option<Result<TargetProbe, WorkloadError>> {
        match &work.kind {
            WorkloadKind::S3(s3) => Some(setup::access::probe(&work.name, s3, target, times)),
            _ => None,
        }
    }
}
