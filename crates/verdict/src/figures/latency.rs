//! Latency quantiles, computed only from enough samples.

use std::cell::RefCell;
use std::rc::Rc;

use hdrhistogram::Histogram;
use tenbin_record::{OpFigures, PackedHistogram, Slice, SlotWindow, counts_around, merged};
use tenbin_stats::{
    CONFIDENCE, Cluster, Measured, clustered_mean, clustered_quantile, printable_percentile,
};

pub(crate) const NANOS_PER_SECOND: f64 = 1e9;

/// Selects one of the histograms of an operation.
pub(crate) type Kind = fn(&OpFigures) -> &PackedHistogram;

/// The quantile `q` of the latency that `kind` selects, over the `wanted` operations in some slices
/// of one target, seconds; see [`quantile_over`].
pub(crate) fn quantile(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: impl Fn(&OpFigures) -> bool,
) -> Measured {
    quantile_over(slices, q, &|slice| of_operations(slice, kind, &wanted))
}

/// The quantile `q` over the samples of all `slices`, seconds, without an interval: the value that
/// a slice or a block contributes to a comparison. `None` with too few samples.
pub(crate) fn quantile_of(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Option<f64> {
    merged_quantile(slices, q, &|slice| of_operations(slice, kind, wanted))
}

/// Selects the histograms of a slice from which a figure is computed.
pub(crate) type Pick<'p> = dyn for<'s> Fn(&'s Slice) -> Vec<&'s PackedHistogram> + 'p;

/// The quantile `q` of the histograms that `pick` selects from some slices of one target, seconds;
/// see [`quantiles_over`].
pub(crate) fn quantile_over(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Measured {
    let [quantile] = quantiles_over(slices, &Sums::default(), [q], pick);
    quantile
}

/// Quantiles of the histograms that `pick` selects from some slices of one target, seconds.
///
/// The quantiles are computed over all samples together, with intervals from the differences
/// between slices; see [`clustered_quantile`]. Every percentile shown for a target comes from this
/// function. The function reads the histograms once for the sum and once for the counts around the
/// quantiles, and again for each group of quantiles where there are many slices.
pub(crate) fn quantiles_over<const N: usize>(
    slices: &[&Slice],
    sums: &Sums,
    quantiles: [f64; N],
    pick: &Pick<'_>,
) -> [Measured; N] {
    let merged = sums
        .merged(slices, pick)
        .filter(|merged| !merged.is_empty());
    let Some(merged) = merged else {
        return [Measured::Unknown; N];
    };
    let unsent = unsent(slices, pick);
    let ranks = quantiles.map(|q| among_answered(q, merged.len(), unsent));
    let quantiles = ranks.map(|rank| rank.unwrap_or(1.0));
    let steps = merged.iter_recorded();
    let values: Vec<(u64, u64)> = steps
        .map(|step| (step.value_iterated_to(), step.count_at_value()))
        .collect();
    let times: Vec<Vec<&PackedHistogram>> = slices.iter().map(|slice| pick(slice)).collect();
    let mut measured = [Measured::Unknown; N];
    let at_once = (MOST_WINDOWS / times.len().max(1)).max(1);
    let groups = quantiles.chunks(at_once);
    for (group, measured) in groups.zip(measured.chunks_mut(at_once)) {
        let around = group.iter().map(|q| merged.value_at_quantile(*q));
        let windows: Vec<SlotWindow> = around.map(SlotWindow::around).collect();
        let near = counts_around(&times, &windows);
        let near = near.iter().flat_map(|near| near.chunks_exact(group.len()));
        let clusters: Vec<SliceTimes<'_>> = times
            .iter()
            .zip(near)
            .map(|(times, near)| SliceTimes {
                times,
                near,
                far: RefCell::default(),
            })
            .collect();
        for (q, measured) in group.iter().zip(measured) {
            let nanos = clustered_quantile(&values, &clusters, *q, CONFIDENCE);
            *measured = nanos.rescaled(|nanos| nanos / NANOS_PER_SECOND);
        }
    }
    for (rank, measured) in ranks.iter().zip(&mut measured) {
        if rank.is_none() {
            *measured = Measured::Unknown;
        }
    }
    measured
}

/// Number of operations of the slices that were due and never sent, if `pick` selects response times
/// or send lags; 0 for other times, which start when a request is written.
pub(crate) fn unsent(slices: &[&Slice], pick: &Pick<'_>) -> u64 {
    let has_unsent = |slice: &&&Slice| slice.ops.iter().any(|op| op.counts.unsent > 0);
    let of_slice = |slice: &&Slice| {
        let picked = pick(slice);
        let is_picked =
            |times: &PackedHistogram| picked.iter().any(|one| std::ptr::eq(*one, times));
        let ops = slice.ops.iter();
        let waiting = ops.filter(|op| is_picked(&op.times.response) || is_picked(&op.times.lag));
        waiting.map(|op| op.counts.unsent).sum::<u64>()
    };
    slices.iter().filter(has_unsent).map(of_slice).sum()
}

/// The quantile of the answered operations that is the quantile `q` of all operations. Operations that
/// were never sent rank above all answered ones: the queue of a target that cannot keep up only grows.
/// `None` if the quantile lies among the operations that were never sent.
pub(crate) fn among_answered(q: f64, answered: u64, never_sent: u64) -> Option<f64> {
    if never_sent == 0 {
        return Some(q);
    }
    let rank = q * (answered + never_sent) as f64;
    (rank <= answered as f64).then(|| rank / answered as f64)
}

/// Number of windows of counts kept at the same time, less than 3 MB: a run of ten hours has thousands of
/// slices, and several quantiles of all of them would be its largest use of memory.
const MOST_WINDOWS: usize = 10_000;

/// Cache of merged histograms. A run of ten hours has thousands of histograms of one kind, and many
/// rules need their sum. Clones share the cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    known: Rc<RefCell<Vec<Sum>>>,
}

#[derive(Debug)]
struct Sum {
    parts: Vec<PackedHistogram>,
    sum: Rc<Histogram<u64>>,
}

impl Sums {
    /// The sum of the histograms that `pick` selects; `None` if `pick` selects no histogram. Each
    /// set of histograms is summed only once, even if two selections pick the same set: for
    /// example, all operations and all requests of a workload with one operation.
    pub(crate) fn merged(&self, slices: &[&Slice], pick: &Pick<'_>) -> Option<Rc<Histogram<u64>>> {
        let parts: Vec<&PackedHistogram> = slices.iter().flat_map(|slice| pick(slice)).collect();
        if parts.is_empty() {
            return None;
        }
        let mut known = self.known.borrow_mut();
        let is_same = |sum: &&Sum| {
            let mut pairs = sum.parts.iter().zip(&parts);
            sum.parts.len() == parts.len() && pairs.all(|(one, two)| one.is_shared_with(two))
        };
        if let Some(found) = known.iter().find(is_same) {
            return Some(Rc::clone(&found.sum));
        }
        let sum = Rc::new(merged(parts.iter().copied()));
        known.push(Sum {
            parts: parts.into_iter().cloned().collect(),
            sum: Rc::clone(&sum),
        });
        Some(sum)
    }
}

/// The samples of one slice.
struct SliceTimes<'a> {
    times: &'a [&'a PackedHistogram],
    /// The counts around the quantiles.
    near: &'a [SlotWindow],
    /// The counts around the last requested value outside `near`. The next requested value outside
    /// `near` is usually adjacent.
    far: RefCell<Option<SlotWindow>>,
}

