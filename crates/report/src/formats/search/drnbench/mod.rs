//! The output formats of drnbench: its text and its result file.
//!
//! A step contains all requests sent with one number of clients. Like drnbench, this module counts
//! failed requests too; the verdict does not.

mod row;
pub(in crate::formats) mod steps;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tenbin_plan::{Plan, sentence};
use tenbin_record::{
    CacheUse, PackedHistogram, RecordedSample, RecordedSamples, Slice, latency_histogram,
};
use tenbin_result::Document;
use tenbin_result::format::{percent, plural, ratio};
use tenbin_stats::Little;

use crate::escape::for_terminal;
use crate::foreign::last_lines;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::judged::{COLUMN, mark};
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::write::{Part, WriteError, Writer};

pub use steps::Steps;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "drnbench",
    about: "a result of drnbench: CSV with a row for each number of clients",
    file: "drnbench-result.csv",
    read: Some(Reader {
        recognises: Steps::recognises,
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "a result of drnbench")?;
            let steps = Steps::read(&content).map_err(|why| {
                Fault::of_the_file(format!("cannot be read as a result of drnbench: {why}"))
            })?;
            Ok(Content::Steps(steps))
        }),
        reported: Some(|content| Steps::reported(content).map_err(Fault::of_the_file)),
    }),
    write: Some(Writer::Run(|run| {
        parts(&sweeps(run.plan, &run.record.slices), &mark(run.document))
    })),
    ..Format::PLAIN
};

/// Writes one file per concurrency sweep.
fn parts(sweeps: &[Sweep], mark: &str) -> Result<Vec<Part>, WriteError> {
    if sweeps.is_empty() {
        return Err(WriteError::Lacks(sentence!(
            "no-whole-step",
            "no step ran its full time in a closed loop, so that there is no file in drnbench's \
             format"
        )));
    }
    let part = |sweep: &Sweep| Part {
        name: if sweeps.iter().any(|other| other.family != sweep.family) {
            format!("{}-{}", sweep.target, sweep.family)
        } else {
            sweep.target.clone()
        },
        content: csv(sweep, mark).into_bytes(),
    };
    Ok(sweeps.iter().map(part).collect())
}

/// Smallest value of a histogram, nanoseconds: recorded for failures without a time.
const WITHOUT_TIME: u64 = 1;
/// Status that drnbench reports for a request without a response.
const NO_ANSWER: u16 = 0;

const NANOS: f64 = 1e9;

/// Settings of a workload that affect its times.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Manner {
    /// Whether connections are reused.
    keep_alive: bool,
    /// Mean think time of a client after each response, seconds.
    think: f64,
}

impl Manner {
    /// The settings of the workload with this name.
    fn of(plan: &Plan, workload: &str) -> Self {
        let mut workloads = plan.workloads.iter();
        let load = workloads.find(|known| known.name == workload);
        let load = load.map(|known| &known.load);
        let think = load.and_then(|load| load.think);
        Self {
            keep_alive: load.is_none_or(|load| load.keep_alive),
            think: think.map_or(0.0, |think| think.mean().as_secs_f64()),
        }
    }
}

/// A concurrency sweep: all steps of one kind of work on one target, in ascending order of clients.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name of the target.
    pub target: String,
    /// The common part of the workloads' names.
    pub family: String,
    /// One step per number of clients.
    pub steps: Vec<Step>,
}

/// The figures for one number of clients, over all slices that ran their full time.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    clients: usize,
    manner: Manner,
    /// Measured time, seconds.
    seconds: f64,
    /// Requests per second in each slice.
    rates: Vec<f64>,
    /// Requests that ended, successfully or not.
    total: u64,
    /// Ended requests by status; 0 for requests without a response.
    statuses: BTreeMap<u16, u64>,
    /// Number of requests with a known time; `busy` holds the sum of their seconds.
    timed: u64,
    busy: f64,
    /// Seconds spent on opening connections.
    connecting: f64,
    min: Option<f64>,
    max: Option<f64>,
    slowest: Vec<RecordedSample>,
    fastest: Vec<RecordedSample>,
    /// Cache lookups and hits; `None` unless known for every slice.
    cache: Option<CacheUse>,
    /// CPU seconds of the server, and the measured seconds; `None` unless known for every slice.
    cpu: Option<(f64, f64)>,
    /// Number of slices whose figures have been added to the step.
    slices: usize,
}

