//! A run against an earlier one, as `result.json` and `tenbin compare` have it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// A run against an earlier one of the same question. They were not interleaved: an interval
/// covers what varied inside the runs, and only the controls show what the machine did between
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Earlier {
    /// What came before.
    pub before: String,
    /// What came after.
    pub after: String,
    /// What speaks against comparing them, a sentence each.
    pub warnings: Vec<String>,
    /// Sides that are INVALID or SUSPECT, INVALID ones first; absent if both are VALID.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// How far the controls moved; null without controls.
    pub controls: Option<ControlRange>,
    /// Targets that are the same in both runs, and controls for the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// Comparisons whose intervals hold together: all that are not controls.
    #[serde(default)]
    pub together: u64,
    /// Every workload on every target that both have.
    pub changes: Vec<EarlierChange>,
}

/// A run or file that is INVALID or SUSPECT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    /// Which.
    pub name: String,
    /// How far it can be trusted.
    pub trust: Trust,
    /// Why; a clause.
    pub why: String,
}

/// The range of the controls' ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlRange {
    /// How many there are.
    pub count: u64,
    /// Lowest ratio.
    pub low: f64,
    /// Highest ratio.
    pub high: f64,
}

/// One workload on one target, before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierChange {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target; null where the file names none.
    pub target: Option<String>,
    /// What it is to the comparison.
    pub part: EarlierPart,
    /// Whether `before` and `after` are seconds, of which less is better, rather
    /// than operations a second.
    pub timed: bool,
    /// Median before.
    pub before: Option<Figure>,
    /// Median after.
    pub after: Option<Figure>,
    /// Speed after divided by speed before: above 1 is faster. Decides only without a control.
    pub ratio: Option<Figure>,
    /// The same divided by the change of the controls, whose uncertainty is in the interval: this
    /// interval decides. Null without a control.
    #[serde(default)]
    pub divided: Option<Figure>,
    /// Two-sided rank-sum p-value of "no change"; null where the controls are other workloads.
    pub p: Option<f64>,
    /// The same after Bonferroni's correction over all that is not a control.
    pub adjusted_p: Option<f64>,
    /// What it says.
    pub change: EarlierWord,
}

/// What a workload is to a comparison with an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarlierPart {
    /// It was named as changed.
    Changed,
    /// Others were named, or the target is the same in both runs, so that this one shows what the
    /// machine did.
    Control,
    /// Nothing was named.
    Unnamed,
}

/// What a comparison with an earlier run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarlierWord {
    /// Faster than before, with the change of the controls divided out.
    Faster,
    /// Slower than before, with the change of the controls divided out.
    Slower,
    /// The same within 5 %, with the change of the controls divided out.
    Equivalent,
    /// Not distinguishable from the drift of the machine.
    Drift,
    /// The runs differ, and without a control nobody can say why.
    Differs,
    /// The interval allows both.
    CannotTell,
    /// Too few values on a side for an interval.
    TooFew,
    /// One of the runs cannot be believed, or the two did not get the same responses.
    NoVerdict,
}

impl EarlierWord {
    /// The words for it.
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

    /// Whether it leaves open what the change between the runs did.
    pub fn is_undecided(self) -> bool {
        !matches!(self, Self::Faster | Self::Slower | Self::Equivalent)
    }
}
