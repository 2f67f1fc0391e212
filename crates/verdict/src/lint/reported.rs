//! The content of a result file of another tool, with the lines that state each figure.

use tenbin_result::Trust;
use tenbin_stats::printable_percentile;

use super::listed::{Listed, Unit};

/// Longest time that a tool can have measured, seconds: ten years. A clock that was set back, or a
/// run without an end, makes tools print longer ones.
const LONGEST: f64 = 10.0 * 365.0 * 86_400.0;

/// Share of a rate below which it does not matter what a failure counts for.
const FEW: f64 = 0.01;

/// The content of a result file of another tool, or of several merged files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reported {
    /// Names of the files, as findings print the names.
    pub files: Vec<String>,
    /// Name of the tool.
    pub tool: &'static str,
    /// The command line, if the file has it.
    pub command_line: Option<String>,
    /// The measurements, in the order of the file.
    pub measurements: Vec<Measurement>,
    /// What the file says about the machine, such as `cpu`: names and values. Untrusted: escape before
    /// display.
    pub machine: Vec<(String, String)>,
    /// What the file does not say, and what was removed from it before it was read, in sentences
    /// without a full stop.
    pub caveats: Vec<String>,
    /// Lines that belong to a measurement and state no figure.
    pub left_out: Vec<LeftOut>,
    /// Lines by which the tool says that it ended before its time, so that its figures are incomplete.
    pub aborted: Vec<Quote>,
    /// The trust in the run, if Tenbin wrote the file.
    pub judged: Option<Judged>,
}

/// A line that belongs to a measurement and states no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The reason, such as `failed` or `cut off`.
    pub why: &'static str,
    /// The line.
    pub quote: Quote,
}

/// The trust in a run, as Tenbin wrote it into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The trust.
    pub trust: Trust,
    /// The reason; empty for a VALID run. Untrusted: escape before display.
    pub why: String,
    /// The text in the file.
    pub quote: Quote,
}

/// One measurement of an operation under one load. Times are seconds. A figure that the file does
/// not state is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurement {
    /// Name of the operation as in the file. Untrusted: escape before display.
    pub operation: String,
    /// Name of the target, if the file has it.
    pub target: Option<String>,
    /// Number of connections or clients.
    pub connections: Option<Said<u64>>,
    /// Whether each connection sends the next request when the previous request has ended.
    pub closed_loop: bool,
    /// Default think time of the tool's clients between two requests, seconds; `None` without a
    /// default.
    pub think: Option<f64>,
    /// Length of the measurement, seconds.
    pub seconds: Option<Said<Range>>,
    /// Throughput as printed: operations per second, or the figure in `per_second` if the file has no
    /// list of requests.
    pub rate: Option<Said<Range>>,
    /// Unit of the throughput if it does not count requests, such as `docs/s`. Untrusted: escape
    /// before display.
    pub per_second: Option<String>,
    /// Number of operations that `rate` counts, including failures if the tool counts failures.
    pub ended: Option<Said<u64>>,
    /// Operations that failed, by reason.
    pub failures: Vec<Failed>,
    /// Share of the operations that failed, 0 to 1, if the file has it instead of their number.
    pub failed_share: Option<Said<Range>>,
    /// Whether the file has no place for failures, so that their number is unknown.
    pub omits_failures: bool,
    /// The line that claims that nothing failed.
    pub says_none_failed: Option<Quote>,
    /// Total size of the response bodies, bytes.
    pub bytes: Option<u64>,
    /// Shortest time, seconds.
    pub min: Option<Said<Range>>,
    /// Mean time, seconds.
    pub mean: Option<Said<Range>>,
    /// Longest time, seconds.
    pub max: Option<Said<Range>>,
    /// Percentiles, in ascending order.
    pub percentiles: Vec<Percentile>,
    /// Number of samples that the percentiles come from, if different from `ended`.
    pub samples: Option<u64>,
    /// Number of time windows, if the tool prints the mean of the percentiles of several windows.
    pub windows: Option<Said<u64>>,
    /// Whether connections were kept open.
    pub keep_alive: Option<Said<bool>>,
    /// Whether the tool silently adds unmeasured times to its histogram.
    pub fills_in: bool,
    /// Allocations per operation.
    pub allocations: Option<Said<f64>>,
    /// Whether the file is one of several repetitions of the same measurement.
    pub is_repetition: bool,
    /// What a list of requests, or sums by time windows, say besides.
    pub listed: Option<Box<Listed>>,
}

/// A figure with the line that states the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<T> {
    /// The figure.
    pub value: T,
    /// The line that states the figure.
    pub quote: Quote,
}

/// A line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// Line number, from 1; `None` for a member of a JSON document.
    pub line: Option<u64>,
    /// Text of the line, or path and value of the JSON member.
    pub text: String,
}

/// The range of values that print as the same number: half a unit of the last digit below and
/// above.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Range {
    /// The lowest value of the range.
    pub from: f64,
    /// The highest value of the range.
    pub to: f64,
}

