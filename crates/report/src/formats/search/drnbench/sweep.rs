//! The figures of each step of a concurrency sweep.
//!
//! A step contains all requests sent with one number of clients. Like drnbench, this module counts
//! failed requests too; the verdict does not.

use std::collections::BTreeMap;

use tenbin_plan::Plan;
use tenbin_record::{
    CacheUse, PackedHistogram, RecordedSample, RecordedSamples, Slice, latency_histogram,
};
use tenbin_stats::Little;

/// Smallest value of a histogram, nanoseconds: recorded for failures without a time.
const WITHOUT_TIME: u64 = 1;
/// Status that drnbench reports for a request without a response.
const NO_RESPONSE: u16 = 0;

/// Nanoseconds in a second.
pub(super) const NANOS: f64 = 1e9;

/// Settings of a workload that affect its times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Manner {
    /// Whether connections are reused.
    pub(super) keep_alive: bool,
    /// Mean think time of a client after each response, seconds.
    pub(super) think: f64,
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
    pub(super) clients: usize,
    pub(super) manner: Manner,
    /// Measured time, seconds.
    pub(super) seconds: f64,
    /// Requests per second in each slice.
    pub(super) rates: Vec<f64>,
    /// Requests that ended, successfully or not.
    pub(super) total: u64,
    /// Ended requests by status; 0 for requests without a response.
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Number of requests with a known time; `busy` holds the sum of their seconds.
    pub(super) timed: u64,
    pub(super) busy: f64,
    /// Seconds spent on opening connections.
    pub(super) connecting: f64,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) slowest: Vec<RecordedSample>,
    pub(super) fastest: Vec<RecordedSample>,
    /// Cache lookups and hits; `None` unless known for every slice.
    pub(super) cache: Option<CacheUse>,
    /// CPU seconds of the server, and the measured seconds; `None` unless known for every slice.
    pub(super) cpu: Option<(f64, f64)>,
    /// Number of slices whose figures have been added to the step.
    pub(super) slices: usize,
}

/// The concurrency sweeps of a run, in the order in which they started.
pub fn sweeps(plan: &Plan, slices: &[Slice]) -> Vec<Sweep> {
    sweeps_sent(slices, |workload| Manner::of(plan, workload))
}

/// Like [`sweeps`], with `manner` supplying the settings of each workload.
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
    pub(super) fn new(clients: usize, manner: Manner) -> Self {
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
                *self.statuses.entry(NO_RESPONSE).or_default() += unanswered;
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
    pub(super) fn add_times(&mut self, times: &PackedHistogram, singles: Option<&RecordedSamples>) {
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
    pub(super) fn per_second(&self) -> Option<f64> {
        let median = tenbin_stats::median(&self.rates, tenbin_stats::CONFIDENCE);
        median.value()
    }

    /// Requests per second over all slices together, as [`Self::average`] is the mean over all
    /// slices together.
    fn overall(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.total as f64 / self.seconds)
    }

    /// Mean time of a request, including the time to open its connection, as in drnbench.
    pub(super) fn average(&self) -> Option<f64> {
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
    pub(super) fn cache_hits(&self) -> Option<(f64, u64)> {
        let cache = self.cache?;
        Some((cache.observed()?, cache.lookups?))
    }

    /// Mean number of cores that the server used.
    pub(super) fn busy_cores(&self) -> Option<f64> {
        let (used, seconds) = self.cpu?;
        (seconds > 0.0).then(|| used / seconds)
    }

    pub(super) fn percentage(&self, status: u16) -> Option<f64> {
        let count = self.statuses.get(&status)?;
        Some(*count as f64 / self.total as f64 * 100.0)
    }
}
