//! Sums and quantiles of histograms.

pub(crate) mod move_to_file;
pub(crate) mod packed;
pub(crate) mod slot_sum;
pub(crate) mod slot_window;
pub(crate) mod store;

use std::panic::resume_unwind;
use std::thread::{self, available_parallelism};

use hdrhistogram::Histogram;
use tenbin_engine::histogram::{latency_histogram, lowest_of_slot};

use crate::histogram::packed::PackedHistogram;
use crate::histogram::slot_sum::SlotSum;
use crate::histogram::slot_window::SlotWindow;

/// Adds `part` to `sum`. Percentiles must be computed from summed histograms, never averaged.
pub fn merge(sum: &mut Histogram<u64>, part: &PackedHistogram) {
    part.add_to(sum);
}

/// The sum of `parts`. Faster than calls of [`merge`], and uses all cores for many parts.
pub fn merged<'a>(parts: impl IntoIterator<Item = &'a PackedHistogram>) -> Histogram<u64> {
    let parts: Vec<&PackedHistogram> = parts.into_iter().collect();
    let mut sums = on_all_cores(&parts, |parts| {
        let mut slots = SlotSum::default();
        parts.iter().for_each(|part| slots.add(part));
        slots
    })
    .into_iter();
    let mut slots = sums.next().unwrap_or_default();
    sums.for_each(|sum| slots.add_all(&sum));
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

/// Adds the counts of each part's histograms to a separate copy of `windows`, which must have no
/// counts. Returns the copies in the order of `parts`, in several pieces.
pub fn counts_around(
    parts: &[Vec<&PackedHistogram>],
    windows: &[SlotWindow],
) -> Vec<Vec<SlotWindow>> {
    on_all_cores(parts, |parts| {
        // A single allocation for all parts, so that the memory can be returned to the system.
        let mut near: Vec<SlotWindow> = Vec::with_capacity(parts.len() * windows.len());
        for part in parts {
            let start = near.len();
            near.extend_from_slice(windows);
            for histogram in part {
                histogram.add_to_windows(&mut near[start..]);
            }
        }
        near
    })
}

/// Minimum number of parts per additional thread: about a millisecond of work.
const FEWEST_PARTS: usize = 512;

/// Calls `of` in parallel on contiguous shares of `parts`. Returns the results in order.
fn on_all_cores<T: Sync, R: Send>(parts: &[T], of: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let cores = available_parallelism().map_or(1, usize::from);
    let share = parts.len().div_ceil(cores).max(FEWEST_PARTS);
    let mut shares = parts.chunks(share);
    let first = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let of = &of;
        let others: Vec<_> = shares.map(|share| scope.spawn(move || of(share))).collect();
        let others = others.into_iter().map(|other| other.join());
        let first = of(first);
        let others = others.map(|other| other.unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}

/// The value at quantile `q` (0 to 1), nanoseconds; `None` for an empty histogram.
pub fn quantile_ns(histogram: &Histogram<u64>, q: f64) -> Option<u64> {
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(q))
}
