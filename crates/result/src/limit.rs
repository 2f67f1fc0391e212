//! What limited a target, as in `result.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::message::FindingData;

/// What limited one workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The limit, by the name in `tenbin explain limit`; null if unknown.
    pub cause: Option<String>,
    /// How sure it is.
    pub certainty: Certainty,
    /// The causes that predict what was seen best, if the limit is unknown; the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// What was seen, by name; unknown figures are absent. See `tenbin explain limit`.
    pub figures: BTreeMap<String, f64>,
    /// How well each cause predicts what was seen, −1 to 1. Causes that contradict it are absent.
    pub scores: BTreeMap<String, f64>,
    /// The limit and what shows it, in English.
    pub evidence: String,
    /// What to do, in English.
    pub advice: String,
    /// Both sentences as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<FindingData>,
}

/// How sure a limit is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Two causes or more fit what was seen, or none.
    #[default]
    Unknown,
    /// The cause fits best, but what would settle it was not measured.
    Likely,
    /// The load was changed, and what changed fits only this cause.
    Established,
}
