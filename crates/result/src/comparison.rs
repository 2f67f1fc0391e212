//! A comparison of two targets, levels or workloads, and its outcome.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::message::Message;
use crate::metric::MetricName;
use crate::trust::Trust;

/// One figure of a challenger compared with the same figure of the baseline, for one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target that serves as the reference.
    pub baseline: String,
    /// Name of the target that is compared with the baseline.
    pub challenger: String,
    /// Machine-readable name of the figure, for example `throughput` or `service_p99`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub metric: MetricName,
    /// Name of the figure as used in sentences.
    pub metric_phrase: String,
    /// Whether higher values are better.
    pub higher_is_better: bool,
    /// Whether this figure decides the verdict for the workload.
    pub primary: bool,
    /// Name of the concurrency sweep if the workload is a level of a sweep. The comparison of the
    /// whole curve decides: a level is reported as different only if the curve is different. The
    /// interval of a level is not corrected for the number of levels.
    #[serde(default)]
    pub level_of: Option<String>,
    /// Whether the challenger is the baseline's twin: the ratio then measures noise.
    #[serde(default)]
    pub twin: bool,
    /// The challenger's figure divided by the baseline's. The verdict follows from the interval.
    /// The `confidence` of the interval is for this comparison alone; `together` states the
    /// confidence for a set of comparisons.
    pub ratio: Option<Figure>,
    /// The set of comparisons, including this one, whose intervals hold simultaneously. Null if the
    /// interval is not corrected for other comparisons, if the ratio is unknown, and in documents
    /// of older versions, which corrected only p-values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// The ratio in each complete block, in run order.
    pub block_ratios: Vec<f64>,
    /// The ratio without the blocks that contain flagged slices; only for a primary figure, and
    /// null if neither target has flagged slices.
    #[serde(default)]
    pub without_flagged: Option<Figure>,
    /// Smallest effect that counts as a difference, as a share.
    #[serde(default)]
    pub noise_floor: Option<f64>,
    /// Rounds per block. Each block measures the targets in a balanced order: an ABBA quad for two
    /// targets, a Williams square for more.
    pub rounds_per_block: u64,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The p-value after Bonferroni correction, for primary figures: 0.05 or less if and only if
    /// the interval excludes 1. Null for other figures and for the levels of a sweep. Older
    /// versions used Holm's correction.
    pub adjusted_p: Option<f64>,
    /// The outcome, from the challenger's point of view.
    pub outcome: Outcome,
    /// How far the comparison can be trusted.
    pub trust: Trust,
    /// The result in one sentence.
    pub sentence: String,
}

/// A set of comparisons whose intervals hold simultaneously.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Together {
    /// Number of comparisons.
    pub comparisons: u64,
    /// Confidence that all these intervals hold simultaneously, 0 to 1.
    pub confidence: f64,
}

/// The outcome of a comparison, from the challenger's point of view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The whole interval lies within the equivalence margin.
    Equivalent {
        /// The equivalence margin, as a share.
        within: f64,
    },
    /// The interval excludes 1, but each target ran as a single process throughout, and two
    /// processes of the same program can differ by as much as the targets did.
    OneStart {
        /// Largest difference expected between two processes of the same program, as a share.
        up_to: f64,
    },
    /// A target does not keep its interleaved figures under continuous load.
    NotSustained {
        /// The interleaved and the sustained figures of both sides, as a clause.
        why: String,
        /// The clause as data; absent in documents of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Message>,
    },
    /// The interval is compatible with more than one of the outcomes above.
    Inconclusive {
        /// Smallest difference that this run could have detected, as a share.
        detectable: Option<f64>,
        /// Difference that `rounds_needed` rounds would detect, as a share.
        aim: f64,
        /// Total number of rounds needed to detect `aim`; null if the number is unreasonably large.
        rounds_needed: Option<u64>,
        /// The difference that the blocks show with less than the usual confidence of 95 %; null
        /// if they show none, or if there are enough blocks for the usual confidence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        likely: Option<Likely>,
    },
    /// No ratio could be computed.
    Unknown {
        /// The reason, as a clause.
        why: String,
        /// The reason as data; absent in documents of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Message>,
    },
}

/// A difference that all blocks show, although there are too few blocks for the usual confidence of
/// 95 %. It is no verdict: the outcome stays inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Likely {
    /// The direction, from the challenger's point of view.
    pub tendency: Tendency,
    /// Confidence of the interval, 0 to 1: that this interval and those of all comparisons that are
    /// judged together with it hold simultaneously.
    pub confidence: f64,
    /// Lower end of the interval of the ratio, which excludes 1.
    pub low: f64,
    /// Upper end of the interval of the ratio.
    pub high: f64,
    /// Number of additional blocks with which the usual confidence is possible.
    pub blocks_missing: u64,
}

/// The direction of a likely difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// Probably faster than the baseline.
    Faster,
    /// Probably slower than the baseline.
    Slower,
    /// Probably costs the server less per operation.
    CostsLess,
    /// Probably costs the server more per operation.
    CostsMore,
}

impl Outcome {
    /// Whether the outcome states a difference.
    pub fn is_different(&self) -> bool {
        matches!(
            self,
            Self::Faster | Self::Slower | Self::CostsLess | Self::CostsMore
        )
    }

    /// The difference that too few blocks for the usual confidence show.
    pub fn likely(&self) -> Option<&Likely> {
        match self {
            Self::Inconclusive { likely, .. } => likely.as_ref(),
            _ => None,
        }
    }

    /// The message beside [`Outcome::why`].
    pub(crate) fn data_mut(&mut self) -> Option<&mut Option<Message>> {
        match self {
            Self::NotSustained { data, .. } | Self::Unknown { data, .. } => Some(data),
            _ => None,
        }
    }

    /// Why the comparison has no verdict, if the outcome says so in words.
    pub fn why(&self) -> Option<Message> {
        match self {
            Self::NotSustained { why, data } | Self::Unknown { why, data } => {
                Some(Message::or_text(data.as_ref(), why))
            }
            _ => None,
        }
    }

    /// The verdict as printed.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::CostsLess => "costs less",
            Self::CostsMore => "costs more",
            Self::Equivalent { .. } => "equivalent",
            Self::Inconclusive {
                likely: Some(likely),
                ..
            } => match likely.tendency {
                Tendency::Faster => "likely faster",
                Tendency::Slower => "likely slower",
                Tendency::CostsLess => "likely costs less",
                Tendency::CostsMore => "likely costs more",
            },
            Self::Inconclusive { .. } | Self::OneStart { .. } | Self::NotSustained { .. } => {
                "cannot tell"
            }
            Self::Unknown { .. } => "unknown",
        }
    }
}
