//! What a ratio and its interval let one say.

use tenbin_plan::{Builtin, Plan, Reach, Relaunch, Target};
use tenbin_result::Outcome;
use tenbin_stats::{
    CONFIDENCE, Estimate, Measured, blocks_for_significance, blocks_needed, detectable_log_effect,
    standard_deviation,
};

use crate::metric::{Direction, Metric};

/// The smallest effect that is called a difference: 1 %, Tenbin's own convention.
/// A restart or another build of the same server can move it by as much, so less
/// says little about the server, however sure the figure.
pub const NOISE_FLOOR: f64 = 0.01;

/// The margin within which two targets are called equivalent unless the plan says
/// otherwise: 5 %.
pub const EQUIVALENCE: f64 = 0.05;

/// What a comparison is measured by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// The smallest effect that is called a difference, as a share.
    pub(crate) floor: f64,
    /// What it would be without the noise that was measured.
    usual_floor: f64,
    /// The margin of "equivalent", as a share.
    pub(crate) margin: f64,
    /// How much two starts of one program may differ, as a share; `None` where the interval
    /// contains it, or no process was started.
    start_noise: Option<f64>,
}

impl Scale {
    /// Of a plan whose noise has not been measured. Whoever calls less than the
    /// usual floor a difference that matters gets it.
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

    /// The same for two targets: the interval does not contain how much two starts of a program
    /// differ if each ran in one process all the time.
    pub(crate) fn between(self, plan: &Plan, targets: [&str; 2]) -> Self {
        let has_process = |target: &Target| {
            let reach = &target.reach;
            !matches!(reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
        };
        let mut mine = plan.targets.iter();
        let processes = mine.any(|it| targets.contains(&&*it.name) && has_process(it));
        let once = plan.relaunch() == Relaunch::Never && processes;
        Self {
            start_noise: once.then(|| plan.comparing.start_noise.share()),
            ..self
        }
    }

    /// How much two starts may differ, as a share, where the interval of `ratio` begins nearer to 1
    /// than that and does not contain it.
    pub(crate) fn within_start_noise(&self, ratio: &Measured) -> Option<f64> {
        let estimate = ratio.estimate()?;
        let least = effect(estimate.low).min(effect(estimate.high));
        self.start_noise.filter(|noise| least <= *noise)
    }

    /// The same with a floor that was found before.
    pub(crate) fn with_floor(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    /// The same where the baseline's twin is that ratio of the baseline: what lies
    /// nearer to 1 than its interval reaches is noise. A ratio without an interval
    /// says nothing of noise.
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

/// What an outcome is decided from.
pub(crate) struct Question<'a> {
    pub(crate) metric: Metric,
    pub(crate) ratio: &'a Measured,
    pub(crate) log_ratios: &'a [f64],
    pub(crate) rounds_per_block: usize,
    /// Comparisons whose intervals hold together, this one among them; 1 for others.
    pub(crate) family: usize,
    pub(crate) scale: Scale,
}

impl Question<'_> {
    /// *Different* when the interval excludes 1, the effect is above the noise floor, and the
    /// interval lies beyond what two starts of one program may differ by; else *equivalent* when the
    /// interval lies within the margin; else *inconclusive*. No other figure decides.
    pub(crate) fn outcome(&self) -> Outcome {
        let Some(value) = self.ratio.value() else {
            return Outcome::Unknown {
                why: "no complete block gives this figure for both targets".to_owned(),
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

    fn difference(&self, ratio: f64) -> Outcome {
        let better = match self.metric.direction() {
            Direction::HigherIsBetter => ratio > 1.0,
            Direction::LowerIsBetter => ratio < 1.0,
        };
        match (self.metric, better) {
            (Metric::ServerCpu, true) => Outcome::CostsLess,
            (Metric::ServerCpu, false) => Outcome::CostsMore,
            (_, true) => Outcome::Faster,
            (_, false) => Outcome::Slower,
        }
    }

    /// *Inconclusive*, whatever the interval says.
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
        // What an interval for this comparison alone shows, and only the number of
        // comparisons does not, is a difference to be confirmed; a smaller one is not.
        let alone = tenbin_stats::ratio(self.log_ratios, CONFIDENCE);
        let is_seen = |estimate: &Estimate| !estimate.contains(1.0) && effect(ratio) > floor;
        let aim = match detectable {
            _ if alone.estimate().is_some_and(is_seen) => effect(ratio),
            Some(detectable) if detectable <= margin => effect(ratio).clamp(usual_floor, margin),
            _ => margin,
        };
        let needed = match sd {
            Some(sd) => blocks_needed(sd, aim.ln_1p(), alpha),
            None => blocks_for_significance(alpha),
        };
        let needed = needed.map(|needed| needed.max(self.blocks_for_floor(aim)));
        Outcome::Inconclusive {
            detectable,
            aim,
            rounds_needed: needed
                .map(|needed| (needed.max(blocks + 1) * self.rounds_per_block) as u64),
        }
    }

    /// Blocks after which a twin's interval is likely to leave room for an effect of
    /// `aim`: it narrows with the root of their number.
    fn blocks_for_floor(&self, aim: f64) -> usize {
        let narrower = (self.scale.floor.ln_1p() / aim.ln_1p()).max(1.0);
        // What is beyond all counting saturates.
        (self.log_ratios.len() as f64 * narrower.powi(2)).ceil() as usize
    }
}

/// Size of an effect, whichever way, as a share.
pub(crate) fn effect(ratio: f64) -> f64 {
    ratio.ln().abs().exp_m1()
}
