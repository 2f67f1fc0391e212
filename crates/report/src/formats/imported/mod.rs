//! Results of Tenbin or another tool as far as their requests are known.

mod merge;
mod run;
mod said;

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::Judged;

pub(super) use said::reported;

/// Nanoseconds in a second.
pub(in crate::formats) const SECOND: i64 = 1_000_000_000;

/// Maximum number of seconds of an imported run.
const MOST_SECONDS: usize = 1_000_000;

/// Maximum number of distinct failure texts; further texts are counted as `others`.
const MOST_FAILURES: usize = 100;

/// The tool of a result, and what its figures mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Whether each connection sends the next request when the last one has ended.
    pub closed_loop: bool,
    /// Whether its throughput counts failed requests.
    pub counts_failures: bool,
}

/// The result of one run, or of several merged runs.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The tool that measured.
    pub tool: Tool,
    /// The files from which the result was read.
    pub files: Vec<String>,
    /// The command line of the run, if the file contains one.
    pub command_line: Option<String>,
    /// The operations, by name.
    pub operations: Vec<Operation>,
    /// Notes on facts that the file omits or states incorrectly.
    pub caveats: Vec<String>,
    /// The trust in the run, if Tenbin wrote the file.
    pub judged: Option<Judged>,
}

/// The known figures of one operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Name of the operation as in the file: escape before display.
    pub name: String,
    /// Correct answers, if known.
    pub ok: Option<u64>,
    /// Failures, if known.
    pub failed: Option<u64>,
    /// Objects in correct responses; `None` if the file also counts failed requests.
    pub objects: Option<u64>,
    /// Bytes of correct responses; `None` if the file also counts failed requests.
    pub bytes: Option<u64>,
    /// Unit of the object count: `obj`, or `req` if only the number of requests is known.
    pub unit: &'static str,
    /// Number of connections with requests in flight.
    pub concurrency: Option<u64>,
    /// Start of the first request, nanoseconds since 1970.
    pub start: i64,
    /// End of the last request, nanoseconds since 1970.
    pub end: i64,
    /// Times of correct responses.
    pub times: Times,
    /// Times to the first byte of correct responses; `None` if not measured.
    pub first_byte: Option<Histogram<u64>>,
    /// Measured time, seconds, if shorter than the time from `start` to `end`.
    pub measured: Option<f64>,
    /// Objects in correct responses per second, if the file states the rate but no count.
    pub stated_rate: Option<f64>,
    /// Figures by second since 1970; for a Tenbin run, by index among the whole seconds of the run,
    /// from 0.
    pub seconds: BTreeMap<i64, Second>,
    /// Range of keys in `seconds` whose figures are complete, end exclusive; `None` if all seconds
    /// from `start` to `end` are complete.
    pub known_seconds: Option<(i64, i64)>,
    /// Failure texts with counts, as in the file: escape before display.
    pub failures: BTreeMap<String, u64>,
}

/// The objects and bytes of correct responses in one second, or their means per second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Second {
    /// Number of objects.
    pub objects: f64,
    /// Bytes.
    pub bytes: f64,
}

/// The times of requests, nanoseconds.
#[derive(Debug, Clone)]
pub enum Times {
    /// The time of every request.
    Each(Box<Histogram<u64>>),
    /// Figures of several windows, which bound the percentiles of all requests.
    Windows(Windows),
    /// Figures of the whole run, as the file states them.
    Stated(Box<Stated>),
    /// No times are known.
    Unknown,
}

/// Figures as a file states them, nanoseconds. Each figure lies between its two bounds, which are
/// equal if rounding is negligible.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stated {
    /// Number of requests behind the figures, if known.
    pub requests: Option<u64>,
    /// Shortest.
    pub min: Option<(f64, f64)>,
    /// Mean.
    pub mean: Option<(f64, f64)>,
    /// Longest.
    pub max: Option<(f64, f64)>,
    /// Quantiles, 0 to 1, with their bounds.
    pub quantiles: Vec<(f64, (f64, f64))>,
}

/// Figures computed from several windows, nanoseconds. The percentile of all requests lies between
/// the smallest and the largest percentile of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    /// Number of requests in all windows.
    pub requests: u64,
    /// Number of windows.
    pub windows: u64,
    /// Shortest.
    pub min: f64,
    /// Longest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Bounds of the median.
    pub p50: (f64, f64),
    /// Bounds of the 90th percentile.
    pub p90: (f64, f64),
    /// Bounds of the 99th percentile.
    pub p99: (f64, f64),
}

/// A quantile as far as it is known, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantile {
    /// The exact value.
    Exactly(f64),
    /// The value lies between these bounds.
    Between(f64, f64),
    /// The value is unknown.
    Unknown,
}

