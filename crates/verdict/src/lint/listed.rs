//! What only lists of requests, and sums by time windows, say about a measurement.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;

/// Maximum number of seconds of a measurement.
const MOST_SECONDS: usize = 1_000_000;

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
    /// Failure texts with counts. Untrusted: escape before display.
    pub failures: BTreeMap<String, u64>,
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
    /// The abbreviation in tables, such as `obj`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Objects => "obj",
            Self::Requests => "req",
            Self::Values => "val",
        }
    }
}

impl Listed {
    /// Time from the first start to the last end, seconds.
    pub fn elapsed(&self) -> Option<f64> {
        let (start, end) = self.span?;
        Some(end.checked_sub(start)? as f64 / SECOND as f64)
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
