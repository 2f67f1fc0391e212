//! The keys of blob work as they were written.

use serde::Deserialize;

use crate::scalar::{At, Field, List};

/// The keys of a workload of kind `blob`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as [[workload]]"
)]
pub struct BlobDraft {
    /// Phases such as `pgd`.
    pub operation: Field,
    /// Blob size, or how sizes are distributed.
    pub size: Field,
    /// Where the target is an S3 store: bucket.
    pub bucket: Field,
    /// Name of the set of blobs.
    pub prefix: Field,
    /// Blobs of a slice, at most.
    pub objects: Field,
    /// `once` or `sequential`.
    pub choose: Field,
    /// Compare every byte that is read with what was put.
    pub verify: Field,
    /// The part of a blob that is read.
    pub range: Field,
    /// Blobs in one request that deletes.
    pub batch: Field,
    /// Directory in which locations outlive the run.
    pub locations: Field,
    /// Sums that the server makes.
    pub hashes: Option<At<List>>,
    /// Bytes above which they are stored piece by piece.
    pub alloc_above: Field,
    /// Content is sent in blocks with sums.
    pub crc_framed: Field,
    /// Ask until a deleted one is gone.
    pub until_gone: Field,
    /// How long a deleted one may still be there.
    pub gone_within: Field,
    /// The longest rest between two questions.
    pub poll_interval: Field,
    /// Connections to poll deleted ones on.
    pub poll_connections: Field,
    /// Failures that the whole run may have.
    pub errors: Field,
}
