//! Figures from lists of requests and from sums by time windows.

mod concealed;
pub(super) mod list;
mod merge;
pub(super) mod requests;
mod run;

use hdrhistogram::Histogram;
use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{
    Failed, Listed, Measurement, Percentile, Quote, Range, Rounding, Said, percentile_name,
};

pub(super) use concealed::{series_without_secrets, without_secrets};
pub use merge::merge;
pub(super) use run::of_run;

/// Percentiles computed from a list of requests.
const KNOWN: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Requests of one operation, counted one by one.
#[derive(Debug, Clone, Default)]
pub(in crate::formats) struct Counted {
    /// Correct requests.
    pub(in crate::formats) ok: u64,
    /// Failed requests.
    pub(in crate::formats) failed: u64,
    /// Bytes of correct responses.
    pub(in crate::formats) bytes: u64,
    /// Objects, times and seconds of the correct requests.
    pub(in crate::formats) listed: Listed,
}

impl Counted {
    /// Counts `count` failures with this text.
    pub(in crate::formats) fn fail(&mut self, text: &str, count: u64) {
        self.failed = self.failed.saturating_add(count);
        self.listed.add_failure(text, count);
    }

    /// The measurement of `operation`. `counts_failures` says whether the tool's throughput counts
    /// failed requests.
    pub(in crate::formats) fn measurement(
        self,
        operation: &str,
        counts_failures: bool,
    ) -> Measurement {
        let mut of = Measurement::new(operation);
        let counted = if counts_failures { self.failed } else { 0 };
        of.ended = Some(unquoted(self.ok.saturating_add(counted)));
        if self.failed > 0 {
            of.failures.push(Failed {
                what: "failed requests".to_owned(),
                count: self.failed,
                counted: counts_failures,
                quote: Quote::default(),
            });
        }
        of.bytes = Some(self.bytes);
        of.listed = Some(Box::new(self.listed));
        of
    }
}

/// Fills in the figures that follow from counts and single times. The quote of a figure is not a
/// line of the file, but a text with the values behind the figure, such as `GET: 16 errors`.
pub(in crate::formats) fn with_figures(mut of: Measurement) -> Measurement {
    let listed = of.listed.take();
    let rounding = listed
        .as_ref()
        .map_or(Rounding::default(), |it| it.rounding);
    if let Some(times) = listed.as_ref().and_then(|listed| listed.times.as_ref()) {
        state_times(&mut of, times);
        widen(&mut of, rounding.times as f64 / 1e9);
    }
    of.listed = listed;
    of.rate = of.elapsed().zip(of.ended.as_ref()).map(|(seconds, ended)| {
        let rate = ended.value as f64 / seconds;
        let share = (rounding.clock as f64 / 1e9 / seconds).min(1.0);
        unquoted(Range {
            from: rate * (1.0 - share),
            to: rate * (1.0 + share),
        })
    });
    quote(&mut of);
    of
}

/// Widens the times by the rounding of single times: no figure of rounded times is further from the
/// true one.
pub(in crate::formats) fn widen(of: &mut Measurement, seconds: f64) {
    for said in [&mut of.min, &mut of.mean, &mut of.max]
        .into_iter()
        .flatten()
    {
        said.value = said.value.wider(seconds);
    }
    for each in &mut of.percentiles {
        each.time = each.time.wider(seconds);
    }
}

/// States the figures of the time of every request. A percentile is known only if there are enough
/// requests on both sides of it.
pub(in crate::formats) fn state_times(of: &mut Measurement, times: &Histogram<u64>) {
    let seconds = |nanoseconds: f64| Range::exactly(nanoseconds / 1e9);
    let known = |nanoseconds: f64| (!times.is_empty()).then(|| unquoted(seconds(nanoseconds)));
    of.min = known(times.min() as f64);
    of.mean = known(times.mean());
    of.max = known(times.max() as f64);
    let printable = KNOWN.into_iter();
    of.percentiles = printable
        .filter(|quantile| printable_percentile(*quantile, times.len()))
        .map(|quantile| {
            let time = seconds(times.value_at_quantile(quantile) as f64);
            Percentile::new(quantile, unquoted(time))
        })
        .collect();
    of.samples = Some(times.len());
}

