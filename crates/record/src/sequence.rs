//! The part of the request sequence that a slice sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the request sequence that a slice sent, if it matters which requests a target
/// receives. Counts are requests over all threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// Start position: requests before it, including those of warm-ups.
    pub from: u64,
    /// End position, including the settling time, the window and the unmeasured rest.
    pub to: u64,
    /// Requests that the slice should send; absent if it ended by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Requests sent after the end of the window.
    #[serde(default, skip_serializing_if = "is_none_sent")]
    pub unmeasured: u64,
    /// Requests up to `to` that were skipped on this target, over the whole run so far.
    #[serde(default, skip_serializing_if = "is_none_sent")]
    pub skipped: u64,
    /// Order-independent digest of all requests sent up to `to`, as sixteen hexadecimal digits:
    /// equal for two targets that received the same requests equally often. Absent if hosts have
    /// their own patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

fn is_none_sent(count: &u64) -> bool {
    *count == 0
}

impl Segment {
    /// Requests sent up to the end of the slice.
    pub fn sent(&self) -> u64 {
        self.to.saturating_sub(self.skipped)
    }

    /// Requests that the slice should have sent and did not send.
    pub fn left(&self) -> u64 {
        let sent = self.to.saturating_sub(self.from);
        self.planned
            .map_or(0, |planned| planned.saturating_sub(sent))
    }
}