impl Operation {
    /// An operation without any requests.
    pub(in crate::formats) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ok: Some(0),
            failed: Some(0),
            objects: Some(0),
            bytes: Some(0),
            unit: "obj",
            concurrency: None,
            start: i64::MAX,
            end: i64::MIN,
            times: Times::Each(Box::new(histogram())),
            first_byte: None,
            measured: None,
            stated_rate: None,
            seconds: BTreeMap::new(),
            known_seconds: None,
            failures: BTreeMap::new(),
        }
    }

    /// Measured time, seconds; `None` if no time was measured.
    pub fn elapsed(&self) -> Option<f64> {
        if let Some(measured) = self.measured {
            return (measured > 0.0).then_some(measured);
        }
        let elapsed = self.end.checked_sub(self.start)?;
        (elapsed > 0).then_some(elapsed as f64 / SECOND as f64)
    }

    /// Objects in correct responses per second, over the whole time.
    pub fn objects_per_second(&self) -> Option<f64> {
        if self.stated_rate.is_some() {
            return self.stated_rate;
        }
        Some(self.objects? as f64 / self.elapsed()?)
    }

    /// Bytes of correct responses per second, over the whole time; `None` for operations without
    /// content.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|&bytes| bytes > 0)?;
        Some(bytes as f64 / self.elapsed()?)
    }

    /// The means per second of consecutive segments of `seconds` seconds, in order. Covers only
    /// segments that lie completely within the run.
    pub fn segments(&self, seconds: u64) -> Vec<Second> {
        let length = i64::try_from(seconds.max(1)).unwrap_or(1);
        let (first, last) = self.known_seconds.unwrap_or_else(|| {
            let is_begun = self.start.rem_euclid(SECOND) > 0;
            let first = self.start.div_euclid(SECOND) + i64::from(is_begun);
            (first, self.end.div_euclid(SECOND))
        });
        if self.seconds.is_empty() || last <= first {
            return Vec::new();
        }
        let count = (last - first) / length;
        (0..count.min(MOST_SECONDS as i64))
            .map(|at| {
                let from = first + at * length;
                let mut sum = Second::default();
                for part in self
                    .seconds
                    .range(from..from + length)
                    .map(|(_, part)| part)
                {
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

    /// Adds the figures of one second. Returns false if the result would have too many seconds.
    pub(in crate::formats) fn add_second(&mut self, second: i64, objects: f64, bytes: f64) -> bool {
        let entry = self.seconds.entry(second).or_default();
        entry.objects += objects;
        entry.bytes += bytes;
        self.seconds.len() <= MOST_SECONDS
    }

    /// Adds `count` failures with this text.
    pub(in crate::formats) fn add_failure(&mut self, text: &str, count: u64) {
        let known = self.failures.contains_key(text) || self.failures.len() < MOST_FAILURES;
        let text = if known { text } else { "others" };
        let known = self.failures.entry(text.to_owned()).or_default();
        *known = known.saturating_add(count);
    }

    /// Adds another result of the same operation, measured at the same time.
    pub(super) fn add(&mut self, other: Self) {
        self.ok = both(self.ok, other.ok);
        self.failed = both(self.failed, other.failed);
        self.objects = both(self.objects, other.objects);
        self.bytes = both(self.bytes, other.bytes);
        self.concurrency = both(self.concurrency, other.concurrency);
        // The results were measured at the same time, so the longer of the two times counts.
        self.measured = match (self.measured, other.measured) {
            (Some(own), Some(others)) => Some(own.max(others)),
            (own, others) => own.or(others),
        };
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.times = std::mem::replace(&mut self.times, Times::Unknown).and(other.times);
        match (&mut self.first_byte, other.first_byte) {
            (Some(own), Some(others)) => add(own, &others),
            (own, _) => *own = None,
        }
        self.known_seconds = match (self.known_seconds, other.known_seconds) {
            (Some(own), Some(others)) => Some((own.0.min(others.0), own.1.max(others.1))),
            (one, other) => one.or(other),
        };
        for (second, part) in other.seconds {
            self.add_second(second, part.objects, part.bytes);
        }
        for (text, count) in other.failures {
            self.add_failure(&text, count);
        }
    }
}

impl Imported {
    /// The operation with this name.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .find(|operation| operation.name == name)
    }
}

impl Times {
    /// A quantile, 0 to 1, as far as known. With the time of every request, a quantile is known
    /// only if there are enough requests on both sides of the quantile.
    pub fn quantile(&self, quantile: f64) -> Quantile {
        match self {
            Self::Each(each) if !printable_percentile(quantile, each.len()) => Quantile::Unknown,
            Self::Each(each) => Quantile::Exactly(each.value_at_quantile(quantile) as f64),
            Self::Windows(windows) => {
                let (from, to) = match quantile {
                    0.5 => windows.p50,
                    0.9 => windows.p90,
                    0.99 => windows.p99,
                    _ => return Quantile::Unknown,
                };
                if from == to {
                    return Quantile::Exactly(from);
                }
                Quantile::Between(from, to)
            }
            Self::Stated(stated) => stated.quantile(quantile),
            Self::Unknown => Quantile::Unknown,
        }
    }

    /// Shortest, mean and longest time, nanoseconds; `None` unless all are known exactly.
    pub fn min_mean_max(&self) -> Option<(f64, f64, f64)> {
        match self {
            Self::Each(each) if each.is_empty() => None,
            Self::Each(each) => Some((each.min() as f64, each.mean(), each.max() as f64)),
            Self::Windows(windows) => Some((windows.min, windows.mean, windows.max)),
            Self::Stated(_) => {
                let [min, mean, max] = self.ends_and_mean();
                match (min, mean, max) {
                    (Quantile::Exactly(min), Quantile::Exactly(mean), Quantile::Exactly(max)) => {
                        Some((min, mean, max))
                    }
                    _ => None,
                }
            }
            Self::Unknown => None,
        }
    }

    /// Shortest, mean and longest time, each as far as known.
    pub fn ends_and_mean(&self) -> [Quantile; 3] {
        match self {
            Self::Stated(stated) => [stated.min, stated.mean, stated.max].map(bounded),
            _ => match self.min_mean_max() {
                Some((min, mean, max)) => [min, mean, max].map(Quantile::Exactly),
                None => [Quantile::Unknown; 3],
            },
        }
    }

    /// The times of requests, from a histogram with the time of every request.
    pub(crate) fn of(each: &Histogram<u64>) -> Self {
        Self::Each(Box::new(each.clone()))
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Each(mut own), Self::Each(others)) => {
                add(&mut own, &others);
                Self::Each(own)
            }
            (Self::Unknown | Self::Stated(_), _) | (_, Self::Unknown | Self::Stated(_)) => {
                Self::Unknown
            }
            (own, other) => match (own.windows(), other.windows()) {
                (Some(own), Some(others)) => Self::Windows(own.and(&others)),
                (Some(one), None) | (None, Some(one)) => Self::Windows(one),
                (None, None) => Self::Unknown,
            },
        }
    }

    /// The times as the figures of windows; `None` without requests, and for stated times.
    fn windows(&self) -> Option<Windows> {
        match self {
            Self::Windows(windows) => Some(*windows),
            Self::Each(each) if !each.is_empty() => {
                let at = |quantile: f64| {
                    let value = each.value_at_quantile(quantile) as f64;
                    (value, value)
                };
                Some(Windows {
                    requests: each.len(),
                    windows: 1,
                    min: each.min() as f64,
                    max: each.max() as f64,
                    mean: each.mean(),
                    p50: at(0.5),
                    p90: at(0.9),
                    p99: at(0.99),
                })
            }
            Self::Each(_) | Self::Stated(_) | Self::Unknown => None,
        }
    }
}

