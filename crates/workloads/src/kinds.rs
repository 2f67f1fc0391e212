//! The table of workload kinds, and functions that find a workload's kind.

use tenbin_engine::Protocol;
use tenbin_plan as plan;

use crate::error::WorkloadError;
use crate::kind::{BucketAddress, Kind, TargetProbe};
use crate::prepared::Prepared;
use crate::site::Site;
use crate::{blob, http, s3};

/// Every kind of workload, in the order of [`tenbin_plan::work::protocols`]. Kinds are registered
/// only here.
pub const KINDS: &[&dyn Kind] = &[&http::Http, &s3::S3, &blob::Blob];

/// Prepares a workload of the plan for one target, with the kind that handles the workload.
///
/// # Errors
/// As [`Kind::prepare`].
pub fn prepare(
    work: &plan::Workload,
    target: &Site,
    seed: u64,
    threads: usize,
) -> Result<Box<dyn Prepared>, WorkloadError> {
    kind_of(work)
        .ok_or_else(|| WorkloadError::no_kind(work))?
        .prepare(work, target, seed, threads)
}

/// Protocol of the connections for a workload; see [`Kind::protocol`].
pub fn protocol(work: &plan::Workload) -> Option<&'static dyn Protocol> {
    kind_of(work)?.protocol()
}

/// Describes where a run stores temporary data; see [`Kind::place`].
pub fn place(work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<plan::Sentence> {
    kind_of(work)?.place(work, target, seed)
}

/// A stage that checks access with a read-only request; see [`Kind::probe_target`].
///
/// # Errors
/// As [`Kind::probe_target`].
pub fn probe_target(
    work: &plan::Workload,
    target: &Site,
    times: u64,
) -> Option<Result<TargetProbe, WorkloadError>> {
    kind_of(work)?.probe_target(work, target, times)
}

/// The buckets that the requests of a workload name; see [`Kind::buckets`].
pub fn buckets(work: &plan::Workload, target: &Site) -> Vec<BucketAddress> {
    kind_of(work).map_or_else(Vec::new, |kind| kind.buckets(work, target))
}

fn kind_of(work: &plan::Workload) -> Option<&'static dyn Kind> {
    let name = work.facts().traits().name;
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_different_names_and_a_summary() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert!(!kind.summary().is_empty());
            assert!(KINDS[..at].iter().all(|other| other.name() != kind.name()));
        }
    }

    #[test]
    fn every_protocol_of_plans_has_a_kind() {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
        let protocols: Vec<&str> = plan::work::protocols().map(|traits| traits.name).collect();
        assert_eq!(kinds, protocols);
    }
}
