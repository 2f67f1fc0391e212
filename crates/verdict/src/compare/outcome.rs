//! The outcome that follows from a ratio and its interval.

use tenbin_plan::{Builtin, Plan, Reach, Relaunch, Target};
use tenbin_result::{Likely, Metric, Outcome, Tendency, message};
use tenbin_stats::{
    CONFIDENCE, Estimate, Measured, blocks_for_significance, blocks_needed, confidence_together,
    detectable_log_effect, standard_deviation,
};

use crate::findings::messages::Messages;

/// The smallest effect that counts as a difference: 1 %, a convention of Tenbin. A restart or a
/// rebuild of the same server can change a figure by 1 %, so a smaller effect says little about the
/// server even with a narrow interval.
pub const NOISE_FLOOR: f64 = 0.01;

/// The default margin of equivalence: two targets are equivalent within ± 5 %.
pub const EQUIVALENCE: f64 = 0.05;

/// Smallest confidence, for all comparisons together, with which a difference is called likely:
/// four blocks for one comparison. A convention of Tenbin.
const LIKELY: f64 = 0.80;

/// Most blocks that are advised, as a multiple of those measured: more would take too long, and the
/// cause of such a spread between blocks is not chance.
const MOST_TIMES: usize = 20;

/// The thresholds that decide an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// The smallest effect that counts as a difference, as a share.
    pub(crate) floor: f64,
    /// The floor without the increase for noise measured with a twin, as a share.
    usual_floor: f64,
    /// The margin of equivalence, as a share.
    pub(crate) margin: f64,
    /// The possible difference between two starts of one program, as a share. `None` if the
    /// interval already includes this difference, or if no process was started.
    start_noise: Option<f64>,
}

impl Scale {
    /// The scale of a plan without a twin. A margin below [`NOISE_FLOOR`] also lowers the floor to
    /// the margin.
    pub(crate) fn of(plan: &Plan) -> Self {
        let margin = plan.comparing.margin.share();
        let floor = NOISE_FLOOR.min(margin);
        Self {
            floor,
            usual_floor: floor,
            margin,
            start_noise: None,
        }
    }

    /// The scale for two targets. If each target ran in one process during the whole run, the scale
    /// includes the possible difference between two starts of a program, because the interval does
    /// not include this difference.
    pub(crate) fn between(self, plan: &Plan, targets: [&str; 2]) -> Self {
        let mine = plan.targets.iter();
        let mine = mine.filter(|it| targets.contains(&&*it.name));
        Self {
            start_noise: start_noise(plan, mine),
            ..self
        }
    }

    /// The possible difference between two starts of a program, as a share.
    pub(crate) fn start_noise(self) -> Option<f64> {
        self.start_noise
    }

    /// The possible difference between two starts of a program, as a share. `None` if the whole
    /// interval of `ratio` is farther from 1 than this difference, or without an interval.
    pub(crate) fn within_start_noise(&self, ratio: &Measured) -> Option<f64> {
        let estimate = ratio.estimate()?;
        let least = effect(estimate.low).min(effect(estimate.high));
        self.start_noise.filter(|noise| least <= *noise)
    }

    /// The same scale with another floor.
    pub(crate) fn with_floor(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    /// The scale with a floor from the baseline's twin: a ratio nearer to 1 than the far end of the
    /// twin's interval is noise. A twin without an interval does not change the floor.
    pub(crate) fn with_twin(self, ratio: &Measured) -> Self {
        let measured = ratio
            .estimate()
            .map_or(0.0, |twin| effect(twin.low).max(effect(twin.high)));
        Self {
            floor: self.floor.max(measured),
            ..self
        }
    }
}

/// The possible difference between two starts of one program, as a share. `None` if no process of
/// `targets` was started, or if they are restarted, so that intervals include this difference.
pub(crate) fn start_noise<'a>(
    plan: &Plan,
    mut targets: impl Iterator<Item = &'a Target>,
) -> Option<f64> {
    let has_process = |target: &Target| {
        let reach = &target.reach;
        !matches!(reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
    };
    let once = plan.relaunch() == Relaunch::Never && targets.any(has_process);
    once.then(|| plan.comparing.start_noise.share())
}

/// The values that decide an outcome.
pub(crate) struct Question<'a> {
    pub(crate) metric: Metric,
    pub(crate) ratio: &'a Measured,
    pub(crate) log_ratios: &'a [f64],
    pub(crate) rounds_per_block: usize,
    /// Number of comparisons whose intervals hold simultaneously, including this comparison; 1 for
    /// an exploratory comparison.
    pub(crate) family: usize,
    pub(crate) scale: Scale,
}

