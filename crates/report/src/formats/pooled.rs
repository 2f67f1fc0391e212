//! Totals of one repeated request over all slices of one target, for the output formats of HTTP
//! benchmarks.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use tenbin_plan::{Target, sentence};
use tenbin_record::{
    ErrorClass, Ledger, OpFigures, RecordedRun, SecondCounts, SetupFigures, Slice,
    latency_histogram, merge,
};

use super::write::{Part, Run, WriteError, for_each_target};

/// Writes one file per target, for a run with one workload.
pub(super) fn of_one_workload(
    run: &Run<'_>,
    content: fn(&Run<'_>, &Target) -> Vec<u8>,
) -> Result<Vec<Part>, WriteError> {
    match run.plan.workloads.as_slice() {
        [_] => Ok(for_each_target(run, |target| content(run, target))),
        several => Err(WriteError::Lacks(sentence!(
            "format-of-one-workload",
            "the format is for a run of one workload, and the run has {workloads}",
            workloads = several.len()
        ))),
    }
}

/// Minimum length, in seconds, of an interval that counts as a whole second; the rate of a shorter
/// interval is omitted.
const WHOLE_SECOND: f64 = 0.9;

/// Totals over all slices of one workload on one target. Times come from the slices that ran their
/// full time, or from all slices if none did, as in every other report.
#[derive(Debug, Clone)]
pub struct Pooled {
    /// Correct responses.
    pub(crate) ok: u64,
    /// Failures by class.
    pub(crate) errors: BTreeMap<ErrorClass, u64>,
    /// Responses by status.
    statuses: BTreeMap<u16, u64>,
    /// Measured time, seconds.
    pub(crate) seconds: f64,
    /// Bytes received, including response headers.
    pub(crate) received: u64,
    /// Bytes sent, including request headers.
    pub(crate) sent: u64,
    /// Body bytes of responses; in runs recorded by older versions, for each request, the longer of
    /// request body and response body.
    pub(crate) answered: u64,
    /// Service times of correct responses, from the start of the write to the last byte,
    /// nanoseconds.
    pub(crate) service: Histogram<u64>,
    /// Response times of correct responses, from the intended start to the last byte, nanoseconds;
    /// equal to `service` in a closed loop.
    pub(crate) response: Histogram<u64>,
    /// Times to the first byte of correct responses, from the start of the write, nanoseconds.
    pub(crate) first_byte: Histogram<u64>,
    /// Times of the connection phases.
    pub(crate) setup: SetupFigures,
    /// Connection counts.
    pub(crate) ledger: Ledger,
    /// Correct responses per second in each second, or in each slice if slices are shorter than two
    /// seconds.
    pub(crate) rates: Vec<f64>,
}

impl Pooled {
    /// Sums the slices of one target in a run with one workload.
    pub fn of(run: &RecordedRun, target: &str) -> Self {
        let slices = run.slices.iter();
        let slices: Vec<&Slice> = slices.filter(|slice| slice.target == target).collect();
        let mine = |second: &&SecondCounts| slices.iter().any(|slice| slice.index == second.slice);
        let seconds = run.seconds.iter().filter(mine);
        let whole = seconds.filter(|second| second.length >= WHOLE_SECOND);
        let by_second: Vec<f64> = whole.map(|one| one.ok as f64 / one.length).collect();
        let by_slice = || slices.iter().filter_map(|slice| slice.throughput());
        let mut pooled = Self::nothing();
        pooled.rates = match by_second.len() {
            0 | 1 => by_slice().collect(),
            _ => by_second,
        };
        let none_is_full = slices.iter().all(|slice| slice.end.cut_short);
        for slice in slices {
            pooled.add(slice);
            if none_is_full || !slice.end.cut_short {
                pooled.add_times(slice);
            }
        }
        pooled
    }

    pub(crate) fn nothing() -> Self {
        Self {
            ok: 0,
            errors: BTreeMap::new(),
            statuses: BTreeMap::new(),
            seconds: 0.0,
            received: 0,
            sent: 0,
            answered: 0,
            service: latency_histogram(),
            response: latency_histogram(),
            first_byte: latency_histogram(),
            setup: SetupFigures::default(),
            ledger: Ledger::default(),
            rates: Vec::new(),
        }
    }

    fn add(&mut self, slice: &Slice) {
        self.seconds += slice.end.seconds;
        self.ledger += slice.ledger;
        for op in &slice.ops {
            self.add_counts(op);
        }
    }

    fn add_times(&mut self, slice: &Slice) {
        self.setup.connect.add(&slice.setup.connect);
        self.setup.tls.add(&slice.setup.tls);
        self.setup.response.add(&slice.setup.response);
        self.setup.total.add(&slice.setup.total);
        for op in &slice.ops {
            self.add_times_of(op);
        }
    }

    #[cfg(test)]
    pub(crate) fn add_op(&mut self, op: &OpFigures) {
        self.add_counts(op);
        self.add_times_of(op);
    }

    fn add_counts(&mut self, op: &OpFigures) {
        self.ok += op.counts.ok;
        self.received += op.counts.received;
        self.sent += op.counts.sent;
        self.answered += op.answered.unwrap_or(op.counts.payload);
        for (class, count) in &op.errors {
            *self.errors.entry(*class).or_default() += count;
        }
        for (status, count) in &op.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
    }

    fn add_times_of(&mut self, op: &OpFigures) {
        merge(&mut self.service, &op.times.service);
        merge(&mut self.response, &op.times.response);
        merge(&mut self.first_byte, &op.times.first_byte);
    }

    /// Service times of correct responses. The time of the first response on a connection includes
    /// the time to open the connection.
    pub(crate) fn with_opening(&self) -> Histogram<u64> {
        let mut total = self.service.clone();
        let first = &self.setup.response;
        // Runs of older versions recorded neither histogram.
        if total.subtract(first.unpacked()).is_ok() {
            merge(&mut total, &self.setup.total);
        }
        total
    }

    /// Time that each correct response waited for its connection to open; 0 on a reused connection.
    /// `None` if no connection was opened.
    pub(crate) fn connecting(&self) -> Option<Histogram<u64>> {
        let opened = &self.setup.connect;
        if opened.is_empty() {
            return None;
        }
        let mut all = opened.unpacked();
        let without = self.ok.saturating_sub(opened.len());
        // Recording 0 cannot fail: the value is within the bounds of every histogram.
        let _ = all.record_n(0, without);
        Some(all)
    }

    /// Correct responses whose connection was kept alive.
    pub(crate) fn kept(&self) -> u64 {
        let opened = self.ledger.opened;
        let first = opened.saturating_sub(self.ledger.closed_by_server);
        (self.ledger.reused + first).min(self.ok)
    }

    /// Failures of these classes.
    pub(crate) fn failed_by(&self, classes: &[ErrorClass]) -> u64 {
        classes
            .iter()
            .filter_map(|class| self.errors.get(class))
            .sum()
    }

    /// Responses with a status outside this range.
    pub(crate) fn statuses_outside(&self, range: std::ops::Range<u16>) -> u64 {
        let others = self.statuses.iter();
        let others = others.filter(|(status, _)| !range.contains(*status));
        others.map(|(_, count)| count).sum()
    }

    /// Number of failures of all classes.
    pub(crate) fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// An amount per second; `None` if nothing was measured.
    pub(crate) fn per_second(&self, amount: f64) -> Option<f64> {
        (self.seconds > 0.0 && self.ok + self.failed() > 0).then(|| amount / self.seconds)
    }
}
