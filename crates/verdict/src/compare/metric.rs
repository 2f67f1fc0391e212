//! The figure of a metric over slices.

use tenbin_plan::Statistic;
use tenbin_record::{OpFigures, Slice};
use tenbin_result::Metric;
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::figures::latency::{self, Kind};
use crate::findings::messages::Messages;
use crate::server;

/// What the slices of a target say about a metric.
pub(crate) trait Measure: Copy {
    /// The metric's name in an English sentence.
    fn phrase(self) -> String;

    /// The figure of one target over some slices.
    fn figure(self, slices: &[&Slice]) -> Measured;

    /// Whether slices without a value bias the figure upwards. A slice without throughput completed
    /// no operation, so leaving out the slice overstates the throughput.
    fn is_biased_over(self, slices: &[&Slice]) -> bool;

    /// The values of one target in one block, one value per slice. For a quantile with too few
    /// samples per slice, one value for the whole block. `None` if a slice has no value.
    fn of_block(self, slices: &[&Slice]) -> Option<Vec<f64>>;

    /// The value of one slice.
    fn of_slice(self, slice: &Slice) -> Option<f64>;
}

impl Measure for Metric {
    fn phrase(self) -> String {
        Messages::NONE.in_english(&self.message())
    }

    fn figure(self, slices: &[&Slice]) -> Measured {
        match timed(self) {
            Some((Statistic::Quantile(quantile), kind)) => {
                latency::quantile(slices, quantile.share(), kind, is_work)
            }
            Some((Statistic::Mean, kind)) => latency::mean(slices, kind, &is_work),
            None if self.is_biased_over(slices) => Measured::Unknown,
            None => {
                let values = slices.iter().filter_map(|slice| self.of_slice(slice));
                median(&values.collect::<Vec<f64>>(), CONFIDENCE)
            }
        }
    }

    fn is_biased_over(self, slices: &[&Slice]) -> bool {
        self == Self::Throughput && slices.iter().any(|slice| self.of_slice(slice).is_none())
    }

    fn of_block(self, slices: &[&Slice]) -> Option<Vec<f64>> {
        let apart = slices.iter().map(|slice| self.of_slice(slice)).collect();
        let Some((Statistic::Quantile(quantile), kind)) = timed(self) else {
            return apart;
        };
        let together = || latency::quantile_of(slices, quantile.share(), kind, &is_work);
        apart.or_else(|| Some(vec![together()?]))
    }

    fn of_slice(self, slice: &Slice) -> Option<f64> {
        match (self, timed(self)) {
            (_, Some((Statistic::Quantile(quantile), kind))) => {
                latency::quantile_of(&[slice], quantile.share(), kind, &is_work)
            }
            (_, Some((Statistic::Mean, kind))) => latency::mean(&[slice], kind, &is_work).value(),
            (Self::ServerCpu, None) => server_cpu(slice),
            (Self::Bandwidth, None) => bandwidth(slice),
            (Self::ServerMemory, None) => slice.server()?.rss_bytes.map(|bytes| bytes as f64),
            (_, None) => slice.throughput(),
        }
    }
}

fn timed(metric: Metric) -> Option<(Statistic, Kind)> {
    let service: Kind = |op: &OpFigures| &op.times.service;
    let response: Kind = |op: &OpFigures| &op.times.response;
    match metric {
        Metric::Service(statistic) => Some((statistic, service)),
        Metric::Response(statistic) => Some((statistic, response)),
        Metric::Throughput | Metric::ServerCpu | Metric::Bandwidth | Metric::ServerMemory => None,
    }
}

/// Body bytes per second; `None` if the throughput is unknown.
fn bandwidth(slice: &Slice) -> Option<f64> {
    slice.throughput()?;
    let payload: u64 = slice.work().map(|op| op.counts.payload).sum();
    Some(payload as f64 / slice.end.seconds)
}

fn is_work(op: &OpFigures) -> bool {
    op.role.is_work()
}

/// CPU seconds per completed operation. Kernels count CPU time in ticks of a few milliseconds, so 0
/// means "too little to measure" and gives `None`.
fn server_cpu(slice: &Slice) -> Option<f64> {
    let used = server::cpu_seconds(slice)?;
    (used > 0.0 && slice.ok() > 0).then(|| used / slice.ok() as f64)
}
