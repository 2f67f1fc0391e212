//! The histogram that `vegeta report -type=hist[…]` prints.

use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported};

use crate::formats::http::vegeta::{TAKEN, is_head, reported_of_all};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, count, go_duration, percent};

/// Words of the first line.
const HEAD: [&str; 4] = ["Bucket", "#", "%", "Histogram"];

/// The end of the last bucket.
const NO_END: &str = "+Inf";

pub(super) fn recognises(beginning: &[u8]) -> bool {
    is_head(beginning, &HEAD)
}

/// The requests that took a time from `from` to `to`, seconds.
struct Bucket<'a> {
    line: Line<'a>,
    from: f64,
    to: f64,
    count: u64,
    share: Range,
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut buckets: Vec<Bucket<'_>> = Vec::new();
    for line in lines.0.iter().skip(1) {
        let bucket = bucket(line)?;
        let before = buckets.last().map_or(bucket.from, |last| last.to);
        if bucket.from != before {
            return Err(line.fault("does not begin where the bucket before it ends"));
        }
        buckets.push(bucket);
    }
    let Some(last) = buckets.last().filter(|last| last.to.is_infinite()) else {
        return Err(Fault::of_the_file(format!(
            "has no bucket up to {NO_END}; it may be cut off"
        )));
    };
    let total = buckets
        .iter()
        .fold(0_u64, |sum, bucket| sum.saturating_add(bucket.count));
    check_shares(&buckets, total)?;
    let mut of = Measurement::new(REQUESTS);
    of.omits_failures = true;
    of.ended = Some(last.line.said(total));
    of.percentiles = percentiles(&buckets, total);
    reported_of_all(of)
}

/// `[2ms,   4ms]   5505   15.25%  ###########`.
fn bucket<'a>(line: &Line<'a>) -> Result<Bucket<'a>, Fault> {
    let inner = line.text.trim().strip_prefix('[');
    let parts = inner.and_then(|inner| inner.split_once(']'));
    let ends = parts.and_then(|(ends, _)| ends.split_once(','));
    let (Some((_, rest)), Some((from, to))) = (parts, ends) else {
        return Err(line.fault("is not a bucket of the histogram"));
    };
    let end = |text: &str| {
        let seconds = match text {
            // The middle of a rounded 0 is above 0.
            "0s" => Some(0.0),
            NO_END => Some(f64::INFINITY),
            text => go_duration(text).map(Range::middle),
        };
        seconds.ok_or_else(|| line.no("the end of the bucket", text))
    };
    let (from, to) = (end(from.trim())?, end(to.trim())?);
    let mut words = rest.split_whitespace();
    let (number, share) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let bar = words.next().unwrap_or("");
    if !bar.bytes().all(|byte| byte == b'#') || words.next().is_some() || from >= to {
        return Err(line.fault("is not a bucket of the histogram"));
    }
    Ok(Bucket {
        line: *line,
        from,
        to,
        count: count(number).ok_or_else(|| line.no("the count", number))?,
        share: share_of(share).ok_or_else(|| line.no("the share", share))?,
    })
}

/// A share; of no requests, it is not a number.
fn share_of(text: &str) -> Option<Range> {
    match text {
        "NaN%" => Some(Range { from: 0.0, to: 0.0 }),
        text => percent(text),
    }
}

/// Checks that the printed shares are those of the counts.
fn check_shares(buckets: &[Bucket<'_>], total: u64) -> Result<(), Fault> {
    let slack = 1e-9;
    for bucket in buckets {
        let share = bucket.count as f64 / total.max(1) as f64;
        if share < bucket.share.from - slack || share > bucket.share.to + slack {
            return Err(bucket.line.fault(format!(
                "contradicts itself: {} of {total} requests are not this share",
                bucket.count
            )));
        }
    }
    Ok(())
}

/// A percentile lies in its bucket. The last bucket has no end, so that a percentile in it is
/// unknown.
fn percentiles(buckets: &[Bucket<'_>], total: u64) -> Vec<Percentile> {
    let wanted = TAKEN.into_iter();
    wanted
        .filter(|quantile| printable_percentile(*quantile, total))
        .filter_map(|quantile| {
            let at = quantile * total as f64;
            let mut below = 0_u64;
            let bucket = buckets.iter().find(|bucket| {
                below = below.saturating_add(bucket.count);
                below as f64 >= at
            })?;
            bucket.to.is_finite().then(|| Percentile {
                quantile,
                time: Range {
                    from: bucket.from,
                    to: bucket.to,
                },
                quote: bucket.line.quote(),
            })
        })
        .collect()
}
