//! The parts of the agents in the results and in the comparisons.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::metric::MetricName;

/// The part of one agent in the result of a workload on a target. Figures come from the full slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentResult {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Name of the agent.
    pub agent: String,
    /// Correct operations per second that the agent completed.
    pub throughput: Option<Figure>,
    /// Median time of the agent's operations: service time in a closed loop, response time in an
    /// open loop.
    pub p50: Option<Figure>,
    /// 99th percentile of the time of the agent's operations.
    pub p99: Option<Figure>,
    /// Busy share of the CPU time of all cores of the agent's machine; median over the slices.
    pub cpu_busy: Option<f64>,
    /// Share of one core that the agent's busiest load generator thread used; median over the
    /// slices.
    pub busiest_thread: Option<f64>,
    /// Shortest round trip from the agent to the target on TCP; median over the slices.
    pub min_rtt: Option<f64>,
    /// Shortest round trip from the coordinator to the agent through the NATS server; median over
    /// the slices.
    pub round_trip: Option<f64>,
}

/// One figure of a challenger compared with the baseline, by agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentRatios {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target that serves as the reference.
    pub baseline: String,
    /// Name of the target that is compared with the baseline.
    pub challenger: String,
    /// Machine-readable name of the figure, as in `comparisons`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub metric: MetricName,
    /// Name of the figure as used in sentences.
    pub metric_phrase: String,
    /// The agents, in the order of their numbers.
    pub agents: Vec<AgentRatio>,
}

/// A ratio of two targets as one agent measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentRatio {
    /// Name of the agent.
    pub agent: String,
    /// The challenger's figure divided by the baseline's, over the same blocks as in `comparisons`.
    pub ratio: Option<Figure>,
    /// This agent's ratio divided by the geometric mean of the ratios of the other agents in the
    /// same block. The intervals of all agents and of all hypotheses of the plan hold together.
    pub to_others: Option<Figure>,
}
