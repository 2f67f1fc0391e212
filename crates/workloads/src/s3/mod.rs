//! S3: operations on objects, signed, with content that can be checked.

mod action;
mod actions;
pub(crate) mod cleanup;
pub mod content;
mod context;
pub(crate) mod messages;
mod objects;
pub(crate) mod place;
mod prepared;
pub(crate) mod setup;
pub(crate) mod signing;
pub(crate) mod slots;
mod worker;
mod workers;

use tenbin_plan::{self as plan, WorkloadKind};

pub use messages::refusal::{code, explain};
pub use place::prefix;
pub use setup::look::{Seen, look};
pub use signing::{sigv2, sigv4, uri};

use self::prepared::PreparedS3;
use self::setup::requirements;
use crate::error::WorkloadError;
use crate::kind::{Kind, Prepared};
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

    fn takes(&self, work: &WorkloadKind) -> bool {
        matches!(work, WorkloadKind::S3(_))
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::S3(s3) = &work.kind else {
            return Err(WorkloadError::NoKind {
                workload: work.name.clone(),
            });
        };
        requirements::check_work(&work.name, s3)?;
        requirements::check_site(target)?;
        Ok(Box::new(PreparedS3::new(work, s3, target, seed, threads)))
    }
}
