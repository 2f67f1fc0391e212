//! One request over and over, as the benchmarks of web servers sum it up: everything
//! from all slices of one target.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use tenbin_record::{ErrorClass, Ledger, SetupFigures, Slice, latency_histogram, merge};

/// All slices of one workload on one target, added up. Times are those of the slices that
/// ran their full time, or of all if there is none: the requests that the figures in every
/// other report are made of.
#[derive(Debug, Clone)]
pub struct Pooled {
    /// Correct answers.
    pub(crate) ok: u64,
    /// Failures by class.
    pub(crate) errors: BTreeMap<ErrorClass, u64>,
    /// Answers whose status is not 2xx.
    pub(crate) other_statuses: u64,
    /// Measured time, seconds.
    pub(crate) seconds: f64,
    /// Bytes read, heads included.
    pub(crate) received: u64,
    /// Body bytes of correct answers, either way.
    pub(crate) payload: u64,
    /// Write start to last byte of correct answers, nanoseconds.
    pub(crate) service: Histogram<u64>,
    /// Write start to first byte of correct answers, nanoseconds.
    pub(crate) first_byte: Histogram<u64>,
    /// How long opening connections took.
    pub(crate) setup: SetupFigures,
    /// What happened to connections.
    pub(crate) ledger: Ledger,
    /// Correct answers a second of each slice that tells.
    pub(crate) rates: Vec<f64>,
}

impl Pooled {
    /// Adds up the slices of a run that has one target and one workload.
    pub fn of(slices: &[Slice]) -> Self {
        let mut pooled = Self {
            ok: 0,
            errors: BTreeMap::new(),
            other_statuses: 0,
            seconds: 0.0,
            received: 0,
            payload: 0,
            service: latency_histogram(),
            first_byte: latency_histogram(),
            setup: SetupFigures::default(),
            ledger: Ledger::default(),
            rates: slices.iter().filter_map(Slice::throughput).collect(),
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

    fn add_times(&mut self, slice: &Slice) {
        merge(&mut self.setup.connect, &slice.setup.connect);
        merge(&mut self.setup.tls, &slice.setup.tls);
        for op in &slice.ops {
            merge(&mut self.service, &op.service);
            merge(&mut self.first_byte, &op.first_byte);
        }
    }

    fn add(&mut self, slice: &Slice) {
        self.seconds += slice.seconds;
        self.ledger += slice.ledger;
        for op in &slice.ops {
            self.ok += op.ok;
            self.received += op.received;
            self.payload += op.payload;
            for (class, count) in &op.errors {
                *self.errors.entry(*class).or_default() += count;
            }
            let others = op.statuses.iter();
            let others = others.filter(|(status, _)| !(200..300).contains(*status));
            self.other_statuses += others.map(|(_, count)| count).sum::<u64>();
        }
    }

    /// Failures of these classes.
    pub(crate) fn failed_by(&self, classes: &[ErrorClass]) -> u64 {
        classes
            .iter()
            .filter_map(|class| self.errors.get(class))
            .sum()
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
