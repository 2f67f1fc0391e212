//! S3: operations on objects, signed, with content that can be checked.

mod abandon;
mod action;
mod actions;
mod append;
mod archives;
mod batch;
mod catalogue;
pub(crate) mod check;
mod checksum;
mod choose;
pub mod content;
mod crew;
mod dataset;
mod desk;
mod document;
mod form;
mod framing;
mod generations;
mod insisting;
mod intake;
mod laying;
mod listing;
mod litter;
mod look;
mod marks;
mod pack;
pub(crate) mod place;
mod prepared;
mod probe;
mod progress;
pub(crate) mod refusal;
pub(crate) mod residue;
pub(crate) mod scribe;
pub mod sigv2;
pub mod sigv4;
mod sizes;
pub(crate) mod slots;
mod stamp;
mod standing;
mod survey;
pub(crate) mod sweep;
mod tagging;
pub(crate) mod tidy;
pub(crate) mod unique;
mod uploads;
pub mod uri;
mod versions;
mod whole;
mod worker;

use tenbin_plan::{self as plan, DataSet, WorkloadKind};

pub use place::prefix;
pub use refusal::{code, explain};

use self::prepared::PreparedS3;
use crate::error::WorkloadError;
use crate::kind::{Kind, Look, Prepared};
use crate::site::Site;

/// The kind `s3`.
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
        intake::check_work(&work.name, s3)?;
        intake::check_site(target)?;
        Ok(Box::new(PreparedS3::new(work, s3, target, seed, threads)))
    }

    fn place(&self, work: &plan::Workload, _: &plan::Target, seed: u64) -> Option<String> {
        let WorkloadKind::S3(s3) = &work.kind else {
            return None;
        };
        (s3.data == DataSet::Fresh).then(|| {
            let prefix = prefix(s3, seed, &work.name);
            match s3.buckets {
                0 | 1 => format!("under {prefix} in bucket {}", s3.bucket),
                many => format!(
                    "under {prefix} in buckets {0}-000 to {0}-{1:03}",
                    s3.bucket,
                    many - 1
                ),
            }
        })
    }

    fn look(
        &self,
        work: &plan::Workload,
        target: &Site,
        times: u64,
    ) -> Option<Result<Look, WorkloadError>> {
        match &work.kind {
            WorkloadKind::S3(s3) => Some(look::look(&work.name, s3, target, times)),
            _ => None,
        }
    }
}
