//! The figures by which targets are compared.

use tenbin_plan::{Figure, Pace, Plan, Quantile, Statistic, Workload};
use tenbin_record::{OpFigures, Slice};
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::figures::latency::{self, Kind};
use crate::server;

/// A figure by which targets are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Operations completed per second.
    Throughput,
    /// A statistic of the time from write start to last byte, seconds.
    Service(Statistic),
    /// A statistic of the time from intended start to last byte, seconds.
    Response(Statistic),
    /// CPU seconds of the target per completed operation.
    ServerCpu,
    /// Body bytes of completed operations per second; each request counts the longer of its two bodies.
    Bandwidth,
}

const fn percentile(percent: u32) -> Statistic {
    Statistic::Quantile(Quantile::percent(percent))
}

/// Whether higher or lower values are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    HigherIsBetter,
    /// Less is better.
    LowerIsBetter,
}

impl Metric {
    /// Median service time.
    pub const SERVICE_P50: Self = Self::Service(percentile(50));
    /// 90th percentile of service time.
    pub const SERVICE_P90: Self = Self::Service(percentile(90));
    /// 99th percentile of service time.
    pub const SERVICE_P99: Self = Self::Service(percentile(99));
    /// Median response time.
    pub const RESPONSE_P50: Self = Self::Response(percentile(50));
    /// 99th percentile of response time.
    pub const RESPONSE_P99: Self = Self::Response(percentile(99));

    /// The metric of a figure in the plan for a closed or open loop. `None` for figures that are
    /// facts about the run rather than estimates.
    pub fn named(figure: Figure, closed_loop: bool) -> Option<Self> {
        Some(match (figure, closed_loop) {
            (Figure::Throughput, _) => Self::Throughput,
            (Figure::Time(statistic), true) => Self::Service(statistic),
            (Figure::Time(statistic), false) => Self::Response(statistic),
            (Figure::Cpu, _) => Self::ServerCpu,
            (Figure::Bandwidth, _) => Self::Bandwidth,
            (Figure::Max | Figure::Errors, _) => return None,
        })
    }

    /// The primary metric of a workload: the figure that the plan sets, or the default for the
    /// kind of load.
    pub fn primary(plan: &Plan, workload: &Workload) -> Self {
        let closed = workload.load.pace == Pace::Closed;
        let chosen = plan.comparing.decide;
        chosen
            .and_then(|figure| Self::named(figure, closed))
            .unwrap_or(Self::default_primary(closed))
    }

    /// The metrics compared for a workload; the primary metric is first.
    pub(crate) fn of_workload(plan: &Plan, workload: &Workload) -> Vec<Self> {
        let primary = Self::primary(plan, workload);
        let usual = Self::of_load(workload.load.pace == Pace::Closed)
            .iter()
            .copied();
        let others = usual.filter(|metric| *metric != primary);
        std::iter::once(primary).chain(others).collect()
    }

    /// The metric's name in JSON: `throughput`, `service_p99`, `response_mean`, `server_cpu`.
    pub fn name(self) -> String {
        let of = |statistic| match statistic {
            Statistic::Mean => "mean".to_owned(),
            Statistic::Quantile(quantile) => quantile.to_string(),
        };
        match self {
            Self::Throughput => "throughput".to_owned(),
            Self::Service(statistic) => format!("service_{}", of(statistic)),
            Self::Response(statistic) => format!("response_{}", of(statistic)),
            Self::ServerCpu => "server_cpu".to_owned(),
            Self::Bandwidth => "bandwidth".to_owned(),
        }
    }

