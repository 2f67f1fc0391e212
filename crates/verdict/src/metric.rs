//! The figures by which targets are compared.

use serde::Serialize;
use tenbin_record::{OpFigures, Slice};
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::latency::{self, Kind};
use crate::server;

/// A figure by which targets are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Work done a second.
    Throughput,
    /// Median of write start to last byte, seconds.
    ServiceP50,
    /// 90th percentile of the same.
    ServiceP90,
    /// 99th percentile of the same.
    ServiceP99,
    /// Median of intended start to last byte, seconds.
    ResponseP50,
    /// 90th percentile of the same.
    ResponseP90,
    /// 99th percentile of the same.
    ResponseP99,
    /// CPU seconds that the target used for a piece of work done.
    ServerCpu,
    /// Body bytes of work done a second, either way.
    Bandwidth,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// More is better.
    HigherIsBetter,
    /// Less is better.
    LowerIsBetter,
}

impl Metric {
    /// What to compare under a load, the primary figure first.
    ///
    /// A closed loop is asked how much it gets done. In an open loop the schedule
    /// decides that, so there the primary figure is the median response time.
    pub fn of_load(closed_loop: bool) -> &'static [Self] {
        if closed_loop {
            &[
                Self::Throughput,
                Self::ServiceP50,
                Self::ServiceP99,
                Self::ServerCpu,
            ]
        } else {
            &[Self::ResponseP50, Self::ResponseP99, Self::ServerCpu]
        }
    }

    /// The one that decides under a load.
    pub fn deciding(closed_loop: bool) -> Self {
        if closed_loop {
            Self::Throughput
        } else {
            Self::ResponseP50
        }
    }

    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self {
            Self::Throughput | Self::Bandwidth => Direction::HigherIsBetter,
            _ => Direction::LowerIsBetter,
        }
    }

    /// Words for it in a sentence.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::ServiceP50 => "median service time",
            Self::ServiceP90 => "90th percentile of service time",
            Self::ServiceP99 => "99th percentile of service time",
            Self::ResponseP50 => "median response time",
            Self::ResponseP90 => "90th percentile of response time",
            Self::ResponseP99 => "99th percentile of response time",
            Self::ServerCpu => "server CPU per operation",
            Self::Bandwidth => "bandwidth",
        }
    }

    /// The figure of one target over some slices.
    pub(crate) fn figure(self, slices: &[&Slice]) -> Measured {
        match self.quantile() {
            Some((q, kind)) => latency::quantile(slices, q, kind, is_work),
            None => self.middle(slices),
        }
    }

    /// Whether some of these slices of one target lack the figure in a way that makes
    /// it too high over the others: in what has no throughput nothing ended.
    pub(crate) fn is_biased_over(self, slices: &[&Slice]) -> bool {
        self == Self::Throughput && slices.iter().any(|slice| self.of_slice(slice).is_none())
    }

    fn middle(self, slices: &[&Slice]) -> Measured {
        if self.is_biased_over(slices) {
            return Measured::Unknown;
        }
        let values = slices.iter().filter_map(|slice| self.of_slice(slice));
        median(&values.collect::<Vec<f64>>(), CONFIDENCE)
    }

    /// One target's values in one block: one a slice or, for a quantile that the
    /// slices have too few samples for, one for the block. `None` if a slice has none.
    pub(crate) fn of_block(self, slices: &[&Slice]) -> Option<Vec<f64>> {
        let apart = slices.iter().map(|slice| self.of_slice(slice)).collect();
        let Some((q, kind)) = self.quantile() else {
            return apart;
        };
        apart.or_else(|| Some(vec![latency::quantile_of(slices, q, kind, &is_work)?]))
    }

    pub(crate) fn of_slice(self, slice: &Slice) -> Option<f64> {
        if let Some((q, kind)) = self.quantile() {
            return latency::quantile_of(&[slice], q, kind, &is_work);
        }
        match self {
            Self::ServerCpu => server_cpu(slice),
            Self::Bandwidth => bandwidth(slice),
            _ => slice.throughput(),
        }
    }

    fn quantile(self) -> Option<(f64, Kind)> {
        let service: Kind = |op: &OpFigures| &op.service;
        let response: Kind = |op: &OpFigures| &op.response;
        match self {
            Self::ServiceP50 => Some((0.50, service)),
            Self::ServiceP90 => Some((0.90, service)),
            Self::ServiceP99 => Some((0.99, service)),
            Self::ResponseP50 => Some((0.50, response)),
            Self::ResponseP90 => Some((0.90, response)),
            Self::ResponseP99 => Some((0.99, response)),
            Self::Throughput | Self::ServerCpu | Self::Bandwidth => None,
        }
    }
}

/// Unknown where the rate is.
fn bandwidth(slice: &Slice) -> Option<f64> {
    slice.throughput()?;
    let payload: u64 = slice.work().map(|op| op.payload).sum();
    Some(payload as f64 / slice.seconds)
}

fn is_work(op: &OpFigures) -> bool {
    op.role.is_work()
}

/// CPU seconds a piece of work done. Kernels count CPU in ticks of some
/// milliseconds: none at all means too little to see, not nothing.
fn server_cpu(slice: &Slice) -> Option<f64> {
    let used = server::cpu_seconds(slice)?;
    (used > 0.0 && slice.ok() > 0).then(|| used / slice.ok() as f64)
}
