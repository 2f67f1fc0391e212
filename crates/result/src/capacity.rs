//! What targets can do at most, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::Outcome;
use crate::figure::Figure;
use crate::trust::Trust;

/// What a target can do at most of workloads that differ in their connections only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Capacity {
    /// What the names of the workloads have in common.
    pub family: String,
    /// Name of the target.
    pub target: String,
    /// Every level, the fewest connections first.
    pub levels: Vec<CapacityLevel>,
    /// Where more connections stop to be worth their while; null where a level has no
    /// figure.
    pub knee: Option<Knee>,
    /// Connections of the level with the largest median throughput.
    pub peak_connections: Option<u64>,
    /// Throughput of that level.
    pub peak: Option<Figure>,
    /// How many workers, each busy with one operation at a time, would do as much: the
    /// largest throughput times the mean service time on the fewest connections. There may
    /// be more of them where the knee was not passed.
    pub workers: Option<Figure>,
    /// The Universal Scalability Law fitted to the levels; null with fewer than six.
    pub usl: Option<UslResult>,
    /// Throughput on the way down divided by that on the way up, over all levels.
    pub hysteresis: Option<Figure>,
    /// How far all of that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}

/// One level of connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityLevel {
    /// Name of the workload.
    pub workload: String,
    /// Connections.
    pub connections: u64,
    /// Work done a second.
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
    /// Work done, over all slices that ran their full time; null in documents of versions
    /// that did not say.
    #[serde(default)]
    pub ok: Option<u64>,
    /// Work that failed, over the same.
    #[serde(default)]
    pub failed: Option<u64>,
    /// Throughput times mean service and think time, divided by the connections:
    /// Little's law has it at 1.
    pub little: Option<f64>,
    /// Throughput on the way down divided by that on the way up.
    pub down_to_up: Option<Figure>,
}

/// The fewest connections beyond which two doublings add less than 3 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// Connections.
    pub connections: u64,
    /// Whether it is there, or there or further up: false when two doublings beyond
    /// were not tested.
    pub found: bool,
}

/// X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). Intervals are of the percentile bootstrap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UslResult {
    /// λ: work a second on one connection.
    pub lambda: Option<Figure>,
    /// σ: share of the work that waits for its turn.
    pub sigma: Option<Figure>,
    /// κ: cost of agreement between each two.
    pub kappa: Option<Figure>,
    /// Connections at which throughput is largest; null beyond twice the most tested.
    pub peak_connections: Option<Figure>,
    /// The throughput there.
    pub peak_throughput: Option<Figure>,
    /// Largest distance of a level from the law, as a share of the law.
    pub worst_misfit: f64,
}

/// The most that a challenger gives against the most that the baseline gives, each on
/// the connections that suit it best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityComparison {
    /// What the names of the workloads have in common.
    pub family: String,
    /// The target compared with.
    pub baseline: String,
    /// Connections on which it gives the most.
    pub baseline_connections: u64,
    /// The target that is compared.
    pub challenger: String,
    /// Connections on which it gives the most.
    pub challenger_connections: u64,
    /// The challenger's throughput divided by the baseline's.
    pub ratio: Option<Figure>,
    /// The ratio in each block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// What it says of the challenger.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}
