//! Results of reading back, after the measured part, a sample of what a workload has written and
//! deleted.

use serde::{Deserialize, Serialize};

/// Longest time that reading back takes for one workload on one target, seconds, not counting the
/// response to the last request.
pub(crate) const MOST_SECONDS: u64 = 30;

/// Result of reading back a sample of what one operation has written or deleted. Each checked
/// object counts in at most one of the fields `missing` to `other_etag`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// Name of the operation.
    pub operation: String,
    /// Whether the operation deletes.
    pub deletes: bool,
    /// Number of acknowledged writes or deletions that the sample was drawn from.
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
    /// Description of one miss.
    pub example: Option<String>,
    /// Why nothing, or not enough, was checked.
    pub not_checked: Option<String>,
}

impl ReadBack {
    /// Number of objects that are not as they were written, or not deleted.
    pub fn missed(&self) -> u64 {
        self.missing + self.kept + self.other_size + self.other_content + self.other_etag
    }
}
