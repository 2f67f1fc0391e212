//! Expectations, optima of parameter sweeps and the reason why a run ended, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// Why a complete run ended when it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnded {
    /// All planned rounds were measured; their number was fixed.
    Planned,
    /// The deciding ratios reached the precision that the plan sets.
    Precise,
    /// The maximum number of rounds was measured before the deciding ratios reached the precision
    /// that the plan sets.
    MostRounds,
}

/// A condition that a target is expected to meet at a workload (`--expect`, `--fail-if`), and the
/// outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// Whether the condition comes from `--fail-if`: the expectation is met unless the condition is
    /// proven true.
    #[serde(default)]
    pub fails_if: bool,
    /// The condition as the user wrote it, for example `p99<20ms`.
    pub condition: String,
    /// Name of the target.
    pub target: String,
    /// Name of the workload.
    pub workload: String,
    /// Unit of the figure.
    pub unit: ExpectedUnit,
    /// The measured figure, or its ratio to the baseline's figure.
    pub figure: Option<Figure>,
    /// Whether the figure is an extreme, the largest time: not an estimate, and so without an
    /// interval.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extreme: bool,
    /// The outcome.
    pub standing: Standing,
    /// Why the run is inconclusive; null if the expectation is decided.
    pub why: Option<String>,
}

impl Expectation {
    /// Whether the condition is proven to be violated.
    pub fn is_violated(&self) -> bool {
        self.standing == Standing::NotMet
    }

    /// Whether the run was expected to prove the condition and could not.
    pub fn is_undecided(&self) -> bool {
        self.standing == Standing::CannotTell && !self.fails_if
    }
}

/// Unit of a figure in an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedUnit {
    /// Operations per second.
    PerSecond,
    /// Seconds.
    Seconds,
    /// A share from 0 to 1.
    Share,
    /// Bytes per second.
    BytesPerSecond,
    /// A ratio to the baseline.
    Ratio,
}

/// The outcome of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The whole interval meets the condition.
    Met,
    /// The whole interval violates the condition.
    NotMet,
    /// The run is inconclusive, or its numbers cannot be trusted.
    CannotTell,
}

/// The smallest parameter value of a sweep that no other value beats by more than the margin, at
/// one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Optimum {
    /// Name of the workload.
    pub workload: String,
    /// The target whose parameters the plan sweeps.
    pub sweep: String,
    /// Every target of the sweep, in ascending order of the parameter values.
    pub targets: Vec<String>,
    /// The target with the optimal value.
    pub target: String,
    /// The optimal parameters, for example `workers=4`.
    pub place: String,
    /// The primary figure of that target.
    pub figure: Option<Figure>,
    /// The parameters of the next best value.
    pub rival: Option<String>,
    /// The next best value's figure relative to the optimum; above 1 is better.
    pub rival_ratio: Option<Figure>,
    /// The margin, as a share.
    pub margin: f64,
    /// Whether the intervals exclude that another value is better by more than the margin.
    pub certain: bool,
    /// How far the optimum can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

impl Optimum {
    /// Whether the optimum is the largest value tested, so that a larger one might be better still.
    pub fn is_largest(&self) -> bool {
        self.targets.len() > 1 && self.targets.last() == Some(&self.target)
    }

    /// The optimal parameters, and whether they are the largest tested.
    pub fn shown_place(&self) -> String {
        match self.is_largest() {
            true => format!("{}, the largest that was tried,", self.place),
            false => self.place.clone(),
        }
    }
}