/// The concurrency sweeps of a run, in the order in which they started.
pub fn sweeps(plan: &Plan, slices: &[Slice]) -> Vec<Sweep> {
    sweeps_sent(slices, |workload| Manner::of(plan, workload))
}

/// Like [`ramps`], with `manner` supplying the settings of each workload.
fn sweeps_sent(slices: &[Slice], manner: impl Fn(&str) -> Manner) -> Vec<Sweep> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    let full = |slice: &&Slice| slice.closed_loop && slice.probe.is_none() && !slice.end.cut_short;
    for slice in slices.iter().filter(full) {
        let family = family(slice);
        let is_mine = |sweep: &&mut Sweep| sweep.target == slice.target && sweep.family == family;
        let at = match sweeps.iter_mut().find(is_mine) {
            Some(sweep) => sweep,
            None => {
                sweeps.push(Sweep {
                    target: slice.target.clone(),
                    family: family.to_owned(),
                    steps: Vec::new(),
                });
                sweeps.last_mut().expect("one was pushed")
            }
        };
        let place = at
            .steps
            .binary_search_by_key(&slice.connections, |step| step.clients);
        let place = place.unwrap_or_else(|place| {
            let step = Step::new(slice.connections, manner(&slice.workload));
            at.steps.insert(place, step);
            place
        });
        at.steps[place].add(slice);
    }
    sweeps
}

/// The name of the slice's workload without the suffix for the number of connections.
fn family(slice: &Slice) -> &str {
    let ending = format!("-c{}", slice.connections);
    let name = slice.workload.as_str();
    name.strip_suffix(ending.as_str()).unwrap_or(name)
}

impl Step {
    fn new(clients: usize, manner: Manner) -> Self {
        Self {
            clients,
            manner,
            seconds: 0.0,
            rates: Vec::new(),
            total: 0,
            statuses: BTreeMap::new(),
            timed: 0,
            busy: 0.0,
            connecting: 0.0,
            min: None,
            max: None,
            slowest: Vec::new(),
            fastest: Vec::new(),
            cache: None,
            cpu: None,
            slices: 0,
        }
    }

    fn add(&mut self, slice: &Slice) {
        let cpu = tenbin_verdict::server_cpu_seconds(slice).map(|used| (used, slice.end.seconds));
        (self.cache, self.cpu) = match self.slices {
            0 => (slice.end.cache, cpu),
            _ => (
                self.cache
                    .zip(slice.end.cache)
                    .map(|(all, one)| all.and(one)),
                self.cpu
                    .zip(cpu)
                    .map(|(all, one)| (all.0 + one.0, all.1 + one.1)),
            ),
        };
        self.slices += 1;
        self.seconds += slice.end.seconds;
        let ended = slice.requests().map(|op| op.counts.ok + op.failed_count());
        let ended: u64 = ended.sum();
        if slice.end.seconds > 0.0 {
            self.rates.push(ended as f64 / slice.end.seconds);
        }
        self.connecting += tenbin_verdict::connecting(slice, self.manner.keep_alive);
        for op in slice.requests() {
            let ended = op.counts.ok + op.failed_count();
            self.total += ended;
            let answered: u64 = op.statuses.values().sum();
            for (status, count) in &op.statuses {
                *self.statuses.entry(*status).or_default() += count;
            }
            let unanswered = ended.saturating_sub(answered);
            if unanswered > 0 {
                *self.statuses.entry(NO_ANSWER).or_default() += unanswered;
            }
            for times in [&op.times.service, &op.times.failed] {
                self.add_times(times, slice.end.singles.as_deref());
            }
        }
        if let Some(singles) = &slice.end.singles {
            self.slowest.extend(singles.slowest.iter().cloned());
            self.slowest.sort_by_key(|single| u64::MAX - single.ns);
            self.fastest.extend(singles.fastest.iter().cloned());
            self.fastest.sort_by_key(|single| single.ns);
        }
    }

