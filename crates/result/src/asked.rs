//! What a plan asks beyond which target is faster, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// Why a complete run ended when it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnded {
    /// Its rounds were done, of which there was a fixed number.
    Planned,
    /// Its deciding ratios were known as well as the plan asks for.
    Precise,
    /// Its most rounds were done, before its deciding ratios were known as well as
    /// the plan asks for.
    MostRounds,
}

/// Something that was expected of one target at one workload, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// Whether the condition is one to fail on: then it is met while the condition is not
    /// proven true.
    #[serde(default)]
    pub fails_if: bool,
    /// The condition as it is written, for example `p99<20ms`.
    pub condition: String,
    /// Name of the target.
    pub target: String,
    /// Name of the workload.
    pub workload: String,
    /// What the figure is counted in.
    pub unit: ExpectedUnit,
    /// The figure, or how many times the baseline's it is.
    pub figure: Option<Figure>,
    /// What came of it.
    pub standing: Standing,
    /// Why the run cannot tell; null when it can.
    pub why: Option<String>,
}

impl Expectation {
    /// Whether the condition is proven to be violated.
    pub fn is_violated(&self) -> bool {
        self.standing == Standing::NotMet
    }

    /// Whether the run had to prove something and could not.
    pub fn is_undecided(&self) -> bool {
        self.standing == Standing::CannotTell && !self.fails_if
    }
}

/// What a figure that something is expected of is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedUnit {
    /// Operations a second.
    PerSecond,
    /// Seconds.
    Seconds,
    /// A share of 1.
    Share,
    /// Bytes a second.
    BytesPerSecond,
    /// Times the baseline's.
    Ratio,
}

/// What came of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The whole interval is on the right side of the bound.
    Met,
    /// The whole interval is on the wrong side of the bound.
    NotMet,
    /// The run cannot tell, or its numbers cannot be believed.
    CannotTell,
}

/// The smallest value of a sweep that no other beats by more than the margin, at one
/// workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Optimum {
    /// Name of the workload.
    pub workload: String,
    /// What the plan calls the target that is swept.
    pub sweep: String,
    /// Every target of the sweep, the smallest values first.
    pub targets: Vec<String>,
    /// The target with the optimal value.
    pub target: String,
    /// Its parameters, for example `workers=4`.
    pub place: String,
    /// What it does, by the primary figure.
    pub figure: Option<Figure>,
    /// The parameters of the other value that comes nearest to beating it.
    pub rival: Option<String>,
    /// How many times as good as the optimum that one is; above 1 is better.
    pub rival_ratio: Option<Figure>,
    /// By how much another may be better, as a share.
    pub margin: f64,
    /// Whether no other can be better by more than that, intervals and all.
    pub certain: bool,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}

impl Optimum {
    /// Whether larger values were not tried, so that one of them may be better still.
    pub fn is_largest(&self) -> bool {
        self.targets.len() > 1 && self.targets.last() == Some(&self.target)
    }

    /// Its place, and whether the sweep ends there.
    pub fn shown_place(&self) -> String {
        match self.is_largest() {
            true => format!("{}, the largest that was tried,", self.place),
            false => self.place.clone(),
        }
    }
}
