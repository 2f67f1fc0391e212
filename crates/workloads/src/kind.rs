//! The trait of workload kinds.

use std::sync::{Arc, Mutex};

use tenbin_engine::Protocol;
use tenbin_plan as plan;

use crate::error::WorkloadError;
use crate::prepared::{Prepared, Stage};
use crate::site::Site;

/// A kind of workload, such as `http` or `s3`, which prepares workloads of the plan for targets.
pub trait Kind: Sync {
    /// Name of the kind in plans ([`plan::Traits::name`]).
    fn name(&self) -> &'static str;

    /// One-line description.
    fn summary(&self) -> &'static str;

    /// Protocol of the connections to a target; `None` for HTTP in the target's version.
    fn protocol(&self) -> Option<&'static dyn Protocol> {
        None
    }

    /// Prepares a workload for one target. All expensive work, such as generating and hashing
    /// content and formatting heads, is done here instead of on the request path.
    ///
    /// `seed` determines keys and content, which are the same for every target. `threads` is the
    /// maximum number of workers of [`Prepared::slice`] that send load.
    ///
    /// # Errors
    /// When the planned requests cannot be sent to this target.
    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError>;

    /// Describes where on a target a run stores temporary data; `None` if the run stores no data or
    /// the plan keeps the data.
    fn place(
        &self,
        work: &plan::Workload,
        target: &plan::Target,
        seed: u64,
    ) -> Option<plan::Sentence> {
        let _ = (work, target, seed);
        None
    }

    /// The buckets that the requests to a target name; empty for a kind without buckets.
    fn buckets(&self, work: &plan::Workload, target: &Site) -> Vec<BucketAddress> {
        let _ = (work, target);
        Vec::new()
    }

    /// A stage that checks access to a target by sending a read-only request `times` times; `None`
    /// if such a request would show no more about access than the first request of a run.
    ///
    /// # Errors
    /// When the request cannot be formed for this workload and target.
    fn probe_target(
        &self,
        work: &plan::Workload,
        target: &Site,
        times: u64,
    ) -> Option<Result<TargetProbe, WorkloadError>> {
        let _ = (work, target, times);
        None
    }
}

/// A bucket, and how requests name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAddress {
    /// Name.
    pub name: String,
    /// Path, encoded.
    pub path: String,
    /// Value of the `Host` header on the first host.
    pub host: String,
}

/// A stage that checks access to a target, and the response, which is filled in while the stage
/// runs.
pub type TargetProbe = (Stage, Arc<Mutex<ProbeResponse>>);

/// The response to the read-only request of [`Kind::probe_target`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeResponse {
    /// Status of the first response; `None` without a response.
    pub status: Option<u16>,
    /// S3 error code of the first response, if any.
    pub code: Option<String>,
    /// Meaning of `code` and what to do, if known.
    pub meaning: Option<&'static str>,
    /// The correct region according to the first response: lower-case letters, digits and hyphens.
    pub region: Option<String>,
    /// Whether the first response is a listing.
    pub is_listing: bool,
    /// Number of responses.
    pub answered: u64,
    /// The bucket in the request.
    pub bucket: String,
}