impl SliceTimes<'_> {
    /// A window of counts around `value` that extends in the direction from `before` to `value`.
    fn window_at(&self, value: u64, before: Option<&SlotWindow>) -> SlotWindow {
        let goes_up = before.is_some_and(|before| !before.is_above(value));
        let window = if goes_up {
            SlotWindow::from(value)
        } else {
            SlotWindow::up_to(value)
        };
        let mut window = [window];
        for each in self.times {
            each.add_to_windows(&mut window);
        }
        let [window] = window;
        window
    }
}

impl Cluster for SliceTimes<'_> {
    fn total(&self) -> u64 {
        self.times.iter().map(|times| times.len()).sum()
    }

    fn at_most(&self, value: u64) -> u64 {
        let near = self.near.iter().find_map(|window| window.at_most(value));
        near.unwrap_or_else(|| {
            let each = self.times.iter();
            each.map(|times| times.count_between(0, value)).sum()
        })
    }

    fn at(&self, value: u64) -> u64 {
        let near = self.near.iter().find_map(|window| window.at(value));
        near.unwrap_or_else(|| {
            let mut far = self.far.borrow_mut();
            let known = far.as_ref().and_then(|window| window.at(value));
            known.unwrap_or_else(|| {
                let window = self.window_at(value, far.as_ref());
                far.insert(window).at(value).unwrap_or(0)
            })
        })
    }
}

