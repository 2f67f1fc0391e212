//! Storage protocols of blob workloads.

use crate::keys::names::named;

named! {
    /// The storage protocol of blob workloads on a target.
    Store {
        /// The access layer of CubeFS's blobstore.
        #[default]
        Blobstore = "blobstore",
        /// S3.
        S3 = "s3",
    }
}
