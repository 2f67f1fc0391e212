//! The figures by which targets are compared.

use std::fmt;

use serde::{Deserialize, Serialize};
use tenbin_plan::{Figure, Pace, Plan, Quantile, Statistic, Workload};

use crate::format::{BANDWIDTH, BYTES, RATE, TIME, Unit};
use crate::message;
use crate::message::{Message, Value};

/// A figure by which targets are compared. `Display` gives its name in JSON: `throughput`,
/// `service_p99`, `response_mean`, `server_cpu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Largest resident memory of the target in a slice, bytes.
    ServerMemory,
}

/// The figure of a comparison as a result document names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum MetricName {
    /// A figure of this version.
    Known(Metric),
    /// The name of a figure that only a newer version knows.
    Other(String),
}

const fn percentile(percent: u32) -> Statistic {
    Statistic::Quantile(Quantile::percent(percent))
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
    /// 90th percentile of response time.
    pub const RESPONSE_P90: Self = Self::Response(percentile(90));
    /// 99th percentile of response time.
    pub const RESPONSE_P99: Self = Self::Response(percentile(99));

    /// The metric with this name in JSON; `None` for every other text.
    pub fn named(name: &str) -> Option<Self> {
        let statistic = |word: &str| match word {
            "mean" => Some(Statistic::Mean),
            quantile => Quantile::named(quantile).map(Statistic::Quantile),
        };
        let found = match (name, name.split_once('_')) {
            ("throughput", _) => Self::Throughput,
            ("server_cpu", _) => Self::ServerCpu,
            ("bandwidth", _) => Self::Bandwidth,
            ("server_memory", _) => Self::ServerMemory,
            (_, Some(("service", word))) => Self::Service(statistic(word)?),
            (_, Some(("response", word))) => Self::Response(statistic(word)?),
            _ => return None,
        };
        // A document is written again as it was read, so `service_p99.0` is no name.
        (found.to_string() == name).then_some(found)
    }

    /// The metric of a figure in the plan for a closed or open loop. `None` for figures that are
    /// facts about the run rather than estimates.
    pub fn of_figure(figure: Figure, closed_loop: bool) -> Option<Self> {
        Some(match (figure, closed_loop) {
            (Figure::Throughput, _) => Self::Throughput,
            (Figure::Time(statistic), true) => Self::Service(statistic),
            (Figure::Time(statistic), false) => Self::Response(statistic),
            (Figure::Cpu, _) => Self::ServerCpu,
            (Figure::Bandwidth, _) => Self::Bandwidth,
            (Figure::Memory, _) => Self::ServerMemory,
            (Figure::Max | Figure::Errors, _) => return None,
        })
    }

    /// The primary metric of a workload: the figure that the plan sets, or the default for the
    /// kind of load.
    pub fn primary(plan: &Plan, workload: &Workload) -> Self {
        let closed = workload.load.pace == Pace::Closed;
        let chosen = plan.comparing.decide;
        chosen
            .and_then(|figure| Self::of_figure(figure, closed))
            .unwrap_or(Self::default_primary(closed))
    }

    /// The metrics compared for a workload; the primary metric is first.
    pub fn of_workload(plan: &Plan, workload: &Workload) -> Vec<Self> {
        let primary = Self::primary(plan, workload);
        let usual = Self::of_load(workload.load.pace == Pace::Closed)
            .iter()
            .copied();
        let others = usual.filter(|metric| *metric != primary);
        std::iter::once(primary).chain(others).collect()
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

    /// Whether higher values are better; otherwise lower values are.
    pub fn higher_is_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Bandwidth)
    }

    /// The unit of the figure.
    pub fn unit(self) -> Unit {
        match self {
            Self::Throughput => RATE,
            Self::Bandwidth => BANDWIDTH,
            Self::ServerMemory => BYTES,
            Self::Service(_) | Self::Response(_) | Self::ServerCpu => TIME,
        }
    }

    /// A figure of the metric as an argument of a message.
    pub fn value(self, figure: f64) -> Value {
        match self {
            Self::Throughput => Value::Rate(figure),
            Self::Bandwidth => Value::Bandwidth(figure),
            // The cast saturates.
            Self::ServerMemory => Value::Bytes(figure as u64),
            Self::Service(_) | Self::Response(_) | Self::ServerCpu => Value::Seconds(figure),
        }
    }

    /// The metric's name in a sentence.
    pub fn message(self) -> Message {
        match self {
            Self::Throughput => message!("metric-throughput"),
            Self::Service(statistic) => with(message!("metric-service-time"), statistic),
            Self::Response(statistic) => with(message!("metric-response-time"), statistic),
            Self::ServerCpu => message!("metric-server-cpu"),
            Self::Bandwidth => message!("metric-bandwidth"),
            Self::ServerMemory => message!("metric-server-memory"),
        }
    }
}

