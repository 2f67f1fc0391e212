//! What a process tree has used so far.

/// Totals since a target was started. Differences of two are what a slice used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU seconds, user and system, of live and of ended processes.
    pub cpu_seconds: f64,
    /// Resident memory now, bytes.
    pub rss_bytes: u64,
    /// Bytes read from storage.
    pub read_bytes: u64,
    /// Bytes written to storage.
    pub written_bytes: u64,
}
