//! A comparison of two targets, levels or workloads, and its outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::trust::Trust;

/// A comparison of one challenger with the baseline, for one figure of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name of the workload.
    pub workload: String,
    /// The target that is the reference.
    pub baseline: String,
    /// The target that is compared with the baseline.
    pub challenger: String,
    /// Machine-readable name of the figure, for example `throughput` or `service_p99`.
    pub metric: String,
    /// Name of the figure in sentences.
    pub metric_phrase: String,
    /// Whether higher values are better.
    pub higher_is_better: bool,
    /// Whether this is the figure that decides the workload.
    pub primary: bool,
    /// For a level of a concurrency sweep: the name of the sweep. The curve decides, not the level:
    /// a level is reported as different only if the curve is, and its interval holds for this level
    /// alone.
    #[serde(default)]
    pub level_of: Option<String>,
    /// Whether the challenger is the baseline's twin; the ratio is then noise.
    #[serde(default)]
    pub twin: bool,
    /// The challenger's figure divided by the baseline's. The verdict follows from this interval;
    /// its confidence holds for this interval alone, see `together`.
    pub ratio: Option<Figure>,
    /// The comparisons whose intervals hold simultaneously, including this one; null if no other
    /// interval has to hold, and in documents of versions that corrected only p-values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// The ratio in each complete block, in run order.
    pub block_ratios: Vec<f64>,
    /// For a primary figure with flagged slices on either side: the ratio without the blocks that
    /// contain them.
    #[serde(default)]
    pub without_flagged: Option<Figure>,
    /// The smallest effect that is reported as a difference, as a share.
    #[serde(default)]
    pub noise_floor: Option<f64>,
    /// Rounds per block.
    pub rounds_per_block: u64,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The p-value after Bonferroni's correction over the primary figures: at most 0.05 exactly if
    /// the interval excludes 1. Earlier versions used Holm's correction.
    pub adjusted_p: Option<f64>,
    /// The outcome for the challenger.
    pub outcome: Outcome,
    /// How far the comparison can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

/// Comparisons whose intervals hold simultaneously.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// Number of comparisons.
    pub comparisons: u64,
    /// Confidence with which all their intervals hold at once, 0 to 1.
    pub confidence: f64,
}

/// The outcome of a comparison, for the challenger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// Faster than the baseline.
    Faster,
    /// Slower than the baseline.
    Slower,
    /// Costs the server less per operation.
    #[serde(rename = "cheaper")]
    CostsLess,
    /// Costs the server more per operation.
    #[serde(rename = "dearer")]
    CostsMore,
    /// The whole interval lies within the margin.
    Equivalent {
        /// The margin, as a share.
        within: f64,
    },
    /// The interval excludes 1, but each target ran in one process all the time, and two processes
    /// of one program can differ by that much.
    OneStart {
        /// The difference that is possible between two processes, as a share.
        up_to: f64,
    },
    /// The interval allows more than one of the outcomes above.
    Inconclusive {
        /// The smallest difference that this run could have shown, as a share.
        detectable: Option<f64>,
        /// The difference that more rounds would show, as a share.
        aim: f64,
        /// Total number of rounds needed; null if it is unreasonably large.
        rounds_needed: Option<u64>,
    },
    /// No ratio could be computed.
    Unknown {
        /// The reason.
        why: String,
    },
}

impl Outcome {
    /// Whether the outcome is a difference.
    pub fn is_different(&self) -> bool {
        matches!(
            self,
            Self::Faster | Self::Slower | Self::CostsLess | Self::CostsMore
        )
    }

    /// The verdict as printed.
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
