//! Turns the keys of kind `s3` into workloads.

use super::S3Draft;
use super::resolve::resolve;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::work::{Keys, WorkloadKind};

impl Keys for S3Draft {
    fn resolve(&self, resolver: &mut Resolver<'_>, place: Place) -> Vec<WorkloadKind> {
        let work = resolve(resolver, self, place);
        work.into_iter().map(WorkloadKind::from).collect()
    }
}
