//! The keys of S3 work as they were written.

use serde::Deserialize;

use crate::scalar::{At, Field, List};

/// The keys of a workload of kind `s3`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as [[workload]]"
)]
pub struct S3Draft {
    /// An operation, or several with shares such as `get:70,put:30`.
    pub operation: Field,
    /// Object size, or how sizes are distributed.
    pub size: Field,
    /// Bucket.
    pub bucket: Field,
    /// Number of buckets.
    pub buckets: Field,
    /// What every key begins with.
    pub prefix: Field,
    /// Distinct objects.
    pub objects: Field,
    /// `sequential` or `random`.
    pub keys: Field,
    /// Prefixes on each level, such as `16/16`.
    pub prefixes: Field,
    /// `uniform`, `zipf:1.1`, `sequential` or `once`.
    pub choose: Field,
    /// `path` or `virtual`.
    pub style: Field,
    /// `signed`, `unsigned`, `streaming` or `trailer`.
    pub payload: Field,
    /// Compare what GET returns with what was put.
    pub verify: Field,
    /// Checksum sent with content and checked in answers.
    pub checksum: Field,
    /// `pool` or `unique`.
    pub content: Field,
    /// Percent of the content that compresses away.
    pub compressible: Field,
    /// `none`, `sse-s3` or `sse-c`.
    pub encryption: Field,
    /// Storage class.
    pub storage_class: Field,
    /// `Content-Type` of objects.
    pub content_type: Field,
    /// `name: value` lines.
    pub metadata: Option<At<List>>,
    /// `name=value` pairs.
    pub tags: Option<At<List>>,
    /// `fresh`, `keep` or `existing`.
    pub data: Field,
    /// Bytes in a part of a multipart upload.
    pub part_size: Field,
    /// Parts of one object that are out at once.
    pub parts_at_once: Field,
    /// The part of an object that is read.
    pub range: Field,
    /// `v2`, `v1` or `versions`.
    pub list: Field,
    /// Keys on a page of a listing.
    pub page: Field,
    /// What parts keys into levels.
    pub delimiter: Field,
    /// Objects in one request of `delete-batch`.
    pub batch: Field,
    /// Versions of every object.
    pub versions: Field,
    /// In a mix, PUT writes over the objects that are read.
    pub rewrite: Field,
    /// How often an operation that was told to slow down is tried again.
    pub retries: Field,
    /// Files in one archive, or objects of one fan-out.
    pub entries: Field,
}
