//! The comparison of a run with an earlier run, as in `result.json` and `tenbin compare`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// A run compared with an earlier run of the same experiment. The two runs were not interleaved:
/// an interval covers the variation inside the runs, and only the controls show how the machine
/// changed between the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Earlier {
    /// The earlier run.
    pub before: String,
    /// The later run.
    pub after: String,
    /// Reasons against the comparison, one sentence each.
    pub warnings: Vec<String>,
    /// The runs that are INVALID or SUSPECT, INVALID first; absent if both are VALID.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// Range of the controls' ratios; null without controls.
    pub controls: Option<ControlRange>,
    /// Targets that are identical in both runs and serve as controls for the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// Number of comparisons whose intervals hold simultaneously: all except the controls.
    #[serde(default)]
    pub together: u64,
    /// Every workload on every target that occurs in both runs.
    pub changes: Vec<EarlierChange>,
}

/// A run or file that is INVALID or SUSPECT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    /// Name of the run or file.
    pub name: String,
    /// How far it can be trusted.
    pub trust: Trust,
    /// The reason, as a clause.
    pub why: String,
}

/// The range of the controls' ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlRange {
    /// Number of controls.
    pub count: u64,
    /// Lowest ratio.
    pub low: f64,
    /// Highest ratio.
    pub high: f64,
}

/// One workload on one target, in the earlier and the later run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierChange {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target; null if the file names no target.
    pub target: Option<String>,
    /// Role in the comparison.
    pub part: EarlierPart,
    /// Whether `before` and `after` are times in seconds (lower is better) instead of operations
    /// per second.
    pub timed: bool,
    /// Median in the earlier run.
    pub before: Option<Figure>,
    /// Median in the later run.
    pub after: Option<Figure>,
    /// Speed of the later run divided by speed of the earlier run; above 1 is faster. Decides only
    /// without controls.
    pub ratio: Option<Figure>,
    /// The ratio divided by the change of the controls, with their uncertainty in the interval.
    /// This interval decides. Null without controls.
    #[serde(default)]
    pub divided: Option<Figure>,
    /// Two-sided rank-sum p-value of "no change"; null if the controls are other workloads.
    pub p: Option<f64>,
    /// The p-value after Bonferroni's correction over all comparisons except the controls.
    pub adjusted_p: Option<f64>,
    /// The outcome.
    pub change: EarlierOutcome,
}

/// Role of a workload in a comparison with an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarlierPart {
    /// The user named it as changed.
    Changed,
    /// A control: the user named other workloads as changed, or the target is identical in both
    /// runs, so any change comes from the machine.
    Control,
    /// The user named nothing as changed.
    Unnamed,
}

/// Outcome of a comparison with an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarlierOutcome {
    /// Faster than before, with the change of the controls divided out.
    Faster,
    /// Slower than before, with the change of the controls divided out.
    Slower,
    /// The same within 5 %, with the change of the controls divided out.
    Equivalent,
    /// The change cannot be distinguished from the drift of the machine.
    Drift,
    /// The runs differ, and without a control the cause is unknown.
    Differs,
    /// The interval allows both directions.
    CannotTell,
    /// Too few values in one of the runs for an interval.
    TooFew,
    /// One of the runs cannot be trusted, or the two runs received different responses.
    NoVerdict,
}

impl EarlierOutcome {
    /// The outcome as printed.
    pub fn words(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent within 5 %",
            Self::Differs => "differs between runs, cause unknown",
            Self::Drift => "not distinguishable from the drift of the machine",
            Self::CannotTell => "cannot tell",
            Self::TooFew => "cannot tell: too few repetitions",
            Self::NoVerdict => "no verdict",
        }
    }

    /// Whether the outcome leaves open how the speed changed.
    pub fn is_undecided(self) -> bool {
        !matches!(self, Self::Faster | Self::Slower | Self::Equivalent)
    }
}
