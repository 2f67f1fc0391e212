//! How the keys of blob work become workloads.

use super::BlobDraft;
use super::resolve::resolve;
use crate::desk::Desk;
use crate::problem::Place;
use crate::work::{Keys, WorkloadKind};

impl Keys for BlobDraft {
    /// One workload for each phase.
    fn resolve(&self, desk: &mut Desk<'_>, place: Place) -> Vec<WorkloadKind> {
        let phases = resolve(desk, self, place).into_iter();
        phases.map(WorkloadKind::from).collect()
    }
}