    /// The metrics compared by default for a closed or open loop; the primary metric is first.
    ///
    /// In a closed loop, the target determines the throughput, which is the primary metric. In an
    /// open loop, the schedule determines the throughput, so the median response time decides.
    pub fn of_load(closed_loop: bool) -> &'static [Self] {
        if closed_loop {
            &[
                Self::Throughput,
                Self::SERVICE_P50,
                Self::SERVICE_P99,
                Self::ServerCpu,
            ]
        } else {
            &[Self::RESPONSE_P50, Self::RESPONSE_P99, Self::ServerCpu]
        }
    }

    /// The default primary metric for a closed or open loop.
    pub fn default_primary(closed_loop: bool) -> Self {
        if closed_loop {
            Self::Throughput
        } else {
            Self::RESPONSE_P50
        }
    }

    /// Whether higher or lower values are better.
    pub fn direction(self) -> Direction {
        match self {
            Self::Throughput | Self::Bandwidth => Direction::HigherIsBetter,
            _ => Direction::LowerIsBetter,
        }
    }

    /// The metric's name in a sentence.
    pub fn phrase(self) -> String {
        match self {
            Self::Throughput => "throughput".to_owned(),
            Self::Service(statistic) => format!("{} service time", words(statistic)),
            Self::Response(statistic) => format!("{} response time", words(statistic)),
            Self::ServerCpu => "server CPU per operation".to_owned(),
            Self::Bandwidth => "bandwidth".to_owned(),
        }
    }

    /// The figure of one target over some slices.
    pub(crate) fn figure(self, slices: &[&Slice]) -> Measured {
        match self.timed() {
            Some((Statistic::Quantile(quantile), kind)) => {
                latency::quantile(slices, quantile.share(), kind, is_work)
            }
            Some((Statistic::Mean, kind)) => latency::mean(slices, kind, &is_work),
            None => self.middle(slices),
        }
    }

    /// Whether slices without a value bias the figure upwards. A slice without throughput completed
    /// no operation, so leaving out the slice overstates the throughput.
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

    /// The values of one target in one block, one value per slice. For a quantile with too few
    /// samples per slice, one value for the whole block. `None` if a slice has no value.
    pub(crate) fn of_block(self, slices: &[&Slice]) -> Option<Vec<f64>> {
        let apart = slices.iter().map(|slice| self.of_slice(slice)).collect();
        let Some((Statistic::Quantile(quantile), kind)) = self.timed() else {
            return apart;
        };
        let together = || latency::quantile_of(slices, quantile.share(), kind, &is_work);
        apart.or_else(|| Some(vec![together()?]))
    }

    pub(crate) fn of_slice(self, slice: &Slice) -> Option<f64> {
        match self.timed() {
            Some((Statistic::Quantile(quantile), kind)) => {
                return latency::quantile_of(&[slice], quantile.share(), kind, &is_work);
            }
            Some((Statistic::Mean, kind)) => {
                return latency::mean(&[slice], kind, &is_work).value();
            }
            None => {}
        }
        match self {
            Self::ServerCpu => server_cpu(slice),
            Self::Bandwidth => bandwidth(slice),
            _ => slice.throughput(),
        }
    }

    fn timed(self) -> Option<(Statistic, Kind)> {
        let service: Kind = |op: &OpFigures| &op.times.service;
        let response: Kind = |op: &OpFigures| &op.times.response;
        match self {
            Self::Service(statistic) => Some((statistic, service)),
            Self::Response(statistic) => Some((statistic, response)),
            Self::Throughput | Self::ServerCpu | Self::Bandwidth => None,
        }
    }
}

/// The words for a statistic before "service time": "mean" or the percentile.
fn words(statistic: Statistic) -> String {
    let Statistic::Quantile(quantile) = statistic else {
        return "mean".to_owned();
    };
    let percent = quantile.as_percent();
    if percent == 50.0 {
        return "median".to_owned();
    }
    let suffix = match (percent.fract() == 0.0, percent as u32) {
        (true, 11..=13) => "th",
        (true, whole) if whole % 10 == 1 => "st",
        (true, whole) if whole % 10 == 2 => "nd",
        (true, whole) if whole % 10 == 3 => "rd",
        _ => "th",
    };
    format!("{percent}{suffix} percentile of")
}

/// Body bytes per second; `None` if the throughput is unknown.
fn bandwidth(slice: &Slice) -> Option<f64> {
    slice.throughput()?;
    let payload: u64 = slice.work().map(|op| op.counts.payload).sum();
    Some(payload as f64 / slice.seconds)
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