/// A percentile of the times.
#[derive(Debug, Clone, PartialEq)]
pub struct Percentile {
    /// The quantile, 0 to 1.
    pub quantile: f64,
    /// The time at the quantile, seconds.
    pub time: Range,
    /// The line that states the percentile.
    pub quote: Quote,
}

/// Operations that failed for one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// The reason as in the file. Untrusted: escape before display.
    pub what: String,
    /// Number of operations that failed for this reason.
    pub count: u64,
    /// Whether `ended` includes the failed operations.
    pub counted: bool,
    /// The line that states the failures.
    pub quote: Quote,
}

impl<T> Said<T> {
    /// Creates a figure from a value and the line that states the value.
    pub fn new(value: T, quote: Quote) -> Self {
        Self { value, quote }
    }
}

impl Percentile {
    /// Creates a percentile from the quantile, 0 to 1, and the stated time, seconds.
    pub fn new(quantile: f64, said: Said<Range>) -> Self {
        Self {
            quantile,
            time: said.value,
            quote: said.quote,
        }
    }
}

impl Range {
    /// The range of an exact number: both ends are `value`.
    pub fn exactly(value: f64) -> Self {
        Self {
            from: value,
            to: value,
        }
    }

    /// The values within `slack` of `value`, except values below 0.
    pub fn around(value: f64, slack: f64) -> Self {
        Self::exactly(value).wider(slack)
    }

    /// The range extended by `slack` on both sides, but not below 0.
    #[must_use]
    pub fn wider(self, slack: f64) -> Self {
        Self {
            from: (self.from - slack).max(0.0),
            to: self.to + slack,
        }
    }

    /// The middle of the range, which is the printed number.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// The range with both ends multiplied by `factor`, which must be positive.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            from: self.from * factor,
            to: self.to * factor,
        }
    }
}

impl Reported {
    /// The names of the files in one text.
    pub fn file(&self) -> String {
        self.files.join(", ")
    }

    /// The measurement with this name.
    pub fn measurement(&self, name: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|of| of.name() == name)
    }
}

impl Measurement {
    /// A measurement of `operation` without any figure.
    pub fn new(operation: &str) -> Self {
        Self {
            operation: operation.to_owned(),
            ..Self::default()
        }
    }

    /// The operation, with the target if the file has its name.
    pub fn name(&self) -> String {
        match &self.target {
            Some(target) => format!("{} on {target}", self.operation),
            None => self.operation.clone(),
        }
    }

    /// Adds the operations that failed for the reason `what`, unless their number is 0. `counted`:
    /// whether `ended` includes them.
    pub fn add_failed(&mut self, what: impl Into<String>, said: Said<u64>, counted: bool) {
        if said.value > 0 {
            self.failures.push(Failed {
                what: what.into(),
                count: said.value,
                counted,
                quote: said.quote,
            });
        }
    }

    /// Adds a percentile; see [`Percentile::new`].
    pub fn add_percentile(&mut self, quantile: f64, said: Said<Range>) {
        self.percentiles.push(Percentile::new(quantile, said));
    }

    /// Sorts the percentiles by their quantiles.
    pub fn sort_percentiles(&mut self) {
        let percentiles = &mut self.percentiles;
        percentiles.sort_by(|one, other| one.quantile.total_cmp(&other.quantile));
    }

    /// The quotes of all figures.
    pub fn quotes_mut(&mut self) -> Vec<&mut Quote> {
        let counts = [&mut self.connections, &mut self.ended, &mut self.windows];
        let ranges = [
            &mut self.seconds, &mut self.rate, &mut self.failed_share, &mut self.min,
            &mut self.mean, &mut self.max,
        ];
        let mut all: Vec<&mut Quote> = self.says_none_failed.iter_mut().collect();
        all.extend(counts.into_iter().flatten().map(|said| &mut said.quote));
        all.extend(ranges.into_iter().flatten().map(|said| &mut said.quote));
        all.extend(self.keep_alive.iter_mut().map(|said| &mut said.quote));
        all.extend(self.allocations.iter_mut().map(|said| &mut said.quote));
        all.extend(self.failures.iter_mut().map(|each| &mut each.quote));
        all.extend(self.percentiles.iter_mut().map(|each| &mut each.quote));
        all
    }

    /// Number of operations that failed.
    pub fn failed(&self) -> u64 {
        self.failures
            .iter()
            .fold(0, |sum, each| sum.saturating_add(each.count))
    }

    /// The same; `None` if the file does not say how many requests failed, because it has no number
    /// of requests or no place for failures.
    pub fn known_failed(&self) -> Option<u64> {
        let is_known = self.ended.is_some() && !self.omits_failures || !self.failures.is_empty();
        is_known.then(|| self.failed())
    }

    /// Number of failed operations that `ended` includes.
    pub fn failed_and_counted(&self) -> u64 {
        let counted = self.failures.iter().filter(|each| each.counted);
        counted.fold(0, |sum, each| sum.saturating_add(each.count))
    }

    /// Number of successful operations; `None` if `ended` is unknown.
    pub fn ok(&self) -> Option<u64> {
        let ended = self.ended.as_ref()?.value;
        ended.checked_sub(self.failed_and_counted())
    }

