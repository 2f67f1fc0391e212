//! Counts of requests that the load generator sent late although a connection was free, by delay.
//! Bucket i counts delays from 2^(16+i) ns to below 2^(17+i) ns.

use tenbin_engine::LATE_FROM_LOG2;

/// Adds the counts of `part`.
pub(crate) fn add(late: &mut Vec<u64>, part: &[u64]) {
    late.resize(late.len().max(part.len()), 0);
    for (sum, count) in late.iter_mut().zip(part) {
        *sum += count;
    }
}

/// Number of requests with a delay of at least `nanos` nanoseconds, rounded down to a power of 2.
pub(crate) fn count(late: &[u64], nanos: u64) -> u64 {
    let log2 = nanos.checked_ilog2().unwrap_or(0);
    let first = log2.saturating_sub(LATE_FROM_LOG2) as usize;
    late.iter().skip(first).sum()
}
