//! Finds contradictions within a file: figures that cannot all be true.

use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::{count, digits};
use tenbin_verdict::lint::{Measurement, Range, percentile_name};

/// Largest accepted relative difference between a stated rate and the count divided by the time, in
/// addition to the rounding of all three figures. Tools may divide the count by a slightly
/// different time than they print.
const RATE: f64 = 0.002;

/// Largest accepted relative difference if no figure is rounded: the tool itself divided the count
/// by the stated time. One unit of the last digit of the rate is accepted as well.
const EXACT_RATE: f64 = 1e-9;

/// How far a mean may lie outside the range that the percentiles allow, as a share of the end of the
/// range: tools interpolate percentiles and bin times.
const MEAN: f64 = 0.2;

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
    let unit = if is_exact {
        // An integer, which can be exact, says little of its rounding.
        last_digit(rate.to).min(rate.to * RATE)
    } else {
        0.0
    };
    let computed = ended as f64 / seconds.middle();
    (rate.to + unit < low || rate.from - unit > high).then(|| {
        sentence!(
            "contradicts-rate",
            "contradicts itself: {requests} requests in {seconds} s are not {rate} per second",
            requests = count(ended),
            seconds = without_zeros(seconds.middle()),
            rate = apart(rate.middle(), computed)
        )
    })
}

/// One unit of the last decimal digit with which a number prints: 0.1 for 995.7.
fn last_digit(value: f64) -> f64 {
    let text = value.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, after)| after.len());
    10f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX))
}

/// Seconds to the microsecond, without zeros at the end: `30.0021`.
fn without_zeros(seconds: f64) -> String {
    let text = format!("{seconds:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// A stated figure, with the digits that show its difference from the computed one.
fn apart(stated: f64, computed: f64) -> String {
    let short = digits(stated);
    if short != digits(computed) {
        return short;
    }
    let with = |figure: f64, decimals: usize| format!("{figure:.decimals$}");
    let differ = (0..=9).find(|&decimals| with(stated, decimals) != with(computed, decimals));
    differ.map_or(short, |decimals| with(stated, decimals))
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
    if below || above {
        return Some(sentence!(
            "contradicts-mean",
            "contradicts itself: the mean time is not between the shortest and the longest"
        ));
    }
    let possible = possible_means(of)?;
    let is_impossible =
        mean.to < possible.from * (1.0 - MEAN) || mean.from > possible.to * (1.0 + MEAN);
    is_impossible.then(|| {
        sentence!(
            "contradicts-percentiles",
            "contradicts itself: times with these percentiles cannot have this mean"
        )
    })
}

/// The means, seconds, that times with these percentiles can have: each time between two percentiles
/// is at least the lower and at most the higher (the Darboux sums of the quantile function). `None` if
/// the percentiles are not of the times of the mean. Tools that fill in times compute both from the
/// same histogram.
fn possible_means(of: &Measurement) -> Option<Range> {
    if of.windows.is_some() || of.percentiles.is_empty() {
        return None;
    }
    let (mut from, mut to) = (0.0, 0.0);
    let mut below = (0.0, of.min.as_ref().map_or(0.0, |min| min.value.from));
    for each in &of.percentiles {
        let share = each.quantile - below.0;
        from += below.1 * share;
        to += each.time.to * share;
        below = (each.quantile, each.time.from);
    }
    let share = 1.0 - below.0;
    from += below.1 * share;
    to += of
        .max
        .as_ref()
        .map_or(f64::INFINITY, |max| max.value.to * share);
    Some(Range { from, to })
}

#[cfg(test)]
mod tests {
    use tenbin_verdict::lint::{Percentile, Quote, Said};

    use super::*;

    /// Times with a median of 47 and a 99th percentile of 350, the longest 900, and this mean.
    fn with_mean(mean: f64) -> Measurement {
        let mut of = Measurement::new("requests");
        let time = |quantile, time| Percentile {
            quantile,
            time: Range::exactly(time),
            quote: Quote::default(),
        };
        of.percentiles = vec![time(0.5, 47.0), time(0.99, 350.0)];
        of.max = Some(Said::new(Range::exactly(900.0), Quote::default()));
        of.mean = Some(Said::new(Range::exactly(mean), Quote::default()));
        of
    }

    #[test]
    fn a_rate_may_be_rounded_and_a_contradiction_shows_its_digits() {
        let of_rate = |rate: f64| {
            let mut of = Measurement::new("requests");
            of.ended = Some(Said::new(29_871, Quote::default()));
            of.seconds = Some(Said::new(Range::exactly(30.0021), Quote::default()));
            of.rate = Some(Said::new(Range::exactly(rate), Quote::default()));
            contradiction(&of).map(|found| found.to_string())
        };
        // The quotient is 995.630.
        for rounded in [995.7, 995.63, 29_871.0 / 30.0021] {
            assert_eq!(of_rate(rounded), None, "{rounded}");
        }
        assert_eq!(
            of_rate(995.812).as_deref(),
            Some("contradicts itself: 29,871 requests in 30.0021 s are not 995.8 per second")
        );
        assert!(of_rate(950.0).is_some());
    }

    #[test]
    fn a_mean_that_the_percentiles_do_not_allow_is_found() {
        // Half of the times are at least 47, 1 % at least 350; half are at most 47, 1 % at most 900.
        for possible in [27.0, 77.0, 203.0] {
            assert!(contradiction(&with_mean(possible)).is_none(), "{possible}");
        }
        for impossible in [7.0, 250.0] {
            assert!(
                contradiction(&with_mean(impossible)).is_some(),
                "{impossible}"
            );
        }
        let mut of_windows = with_mean(7.0);
        of_windows.windows = Some(Said::new(6, Quote::default()));
        assert!(contradiction(&of_windows).is_none());
    }
}
