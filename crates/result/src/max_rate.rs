//! Maximum-rate searches, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::trust::Trust;

/// The maximum rate at which one target meets an objective on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Search {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The objective, for example `p99<10ms,errors<0.1%`.
    pub slo: String,
    /// Outcome of the search.
    pub outcome: SearchOutcome,
    /// The highest rate that met the objective, operations per second: the lower bound of the
    /// maximum rate. Null if no rate is reported, for example because every proof failed.
    pub rate: Option<f64>,
    /// The lowest rate that missed the objective, operations per second: the upper bound of the
    /// maximum rate.
    pub failed: Option<f64>,
    /// Probed rates between `rate` and `failed` for which no decision was possible, in ascending
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<f64>,
    /// The limits of the objective that were missed at the lowest failed rate.
    pub missed: Option<String>,
    /// All probes in run order, except probes that were cut short.
    pub probes: Vec<SearchProbe>,
    /// How far the result can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
    /// The result as data, whatever the trust; absent in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Message>,
}

impl Search {
    /// Whether the search knows the maximum rate, a range that contains it, or that it is below every
    /// tried rate.
    pub fn has_result(&self) -> bool {
        match self.outcome {
            SearchOutcome::Proven => true,
            SearchOutcome::AtLeast => self.failed.is_some(),
            SearchOutcome::Below => self.undecided.is_empty(),
            SearchOutcome::Disproven | SearchOutcome::Futile | SearchOutcome::Unknown => false,
        }
    }
}

/// Outcome of a maximum-rate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SearchOutcome {
    /// The reported rate also met the objective in a longer probe, the proof, at the end.
    Proven,
    /// The reported rate met the objective, but was not confirmed by a longer probe.
    AtLeast,
    /// Every proof failed, so the rate that met the objective in a short probe is not reported.
    Disproven,
    /// No probed rate met the objective.
    Below,
    /// All operations failed at every probed rate.
    Futile,
    /// No probed rate could be decided.
    Unknown,
}

/// One probe of a maximum-rate search: a slice at a fixed offered rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchProbe {
    /// Index of the probe's slice in the run, from 0.
    pub slice: u32,
    /// Offered rate, operations per second.
    pub rate: f64,
    /// Whether this probe is the proof: the longer probe at the end.
    pub proof: bool,
    /// Length of the measurement window, seconds.
    pub seconds: f64,
    /// Whether this probe met every limit. All probes at a rate together decide whether the rate is
    /// accepted.
    pub held: bool,
    /// Whether a limit was met or missed so narrowly that chance may have decided.
    pub borderline: bool,
    /// Whether the probe missed a limit because of the load generator and so does not count:
    /// requests were sent late, or generator threads waited too long for a core.
    #[serde(default)]
    pub void: bool,
    /// The outcome of each limit of the objective. The last entry, `keeps up`, states whether the
    /// target kept up with the offered rate.
    pub limits: Vec<SearchLimit>,
    /// CPU use of the busiest generator thread, as a share of one core.
    pub client_busiest_thread: f64,
}

/// The outcome of one limit of the objective in one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchLimit {
    /// The limit as written in the objective, or `keeps up`.
    pub limit: String,
    /// The observed value: a time in seconds, a share of failed operations, or, for `keeps up`, the
    /// growth of the backlog as a share of the operations due.
    pub seen: Option<f64>,
    /// Kind of the value in `seen`; null in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<LimitKind>,
    /// Whether the limit was met.
    pub kept: bool,
}

/// The kind of value that a limit bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// A latency, seconds.
    Time,
    /// The share of operations that failed.
    Errors,
    /// The growth of the backlog, as a share of the operations due.
    Backlog,
}

/// The maximum rate of a challenger compared with the maximum rate of the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RateComparison {
    /// Name of the workload.
    pub workload: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Name of the challenger.
    pub challenger: String,
    /// The challenger's maximum rate divided by the baseline's.
    pub ratio: Option<f64>,
    /// Lower bound of the ratio, from the bounds of the two maximum rates; null if a bound is
    /// unknown.
    pub low: Option<f64>,
    /// Upper bound of the ratio; null if a bound is unknown.
    pub high: Option<f64>,
    /// How far the comparison can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}
