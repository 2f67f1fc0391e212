//! Which part of the sequence of its requests a slice sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which part of the sequence of its requests a slice sent, where it matters which
/// requests a target is sent. Counts are requests over all threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// Position at which it began: requests before it, those of warm-ups included.
    pub from: u64,
    /// Position at which it ended: lead, measured window and the unmeasured rest included.
    pub to: u64,
    /// Requests that the slice was to send; absent where it ended by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Requests sent after the measured window had closed.
    #[serde(default, skip_serializing_if = "is_none_sent")]
    pub unmeasured: u64,
    /// Requests up to `to` that the target was not sent, over the whole run so far.
    #[serde(default, skip_serializing_if = "is_none_sent")]
    pub skipped: u64,
    /// Sixteen hexadecimal digits for all requests sent up to `to`, whatever their order:
    /// the same for two targets that were sent the same requests equally often. Absent
    /// where hosts have patterns of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

fn is_none_sent(count: &u64) -> bool {
    *count == 0
}

impl Segment {
    /// Requests sent up to its end.
    pub fn sent(&self) -> u64 {
        self.to.saturating_sub(self.skipped)
    }

    /// Requests that the slice was to send and did not.
    pub fn left(&self) -> u64 {
        let sent = self.to.saturating_sub(self.from);
        self.planned
            .map_or(0, |planned| planned.saturating_sub(sent))
    }
}
