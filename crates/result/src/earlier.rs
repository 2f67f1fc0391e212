//! The comparison of a run with an earlier run, as in `result.json` and `tenbin compare`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::message::{FindingData, Message};
use crate::trust::Trust;

/// A run compared with an earlier run of the same experiment. The two runs were not interleaved, and
/// each run is one observation: an interval from the values inside the runs does not cover the
/// variation from run to run. Changes of the machine between the runs show only in the controls:
/// workloads and targets that did not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Earlier {
    /// Name of the earlier run.
    pub before: String,
    /// Name of the later run.
    pub after: String,
    /// Reasons to doubt the comparison, one sentence each.
    pub warnings: Vec<String>,
    /// The warnings as data, in the same order; absent in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warning_data: Vec<Message>,
    /// The INVALID or SUSPECT runs, INVALID first; absent if both runs are VALID.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// Range of the controls' ratios; null without controls.
    pub controls: Option<ControlRange>,
    /// Reasons why no change can be called faster, slower or equivalent; absent without a reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Names of targets that are identical in both runs and so serve as controls for the other
    /// targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// Number of comparisons whose intervals hold simultaneously: all comparisons except the
    /// controls.
    #[serde(default)]
    pub together: u64,
    /// The change of each workload on each target, for all pairs that occur in both runs.
    pub changes: Vec<EarlierChange>,
}

/// A run or file that is INVALID or SUSPECT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Doubt {
    /// Name of the run or file.
    pub name: String,
    /// How far the run or file can be trusted.
    pub trust: Trust,
    /// The reason, as a clause.
    pub why: String,
    /// The finding that is the reason, as data; absent for files of other tools and in documents of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<DoubtFinding>,
    /// The reason as data, if no finding is the reason; absent for files of other tools and in
    /// documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Message>,
}

/// The finding because of which a run is INVALID or SUSPECT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoubtFinding {
    /// Name of the rule.
    pub rule: String,
    /// What it says.
    pub data: FindingData,
}

/// A reason why no change between two runs can be called faster, slower or equivalent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// The run or file with this name is SUSPECT or INVALID.
    NotValid(String),
    /// Whether the file with this name is VALID is unknown: Tenbin did not measure it.
    Unjudged(String),
    /// A control changed between the runs by more than a factor of `limit`.
    ControlMoved {
        /// The control's ratio that is farthest from 1, later run ÷ earlier run.
        ratio: f64,
        /// The largest accepted factor of change, up or down.
        limit: f64,
    },
}

/// How much the ratio of a target to its control varies from run to run if nothing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunToRun {
    /// Standard deviation of the logarithm of the ratio from run to run.
    pub deviation: f64,
    /// Degrees of freedom of the deviation, from earlier runs; null if the deviation is assumed.
    pub freedom: Option<u64>,
    /// Factor of change, above 1, that two runs must exceed to show a change, even if nothing
    /// varies inside the runs.
    pub least_factor: f64,
}

/// The range of the ratios (later run ÷ earlier run) of all controls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ControlRange {
    /// Number of controls.
    pub count: u64,
    /// Lowest ratio.
    pub low: f64,
    /// Highest ratio.
    pub high: f64,
}

/// One workload on one target in the earlier and the later run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EarlierChange {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target; null if a compared file of another tool names no target.
    pub target: Option<String>,
    /// Role of the workload and target in the comparison.
    pub part: EarlierPart,
    /// Whether `before` and `after` are times in seconds (lower is better) instead of operations
    /// per second.
    pub timed: bool,
    /// The unit of `before` and `after`, such as `B/op`, if a file of another tool has figures in it;
    /// null for speeds and times.
    #[serde(default)]
    pub unit: Option<String>,
    /// Whether it is unknown if higher or lower figures in `unit` are better: `ratio` is then `after`
    /// ÷ `before`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undirected: bool,
    /// Median over the slices of the earlier run, or over the repetitions in a file of another
    /// tool.
    pub before: Option<Figure>,
    /// Median over the slices of the later run, or over the repetitions in a file of another tool.
    pub after: Option<Figure>,
    /// Speed in the later run divided by speed in the earlier run; above 1 is faster. For figures in
    /// another unit, above 1 is better. Decides the outcome only if no controls exist.
    pub ratio: Option<Figure>,
    /// The ratio divided by the change of the controls; the interval includes the uncertainty of
    /// the controls and the variation from run to run, and decides the outcome. Null without
    /// controls.
    #[serde(default)]
    pub divided: Option<Figure>,
    /// The variation from run to run in the interval of `divided`; null without controls.
    #[serde(default)]
    pub run_to_run: Option<RunToRun>,
    /// Two-sided rank-sum p-value of "no change" inside the runs; null if the ratio is divided by
    /// the change of controls.
    pub p: Option<f64>,
    /// The p-value after Bonferroni correction over all comparisons except the controls.
    pub adjusted_p: Option<f64>,
    /// The outcome.
    pub change: EarlierOutcome,
}

/// Role of a workload on a target in a comparison with an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EarlierPart {
    /// The user named the workload as changed.
    Changed,
    /// A control: the user named only other workloads as changed, or the target is identical in
    /// both runs, so that any change comes from the machine.
    Control,
    /// The user named no workload as changed.
    Unnamed,
}

/// Outcome of a comparison with an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EarlierOutcome {
    /// Faster than in the earlier run, after dividing out the change of the controls.
    Faster,
    /// Slower than in the earlier run, after dividing out the change of the controls.
    Slower,
    /// Equal within 5 %, after dividing out the change of the controls.
    Equivalent,
    /// The change cannot be distinguished from the drift of the machine.
    Drift,
    /// The runs differ, and the cause is unknown: there is no control, a control changed too, or a
    /// run is not VALID.
    Differs,
    /// The interval is compatible with faster and slower.
    CannotTell,
    /// One of the runs has too few values for an interval.
    TooFew,
    /// A figure of one of the runs is 0 or negative.
    NoRatio,
    /// One of the runs cannot be trusted, or the two runs received different responses.
    NoVerdict,
}

impl EarlierOutcome {
    /// The outcome as printed in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent within 5 %",
            Self::Differs => "differs between runs, cause unknown",
            Self::Drift => "not distinguishable from the drift of the machine",
            Self::CannotTell => "cannot tell",
            Self::TooFew => "cannot tell: too few repetitions",
            Self::NoRatio => "cannot tell: no ratio to 0",
            Self::NoVerdict => "no verdict",
        }
    }

    /// Whether the outcome leaves open how the speed changed.
    pub fn is_undecided(self) -> bool {
        !matches!(self, Self::Faster | Self::Slower | Self::Equivalent)
    }
}
