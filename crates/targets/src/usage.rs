//! What a process tree has used so far.

/// Totals since a target was started. Differences of two are what a slice used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU seconds, user and system, of live and of ended processes. Exact to
    /// the nanosecond for live ones; the kernel counts ended ones in clock ticks
    /// (10 ms), separately for user and system and for each parent.
    pub cpu_seconds: f64,
    /// Resident memory now, bytes, summed over processes: pages that several
    /// share count for each.
    pub rss_bytes: u64,
    /// Bytes read from storage; `None` when the system does not tell, for
    /// example of a process that runs as another user.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage; `None` when the system does not tell.
    pub written_bytes: Option<u64>,
}
