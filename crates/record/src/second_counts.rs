//! What came of an operation in one second.

/// What came of one operation in a second of a slice's window.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondCounts {
    /// Position of the slice in the run, from 0.
    pub slice: u32,
    /// Name of the operation.
    pub operation: String,
    /// Length, seconds; the last of a slice may be short.
    pub length: f64,
    /// Correct answers.
    pub ok: u64,
    /// Body bytes of correct operations.
    pub payload: u64,
    /// Failures.
    pub failed: u64,
    /// Service times of correct operations; `None` without any.
    pub service: Option<SecondTimes>,
}

/// Service times in a second, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondTimes {
    /// The shortest; not in records of earlier versions.
    pub min_ns: Option<u64>,
    /// Their mean; not in records of earlier versions.
    pub mean_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}