impl Question<'_> {
    /// The outcome, from the interval alone. *Different* if the interval excludes 1, the effect is
    /// above the noise floor, and the whole interval is farther from 1 than the possible difference
    /// between two starts of one program. Otherwise *equivalent* if the interval lies within the
    /// margin. Otherwise *inconclusive*.
    pub(crate) fn outcome(&self) -> Outcome {
        let Some(value) = self.ratio.value() else {
            let why = message!("no-complete-block");
            return Outcome::Unknown {
                why: Messages::NONE.in_english(&why),
                data: Some(why),
            };
        };
        let Some(estimate) = self.ratio.estimate() else {
            return self.inconclusive(value);
        };
        let is_seen = !estimate.contains(1.0) && effect(value) > self.scale.floor;
        let start_noise = self.scale.within_start_noise(self.ratio);
        if is_seen && start_noise.is_none() {
            return self.difference(value);
        }
        let within = self.scale.margin;
        let margin = 1.0 + within;
        if estimate.low >= 1.0 / margin && estimate.high <= margin {
            return Outcome::Equivalent { within };
        }
        match start_noise.filter(|_| is_seen) {
            Some(up_to) => Outcome::OneStart { up_to },
            None => self.inconclusive(value),
        }
    }

    fn is_better(&self, ratio: f64) -> bool {
        if self.metric.higher_is_better() {
            ratio > 1.0
        } else {
            ratio < 1.0
        }
    }

    fn difference(&self, ratio: f64) -> Outcome {
        match (self.metric, self.is_better(ratio)) {
            (Metric::ServerCpu | Metric::ServerMemory, true) => Outcome::CostsLess,
            (Metric::ServerCpu | Metric::ServerMemory, false) => Outcome::CostsMore,
            (_, true) => Outcome::Faster,
            (_, false) => Outcome::Slower,
        }
    }

    /// The outcome *inconclusive*, independent of the interval.
    pub(crate) fn undecided(&self) -> Outcome {
        self.inconclusive(self.ratio.value().unwrap_or(1.0))
    }

    fn inconclusive(&self, ratio: f64) -> Outcome {
        let alpha = (1.0 - CONFIDENCE) / self.family as f64;
        let blocks = self.log_ratios.len();
        let sd = standard_deviation(self.log_ratios);
        let detectable = sd
            .and_then(|sd| detectable_log_effect(sd, blocks, alpha))
            .map(|log| log.exp_m1().max(self.scale.floor));
        let Scale {
            floor,
            usual_floor,
            margin,
            ..
        } = self.scale;
        // If the uncorrected interval excludes 1 and the corrected interval does not, aim to
        // confirm the observed difference; otherwise aim to detect a smaller difference.
        let alone = tenbin_stats::ratio(self.log_ratios, CONFIDENCE);
        let is_seen = |estimate: &Estimate| !estimate.contains(1.0) && effect(ratio) > floor;
        let aim = match detectable {
            _ if alone.estimate().is_some_and(is_seen) => effect(ratio),
            Some(detectable) if detectable <= margin => effect(ratio).clamp(usual_floor, margin),
            // With this spread, only the observed difference is within reach.
            _ if effect(ratio) > floor => effect(ratio).max(margin),
            _ => margin,
        };
        let needed = match sd {
            Some(sd) => blocks_needed(sd, aim.ln_1p(), alpha),
            None => blocks_for_significance(alpha),
        };
        let needed = needed.map(|needed| needed.max(self.blocks_for_floor(aim)));
        let fewest = blocks_for_significance(alpha).unwrap_or(blocks);
        let needed = needed.filter(|needed| *needed <= MOST_TIMES * blocks.max(fewest));
        Outcome::Inconclusive {
            detectable,
            aim,
            rounds_needed: needed
                .map(|needed| (needed.max(blocks + 1) * self.rounds_per_block) as u64),
            likely: self.likely(ratio, fewest),
        }
    }

    /// The difference that all blocks show, if there are fewer than the `fewest` blocks for the
    /// usual confidence. The interval is the widest one of the signed-rank test, from the lowest to
    /// the highest ratio of a block, which holds with the confidence 1 − 2/2ⁿ.
    fn likely(&self, ratio: f64, fewest: usize) -> Option<Likely> {
        let blocks = self.log_ratios.len();
        let missing = fewest.checked_sub(blocks).filter(|missing| *missing > 0)?;
        let widest = 1.0 - 2.0 * 0.5_f64.powi(i32::try_from(blocks).ok()?);
        let confidence = confidence_together(std::iter::repeat_n(widest, self.family));
        let logs = || self.log_ratios.iter().copied();
        let estimate = Estimate {
            value: ratio,
            low: logs().reduce(f64::min)?.exp(),
            high: logs().reduce(f64::max)?.exp(),
            confidence,
            n: blocks,
        };
        let is_seen = !estimate.contains(1.0) && effect(ratio) > self.scale.floor;
        let may_be_start = self.scale.within_start_noise(&Measured::Interval(estimate));
        let is_likely = confidence >= LIKELY && is_seen && may_be_start.is_none();
        is_likely.then(|| Likely {
            tendency: match (self.metric, self.is_better(ratio)) {
                (Metric::ServerCpu | Metric::ServerMemory, true) => Tendency::CostsLess,
                (Metric::ServerCpu | Metric::ServerMemory, false) => Tendency::CostsMore,
                (_, true) => Tendency::Faster,
                (_, false) => Tendency::Slower,
            },
            confidence,
            low: estimate.low,
            high: estimate.high,
            blocks_missing: missing as u64,
        })
    }

    /// Number of blocks after which the twin's interval is likely to be narrower than an effect of
    /// `aim`. The width of the interval is proportional to 1/√blocks.
    fn blocks_for_floor(&self, aim: f64) -> usize {
        let narrower = (self.scale.floor.ln_1p() / aim.ln_1p()).max(1.0);
        // The conversion saturates for values beyond the range of `usize`.
        (self.log_ratios.len() as f64 * narrower.powi(2)).ceil() as usize
    }
}

/// Size of an effect as a share: 0.25 for the ratios 1.25 and 0.8.
pub(crate) fn effect(ratio: f64) -> f64 {
    ratio.ln().abs().exp_m1()
}
