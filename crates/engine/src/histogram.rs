//! Latency histograms: 1 ns to 60 s and more, three significant digits.

use hdrhistogram::Histogram;

/// Longest value told apart, nanoseconds; longer ones are recorded as this.
pub const HIGHEST_NANOS: u64 = 600_000_000_000;

/// An empty latency histogram in nanoseconds.
pub fn latency_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HIGHEST_NANOS, 3).expect("constant bounds are valid")
}

/// An empty histogram of nanoseconds that grows with what it is given: for what
/// is mostly empty. It can be added to a [`latency_histogram`].
pub fn small_histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are valid")
}
