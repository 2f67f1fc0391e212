//! Concurrency sweeps, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::comparison::Outcome;
use crate::figure::Figure;
use crate::trust::Trust;

/// A concurrency sweep on one target: workloads that differ only in their number of connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConcurrencySweep {
    /// The common part of the workloads' names.
    pub family: String,
    /// Name of the target.
    pub target: String,
    /// The levels of the sweep, in ascending order of connections.
    pub levels: Vec<ConcurrencyLevel>,
    /// The knee: the number of connections beyond which more connections add little throughput.
    /// Null if the throughput of a level is unknown.
    pub knee: Option<Knee>,
    /// Connections at the level with the highest median throughput.
    pub peak_connections: Option<u64>,
    /// Throughput at `peak_connections`.
    pub peak: Option<Figure>,
    /// Estimated number of server workers that each process one operation at a time: highest
    /// throughput × mean service time at the level with the fewest connections. A lower bound if
    /// the sweep did not pass the knee.
    pub workers: Option<Figure>,
    /// The Universal Scalability Law fitted to the levels; null with fewer than six levels.
    pub usl: Option<UslResult>,
    /// Hysteresis: geometric mean throughput of all levels while connections decrease, divided by
    /// the geometric mean while connections increase.
    pub hysteresis: Option<Figure>,
    /// How far the result of the sweep can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

/// One level of a concurrency sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConcurrencyLevel {
    /// Name of the workload.
    pub workload: String,
    /// Number of connections.
    pub connections: u64,
    /// Throughput, operations per second.
    pub throughput: Option<Figure>,
    /// Mean service time.
    pub residence: Option<Figure>,
    /// Median service time.
    #[serde(default)]
    pub p50: Option<Figure>,
    /// 90th percentile of service time.
    #[serde(default)]
    pub p90: Option<Figure>,
    /// 99th percentile of service time.
    #[serde(default)]
    pub p99: Option<Figure>,
    /// Successful operations, over all slices that ran their full time; null in documents of older
    /// versions.
    #[serde(default)]
    pub ok: Option<u64>,
    /// Failed operations, over all slices that ran their full time; null in documents of older
    /// versions.
    #[serde(default)]
    pub failed: Option<u64>,
    /// Little's law: throughput × mean (service time + think time) ÷ connections. 1 if the law
    /// holds.
    pub little: Option<f64>,
    /// Throughput of this level while connections decrease divided by throughput while connections
    /// increase.
    pub down_to_up: Option<Figure>,
}

/// The knee: the fewest connections at which throughput is within 3 % of the highest throughput of
/// any level with up to four times as many connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Knee {
    /// Number of connections at the knee.
    pub connections: u64,
    /// Whether the sweep tested at least four times the connections of the knee. If false, the true
    /// knee is at `connections` or higher.
    pub found: bool,
}

/// The Universal Scalability Law X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) fitted to a sweep, with
/// percentile bootstrap intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UslResult {
    /// λ: operations per second on one connection.
    pub lambda: Option<Figure>,
    /// σ: share of the work that is serialized (contention).
    pub sigma: Option<Figure>,
    /// κ: coordination cost between each pair of connections (crosstalk).
    pub kappa: Option<Figure>,
    /// Connections at the highest throughput of the fit; null if this number is more than twice
    /// the highest number of connections tested.
    pub peak_connections: Option<Figure>,
    /// Highest throughput of the fit, operations per second; null if `peak_connections` is null.
    pub peak_throughput: Option<Figure>,
    /// Largest deviation of a measured level from the fit, as a share of the fit.
    pub worst_misfit: f64,
}

/// The highest throughput of a challenger compared with the highest throughput of the baseline,
/// each at the target's best number of connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConcurrencySweepComparison {
    /// The common part of the workloads' names.
    pub family: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Connections at the baseline's highest throughput.
    pub baseline_connections: u64,
    /// Name of the challenger.
    pub challenger: String,
    /// Connections at the challenger's highest throughput.
    pub challenger_connections: u64,
    /// The challenger's highest throughput divided by the baseline's.
    pub ratio: Option<Figure>,
    /// The ratio in each complete block, in run order.
    pub block_ratios: Vec<f64>,
    /// The outcome, from the challenger's point of view.
    pub outcome: Outcome,
    /// How far the comparison can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}