    /// Adds the times of a slice. A refused connection is a failure without a time, recorded as the
    /// smallest value of the histogram, and is skipped here.
    fn add_times(&mut self, times: &PackedHistogram, singles: Option<&RecordedSamples>) {
        let mut known = latency_histogram();
        for (value, count) in times.recorded() {
            if value > WITHOUT_TIME {
                known.saturating_record_n(value, count);
            }
        }
        let times = &known;
        if times.is_empty() {
            return;
        }
        self.timed += times.len();
        self.busy += times.mean() * times.len() as f64 / NANOS;
        // The smallest and largest values of a histogram have only three digits; a request sample
        // has the exact time.
        let exact = |end: u64, singles: Option<&RecordedSample>| {
            let known = singles.map(|single| single.ns);
            let same = known.filter(|&known| times.equivalent(known, end));
            same.unwrap_or(end) as f64 / NANOS
        };
        let fastest = singles.and_then(|singles| singles.fastest.first());
        let slowest = singles.and_then(|singles| singles.slowest.first());
        let (min, max) = (exact(times.min(), fastest), exact(times.max(), slowest));
        self.min = Some(self.min.map_or(min, |known| known.min(min)));
        self.max = Some(self.max.map_or(max, |known| known.max(max)));
    }

    /// Requests per second: the median of the slices, as in the report and the charts. Includes
    /// failed requests, as in drnbench.
    fn per_second(&self) -> Option<f64> {
        let median = tenbin_stats::median(&self.rates, tenbin_stats::CONFIDENCE);
        median.value()
    }

    /// Requests per second over all slices together, as [`Self::average`] is the mean over all
    /// slices together.
    fn overall(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.total as f64 / self.seconds)
    }

    /// Mean time of a request, including the time to open its connection, as in drnbench.
    fn average(&self) -> Option<f64> {
        let opening = self.connecting / self.total as f64;
        (self.timed > 0 && self.total > 0).then(|| self.busy / self.timed as f64 + opening)
    }

    /// Little's law as a ratio: throughput × (mean request time + think time) ÷ clients. `None` if
    /// no request ended.
    pub fn little(&self) -> Option<f64> {
        let little = Little {
            throughput: self.overall()?,
            residence: self.average()?,
            think: self.manner.think,
            concurrency: self.clients as f64,
        };
        little.ratio()
    }

    /// Share of the cache lookups that were hits, and the number of lookups, as counted by the
    /// server.
    fn cache_hits(&self) -> Option<(f64, u64)> {
        let cache = self.cache?;
        Some((cache.observed()?, cache.lookups?))
    }

    /// Mean number of cores that the server used.
    fn busy_cores(&self) -> Option<f64> {
        let (used, seconds) = self.cpu?;
        (seconds > 0.0).then(|| used / seconds)
    }

    fn percentage(&self, status: u16) -> Option<f64> {
        let count = self.statuses.get(&status)?;
        Some(*count as f64 / self.total as f64 * 100.0)
    }
}

