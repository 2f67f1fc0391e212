//! Adding histograms up and reading quantiles off them.

use hdrhistogram::Histogram;

/// Adds `part` to `sum`. Percentiles are never averaged: histograms are added,
/// and percentiles read off the sum.
pub fn merge(sum: &mut Histogram<u64>, part: &Histogram<u64>) {
    if part.is_empty() {
        return;
    }
    sum.auto(true);
    sum.add(part)
        .expect("a histogram that resizes itself takes any other");
}

/// The value at quantile `q` (0 to 1), nanoseconds; `None` for an empty histogram.
pub fn quantile_ns(histogram: &Histogram<u64>, q: f64) -> Option<u64> {
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(q))
}
