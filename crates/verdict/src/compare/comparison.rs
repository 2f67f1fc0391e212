//! One comparison of two targets or two workloads: the ratio and the resulting verdict.

use std::ops::Deref;

use tenbin_plan::{Plan, Workload};
use tenbin_result::{Cause, Figure, Finding, Message, Metric, Outcome, Severity, Trust};
use tenbin_stats::{Measured, interval_p, ratio};

use crate::compare::across::Across;
use crate::compare::curve::LevelOf;
use crate::compare::family::Member;
use crate::compare::metric::Measure;
use crate::compare::outcome::{NOISE_FLOOR, Question, Scale};
use crate::compare::sentence::Sentence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::RuleInfo;

/// A comparison of the result document, with the values that decide the outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The entry in the result document.
    pub found: tenbin_result::Comparison,
    /// What is compared.
    pub across: Across,
    /// The figure that is compared.
    pub metric: Metric,
    /// The ratio challenger ÷ baseline before rounding.
    pub ratio: Measured,
    /// The sweep that this comparison is a level of; `None` outside sweeps. The hypothesis is the
    /// curve over all levels, so the p-value of a level is not corrected.
    pub level: Option<LevelOf>,
}

impl Deref for Comparison {
    type Target = tenbin_result::Comparison;

    fn deref(&self) -> &Self::Target {
        &self.found
    }
}

impl Comparison {
    /// Compares two targets at a workload, or two workloads on a target. `sides` are the names of
    /// the baseline and the challenger. Correction, outcome and trust are set later.
    pub(crate) fn new(
        (across, place): (Across, String),
        sides: [&str; 2],
        metric: Metric,
        log_ratios: &[f64],
        confidence: f64,
        rounds_per_block: usize,
    ) -> Self {
        let ratio = ratio(log_ratios, confidence);
        let [baseline, challenger] = sides.map(str::to_owned);
        Self {
            found: tenbin_result::Comparison {
                workload: place,
                baseline,
                challenger,
                metric: metric.into(),
                metric_phrase: metric.phrase(),
                higher_is_better: metric.higher_is_better(),
                primary: false,
                level_of: None,
                twin: false,
                ratio: Figure::of(ratio),
                together: None,
                block_ratios: log_ratios.iter().map(|log| log.exp()).collect(),
                without_flagged: None,
                noise_floor: Some(NOISE_FLOOR),
                rounds_per_block: rounds_per_block as u64,
                p: interval_p(log_ratios),
                adjusted_p: None,
                outcome: Outcome::Unknown {
                    why: String::new(),
                    data: None,
                },
                trust: Trust::Valid,
                sentence: String::new(),
            },
            across,
            metric,
            ratio,
            level: None,
        }
    }

    /// Sets the trust and the sentence that follows from it.
    pub(crate) fn settle(&mut self, trust: Trust) {
        self.found.trust = trust;
        self.found.sentence = self.sentence();
    }

    /// The verdict in one English sentence without a full stop. For untrusted numbers, the sentence
    /// states that the numbers cannot be trusted.
    pub fn sentence(&self) -> String {
        let sentence = Sentence {
            found: &self.found,
            across: self.across,
            level: self.level.as_ref(),
        };
        Messages::NONE.in_english(&sentence.message())
    }

    /// The smallest effect that counts as a difference in this comparison, as a share.
    pub fn floor(&self) -> f64 {
        self.noise_floor.unwrap_or(NOISE_FLOOR)
    }

    /// The role of this comparison in the correction for multiple comparisons.
    pub(crate) fn member(&self, plan: &Plan) -> Member {
        let decides = self.primary || is_primary(plan, self);
        Member::of(decides, self.twin, self.level.is_some())
    }

    /// A finding of `rule` about the challenger at the workload of this comparison.
    pub(crate) fn finding(
        &self,
        rule: &RuleInfo,
        severity: Severity,
        cause: Cause,
        evidence: Message,
        advice: Message,
    ) -> Finding {
        let finding = rule.finding(severity, cause, evidence, advice);
        finding.on(&self.workload, &self.challenger)
    }

    pub(crate) fn log_ratios(&self) -> Vec<f64> {
        self.block_ratios.iter().map(|ratio| ratio.ln()).collect()
    }

    /// The values that decide the outcome; `family` is the number of comparisons judged together.
    pub(crate) fn question<'a>(
        &'a self,
        log_ratios: &'a [f64],
        scale: Scale,
        family: usize,
    ) -> Question<'a> {
        Question {
            metric: self.metric,
            ratio: &self.ratio,
            log_ratios,
            rounds_per_block: self.rounds_per_block as usize,
            family,
            scale,
        }
    }
}

/// Whether [`Plan::hypotheses`] counts this comparison.
pub(crate) fn is_question(comparison: &Comparison) -> bool {
    comparison.primary && comparison.level.is_none()
}

/// Whether the comparison uses the primary metric of the workload.
pub(crate) fn is_primary(plan: &Plan, comparison: &Comparison) -> bool {
    let by_workload = |work: &Workload| Metric::primary(plan, work) == comparison.metric;
    let mut workloads = plan.workloads.iter();
    match comparison.across {
        Across::Targets => {
            workloads.any(|work| work.name == comparison.workload && by_workload(work))
        }
        Across::Levels | Across::Workloads => comparison.primary || workloads.any(by_workload),
    }
}