/// Writes drnbench's result file: one row per step, and one column per status that occurs in any
/// step. Unknown values are empty. The last column has the trust in the run.
fn csv(sweep: &Sweep, mark: &str) -> String {
    let statuses: Vec<u16> = {
        let mut all: Vec<u16> = sweep
            .steps
            .iter()
            .flat_map(|step| step.statuses.keys().copied())
            .collect();
        // drnbench sorts statuses as text. All statuses except 0 have three digits, so the numeric
        // order is the same.
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut text = COLUMNS.join(",");
    for status in &statuses {
        let _ = write!(text, ",{status}");
    }
    let _ = writeln!(text, ",{COLUMN}");
    for step in &sweep.steps {
        let number = |value: Option<f64>| value.map_or_else(String::new, float);
        let _ = write!(
            text,
            "{},{},{},{},{},{}",
            step.clients,
            step.total,
            number(step.per_second()),
            number(step.min),
            number(step.max),
            number(step.average())
        );
        for status in &statuses {
            let share = step.percentage(*status);
            let _ = write!(text, ",{}", share.map_or_else(|| "0".to_owned(), float));
        }
        let _ = writeln!(text, ",{mark}");
    }
    text
}

/// The columns before the status columns.
const COLUMNS: [&str; 6] = [
    "n_clients", "total_n_requests", "queries_per_second", "min_elapsed_time", "max_elapsed_time",
    "average_elapsed_time",
];

/// Formats a number as Ruby does: at least one digit after the point; below 0.0001, an exponent of
/// two digits.
fn float(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        let text = format!("{value:e}");
        let (digits, power) = text.split_once('e').unwrap_or((text.as_str(), "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        let power = power.trim_start_matches('-');
        return format!("{digits}{point}e-{power:0>2}");
    }
    format!("{value:?}")
}

/// The requests that the report lists for each step.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<'a> {
    /// Number of slowest requests listed.
    pub slow: usize,
    /// Number of fastest requests listed.
    pub fast: usize,
    /// URL of each host, as `http://host:port/`.
    pub urls: &'a [String],
}

/// Writes drnbench's report on every step, then the findings, then the verdict.
pub fn text(sweep: &Sweep, listed: &Listed<'_>, document: &Document) -> String {
    let mut text = String::new();
    for step in &sweep.steps {
        report(&mut text, step, listed);
    }
    not_observed(&mut text, sweep);
    text.push_str(&last_lines(document));
    text
}

/// Says how to observe the server's cache hits and CPU use, each only if unknown in at least one
/// step. The benchmark tutorial of Droonga, the search engine that drnbench was written for, checks
/// every step with these figures.
fn not_observed(text: &mut String, sweep: &Sweep) {
    let steps = || sweep.steps.iter();
    let mut say = |what: &str, how: &str| {
        let _ = writeln!(text, "{what} not observed in every step: {how}");
    };
    if steps().any(|step| step.cache_hits().is_none()) {
        say(
            "Cache hits were",
            "name the page that reports them with --cache-counters groonga, droonga, opensearch \
             or a path",
        );
    }
    if steps().any(|step| step.busy_cores().is_none()) {
        say(
            "The CPU of the server was",
            "name its processes with --observe port:N, pid:N or name:PROGRAM, or run tenbin \
             observe on its machine and add --observe tenbin:URL",
        );
    }
}

fn report(text: &mut String, step: &Step, listed: &Listed<'_>) {
    let clients = step.clients;
    let unknown = || "unknown".to_owned();
    let number = |value: Option<f64>| value.map_or_else(unknown, float);
    let ending = if clients == 1 { "" } else { "s" };
    let _ = writeln!(text, "{clients} client{ending}:");
    let rate = number(step.per_second());
    let _ = writeln!(
        text,
        "Total requests: {} ({rate} queries per second)",
        step.total
    );
    text.push_str("Status:\n");
    let mut shares: Vec<(u16, f64)> = step
        .statuses
        .keys()
        .filter_map(|status| Some((*status, step.percentage(*status)?)))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (status, share) in shares {
        let _ = writeln!(text, "  {status}: {} %", float(share));
    }
    text.push_str("Elapsed time:\n");
    let _ = writeln!(text, "  min:     {} sec", number(step.min));
    let _ = writeln!(text, "  max:     {} sec", number(step.max));
    let _ = writeln!(text, "  average: {} sec", number(step.average()));
    let little = step.little().map_or_else(unknown, ratio);
    let _ = writeln!(
        text,
        "Little's law: {little} (queries per second times average and wait, over clients; 1 is \
         right)"
    );
    let hits = step.cache_hits().map_or_else(
        || "not observed".to_owned(),
        |(share, lookups)| format!("{} of {}", percent(share), plural(lookups, "lookup")),
    );
    let _ = writeln!(text, "Cache hits of the server: {hits}");
    let cpu = step.busy_cores().map_or_else(
        || "not observed".to_owned(),
        |cores| format!("{} (100 % is one core)", percent(cores)),
    );
    let _ = writeln!(text, "CPU of the server: {cpu}");
    singles(text, "slow", &step.slowest, listed.slow, listed.urls);
    singles(text, "fast", &step.fastest, listed.fast, listed.urls);
    text.push('\n');
}

fn singles(text: &mut String, word: &str, all: &[RecordedSample], most: usize, urls: &[String]) {
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "Top {most} {word} requests:");
    text.push_str(" [time: method status index url]\n");
    for single in all.iter().take(most) {
        let (method, path) = single
            .request
            .split_once(' ')
            .unwrap_or(("", &single.request));
        let status = match single.status {
            Some(status) => status.to_string(),
            None => "0(aborted)".to_owned(),
        };
        let index = single
            .number
            .map_or("-".to_owned(), |number| number.to_string());
        let named = single.host.as_ref().map(|host| format!("http://{host}"));
        let only = || urls.first().map(|url| url.trim_end_matches('/').to_owned());
        let host = named.or_else(only).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:.6} sec: {} {status} {index} {}{}",
            single.ns as f64 / NANOS,
            for_terminal(method),
            for_terminal(&host),
            for_terminal(path)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = "tenbin trust: VALID";

    const MANNER: Manner = Manner {
        keep_alive: false,
        think: 0.01,
    };

    fn step(clients: usize, total: u64, statuses: &[(u16, u64)]) -> Step {
        Step {
            seconds: 4.0,
            rates: vec![total as f64 / 4.0],
            total,
            statuses: statuses.iter().copied().collect(),
            timed: total,
            busy: total as f64 * 0.001_953_125,
            min: (total > 0).then_some(0.000_330_523),
            max: (total > 0).then_some(0.028_229_47),
            ..Step::new(clients, MANNER)
        }
    }

    fn sweep(steps: Vec<Step>) -> Sweep {
        Sweep {
            target: "groonga".to_owned(),
            family: "search".to_owned(),
            steps,
        }
    }

    #[test]
    fn the_file_has_the_columns_and_the_numbers_of_drnbench() {
        let steps = vec![
            step(1, 345, &[(200, 345)]),
            step(2, 800, &[(200, 600), (404, 100), (0, 100)]),
            step(4, 0, &[]),
        ];
        assert_eq!(
            csv(&sweep(steps), VALID),
            "n_clients,total_n_requests,queries_per_second,min_elapsed_time,max_elapsed_time,\
             average_elapsed_time,0,200,404,tenbin trust\n\
             1,345,86.25,0.000330523,0.02822947,0.001953125,0,100.0,0,tenbin trust: VALID\n\
             2,800,200.0,0.000330523,0.02822947,0.001953125,12.5,75.0,12.5,tenbin trust: VALID\n\
             4,0,0.0,,,,0,0,0,tenbin trust: VALID\n"
        );
    }

    #[test]
    fn the_ends_are_those_of_single_requests_where_these_are_known() {
        let single = |ns| RecordedSample {
            request: "GET /".to_owned(),
            number: Some(7),
            host: None,
            status: Some(200),
            correct: true,
            ns,
        };
        let mut times = PackedHistogram::new();
        for ns in [1_234_567, 5_000_000, 98_765_432] {
            times.record(ns).expect("in range");
        }
        assert!(times.min() < 1_234_567 && times.max() > 98_765_432);
        let singles = RecordedSamples {
            fastest: vec![single(1_234_567)],
            slowest: vec![single(98_765_432)],
            ..RecordedSamples::default()
        };
        let mut exact = Step::new(1, MANNER);
        exact.add_times(&times, Some(&singles));
        assert_eq!(
            (exact.min, exact.max),
            (Some(0.001_234_567), Some(0.098_765_432))
        );
        // The listed requests can be of a different kind than the timed requests.
        let other = RecordedSamples {
            fastest: vec![single(4_000_000)],
            ..RecordedSamples::default()
        };
        let mut edge = Step::new(1, MANNER);
        edge.add_times(&times, Some(&other));
        assert_eq!(edge.min, Some(times.min() as f64 / NANOS));
    }

    #[test]
    fn lists_have_the_columns_of_drnbench() {
        let single = |number, status| RecordedSample {
            request: "GET /a".to_owned(),
            number,
            host: None,
            status,
            correct: true,
            ns: 98_765_432,
        };
        let all = [single(Some(7), Some(200)), single(None, None)];
        let mut text = String::new();
        singles(&mut text, "slow", &all, 2, &["http://h:1/".to_owned()]);
        assert_eq!(
            text,
            "Top 2 slow requests:\n [time: method status index url]\n  \
             0.098765 sec: GET 200 7 http://h:1/a\n  \
             0.098765 sec: GET 0(aborted) - http://h:1/a\n"
        );
    }

    /// Three responses of 2 ms, and a hundred refused connections.
    #[test]
    fn failures_without_a_time_are_counted_and_have_none() {
        let mut step = Step::new(1, MANNER);
        let mut answered = PackedHistogram::new();
        answered.record_n(2_000_000, 3).expect("in range");
        let mut refused = PackedHistogram::new();
        refused.record_n(0, 100).unwrap();
        for times in [&answered, &refused] {
            step.add_times(times, None);
        }
        step.total = 103;
        assert_eq!(step.timed, 3);
        assert!(step.min.expect("a time") > 0.001_9, "{:?}", step.min);
        let average = step.average().expect("a time");
        assert!((average / 0.002 - 1.0).abs() < 0.01, "{average}");
        let mut only_refused = Step::new(1, MANNER);
        only_refused.add_times(&refused, None);
        only_refused.total = 100;
        assert_eq!((only_refused.min, only_refused.average()), (None, None));
    }

    /// The same throughput as in the report and the charts.
    #[test]
    fn throughput_is_the_median_of_the_slices() {
        let mut three = step(1, 1_200, &[(200, 1_200)]);
        three.rates = vec![310.0, 90.0, 300.0];
        assert_eq!(three.per_second(), Some(300.0));
        assert!(csv(&sweep(vec![three]), VALID).contains("\n1,1200,300.0,"));
    }

    #[test]
    fn what_was_not_observed_is_said_with_how_to_get_it() {
        let said = |step: Step| {
            let sweep = sweep(vec![step]);
            let listed = Listed {
                slow: 0,
                fast: 0,
                urls: &[],
            };
            let mut text = String::new();
            report(&mut text, &sweep.steps[0], &listed);
            not_observed(&mut text, &sweep);
            text
        };
        let unknown = said(step(1, 345, &[(200, 345)]));
        for words in [
            "Cache hits of the server: not observed\nCPU of the server: not observed\n",
            "Cache hits were not observed in every step: name the page",
            "--cache-counters",
            "The CPU of the server was not observed in every step: name its processes",
            "--observe",
        ] {
            assert!(unknown.contains(words), "{words}: {unknown}");
        }
        let mut known = step(4, 345, &[(200, 345)]);
        known.cache = Some(CacheUse {
            forecast_hits: 0,
            forecast_lookups: 0,
            hits: Some(120),
            lookups: Some(240),
        });
        known.cpu = Some((7.4, 4.0));
        let known = said(known);
        assert!(
            known.contains(
                "Cache hits of the server: 50 % of 240 lookups\nCPU of the server: 185 % (100 % is \
                 one core)\n"
            ),
            "{known}"
        );
        assert!(!known.contains("not observed"), "{known}");
    }

    #[test]
    fn numbers_are_written_as_ruby_does() {
        for (value, text) in [
            (100.0, "100.0"),
            (0.0, "0.0"),
            (0.0001, "0.0001"),
            (0.000_095_3, "9.53e-05"),
            (0.000_01, "1.0e-05"),
            (0.001_455_597_585_507_246_5, "0.0014555975855072465"),
            (123_456.5, "123456.5"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn littles_law_counts_the_wait_and_the_opening_of_connections() {
        let mut one = step(1, 320, &[(200, 320)]);
        one.busy = 320.0 * 0.002;
        one.connecting = 320.0 * 0.000_5;
        let little = one.little().expect("a figure");
        assert!((little - 1.0).abs() < 1e-9, "{little}");
        assert_eq!(step(1, 0, &[]).little(), None);
    }

    #[test]
    fn several_targets_have_files_of_their_own() {
        let one = sweep(vec![]);
        let other = Sweep {
            target: "three-nodes".to_owned(),
            ..one.clone()
        };
        let names = |sweeps: &[Sweep]| -> Vec<String> {
            let parts = parts(sweeps, VALID).unwrap().into_iter();
            parts.map(|part| part.name).collect()
        };
        assert_eq!(names(&[one.clone(), other]), ["groonga", "three-nodes"]);
        let heavy = Sweep {
            family: "heavy".to_owned(),
            ..one.clone()
        };
        assert_eq!(names(&[one, heavy]), ["groonga-search", "groonga-heavy"]);
    }
}
