//! How the keys of S3 work become workloads.

use super::S3Draft;
use super::resolve::resolve;
use crate::desk::Desk;
use crate::problem::Place;
use crate::work::{Keys, WorkloadKind};

impl Keys for S3Draft {
    fn resolve(&self, desk: &mut Desk<'_>, place: Place) -> Vec<WorkloadKind> {
        let work = resolve(desk, self, place);
        work.into_iter().map(WorkloadKind::from).collect()
    }
}