    /// Length of the measurement, seconds: `ended` divided by `rate` if both are known, which is
    /// more precise than a rounded length. `None` also if the file states an impossible length.
    pub fn elapsed(&self) -> Option<f64> {
        let printed = self.seconds.as_ref().map(|said| said.value);
        if printed.is_some_and(|seconds| is_impossible(seconds.from)) {
            return None;
        }
        let is_exact = |range: &Range| range.from == range.to;
        let of_list = || self.listed.as_ref()?.elapsed();
        let by_rate = || {
            let rate = self.rate.as_ref().filter(|_| self.rate_counts_requests());
            let rate = rate?.value.middle();
            let ended = self.ended.as_ref()?.value;
            (rate > 0.0).then(|| ended as f64 / rate)
        };
        let exact = printed.filter(is_exact).map(Range::middle);
        exact
            .or_else(of_list)
            .or_else(by_rate)
            .or(printed.map(Range::middle))
            .filter(|seconds| *seconds > 0.0 && seconds.is_finite())
    }

    /// Successful operations per second.
    pub fn speed(&self) -> Option<f64> {
        match (self.ok(), self.elapsed()) {
            (Some(0), _) => Some(0.0),
            (Some(ok), Some(seconds)) => Some(ok as f64 / seconds),
            _ if self.failures.is_empty() => Some(self.rate.as_ref()?.value.middle()),
            _ => self.speed_without_few_failures(),
        }
    }

    /// The rate without the failures that it counts, if they are so few that what each of them
    /// counts for makes no difference.
    fn speed_without_few_failures(&self) -> Option<f64> {
        let rate = self.rate.as_ref()?.value.middle();
        let failed = self.failed_and_counted() as f64 / self.elapsed()?;
        (failed < FEW * rate).then_some(rate - failed)
    }

    /// Whether the file has times of something, and neither how many requests there were nor how
    /// many failed.
    pub fn has_only_times(&self) -> bool {
        let listed = self.listed.as_ref();
        let counts_requests = listed.is_some_and(|listed| listed.unit != Unit::Values);
        !counts_requests
            && self.rate.is_none()
            && self.ended.is_none()
            && self.failures.is_empty()
            && !self.percentiles.is_empty()
    }

    /// Unit of [`Self::objects_per_second`], such as `req/s`.
    pub fn unit(&self) -> &str {
        let listed = self.listed.as_ref().map(|listed| listed.unit);
        let of_kind = listed.unwrap_or(Unit::Requests).per_second();
        self.per_second.as_deref().unwrap_or(of_kind)
    }

    /// Whether `rate` counts requests.
    pub fn rate_counts_requests(&self) -> bool {
        self.per_second.is_none() || self.listed.is_some()
    }

    /// Objects in successful operations: one each, unless a list says their number.
    pub fn objects(&self) -> Option<u64> {
        match &self.listed {
            Some(listed) => listed.objects,
            None => self.ok(),
        }
    }

    /// The throughput of successful operations as every report shows it, in [`Self::unit`]: objects
    /// if a list says their number, otherwise operations.
    pub fn objects_per_second(&self) -> Option<f64> {
        match &self.listed {
            Some(listed) => Some(listed.objects? as f64 / self.elapsed()?),
            None => self.speed(),
        }
    }

    /// Bytes of successful operations; `None` if the file also counts those of failed operations.
    pub fn bytes_of_ok(&self) -> Option<u64> {
        let is_known = self.listed.is_some() || self.failed_and_counted() == 0;
        self.bytes.filter(|_| is_known)
    }

    /// Bytes of successful operations per second; `None` for operations without content.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let bytes = self.bytes_of_ok().filter(|bytes| *bytes > 0)?;
        Some(bytes as f64 / self.elapsed()?)
    }

    /// The percentile at `quantile` (0 to 1), if the file has this percentile and enough samples
    /// for it, or does not say their number.
    pub fn printable(&self, quantile: f64) -> Option<&Percentile> {
        let samples = self.sampled();
        let is_enough = samples.is_none_or(|samples| printable_percentile(quantile, samples));
        self.percentile(quantile).filter(|_| is_enough)
    }

    /// The percentile at `quantile` (0 to 1), if the file has this percentile.
    pub fn percentile(&self, quantile: f64) -> Option<&Percentile> {
        let mut all = self.percentiles.iter();
        all.find(|each| (each.quantile - quantile).abs() < 1e-9)
    }

    /// Number of samples that the percentiles come from.
    pub fn sampled(&self) -> Option<u64> {
        self.samples.or_else(|| Some(self.ended.as_ref()?.value))
    }
}

/// The name of a quantile (0 to 1) as a percentile: `p99.9` for 0.999.
pub fn percentile_name(quantile: f64) -> String {
    let percent = format!("{:.6}", quantile * 100.0);
    format!("p{}", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// Whether no run takes this long, seconds.
pub fn is_impossible(seconds: f64) -> bool {
    seconds > LONGEST
}
