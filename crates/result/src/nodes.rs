//! How throughput scales with the nodes of a cluster, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// The throughput of one cluster on one workload, by cluster size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeScaling {
    /// Name of the cluster in the plan.
    pub cluster: String,
    /// Name of the workload.
    pub workload: String,
    /// The steps from each cluster size to the next larger size.
    pub steps: Vec<NodeStep>,
    /// How far the result can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

/// A step from one cluster size to the next larger size. The first step leads from the baseline,
/// which is not part of the cluster, to the smallest size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeStep {
    /// What this step adds: `the first node`, `node 2`.
    pub what: String,
    /// Name of the target with more nodes.
    pub target: String,
    /// Number of nodes of `target`.
    pub nodes: u64,
    /// Name of the target with fewer nodes.
    pub against: String,
    /// Number of nodes of `against`; null for the baseline, which is not part of the cluster.
    pub against_nodes: Option<u64>,
    /// Throughput of `target` divided by the throughput of `against`.
    pub throughput: Option<Figure>,
    /// Median time of `target` divided by the median time of `against`: service time in a closed
    /// loop, response time in an open loop.
    pub median: Option<Figure>,
    /// 99th percentile time of `target` divided by the 99th percentile time of `against`.
    pub p99: Option<Figure>,
}