/// The mean of the histograms that `pick` selects, over all samples together, seconds; see
/// [`clustered_mean`]. Unknown if operations were never sent, because their times are unknown.
pub(crate) fn mean_over(slices: &[&Slice], pick: &Pick<'_>) -> Measured {
    if unsent(slices, pick) > 0 {
        return Measured::Unknown;
    }
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

/// The mean of the latency that `kind` selects, over the `wanted` operations, seconds; see
/// [`mean_over`].
pub(crate) fn mean(slices: &[&Slice], kind: Kind, wanted: &dyn Fn(&OpFigures) -> bool) -> Measured {
    mean_over(slices, &|slice| of_operations(slice, kind, wanted))
}

pub(crate) fn of_operations<'s>(
    slice: &'s Slice,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Vec<&'s PackedHistogram> {
    let ops = slice.ops.iter().filter(|op| wanted(op));
    ops.map(kind).collect()
}

fn merged_quantile(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Option<f64> {
    let unsent = unsent(slices, pick);
    // A single histogram needs no sum. This case is frequent: one call per slice.
    if let [slice] = slices
        && let [times] = pick(slice).as_slice()
    {
        let q = among_answered(q, times.len(), unsent)?;
        let nanos = printable_percentile(q, times.len()).then(|| times.value_at_quantile(q));
        return nanos.map(|nanos| nanos as f64 / NANOS_PER_SECOND);
    }
    let merged = merged_over(slices, pick)?;
    printable_quantile(&merged, among_answered(q, merged.len(), unsent)?)
}

pub(crate) fn printable_quantile(merged: &Histogram<u64>, q: f64) -> Option<f64> {
    printable_percentile(q, merged.len())
        .then(|| merged.value_at_quantile(q) as f64 / NANOS_PER_SECOND)
}

fn merged_over(slices: &[&Slice], pick: &Pick<'_>) -> Option<Histogram<u64>> {
    let mut histograms = slices.iter().flat_map(|slice| pick(slice)).peekable();
    histograms.peek()?;
    Some(merged(histograms))
}

/// Number of latency samples in all `slices`, of the operations that count towards throughput.
pub(crate) fn samples(slices: &[&Slice], kind: Kind) -> u64 {
    let work = slices.iter().flat_map(|slice| slice.work());
    work.map(|op| kind(op).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn quantiles_of_many_slices_are_those_of_one_at_a_time() {
        const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];
        // Enough slices to split the quantiles into groups.
        let rounds = (MOST_WINDOWS / 2) as u32;
        let mut run = Run::single(rounds);
        run.each(|slice| {
            let seconds = 0.001 + f64::from(slice.0.index % 97) / 10_000.0;
            slice.answers(100, seconds);
        });
        let slices: Vec<&Slice> = run.slices.iter().collect();
        let pick: &Pick<'_> = &|slice| vec![&slice.ops[0].times.response];
        let together = quantiles_over(&slices, &Sums::default(), QUANTILES, pick);
        assert_eq!(together, QUANTILES.map(|q| quantile_over(&slices, q, pick)));
        assert!(together[0].value() < together[1].value(), "{together:?}");
        assert!(together[1].value() < together[2].value(), "{together:?}");
    }

    #[test]
    fn operations_that_were_never_sent_rank_above_all_others() {
        let mut run = Run::single(8).open_loop();
        run.each(|slice| slice.mixed(&[(500, 0.001), (500, 0.010)]));
        let figures = |run: &Run| {
            let slices: Vec<&Slice> = run.slices.iter().collect();
            let response: &Pick<'_> = &|slice| vec![&slice.ops[0].times.response];
            let service: &Pick<'_> = &|slice| vec![&slice.ops[0].times.service];
            let of = |q: f64, pick: &Pick<'_>| {
                let with_interval = quantile_over(&slices, q, pick).value();
                let both = [with_interval, merged_quantile(&slices, q, pick)];
                let [one, other] = both.map(|it| it.map(|seconds| (seconds * 1e3).round()));
                assert_eq!(one, other);
                one
            };
            let mean = mean_over(&slices, response).value().is_some();
            (of(0.3, response), of(0.9, response), of(0.9, service), mean)
        };
        assert_eq!(figures(&run), (Some(1.0), Some(10.0), Some(10.0), true));
        // One in five operations is never sent, so the 90th percentile is unknown.
        run.each(|slice| slice.0.ops[0].counts.unsent = 250);
        assert_eq!(figures(&run), (Some(1.0), None, Some(10.0), false));
        run.each(|slice| slice.0.ops[0].counts.unsent = 1_000);
        assert_eq!(figures(&run), (Some(10.0), None, Some(10.0), false));
        run.each(|slice| slice.0.ops[0].counts.unsent = 3_000);
        assert_eq!(figures(&run), (None, None, Some(10.0), false));
    }
}
