//! What a result file of another tool says, with the lines that say it.

/// The content of a result file of another tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reported {
    /// Name of the file, for findings.
    pub file: String,
    /// Name of the tool.
    pub tool: &'static str,
    /// The command line, if the file has it.
    pub command_line: Option<String>,
    /// The measurements, in the order of the file.
    pub measurements: Vec<Measurement>,
    /// What the file does not say, in sentences without a full stop.
    pub caveats: Vec<String>,
}

/// One operation, measured once under one load. Times are seconds. What the file does not say is
/// `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurement {
    /// Name of the operation, as in the file: escape it before it is shown.
    pub operation: String,
    /// Name of the target, if the file has it.
    pub target: Option<String>,
    /// Connections or clients.
    pub connections: Option<Said<u64>>,
    /// Whether each connection sends the next request when the last one has ended.
    pub closed_loop: bool,
    /// Pause of a client between two requests, if the tool has a usual one.
    pub think: Option<f64>,
    /// Measured time.
    pub seconds: Option<Said<Range>>,
    /// Throughput as published, operations per second.
    pub rate: Option<Said<Range>>,
    /// Operations in that throughput, failures included if the tool counts them.
    pub ended: Option<Said<u64>>,
    /// Operations that failed.
    pub failures: Vec<Failed>,
    /// The line that says that nothing failed.
    pub says_none_failed: Option<Quote>,
    /// Bytes of the contents of responses.
    pub bytes: Option<u64>,
    /// Shortest time.
    pub min: Option<Said<Range>>,
    /// Mean time.
    pub mean: Option<Said<Range>>,
    /// Longest time.
    pub max: Option<Said<Range>>,
    /// Percentiles, rising.
    pub percentiles: Vec<Percentile>,
    /// Number of times that the percentiles are taken from, if it differs from `ended`.
    pub samples: Option<u64>,
    /// Percentiles of windows of which the tool shows the mean.
    pub windows: Option<Said<u64>>,
    /// Whether connections were kept open.
    pub keep_alive: Option<Said<bool>>,
    /// Whether the tool adds times that it did not measure to its histogram, and does not say so.
    pub fills_in: bool,
    /// Allocations per operation.
    pub allocations: Option<Said<f64>>,
    /// Whether the file is one repetition of several that belong together.
    pub is_repetition: bool,
}

/// A figure with the line that says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<T> {
    /// The figure.
    pub value: T,
    /// The line.
    pub quote: Quote,
}

/// A line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// Its number, from 1; `None` for a member of a JSON document.
    pub line: Option<u64>,
    /// Its text, or the path of the member with its value.
    pub text: String,
}

/// A printed number lies between these: half a unit of its last digit below and above.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Range {
    /// The least value that is printed like this.
    pub from: f64,
    /// The greatest.
    pub to: f64,
}

/// A percentile.
#[derive(Debug, Clone, PartialEq)]
pub struct Percentile {
    /// The quantile, 0 to 1.
    pub quantile: f64,
    /// Its time.
    pub time: Range,
    /// The line.
    pub quote: Quote,
}

/// Operations that failed in one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// The way, as in the file: escape it before it is shown.
    pub what: String,
    /// How many.
    pub count: u64,
    /// Whether `ended` includes them.
    pub counted: bool,
    /// The line.
    pub quote: Quote,
}

impl<T> Said<T> {
    /// A figure and its line.
    pub fn new(value: T, quote: Quote) -> Self {
        Self { value, quote }
    }
}

impl Range {
    /// A number that is not rounded.
    pub fn exactly(value: f64) -> Self {
        Self {
            from: value,
            to: value,
        }
    }

    /// The middle, which is the printed number.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// Both ends times `factor`, which is positive.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            from: self.from * factor,
            to: self.to * factor,
        }
    }
}

impl Measurement {
    /// A measurement of which nothing is known.
    pub fn new(operation: &str) -> Self {
        Self {
            operation: operation.to_owned(),
            ..Self::default()
        }
    }

    /// Operations that failed.
    pub fn failed(&self) -> u64 {
        self.failures
            .iter()
            .fold(0, |sum, each| sum.saturating_add(each.count))
    }

    /// The same; `None` if the file has no number of requests, and so does not say how many of them
    /// failed.
    pub fn known_failed(&self) -> Option<u64> {
        let is_known = self.ended.is_some() || !self.failures.is_empty();
        is_known.then(|| self.failed())
    }

    /// Failures that are part of `ended`.
    pub fn failed_and_counted(&self) -> u64 {
        let counted = self.failures.iter().filter(|each| each.counted);
        counted.fold(0, |sum, each| sum.saturating_add(each.count))
    }

    /// Operations that ended correctly.
    pub fn ok(&self) -> Option<u64> {
        let ended = self.ended.as_ref()?.value;
        ended.checked_sub(self.failed_and_counted())
    }

    /// Measured time, seconds: from count and rate where both are known, which is finer than the
    /// printed time.
    pub fn elapsed(&self) -> Option<f64> {
        let by_rate = || {
            let rate = self.rate.as_ref()?.value.middle();
            let ended = self.ended.as_ref()?.value;
            (rate > 0.0).then(|| ended as f64 / rate)
        };
        let printed = || Some(self.seconds.as_ref()?.value.middle());
        by_rate()
            .or_else(printed)
            .filter(|seconds| *seconds > 0.0 && seconds.is_finite())
    }

    /// Correct operations per second.
    pub fn speed(&self) -> Option<f64> {
        match (self.ok(), self.elapsed()) {
            (Some(ok), Some(seconds)) => Some(ok as f64 / seconds),
            _ if self.failures.is_empty() => Some(self.rate.as_ref()?.value.middle()),
            _ => None,
        }
    }

    /// The percentile, if the file has it.
    pub fn percentile(&self, quantile: f64) -> Option<&Percentile> {
        let mut all = self.percentiles.iter();
        all.find(|each| (each.quantile - quantile).abs() < 1e-9)
    }

    /// Number of times that the percentiles are taken from.
    pub fn sampled(&self) -> Option<u64> {
        self.samples.or_else(|| Some(self.ended.as_ref()?.value))
    }
}

/// `p99.9` for 0.999.
pub fn percentile_name(quantile: f64) -> String {
    let percent = format!("{:.6}", quantile * 100.0);
    format!("p{}", percent.trim_end_matches('0').trim_end_matches('.'))
}
