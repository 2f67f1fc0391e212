//! The result of a gate: whether a candidate is as good as its base.

use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::trust::Trust;

/// Whether the candidate is as good as the base, within a margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// The result.
    pub outcome: GateOutcome,
    /// Name of the target that the candidate is measured against.
    pub base: String,
    /// Name of the target that is judged.
    pub candidate: String,
    /// Trust in the comparison of the two.
    pub trust: Trust,
    /// Confidence of each decision, 0 to 1, however often the gate looked at the figures.
    pub confidence: f64,
    /// Number of tests for a regression that share the error of 1 − `confidence`, by Holm's
    /// correction.
    pub tests: u64,
    /// Rounds measured.
    pub rounds: u32,
    /// Maximum number of rounds.
    pub most_rounds: u32,
    /// Time from the first to the last slice, seconds.
    pub seconds: f64,
    /// Maximum time, seconds.
    pub budget_seconds: f64,
    /// Whether a result that cannot tell counts as passed.
    pub passes_untold: bool,
    /// Whether a passing result counts as failed if the comparison is SUSPECT.
    pub fails_suspect: bool,
    /// The figures, by workload; those that the plan requires come first.
    pub figures: Vec<GateFigure>,
}

/// The result of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// Every figure is proven not worse than the margin allows.
    Pass,
    /// A figure is proven worse, by more than the margin according to its estimate.
    Regression,
    /// Neither is proven.
    CannotTell,
    /// The numbers of the run cannot be used.
    Invalid,
}

/// One figure of the candidate against the same figure of the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateFigure {
    /// Name of the workload.
    pub workload: String,
    /// Name of the figure, for example `throughput` or `service_p99`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub metric: MetricName,
    /// Whether higher values are better.
    pub higher_is_better: bool,
    /// Why the figure is tested.
    pub role: GateRole,
    /// How much worse the candidate may be, as a share.
    pub margin: f64,
    /// The candidate's figure divided by the base's; null if unknown.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval; null while nothing is excluded. Each end holds with at least
    /// 95 %, at every number of rounds at once, and has the error of the test on its side.
    pub low: Option<f64>,
    /// Upper end of the ratio's interval; null while nothing is excluded.
    pub high: Option<f64>,
    /// Number of blocks with a ratio. A block of two targets has two rounds.
    pub blocks: u64,
    /// Evidence (an e-value) against "worse than the margin allows".
    pub evidence_not_worse: f64,
    /// Evidence (an e-value) against "not worse".
    pub evidence_worse: f64,
    /// p-value of "not worse" after Holm's correction.
    pub adjusted_p: f64,
    /// What is proven of the figure.
    pub standing: GateStanding,
    /// Whether the result of the gate follows from this figure.
    pub decides: bool,
}

/// Why a gate tests a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateRole {
    /// The gate passes only if the figure passes.
    Required,
    /// The figure decides if the first figure of the workload cannot tell.
    Fallback,
}

/// What is proven of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateStanding {
    /// Not worse than the margin allows.
    NotWorse,
    /// Worse.
    Worse,
    /// Neither.
    CannotTell,
    /// The figure has no ratio.
    Unknown,
}

impl Gate {
    /// The figures from which the result follows.
    pub fn deciding(&self) -> impl Iterator<Item = &GateFigure> {
        self.figures.iter().filter(|figure| figure.decides)
    }

    /// Whether the gate passes: its outcome counts as passed, and its trust does not make it fail.
    pub fn passes(&self) -> bool {
        self.outcome_passes() && !self.fails_as_suspect()
    }

    /// Whether the gate fails, although no figure says so, because the comparison is SUSPECT.
    pub fn fails_as_suspect(&self) -> bool {
        self.outcome_passes() && self.fails_suspect && self.trust == Trust::Suspect
    }

    fn outcome_passes(&self) -> bool {
        match self.outcome {
            GateOutcome::Pass => true,
            GateOutcome::CannotTell => self.passes_untold,
            GateOutcome::Regression | GateOutcome::Invalid => false,
        }
    }

    /// Whether a figure decided that stands in for a figure that could not tell.
    pub fn fell_back(&self) -> bool {
        self.deciding()
            .any(|figure| figure.role == GateRole::Fallback)
    }
}
