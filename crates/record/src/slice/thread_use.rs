//! Resource use of a generator thread.

use serde::{Deserialize, Serialize};

/// Resource use of one generator thread in one sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ThreadUse {
    pub(crate) thread: usize,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) cpu_ns: u64,
    /// Time for which the thread was ready to run and waited for a core, nanoseconds; omitted if
    /// the kernel does not report waiting times, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waited_ns: Option<u64>,
    pub(crate) backlog: u64,
    /// Correct operations that count as work; only with agents.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub(crate) ok: u64,
    /// Start and end of the thread's longest pause, nanoseconds since the start of the window;
    /// omitted without a pause of at least a millisecond, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pause_ns: Option<(u64, u64)>,
    /// Requests sent late although a connection was free, by delay. Bucket i starts at 2^(16+i) ns.
    /// Omitted if empty, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) late: Vec<u64>,
}
