//! Whether the figures can be trusted, and the findings that say so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether numbers can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nothing speaks against them.
    Valid,
    /// They may mislead.
    Suspect,
    /// They cannot be believed.
    Invalid,
}

/// How far absolute figures can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbsoluteTrust {
    /// Never more than that of the run.
    pub trust: Trust,
    /// Why not, if the reason concerns absolute figures only: what was observed of each workload on
    /// each target.
    pub because: Vec<String>,
}

/// One observation about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule that made it.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Who has to change something: `generator`, `network`, `server`, `setup` or `question`.
    pub blame: String,
    /// The workload it is about; all of them when null.
    pub workload: Option<String>,
    /// The target it is about; all of them when null.
    pub target: Option<String>,
    /// What was seen.
    pub evidence: String,
    /// What to do.
    pub advice: String,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the numbers stand.
    Note,
    /// The numbers may mislead.
    Suspect,
    /// The numbers cannot be believed.
    Invalid,
}
