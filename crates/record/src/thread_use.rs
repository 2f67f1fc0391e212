//! What a generator thread used.

use serde::{Deserialize, Serialize};

/// What one generator thread used in one sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ThreadUse {
    pub(crate) thread: usize,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) cpu_ns: u64,
    /// How long it was ready to run and waited for a core; left out where the kernel does not
    /// count it, and in runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waited_ns: Option<u64>,
    pub(crate) backlog: u64,
    /// Start and end of its longest pause, nanoseconds after the window opened; left out
    /// without one of a millisecond or more, and in runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pause_ns: Option<(u64, u64)>,
    /// Requests sent late though a connection was free, by how late: bucket i from 2^(16+i) ns
    /// on. Left out without any, and in runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) late: Vec<u64>,
}
