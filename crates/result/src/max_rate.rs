//! Maximum-rate searches, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trust::Trust;

/// The maximum rate of one workload on one target within an objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The objective, for example `p99<10ms,errors<0.1%`.
    pub slo: String,
    /// Outcome of the search.
    pub outcome: SearchOutcome,
    /// The highest rate that held, operations per second: the lower bound of the limit. Null if
    /// every proof failed.
    pub rate: Option<f64>,
    /// The lowest rate that failed: the upper bound of the limit.
    pub failed: Option<f64>,
    /// Rates between the two bounds that were tried and could not be decided, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<f64>,
    /// The limits that were missed at the lowest rate that failed.
    pub missed: Option<String>,
    /// Every probe, in run order, without probes that were cut short.
    pub probes: Vec<SearchProbe>,
    /// How far the result can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

/// Outcome of a maximum-rate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchOutcome {
    /// The rate also held in a longer probe at the end.
    Proven,
    /// The rate held, but was not proven in a longer probe.
    AtLeast,
    /// Every proof failed, so the rate that held in a short probe is not reported.
    Disproven,
    /// No rate held.
    Below,
    /// Every operation failed at every rate.
    Futile,
    /// No rate was decided.
    Unknown,
}

/// One probe of a maximum-rate search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchProbe {
    /// Index of its slice in the run, from 0.
    pub slice: u32,
    /// Offered rate, operations per second.
    pub rate: f64,
    /// Whether this is the longer probe at the end.
    pub proof: bool,
    /// Length of its measurement window.
    pub seconds: f64,
    /// Whether every limit was met in this probe. Whether the rate held is decided from all probes
    /// at that rate.
    pub held: bool,
    /// Whether the result may be due to chance.
    pub borderline: bool,
    /// The probe missed a limit but does not count against the target: the load generator sent too
    /// many requests late, or its threads waited too long for a core.
    #[serde(default)]
    pub void: bool,
    /// Each limit; the last one is whether the target kept up.
    pub limits: Vec<SearchLimit>,
    /// CPU share of one core that the busiest generator thread used.
    pub client_busiest_thread: f64,
}

/// One limit in one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLimit {
    /// The limit, as in the objective, or `keeps up`.
    pub limit: String,
    /// The observed value: a time, a share of errors, or for `keeps up` the growth of the backlog
    /// as a share of the operations that were due.
    pub seen: Option<f64>,
    /// What `seen` is; null in documents of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<LimitKind>,
    /// Whether the limit was met.
    pub kept: bool,
}

/// What a limit of an objective is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// A time, seconds.
    Time,
    /// A share of the operations that failed.
    Errors,
    /// The backlog: its growth as a share of the operations due.
    Backlog,
}

/// The maximum rate of a challenger compared with the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateComparison {
    /// Name of the workload.
    pub workload: String,
    /// The baseline.
    pub baseline: String,
    /// The challenger.
    pub challenger: String,
    /// The challenger's maximum rate divided by the baseline's.
    pub ratio: Option<f64>,
    /// Lower bound of the ratio, from the rates that held and failed; null if a bound is missing.
    pub low: Option<f64>,
    /// Upper bound of the ratio.
    pub high: Option<f64>,
    /// How far the comparison can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}
