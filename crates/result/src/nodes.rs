//! How throughput scales with the nodes of a cluster, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// One cluster at one workload, by cluster size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeScaling {
    /// Name of the cluster in the plan.
    pub cluster: String,
    /// Name of the workload.
    pub workload: String,
    /// The steps from each size to the next larger one.
    pub steps: Vec<NodeStep>,
    /// How far the result can be trusted.
    pub trust: Trust,
    /// The throughputs in one sentence.
    pub sentence: String,
}

/// A step from one cluster size to the next. The first step goes from the baseline, which is not a
/// size of the cluster, to the smallest size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeStep {
    /// Nodes that this step adds: `the first node`, `node 2`.
    pub what: String,
    /// Name of the target.
    pub target: String,
    /// Number of nodes of the target.
    pub nodes: u64,
    /// Name of the target with fewer nodes.
    pub against: String,
    /// Number of nodes of that target; null for the baseline, which is not a size of the cluster.
    pub against_nodes: Option<u64>,
    /// Throughput divided by the throughput of the target with fewer nodes.
    pub throughput: Option<Figure>,
    /// The same ratio for the median time: service time in a closed loop, response time in an open
    /// loop.
    pub median: Option<Figure>,
    /// The same ratio for the 99th percentile.
    pub p99: Option<Figure>,
}
