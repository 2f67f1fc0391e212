//! Latency quantiles, printed only when there are samples enough for them.

use hdrhistogram::Histogram;
use tenbin_record::{OpFigures, Slice, merge};
use tenbin_stats::{CONFIDENCE, Measured, median, printable_percentile};

const NANOS_PER_SECOND: f64 = 1e9;

/// Which of an operation's histograms.
pub(crate) type Kind = fn(&OpFigures) -> &Histogram<u64>;

/// The quantile `q` of a kind of latency over some operations of some slices of
/// one target, seconds: the median of one value a slice. Slices with too few
/// samples are merged block by block, and if that is not enough, all together,
/// which leaves no interval.
pub(crate) fn quantile(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: impl Fn(&OpFigures) -> bool,
) -> Measured {
    let apart: Option<Vec<f64>> = slices
        .iter()
        .map(|slice| quantile_of(&[slice], q, kind, &wanted))
        .collect();
    if let Some(values) = apart.or_else(|| by_block(slices, q, kind, &wanted)) {
        return median(&values, CONFIDENCE);
    }
    match quantile_of(slices, q, kind, &wanted) {
        Some(value) => Measured::Point { value, n: 1 },
        None => Measured::Unknown,
    }
}

/// The quantile over the samples of all these slices; `None` if they are too few.
pub(crate) fn quantile_of(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Option<f64> {
    let mut histograms = slices
        .iter()
        .flat_map(|slice| &slice.ops)
        .filter(|op| wanted(op))
        .map(kind);
    let mut merged = histograms.next()?.clone();
    for histogram in histograms {
        merge(&mut merged, histogram);
    }
    printable_percentile(q, merged.len())
        .then(|| merged.value_at_quantile(q) as f64 / NANOS_PER_SECOND)
}

fn by_block(
    slices: &[&Slice],
    q: f64,
    kind: Kind,
    wanted: &dyn Fn(&OpFigures) -> bool,
) -> Option<Vec<f64>> {
    let mut ordered = slices.to_vec();
    ordered.sort_by_key(|slice| slice.block);
    ordered
        .chunk_by(|a, b| a.block == b.block)
        .map(|block| quantile_of(block, q, kind, wanted))
        .collect()
}

/// Samples in all these slices.
pub(crate) fn samples(slices: &[&Slice], kind: Kind) -> u64 {
    let ops = slices.iter().flat_map(|slice| &slice.ops);
    ops.map(|op| kind(op).len()).sum()
}
