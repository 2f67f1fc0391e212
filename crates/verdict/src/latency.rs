//! Latency quantiles, printed only when there are samples enough for them.

use std::cell::RefCell;

use hdrhistogram::Histogram;
use tenbin_record::{OpFigures, PackedHistogram, Slice, merged, slot_of};
use tenbin_stats::{
    CONFIDENCE, Cluster, Measured, clustered_mean, clustered_quantile, printable_percentile,
};

const NANOS_PER_SECOND: f64 = 1e9;

/// Which of an operation's histograms.
pub(crate) type Kind = fn(&OpFigures) -> &PackedHistogram;

/// The quantile `q` of a kind of latency over some operations of some slices of
/// one target, seconds; see [`quantile_over`].
pub(crate) fn quantile(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: impl Fn(&OpFigures) -> bool,
) -> Measured {
    quantile_over(slices, q, &|slice| of_operations(slice, kind, &wanted))
}

/// The quantile over the samples of all these slices without an interval: what one slice or
/// one block gives to a comparison. `None` if the samples are too few.
pub(crate) fn quantile_of(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Option<f64> {
    merged_quantile(slices, q, &|slice| of_operations(slice, kind, wanted))
}

/// The histograms of a slice that a figure is made of.
pub(crate) type Pick<'p> = dyn for<'s> Fn(&'s Slice) -> Vec<&'s PackedHistogram> + 'p;

/// The quantile `q` of what `pick` picks from some slices of one target, seconds: that of
/// all samples together, with the interval that the differences between slices give; see
/// [`clustered_quantile`]. Every percentile that is shown for a target is made here.
pub(crate) fn quantile_over(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Measured {
    let Some(merged) = merged_over(slices, pick) else {
        return Measured::Unknown;
    };
    let steps = merged.iter_recorded();
    let values: Vec<(u64, u64)> = steps
        .map(|step| (step.value_iterated_to(), step.count_at_value()))
        .collect();
    let clusters: Vec<SliceTimes<'_>> = slices.iter().map(|s| SliceTimes::of(pick(s))).collect();
    let nanos = clustered_quantile(&values, &clusters, q, CONFIDENCE);
    nanos.rescaled(|nanos| nanos / NANOS_PER_SECOND)
}

/// The samples of one slice.
struct SliceTimes<'a> {
    times: Vec<&'a PackedHistogram>,
    /// The counts around the value that was last asked for: the next one is beside it.
    near: RefCell<Window>,
}

/// Counts of neighbouring slots.
#[derive(Default)]
struct Window {
    first: usize,
    counts: Vec<u64>,
}

/// Slots of a window.
const WIDTH: usize = 32;

impl<'a> SliceTimes<'a> {
    fn of(times: Vec<&'a PackedHistogram>) -> Self {
        let near = RefCell::default();
        Self { times, near }
    }
}

impl Window {
    fn has(&self, slot: usize) -> bool {
        (self.first..self.first + self.counts.len()).contains(&slot)
    }

    /// Moves to `slot`, with the slots that come next in the direction of the move.
    fn move_to(&mut self, slot: usize, times: &[&PackedHistogram]) {
        let is_below = slot < self.first || self.counts.is_empty();
        self.first = if is_below {
            (slot + 1).saturating_sub(WIDTH)
        } else {
            slot
        };
        self.counts.clear();
        self.counts.resize(WIDTH, 0);
        let mut part = [0; WIDTH];
        for each in times {
            each.counts_from(self.first, &mut part);
            for (sum, count) in self.counts.iter_mut().zip(part) {
                *sum += count;
            }
        }
    }
}

impl Cluster for SliceTimes<'_> {
    fn total(&self) -> u64 {
        self.times.iter().map(|times| times.len()).sum()
    }

    fn at_most(&self, value: u64) -> u64 {
        let each = self.times.iter();
        each.map(|times| times.count_between(0, value)).sum()
    }

    fn at(&self, value: u64) -> u64 {
        let slot = slot_of(value);
        let mut near = self.near.borrow_mut();
        if !near.has(slot) {
            near.move_to(slot, &self.times);
        }
        near.counts[slot - near.first]
    }
}

/// The mean of what `pick` picks, seconds: that of all samples together; see
/// [`clustered_mean`].
pub(crate) fn mean_over(slices: &[&Slice], pick: &Pick<'_>) -> Measured {
    let of_slice = |slice: &&Slice| {
        let filled = pick(slice).into_iter().filter(|times| !times.is_empty());
        filled.fold((0.0, 0.0), |(sum, count), times| {
            let n = times.len() as f64;
            (sum + times.mean() * n / NANOS_PER_SECOND, count + n)
        })
    };
    let sums: Vec<(f64, f64)> = slices.iter().map(of_slice).collect();
    clustered_mean(&sums, CONFIDENCE)
}

/// The mean of a kind of latency over some operations; see [`mean_over`].
pub(crate) fn mean(slices: &[&Slice], kind: Kind, wanted: &dyn Fn(&OpFigures) -> bool) -> Measured {
    mean_over(slices, &|slice| of_operations(slice, kind, wanted))
}

fn of_operations<'s>(
    slice: &'s Slice,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Vec<&'s PackedHistogram> {
    let ops = slice.ops.iter().filter(|op| wanted(op));
    ops.map(kind).collect()
}

fn merged_quantile(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Option<f64> {
    let merged = merged_over(slices, pick)?;
    printable_percentile(q, merged.len())
        .then(|| merged.value_at_quantile(q) as f64 / NANOS_PER_SECOND)
}

fn merged_over(slices: &[&Slice], pick: &Pick<'_>) -> Option<Histogram<u64>> {
    let mut histograms = slices.iter().flat_map(|slice| pick(slice)).peekable();
    histograms.peek()?;
    Some(merged(histograms))
}

/// The median service time of an operation over all these slices, seconds, from however
/// few there are: to judge the set-up by, not to be printed as a figure of the target.
pub(crate) fn median_of(slices: &[&Slice], operation: &str) -> Option<f64> {
    let ops = slices.iter().flat_map(|slice| &slice.ops);
    let all = merged(ops.filter(|op| op.name == operation).map(|op| &op.service));
    (!all.is_empty()).then(|| all.value_at_quantile(0.5) as f64 / NANOS_PER_SECOND)
}

/// Samples of work in all these slices.
pub(crate) fn samples(slices: &[&Slice], kind: Kind) -> u64 {
    let work = slices.iter().flat_map(|slice| slice.work());
    work.map(|op| kind(op).len()).sum()
}