fn quote(of: &mut Measurement) {
    let name = of.operation.clone();
    let quoted = |what: String| Quote {
        line: None,
        text: format!("{name}: {what}"),
    };
    let elapsed = of.elapsed().unwrap_or_default();
    for (said, what) in [
        (&mut of.seconds, "measured time"),
        (&mut of.min, "fastest"),
        (&mut of.mean, "mean of all requests"),
        (&mut of.max, "slowest"),
    ] {
        if let Some(said) = said {
            said.quote = quoted(format!("{what} {:.6} s", said.value.middle()));
        }
    }
    if let Some(said) = &mut of.connections {
        said.quote = quoted(format!("concurrency {}", said.value));
    }
    if let Some(ended) = &mut of.ended {
        ended.quote = quoted(format!("{} requests", ended.value));
        if let Some(rate) = &mut of.rate {
            rate.quote = quoted(format!("{} requests in {elapsed:.3} s", ended.value));
        }
    }
    for failed in &mut of.failures {
        failed.quote = quoted(format!("{} errors", failed.count));
    }
    for each in &mut of.percentiles {
        each.quote = quoted(format!(
            "{} from {:.6} s to {:.6} s",
            percentile_name(each.quantile),
            each.time.from,
            each.time.to
        ));
    }
    if let Some(windows) = &mut of.windows {
        windows.quote = quoted(format!("requests_by_client has {} windows", windows.value));
    }
}

/// A figure whose quote follows.
pub(in crate::formats) fn unquoted<T>(value: T) -> Said<T> {
    Said::new(value, Quote::default())
}

/// Adds the times of windows, or of other requests, to those of `own`. A percentile of all requests
/// lies between the smallest and the largest percentile of a part.
pub(in crate::formats) fn add_windows(own: &mut Measurement, other: &Measurement) {
    let requests = |of: &Measurement| of.sampled().unwrap_or_default();
    let (mine, theirs) = (requests(own), requests(other));
    let wider = |one: Range, other: Range| Range {
        from: one.from.min(other.from),
        to: one.to.max(other.to),
    };
    let weigh = |mean: Range, part: u64| {
        mean.middle() * part as f64 / mine.saturating_add(theirs).max(1) as f64
    };
    let both = |one: &Option<Said<Range>>,
                other: &Option<Said<Range>>,
                join: &dyn Fn(Range, Range) -> Range| {
        let (one, other) = (one.as_ref()?.value, other.as_ref()?.value);
        Some(unquoted(join(one, other)))
    };
    own.min = both(&own.min, &other.min, &|one, other| {
        Range::exactly(one.from.min(other.from))
    });
    own.max = both(&own.max, &other.max, &|one, other| {
        Range::exactly(one.to.max(other.to))
    });
    own.mean = both(&own.mean, &other.mean, &|one, other| {
        Range::exactly(weigh(one, mine) + weigh(other, theirs))
    });
    own.percentiles.retain_mut(|each| {
        let part = other.percentile(each.quantile);
        each.time = part.map_or(each.time, |part| wider(each.time, part.time));
        part.is_some()
    });
    own.samples = Some(mine.saturating_add(theirs));
    let windows = |of: &Measurement| of.windows.as_ref().map_or(1, |said| said.value);
    own.windows = Some(unquoted(windows(own) + windows(other)));
}

/// An empty histogram with three significant digits, from 1 ns. It grows with the largest recorded
/// value.
pub(in crate::formats) fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are few enough")
}

/// Records a time, growing the histogram if necessary.
pub(in crate::formats) fn record(times: &mut Option<Histogram<u64>>, nanoseconds: u64) {
    let times = times.get_or_insert_with(histogram);
    if times.record(nanoseconds).is_err() {
        times.saturating_record(nanoseconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_too_few_requests_are_unknown() {
        let mut times = histogram();
        let mut of = Measurement::new("GET");
        times.record_n(1_000_000, 367).unwrap();
        state_times(&mut of, &times);
        assert!(of.percentile(0.9).is_some() && of.percentile(0.99).is_none());
        times.record(1_000_000).unwrap();
        state_times(&mut of, &times);
        assert!(of.percentile(0.99).is_some());
    }
}
