//! What a ratio and its interval let one say.

use serde::Serialize;
use tenbin_stats::{
    CONFIDENCE, Estimate, Measured, blocks_for_significance, blocks_needed, detectable_log_effect,
    standard_deviation,
};

use crate::metric::{Direction, Metric};

/// The smallest effect that is called a difference: 1 %, Tenbin's own convention.
/// A restart or another build of the same server can move it by as much, so less
/// says little about the server, however sure the figure.
pub const NOISE_FLOOR: f64 = 0.01;

/// The margin within which two targets are called equivalent: 5 %.
pub const EQUIVALENCE: f64 = 0.05;

/// What a comparison says of the challenger.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It is faster than the baseline.
    Faster,
    /// It is slower than the baseline.
    Slower,
    /// It costs the server less than the baseline does.
    Cheaper,
    /// It costs the server more than the baseline does.
    Dearer,
    /// The whole interval lies within the margin.
    Equivalent {
        /// The margin, as a share: [`EQUIVALENCE`].
        within: f64,
    },
    /// The interval allows more than one of the above.
    Inconclusive {
        /// The smallest difference, as a share, that these blocks would have
        /// found with 80 % chance; `None` when there are too few of them.
        detectable: Option<f64>,
        /// A difference, as a share, that more rounds would find.
        aim: f64,
        /// How many rounds in all that takes; `None` when it is beyond reason.
        /// With too few blocks to know the noise: how many an interval takes.
        rounds_needed: Option<usize>,
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
            Self::Faster | Self::Slower | Self::Cheaper | Self::Dearer
        )
    }
}

/// What an outcome is decided from.
pub(crate) struct Question<'a> {
    pub(crate) metric: Metric,
    pub(crate) ratio: &'a Measured,
    pub(crate) log_ratios: &'a [f64],
    pub(crate) rounds_per_block: usize,
    /// Holm-adjusted p-value, for a primary figure.
    pub(crate) adjusted_p: Option<f64>,
    /// Primary figures of the run, among which the error is shared; 1 for others.
    pub(crate) family: usize,
}

impl Question<'_> {
    /// *Different* when the interval excludes 1, the p-value stands Holm's
    /// correction and the effect is above the noise floor; else *equivalent*
    /// when the interval lies within the margin; else *inconclusive*.
    pub(crate) fn outcome(&self) -> Outcome {
        let Some(value) = self.ratio.value() else {
            return Outcome::Unknown {
                why: "no complete block gives this figure for both targets".to_owned(),
            };
        };
        let Some(estimate) = self.ratio.estimate() else {
            return self.inconclusive(value);
        };
        let holds = self.adjusted_p.is_none_or(|p| p <= 1.0 - CONFIDENCE);
        if holds && !estimate.contains(1.0) && effect(value) > NOISE_FLOOR {
            return self.difference(value);
        }
        let margin = 1.0 + EQUIVALENCE;
        if estimate.low >= 1.0 / margin && estimate.high <= margin {
            return Outcome::Equivalent {
                within: EQUIVALENCE,
            };
        }
        self.inconclusive(value)
    }

    fn difference(&self, ratio: f64) -> Outcome {
        let better = match self.metric.direction() {
            Direction::HigherIsBetter => ratio > 1.0,
            Direction::LowerIsBetter => ratio < 1.0,
        };
        match (self.metric, better) {
            (Metric::ServerCpu, true) => Outcome::Cheaper,
            (Metric::ServerCpu, false) => Outcome::Dearer,
            (_, true) => Outcome::Faster,
            (_, false) => Outcome::Slower,
        }
    }

    fn inconclusive(&self, ratio: f64) -> Outcome {
        // The strictest level in Holm's correction: what is promised here holds
        // whatever the other comparisons turn out to be.
        let alpha = (1.0 - CONFIDENCE) / self.family as f64;
        let blocks = self.log_ratios.len();
        let sd = standard_deviation(self.log_ratios);
        let detectable = sd
            .and_then(|sd| detectable_log_effect(sd, blocks, alpha))
            .map(f64::exp_m1);
        // What the interval says and only the number of questions does not is a
        // difference to be confirmed; to see a smaller one was not asked for.
        let is_seen = |estimate: &Estimate| !estimate.contains(1.0) && effect(ratio) > NOISE_FLOOR;
        let aim = match detectable {
            _ if self.ratio.estimate().is_some_and(is_seen) => effect(ratio),
            Some(detectable) if detectable <= EQUIVALENCE => {
                effect(ratio).clamp(NOISE_FLOOR, EQUIVALENCE)
            }
            _ => EQUIVALENCE,
        };
        let needed = match sd {
            Some(sd) => blocks_needed(sd, aim.ln_1p(), alpha),
            None => blocks_for_significance(alpha),
        };
        Outcome::Inconclusive {
            detectable,
            aim,
            rounds_needed: needed.map(|needed| needed.max(blocks + 1) * self.rounds_per_block),
        }
    }
}

/// Size of an effect, whichever way, as a share.
fn effect(ratio: f64) -> f64 {
    ratio.ln().abs().exp_m1()
}
