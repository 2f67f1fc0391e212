//! Adding histograms up and reading quantiles off them.

use hdrhistogram::Histogram;
use tenbin_engine::histogram::{latency_histogram, lowest_of_slot};

use crate::packed::PackedHistogram;
use crate::sum::SlotSum;

/// Adds `part` to `sum`. Percentiles are never averaged: histograms are added,
/// and percentiles read off the sum.
pub fn merge(sum: &mut Histogram<u64>, part: &PackedHistogram) {
    part.add_to(sum);
}

/// The sum of `parts`: faster than adding one part after the other.
pub fn merged<'a>(parts: impl IntoIterator<Item = &'a PackedHistogram>) -> Histogram<u64> {
    let mut slots = SlotSum::default();
    for part in parts {
        slots.add(part);
    }
    let mut sum = latency_histogram();
    sum.auto(true);
    for (slot, count) in slots.slots() {
        if count > 0 {
            sum.record_n(lowest_of_slot(slot), count)
                .expect("a histogram that resizes itself takes any value");
        }
    }
    sum
}

/// The value at quantile `q` (0 to 1), nanoseconds; `None` for an empty histogram.
pub fn quantile_ns(histogram: &Histogram<u64>, q: f64) -> Option<u64> {
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(q))
}
