//! Expectations, optima of parameter sweeps and the reason why a run ended, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::message::Message;
use crate::trust::Trust;

/// The condition that ended a complete run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunEnded {
    /// The fixed number of planned rounds was measured.
    Planned,
    /// The primary ratios reached the precision that the plan sets.
    Precise,
    /// The maximum number of rounds was measured before the primary ratios reached the precision
    /// that the plan sets, or before the gate could tell.
    MostRounds,
    /// The gate could tell.
    Decided,
    /// The time of the gate was over before the gate could tell.
    Budget,
}

/// A condition on a target's figure for one workload (`--expect`, `--fail-if`), and the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expectation {
    /// Whether the condition comes from `--fail-if`: the expectation then counts as violated only
    /// if the condition is proven true.
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
    /// The measured figure; if `unit` is `ratio`, its ratio to the baseline's figure.
    pub figure: Option<Figure>,
    /// Whether the figure is the largest observed time: an extreme value without an interval, not
    /// an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extreme: bool,
    /// The outcome.
    pub standing: Standing,
    /// Why the expectation could not be decided, or how it was decided although the figure cannot be
    /// trusted; null if the figure decided.
    pub why: Option<String>,
    /// The reason as data; absent in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Message>,
}

impl Expectation {
    /// Whether the expectation is proven to be violated.
    pub fn is_violated(&self) -> bool {
        self.standing == Standing::NotMet
    }

    /// Whether an `--expect` condition could not be decided; always false for `--fail-if`.
    pub fn is_undecided(&self) -> bool {
        self.standing == Standing::CannotTell && !self.fails_if
    }
}

/// Unit of a figure in an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Bytes.
    Bytes,
    /// A ratio to the baseline's figure.
    Ratio,
}

/// The outcome of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The expectation is met: the `--expect` condition is true, or the `--fail-if` condition is
    /// false, over the whole confidence interval.
    Met,
    /// The expectation is violated: the `--expect` condition is false, or the `--fail-if` condition
    /// is true, over the whole confidence interval.
    NotMet,
    /// The run is inconclusive, or its numbers cannot be trusted.
    CannotTell,
}

/// The optimum of a parameter sweep for one workload: the smallest parameter value that no other
/// value outperforms by more than the margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Optimum {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target in the plan whose parameters are swept.
    pub sweep: String,
    /// Names of all targets of the sweep, in ascending order of the parameter values.
    pub targets: Vec<String>,
    /// Name of the target with the optimal value.
    pub target: String,
    /// The optimal parameters, for example `workers=4`.
    pub place: String,
    /// The primary figure of the target with the optimal value.
    pub figure: Option<Figure>,
    /// The parameters of the next-best target, for example `workers=8`.
    pub rival: Option<String>,
    /// Ratio of the next-best target's figure to the optimum's; inverted if lower is better, so
    /// that a ratio above 1 always means better.
    pub rival_ratio: Option<Figure>,
    /// The margin, as a share.
    pub margin: f64,
    /// Whether the intervals rule out a value that is better by more than the margin.
    pub certain: bool,
    /// How far the optimum can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

impl Optimum {
    /// Whether the optimum is the largest value tested, so that a still larger value might be
    /// better.
    pub fn is_largest(&self) -> bool {
        self.targets.len() > 1 && self.targets.last() == Some(&self.target)
    }

    /// The optimal parameters, with a remark if the optimum is the largest value tested.
    pub fn shown_place(&self) -> String {
        if self.is_largest() {
            format!("{}, the largest that was tried,", self.place)
        } else {
            self.place.clone()
        }
    }
}
