//! What the search for the highest rate has found, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trust::Trust;

/// The highest rate of one workload on one target within an objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The objective, for example `p99<10ms,errors<0.1%`.
    pub slo: String,
    /// How the search ended.
    pub outcome: SearchOutcome,
    /// The highest rate that held, operations a second: the lower end of the interval that the
    /// limit lies in. Null when every proof failed.
    pub rate: Option<f64>,
    /// The lowest rate known to fail, the upper end.
    pub failed: Option<f64>,
    /// Rates between the two that were tried and could not be decided, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<f64>,
    /// What was missed there.
    pub missed: Option<String>,
    /// Every probe, in the order of the run, without those cut short.
    pub probes: Vec<SearchProbe>,
    /// How far all of that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchOutcome {
    /// The rate held in a longer probe at the end.
    Proven,
    /// The rate held, and was not proven.
    AtLeast,
    /// Every proof failed: what held in a short probe is not claimed.
    Disproven,
    /// No rate held.
    Below,
    /// Every operation failed, whatever the rate.
    Futile,
    /// Nothing was decided.
    Unknown,
}

/// One probe of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchProbe {
    /// Position of its slice in the run, from 0.
    pub slice: u32,
    /// Operations a second that were offered.
    pub rate: f64,
    /// Whether it is the longer one at the end.
    pub proof: bool,
    /// Length of its window.
    pub seconds: f64,
    /// Whether every limit was kept in this probe. Whether the rate held follows from all probes
    /// at it.
    pub held: bool,
    /// Whether chance may have decided.
    pub borderline: bool,
    /// The probe missed a limit and does not count against the target: the load generator sent too many
    /// requests late, or threads waited for a core for too long.
    #[serde(default)]
    pub void: bool,
    /// Each limit, and last whether the target kept up.
    pub limits: Vec<SearchLimit>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: f64,
}

/// One limit in one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLimit {
    /// The limit, as in the objective, or `keeps up`.
    pub limit: String,
    /// What was observed: a time, a share of errors, or for `keeps up` the share of the
    /// operations due by which those waiting grew.
    pub seen: Option<f64>,
    /// Whether it was kept.
    pub kept: bool,
}

/// The highest rate of a challenger against that of the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateComparison {
    /// Name of the workload.
    pub workload: String,
    /// The target compared with.
    pub baseline: String,
    /// The target that is compared.
    pub challenger: String,
    /// The challenger's highest rate divided by the baseline's.
    pub ratio: Option<f64>,
    /// The least it can be between what held and what failed; null when an end is open.
    pub low: Option<f64>,
    /// The most.
    pub high: Option<f64>,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}
