//! Metadata and content of an object.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use s3s::dto::ETag;

use crate::serve::budget::Share;

/// Metadata and content of an object.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) size: u64,
    pub(super) md5: [u8; 16],
    pub(super) modified: SystemTime,
    pub(super) content_type: Option<String>,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) content: Content,
    /// Share of the memory limit for key and metadata; `None` without a limit.
    pub(super) entry: Option<Arc<Share>>,
}

/// Where the content of an object is stored.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// In memory, with the content's share of the memory limit; `None` without a limit.
    InMemory(Bytes, Option<Arc<Share>>),
    OnDisk,
}

pub(super) fn signed(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

pub(super) fn e_tag(object: &Object) -> ETag {
    let hex = object.md5.iter().map(|byte| format!("{byte:02x}"));
    ETag::Strong(hex.collect())
}
