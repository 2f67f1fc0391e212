//! A comparison of two targets, levels or workloads, and its outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// One challenger against the baseline at one workload, by one figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name of the workload.
    pub workload: String,
    /// The target compared with.
    pub baseline: String,
    /// The target that is compared.
    pub challenger: String,
    /// By what, for machines: for example `throughput` or `service_p99`.
    pub metric: String,
    /// By what, for people.
    pub metric_phrase: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Whether this is the figure that decides the workload.
    pub primary: bool,
    /// At a level of a sweep of connections: the name of the sweep. The level is no question
    /// beside the curve, its interval holds for it alone, and it is called different only where
    /// the curve is.
    #[serde(default)]
    pub level_of: Option<String>,
    /// Whether the challenger is the baseline's twin: then the ratio is noise.
    #[serde(default)]
    pub twin: bool,
    /// The challenger's figure divided by the baseline's. The interval is the one that decides; its
    /// confidence is that of this interval taken alone, see `together`.
    pub ratio: Option<Figure>,
    /// The comparisons whose intervals hold together, this one among them; null where it
    /// stands alone, and in documents of versions that corrected p-values only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Of a primary figure with flagged slices on either side: the ratio without the
    /// blocks that they are in.
    #[serde(default)]
    pub without_flagged: Option<Figure>,
    /// The smallest effect that is called a difference, as a share.
    #[serde(default)]
    pub noise_floor: Option<f64>,
    /// Rounds that make one block.
    pub rounds_per_block: u64,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The same after Bonferroni's correction over the primary figures: at most 0.05 exactly where
    /// the interval excludes 1. Earlier versions used Holm's correction.
    pub adjusted_p: Option<f64>,
    /// What it says of the challenger.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}

/// Comparisons whose intervals hold together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// How many.
    pub comparisons: u64,
    /// Confidence with which all their intervals are right at once, 0 to 1.
    pub confidence: f64,
}

/// What a comparison says of the challenger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It is faster than the baseline.
    Faster,
    /// It is slower than the baseline.
    Slower,
    /// It costs the server less.
    #[serde(rename = "cheaper")]
    CostsLess,
    /// It costs the server more.
    #[serde(rename = "dearer")]
    CostsMore,
    /// The whole interval lies within the margin.
    Equivalent {
        /// The margin, as a share.
        within: f64,
    },
    /// The interval excludes 1, but each target ran in one process all the time, and two starts of
    /// one program may differ as much.
    OneStart {
        /// How much they may differ, as a share.
        up_to: f64,
    },
    /// The interval allows more than one of the above.
    Inconclusive {
        /// The smallest difference, as a share, that would have shown.
        detectable: Option<f64>,
        /// A difference, as a share, that more rounds would show.
        aim: f64,
        /// How many rounds in all that takes; null when beyond reason.
        rounds_needed: Option<u64>,
    },
    /// There is no ratio.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl Outcome {
    /// Whether it calls the two different.
    pub fn is_different(&self) -> bool {
        matches!(
            self,
            Self::Faster | Self::Slower | Self::CostsLess | Self::CostsMore
        )
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::CostsLess => "costs less",
            Self::CostsMore => "costs more",
            Self::Equivalent { .. } => "equivalent",
            Self::Inconclusive { .. } | Self::OneStart { .. } => "cannot tell",
            Self::Unknown { .. } => "unknown",
        }
    }
}
