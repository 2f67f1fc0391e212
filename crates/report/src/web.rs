//! One request over and over, as the benchmarks of web servers sum it up: everything
//! from all slices of one target.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use tenbin_record::{
    ErrorClass, Ledger, OpFigures, RecordedRun, SecondCounts, SetupFigures, Slice,
    latency_histogram, merge,
};

/// Shortest part of a second whose rate stands beside those of whole seconds.
const WHOLE_SECOND: f64 = 0.9;

/// All slices of one workload on one target, added up. Times are those of the slices that
/// ran their full time, or of all if there is none: the requests that the figures in every
/// other report are made of.
#[derive(Debug, Clone)]
pub struct Pooled {
    /// Correct answers.
    pub(crate) ok: u64,
    /// Failures by class.
    pub(crate) errors: BTreeMap<ErrorClass, u64>,
    /// Responses by status.
    statuses: BTreeMap<u16, u64>,
    /// Measured time, seconds.
    pub(crate) seconds: f64,
    /// Bytes read, heads included.
    pub(crate) received: u64,
    /// Bytes written, heads included.
    pub(crate) sent: u64,
    /// Body bytes of responses; of correct requests either way in runs of versions that
    /// did not record them.
    pub(crate) answered: u64,
    /// Write start to last byte of correct answers, nanoseconds.
    pub(crate) service: Histogram<u64>,
    /// Intended start to last byte of correct responses, nanoseconds; the same as
    /// `service` in a closed loop.
    pub(crate) response: Histogram<u64>,
    /// Write start to first byte of correct answers, nanoseconds.
    pub(crate) first_byte: Histogram<u64>,
    /// How long opening connections took.
    pub(crate) setup: SetupFigures,
    /// What happened to connections.
    pub(crate) ledger: Ledger,
    /// Correct responses a second, second by second; slice by slice where slices hold no
    /// two whole seconds.
    pub(crate) rates: Vec<f64>,
}

impl Pooled {
    /// Adds up the slices of one target, of a run that has one workload.
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
        let none_is_full = slices.iter().all(|slice| slice.cut_short);
        for slice in slices {
            pooled.add(slice);
            if none_is_full || !slice.cut_short {
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
        self.seconds += slice.seconds;
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
        self.ok += op.ok;
        self.received += op.received;
        self.sent += op.sent;
        self.answered += op.answered.unwrap_or(op.payload);
        for (class, count) in &op.errors {
            *self.errors.entry(*class).or_default() += count;
        }
        for (status, count) in &op.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
    }

    fn add_times_of(&mut self, op: &OpFigures) {
        merge(&mut self.service, &op.service);
        merge(&mut self.response, &op.response);
        merge(&mut self.first_byte, &op.first_byte);
    }

    /// Service times of correct responses, those that were the first on their connection
    /// with the time that opening it took.
    pub(crate) fn with_opening(&self) -> Histogram<u64> {
        let mut total = self.service.clone();
        let first = &self.setup.response;
        // Runs of versions that did not record first responses have neither.
        if total.subtract(first.unpacked()).is_ok() {
            merge(&mut total, &self.setup.total);
        }
        total
    }

    /// What each correct response waited for its connection: nothing, where an earlier
    /// one had used the connection. `None` where no connection was opened.
    pub(crate) fn connecting(&self) -> Option<Histogram<u64>> {
        let opened = &self.setup.connect;
        if opened.is_empty() {
            return None;
        }
        let mut all = opened.unpacked();
        let without = self.ok.saturating_sub(opened.len());
        // 0 lies within the bounds of every histogram.
        let _ = all.record_n(0, without);
        Some(all)
    }

    /// Correct responses whose connection could carry another request.
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

    /// Responses whose status is none of these.
    pub(crate) fn statuses_outside(&self, range: std::ops::Range<u16>) -> u64 {
        let others = self.statuses.iter();
        let others = others.filter(|(status, _)| !range.contains(*status));
        others.map(|(_, count)| count).sum()
    }

    /// All failures.
    pub(crate) fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// An amount a second; `None` when nothing was measured.
    pub(crate) fn per_second(&self, amount: f64) -> Option<f64> {
        (self.seconds > 0.0 && self.ok + self.failed() > 0).then(|| amount / self.seconds)
    }
}
