//! Storage protocols of blob workloads.

use crate::keys::names::Named;

/// The storage protocol of blob workloads on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Store {
    /// The access layer of CubeFS's blobstore.
    #[default]
    Blobstore,
    /// S3.
    S3,
}

impl Named for Store {
    const NAMES: &'static [(&'static str, Self)] =
        &[("blobstore", Self::Blobstore), ("s3", Self::S3)];
}

impl Store {
    /// Name in plans and on the command line.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}
