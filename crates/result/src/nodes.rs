//! What nodes of a cluster are worth, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// One cluster at one workload, size after size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeLadder {
    /// What the plan calls the cluster.
    pub cluster: String,
    /// Name of the workload.
    pub workload: String,
    /// From each size to the next, the smallest first.
    pub steps: Vec<NodeStep>,
    /// How far all of that can be trusted.
    pub trust: Trust,
    /// The throughputs in one sentence.
    pub sentence: String,
}

/// From one size of a cluster to the next; or, first of all, from the baseline, which is no
/// size of it, to the smallest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeStep {
    /// Which nodes these are: `the first node`, `node 2`.
    pub what: String,
    /// Name of the target.
    pub target: String,
    /// Its nodes.
    pub nodes: u64,
    /// Name of the target that it is held against.
    pub against: String,
    /// Nodes of that; null where it is the baseline and no size of the cluster.
    pub against_nodes: Option<u64>,
    /// Throughput divided by that of the other.
    pub throughput: Option<Figure>,
    /// The same of the median time: of service time in a closed loop, of response time in an
    /// open one.
    pub median: Option<Figure>,
    /// The same of the 99th percentile.
    pub p99: Option<Figure>,
}
