//! What only lists of requests, and sums by time windows, say about a measurement.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::single_requests::SingleRequests;

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;

/// Maximum number of seconds of a measurement.
const MOST_SECONDS: usize = 1_000_000;

/// Largest rounding of a length of time that is still known, as a share of the length: a rate is
/// shown without its rounding.
const COARSEST: f64 = 0.02;

/// Fewest whole seconds whose mean tells the length of the first and the last one.
const FEWEST_SECONDS: i64 = 5;

/// Maximum number of distinct failure texts; further texts are counted as `others`.
const MOST_FAILURES: usize = 100;

/// What a list of requests, or sums by time windows, say beyond the figures of the whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listed {
    /// Start of the first request and end of the last, nanoseconds since 1970; `None` if unknown.
    pub span: Option<(i64, i64)>,
    /// Objects in correct responses; `None` if the file also counts failed requests.
    pub objects: Option<u64>,
    /// What `objects` counts.
    pub unit: Unit,
    /// The time of every correct request, nanoseconds; `None` if only figures of windows are known.
    pub times: Option<Histogram<u64>>,
    /// Times to the first byte of correct responses, nanoseconds; `None` if not measured.
    pub first_byte: Option<Histogram<u64>>,
    /// Figures by second since 1970; for a Tenbin run, by index among the whole seconds of the run,
    /// from 0.
    pub seconds: BTreeMap<i64, Second>,
    /// Range of keys in `seconds` whose figures are complete, end exclusive; `None` if all seconds
    /// of `span` are complete.
    pub known_seconds: Option<(i64, i64)>,
    /// What the single requests say; `None` without a list of them.
    pub single: Option<Box<SingleRequests>>,
    /// Failure texts with counts. Untrusted: escape before display.
    pub failures: BTreeMap<String, u64>,
    /// How the file rounds the figures of single requests.
    pub rounding: Rounding,
}

/// How far the figures of a list of requests can be from the true ones; 0 if the file has every
/// nanosecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rounding {
    /// Largest difference of a duration, nanoseconds.
    pub times: u64,
    /// Largest difference of the time from the first start to the last end, nanoseconds.
    pub clock: u64,
}

/// What a number of objects counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// Objects.
    #[default]
    Objects,
    /// Requests, if only their number is known.
    Requests,
    /// Values of a histogram.
    Values,
}

/// The objects and bytes of correct responses in one second, or their means per second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Second {
    /// Number of objects.
    pub objects: f64,
    /// Bytes.
    pub bytes: f64,
}

impl Unit {
    /// Their number per second in tables, such as `obj/s`.
    pub(super) fn per_second(self) -> &'static str {
        match self {
            Self::Objects => "obj/s",
            Self::Requests => "req/s",
            Self::Values => "val/s",
        }
    }
}

impl Listed {
    /// Time from the first start to the last end, seconds; `None` if the clock of the file is too
    /// coarse for it.
    pub fn elapsed(&self) -> Option<f64> {
        let (start, end) = self.span?;
        let nanoseconds = end.checked_sub(start)? as f64;
        if self.rounding.clock as f64 <= nanoseconds * COARSEST {
            return Some(nanoseconds / SECOND as f64);
        }
        self.elapsed_by_seconds()
    }

    /// The length by the counts of whole seconds, if the clock tells seconds: the first and the last
    /// second are as long as their share of a mean second between them.
    fn elapsed_by_seconds(&self) -> Option<f64> {
        let (first, of_first) = self.seconds.first_key_value()?;
        let (last, of_last) = self.seconds.last_key_value()?;
        let between = last.checked_sub(*first)?.checked_sub(1)?;
        let tells_seconds = i64::try_from(self.rounding.clock).ok()? <= SECOND;
        if !tells_seconds || between < FEWEST_SECONDS {
            return None;
        }
        let seconds = self.seconds.range(first + 1..*last);
        let mean = seconds.map(|(_, each)| each.objects).sum::<f64>() / between as f64;
        let part = |edge: &Second| (edge.objects / mean).min(1.0);
        (mean > 0.0).then(|| between as f64 + part(of_first) + part(of_last))
    }

    /// Extends the span to a time from `start` to `end`.
    pub fn extend(&mut self, (start, end): (i64, i64)) {
        let (first, last) = self.span.unwrap_or((start, end));
        self.span = Some((first.min(start), last.max(end)));
    }

    /// Adds the figures of one second. Returns false if the result would have too many seconds.
    pub fn add_second(&mut self, second: i64, part: Second) -> bool {
        let entry = self.seconds.entry(second).or_default();
        entry.objects += part.objects;
        entry.bytes += part.bytes;
        self.seconds.len() <= MOST_SECONDS
    }

    /// Adds `count` failures with this text.
    pub fn add_failure(&mut self, text: &str, count: u64) {
        let known = self.failures.contains_key(text) || self.failures.len() < MOST_FAILURES;
        let text = if known { text } else { "others" };
        let known = self.failures.entry(text.to_owned()).or_default();
        *known = known.saturating_add(count);
    }

    /// The means per second of consecutive segments of `seconds` seconds, in order. Covers only
    /// segments that lie completely within the run.
    pub fn segments(&self, seconds: u64) -> Vec<Second> {
        let length = i64::try_from(seconds.max(1)).unwrap_or(1);
        let whole = self.span.map(|(start, end)| {
            let is_begun = start.rem_euclid(SECOND) > 0;
            let first = start.div_euclid(SECOND) + i64::from(is_begun);
            (first, end.div_euclid(SECOND))
        });
        let (first, last) = self.known_seconds.or(whole).unwrap_or_default();
        if self.seconds.is_empty() || last <= first {
            return Vec::new();
        }
        let count = ((last - first) / length).min(MOST_SECONDS as i64);
        (0..count)
            .map(|at| {
                let from = first + at * length;
                let mut sum = Second::default();
                for (_, part) in self.seconds.range(from..from + length) {
                    sum.objects += part.objects;
                    sum.bytes += part.bytes;
                }
                Second {
                    objects: sum.objects / length as f64,
                    bytes: sum.bytes / length as f64,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list on a clock of whole seconds: 909 requests a second from `first` to 20 s.
    fn with_whole_seconds(first: f64) -> Listed {
        let mut listed = Listed {
            rounding: Rounding {
                times: 0,
                clock: SECOND as u64,
            },
            span: Some((0, 19 * SECOND)),
            ..Listed::default()
        };
        for second in 0..20 {
            let share = if second == 0 { 1.0 - first } else { 1.0 };
            let part = Second {
                objects: 909.0 * share,
                bytes: 0.0,
            };
            assert!(listed.add_second(second, part));
        }
        listed
    }

    #[test]
    fn counts_of_seconds_tell_a_length_that_the_clock_does_not() {
        for first in [0.0, 0.25, 0.75] {
            let length = with_whole_seconds(first).elapsed().expect("a length");
            assert!((length - (20.0 - first)).abs() < 1e-9, "{first}: {length}");
        }
        let mut short = with_whole_seconds(0.0);
        short.seconds.retain(|second, _| *second < 6);
        short.span = Some((0, 5 * SECOND));
        assert_eq!(short.elapsed(), None);
    }
}
