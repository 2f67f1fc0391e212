//! Counts of operations second by second.

/// Counts of one operation in a second of a slice's window.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondCounts {
    /// Index of the slice in the run, from 0.
    pub slice: u32,
    /// Name of the operation.
    pub operation: String,
    /// Number of the second in the slice's window, from 0. A generator thread that reported late
    /// adds another entry for the same second.
    pub second: u64,
    /// Length, seconds; the last second of a slice can be shorter than 1.
    pub length: f64,
    /// Correct operations.
    pub ok: u64,
    /// Body bytes of correct operations.
    pub payload: u64,
    /// Failures.
    pub failed: u64,
    /// Service times of correct operations; `None` without correct operations.
    pub service: Option<SecondTimes>,
}

/// Service times in a second, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondTimes {
    /// The shortest time; missing in records of older versions.
    pub min_ns: Option<u64>,
    /// The mean; missing in records of older versions.
    pub mean_ns: Option<u64>,
    /// The median.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest time.
    pub max_ns: u64,
}
