//! Turns the keys of kind `blob` into workloads.

use super::BlobDraft;
use super::resolve::resolve;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::work::{Keys, WorkloadKind};

impl Keys for BlobDraft {
    /// One workload for each phase.
    fn resolve(&self, resolver: &mut Resolver<'_>, place: Place) -> Vec<WorkloadKind> {
        let phases = resolve(resolver, self, place).into_iter();
        phases.map(WorkloadKind::from).collect()
    }
}