/// The message with a statistic: the mean, the median or another percentile.
fn with(message: Message, statistic: Statistic) -> Message {
    match statistic {
        Statistic::Mean => message.with("statistic", Value::word("mean")),
        Statistic::Quantile(quantile) if quantile.as_percent() == 50.0 => {
            message.with("statistic", Value::word("median"))
        }
        Statistic::Quantile(quantile) => {
            let message = message.with("statistic", Value::word("percentile"));
            message.with("percent", Value::Ordinal(quantile.as_percent()))
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, statistic) = match self {
            Self::Throughput => return f.write_str("throughput"),
            Self::ServerCpu => return f.write_str("server_cpu"),
            Self::Bandwidth => return f.write_str("bandwidth"),
            Self::ServerMemory => return f.write_str("server_memory"),
            Self::Service(statistic) => ("service", statistic),
            Self::Response(statistic) => ("response", statistic),
        };
        match statistic {
            Statistic::Mean => write!(f, "{kind}_mean"),
            Statistic::Quantile(quantile) => write!(f, "{kind}_{quantile}"),
        }
    }
}

impl MetricName {
    /// The figure; `None` for one that only a newer version knows.
    pub fn known(&self) -> Option<Metric> {
        match self {
            Self::Known(metric) => Some(*metric),
            Self::Other(_) => None,
        }
    }

    /// Whether the figure is one of `metrics`.
    pub fn is_one_of(&self, metrics: &[Metric]) -> bool {
        metrics.iter().any(|metric| self == metric)
    }
}

impl PartialEq<Metric> for MetricName {
    fn eq(&self, metric: &Metric) -> bool {
        matches!(self, Self::Known(known) if known == metric)
    }
}

/// No name, as in a document without the figure's.
impl Default for MetricName {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl From<Metric> for MetricName {
    fn from(metric: Metric) -> Self {
        Self::Known(metric)
    }
}

impl From<String> for MetricName {
    fn from(name: String) -> Self {
        Metric::named(&name).map_or(Self::Other(name), Self::Known)
    }
}

impl From<MetricName> for String {
    fn from(name: MetricName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(metric) => metric.fmt(f),
            Self::Other(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_and_written_again_as_it_was() {
        for name in [
            "throughput", "service_p50", "service_p99", "service_p99.9", "service_mean",
            "response_p50", "response_mean", "server_cpu", "bandwidth", "server_memory",
        ] {
            let read: MetricName = serde_json::from_value(name.into()).expect("a name");
            assert!(matches!(read, MetricName::Known(_)), "{name}");
            assert_eq!(serde_json::to_value(&read).expect("JSON"), name);
        }
        for name in [
            "service_p99.0", "service_", "energy_per_operation", "p99", "",
        ] {
            let read: MetricName = serde_json::from_value(name.into()).expect("a name");
            assert_eq!(read, MetricName::Other(name.to_owned()));
            assert_eq!(serde_json::to_value(&read).expect("JSON"), name);
        }
    }
}
