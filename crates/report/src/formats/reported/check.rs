//! Finds contradictions within a file: figures that cannot all be true.

use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::{count, digits};
use tenbin_verdict::lint::{Measurement, Range, percentile_name};

/// Largest accepted relative difference between a stated rate and the count divided by the time, in
/// addition to the rounding of all three figures. Tools may divide the count by a slightly
/// different time than they print.
const RATE: f64 = 0.002;

/// Largest accepted relative difference if no figure is rounded: the tool itself divided the count
/// by the stated time.
const EXACT_RATE: f64 = 1e-9;

/// The first contradiction among the figures, in one clause.
pub(super) fn contradiction(of: &Measurement) -> Option<Sentence> {
    rate(of).or_else(|| failures(of)).or_else(|| times(of))
}

fn rate(of: &Measurement) -> Option<Sentence> {
    let ended = of.ended.as_ref()?.value;
    let (seconds, rate) = (of.seconds.as_ref()?.value, of.rate.as_ref()?.value);
    let is_exact = seconds.from == seconds.to && rate.from == rate.to;
    let slack = if is_exact { EXACT_RATE } else { RATE };
    let low = ended as f64 / seconds.to * (1.0 - slack);
    let high = if seconds.from > 0.0 {
        ended as f64 / seconds.from * (1.0 + slack)
    } else {
        f64::INFINITY
    };
    (rate.to < low || rate.from > high).then(|| {
        sentence!(
            "contradicts-rate",
            "contradicts itself: {requests} requests in {seconds} s are not {rate} per second",
            requests = count(ended),
            seconds = digits(seconds.middle()),
            rate = digits(rate.middle())
        )
    })
}

fn failures(of: &Measurement) -> Option<Sentence> {
    let ended = of.ended.as_ref()?.value;
    let counted = of.failed_and_counted();
    (counted > ended).then(|| {
        sentence!(
            "contradicts-failures",
            "contradicts itself: {failed} of {requests} requests failed",
            failed = count(counted),
            requests = count(ended)
        )
    })
}

fn times(of: &Measurement) -> Option<Sentence> {
    let mut rising: Vec<(String, Range)> = Vec::new();
    let end = |name: &str, said: &Option<tenbin_verdict::lint::Said<Range>>| {
        said.as_ref().map(|said| (name.to_owned(), said.value))
    };
    rising.extend(end("the shortest time", &of.min));
    for each in &of.percentiles {
        rising.push((percentile_name(each.quantile), each.time));
    }
    rising.extend(end("the longest time", &of.max));
    for pair in rising.windows(2) {
        if let [(less, low), (more, high)] = pair
            && low.from > high.to
        {
            return Some(sentence!(
                "contradicts-order",
                "contradicts itself: {less} is longer than {more}",
                less,
                more
            ));
        }
    }
    let mean = of.mean.as_ref()?.value;
    let below = of.min.as_ref().is_some_and(|min| mean.to < min.value.from);
    let above = of.max.as_ref().is_some_and(|max| mean.from > max.value.to);
    (below || above).then(|| {
        sentence!(
            "contradicts-mean",
            "contradicts itself: the mean time is not between the shortest and the longest"
        )
    })
}
