//! Result of reading back, after the measured part, a sample of what a workload has written and
//! deleted.

use serde::{Deserialize, Serialize};

/// Result of reading back a sample of what one operation has written or deleted. Each checked
/// object counts in at most one of the fields `missing` to `other_etag`. The target supplies a part
/// of the texts: untrusted until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReadBack {
    /// Name of the operation.
    pub operation: String,
    /// Whether the operation deletes.
    pub deletes: bool,
    /// Number of acknowledged writes or deletions that the sample was drawn from, warm-up included.
    pub acknowledged: u64,
    /// Number of objects that were looked for and whose state is known.
    pub checked: u64,
    /// Objects that were written and do not exist.
    pub missing: u64,
    /// Objects that were deleted and still exist.
    pub kept: u64,
    /// Objects with another size than was written.
    pub other_size: u64,
    /// Objects with other content than was written.
    pub other_content: u64,
    /// Objects whose ETag is an MD5 of other content, although other ETags of the operation are the
    /// MD5 of the content.
    pub other_etag: u64,
    /// Objects that were correct only when they were read again at least a second later.
    pub late: u64,
    /// Objects of the sample whose state is unknown: without a response, or refused.
    pub unknown: u64,
    /// Description of one miss: object, bucket and response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// Why nothing, or not enough, was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<String>,
    /// Why nothing can be checked; null if the operation was checked, and for other reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncheckable: Option<Uncheckable>,
}

/// Why nothing that an operation has done can be checked after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Uncheckable {
    /// The target acknowledges a deletion before the deletion takes effect.
    DeletesLater,
    /// Everything that was written was deleted again during the run.
    AllDeleted,
}

impl ReadBack {
    /// Number of objects that are not as they were written, or not deleted.
    pub fn missed(&self) -> u64 {
        let kinds = [
            self.missing, self.kept, self.other_size, self.other_content, self.other_etag,
        ];
        kinds.into_iter().fold(0, u64::saturating_add)
    }
}
