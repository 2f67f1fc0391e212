//! Latency quantiles, printed only when there are samples enough for them.

use hdrhistogram::Histogram;
use tenbin_record::{OpFigures, Slice, merge};
use tenbin_stats::{CONFIDENCE, Measured, median, printable_percentile};

const NANOS_PER_SECOND: f64 = 1e9;

/// Which of an operation's histograms.
pub(crate) type Kind = fn(&OpFigures) -> &Histogram<u64>;

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

/// The quantile over the samples of all these slices; `None` if they are too few.
pub(crate) fn quantile_of(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Option<f64> {
    merged_quantile(slices, q, &|slice| of_operations(slice, kind, wanted))
}

/// The histograms of a slice that a figure is made of.
pub(crate) type Pick<'p> = dyn for<'s> Fn(&'s Slice) -> Vec<&'s Histogram<u64>> + 'p;

/// The quantile `q` of what `pick` picks from some slices of one target, seconds:
/// the median of one value a slice. Slices with too few samples are merged block
/// by block, and if that is not enough, all together, which leaves no interval.
pub(crate) fn quantile_over(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Measured {
    let apart: Option<Vec<f64>> = slices
        .iter()
        .map(|slice| merged_quantile(&[slice], q, pick))
        .collect();
    if let Some(values) = apart.or_else(|| by_block(slices, q, pick)) {
        return median(&values, CONFIDENCE);
    }
    match merged_quantile(slices, q, pick) {
        Some(value) => Measured::Point { value, n: 1 },
        None => Measured::Unknown,
    }
}

fn of_operations<'s>(
    slice: &'s Slice,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Vec<&'s Histogram<u64>> {
    let ops = slice.ops.iter().filter(|op| wanted(op));
    ops.map(kind).collect()
}

fn merged_quantile(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Option<f64> {
    let mut histograms = slices.iter().flat_map(|slice| pick(slice));
    let mut merged = histograms.next()?.clone();
    for histogram in histograms {
        merge(&mut merged, histogram);
    }
    printable_percentile(q, merged.len())
        .then(|| merged.value_at_quantile(q) as f64 / NANOS_PER_SECOND)
}

fn by_block(slices: &[&Slice], q: f64, pick: &Pick<'_>) -> Option<Vec<f64>> {
    let mut ordered = slices.to_vec();
    ordered.sort_by_key(|slice| slice.block);
    ordered
        .chunk_by(|a, b| a.block == b.block)
        .map(|block| merged_quantile(block, q, pick))
        .collect()
}

/// The median service time of an operation over all these slices, seconds, from however
/// few there are: to judge the set-up by, not to be printed as a figure of the target.
pub(crate) fn median_of(slices: &[&Slice], operation: &str) -> Option<f64> {
    let ops = slices.iter().flat_map(|slice| &slice.ops);
    let mut filled = ops.filter(|op| op.name == operation && !op.service.is_empty());
    let mut merged = filled.next()?.service.clone();
    for op in filled {
        merge(&mut merged, &op.service);
    }
    Some(merged.value_at_quantile(0.5) as f64 / NANOS_PER_SECOND)
}

/// Samples of work in all these slices.
pub(crate) fn samples(slices: &[&Slice], kind: Kind) -> u64 {
    let work = slices.iter().flat_map(|slice| slice.work());
    work.map(|op| kind(op).len()).sum()
}