impl Stated {
    /// The quantile, if the file states it and enough requests are behind it.
    fn quantile(&self, quantile: f64) -> Quantile {
        let enough = self
            .requests
            .is_none_or(|requests| printable_percentile(quantile, requests));
        let mut known = self.quantiles.iter();
        let found = known.find(|(own, _)| (own - quantile).abs() < 1e-9);
        bounded(found.map(|(_, bounds)| *bounds).filter(|_| enough))
    }
}

fn bounded(bounds: Option<(f64, f64)>) -> Quantile {
    match bounds {
        None => Quantile::Unknown,
        Some((from, to)) if from == to => Quantile::Exactly(from),
        Some((from, to)) => Quantile::Between(from, to),
    }
}

impl Windows {
    /// The figures over the windows of both results.
    pub(in crate::formats) fn and(&self, other: &Self) -> Self {
        let wider = |own: (f64, f64), other: (f64, f64)| (own.0.min(other.0), own.1.max(other.1));
        let requests = self.requests.saturating_add(other.requests);
        let weigh = |mean: f64, part: u64| mean * part as f64 / requests.max(1) as f64;
        Self {
            requests,
            windows: self.windows + other.windows,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            mean: weigh(self.mean, self.requests) + weigh(other.mean, other.requests),
            p50: wider(self.p50, other.p50),
            p90: wider(self.p90, other.p90),
            p99: wider(self.p99, other.p99),
        }
    }
}

fn add(sum: &mut Histogram<u64>, part: &Histogram<u64>) {
    sum.auto(true);
    sum.add(part)
        .expect("a histogram that resizes itself takes any other");
}

/// An empty histogram with three significant digits, from 1 ns. It grows with the largest recorded
/// value.
pub(in crate::formats) fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are few enough")
}

/// Records a time, growing the histogram if necessary.
pub(in crate::formats) fn record(times: &mut Histogram<u64>, nanoseconds: u64) {
    if times.record(nanoseconds).is_err() {
        times.saturating_record(nanoseconds);
    }
}

/// The sum of two values; unknown if either value is unknown.
fn both(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one?.checked_add(other?)
}
