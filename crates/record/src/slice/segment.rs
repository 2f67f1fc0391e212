//! The part of the request sequence that a slice sent.

use serde::{Deserialize, Serialize};

/// The part of the request sequence that a slice sent, for workloads in which the choice of
/// requests affects the target, for example through caches. Counts are requests over all threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Segment {
    /// Start position: number of earlier requests of the sequence, including those of warm-ups.
    pub from: u64,
    /// End position, after the settling time, the window and the unmeasured rest.
    pub to: u64,
    /// Requests that the slice should send; absent if the slice ended by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Requests sent after the end of the window.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub unmeasured: u64,
    /// Requests before `to` that were skipped on this target, over the whole run so far.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub skipped: u64,
    /// Whether the target is so much slower than another that it was sent only the first part of
    /// the planned requests. The rest of the segment is skipped on this target.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub is_prefix: bool,
    /// Digest of all requests sent before `to`, sixteen hexadecimal digits. Does not depend on
    /// order: two targets that received each request the same number of times have the same digest.
    /// Absent if hosts have separate patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Segment {
    /// Requests of the sequence sent to the target before `to`, over the whole run so far.
    pub fn sent(&self) -> u64 {
        self.to.saturating_sub(self.skipped)
    }

    /// Planned requests of the slice that were neither sent nor skipped.
    pub fn left(&self) -> u64 {
        let sent = self.to.saturating_sub(self.from);
        self.planned
            .map_or(0, |planned| planned.saturating_sub(sent))
    }
}
