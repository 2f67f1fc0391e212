//! One comparison: what is compared, the ratio, and what it says.

use serde::Serialize;
use tenbin_plan::{Plan, Workload};
use tenbin_stats::Measured;

use crate::curve::LevelOf;
use crate::family::{Member, Together};
use crate::metric::{Direction, Metric};
use crate::outcome::{Question, Scale};
use tenbin_result::{Blame, Finding, Outcome, Severity, Trust};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// Targets, at one workload.
    Targets,
    /// Targets, over all levels of a sweep.
    Levels,
    /// Workloads, on one target.
    Workloads,
}

/// One target against the baseline at one workload, by one metric; or one workload against
/// another on one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared.
    pub across: Across,
    /// Name of the workload; of the target where workloads are compared; what the names of the
    /// levels have in common where those of a sweep are.
    pub workload: String,
    /// Name of the target, or workload, compared with.
    pub baseline: String,
    /// Name of the target, or workload, that is compared.
    pub challenger: String,
    /// By what.
    pub metric: Metric,
    /// Which way is better.
    pub direction: Direction,
    /// Whether this is the figure that decides the workload. The others explore:
    /// they are not corrected for being many.
    pub primary: bool,
    /// Whether the challenger is the baseline's twin: then the ratio is noise, and
    /// decides nothing.
    pub twin: bool,
    /// At a level of a sweep: the sweep, whose curve is the question. The level itself is not a
    /// question, so its p-value is not corrected.
    pub level_of: Option<LevelOf>,
    /// The challenger's figure divided by the baseline's: above 1 is better only
    /// when higher is. Its interval is the one that decides: for a figure that decides a
    /// workload, one of several that hold [together](Comparison::together).
    pub ratio: Measured,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Of a primary figure: the ratio without the blocks of flagged slices; `None`
    /// when no slice is flagged.
    pub without_flagged: Option<Measured>,
    /// Rounds that make one block: two for an ABBA quad.
    pub rounds_per_block: usize,
    /// Two-sided signed-rank p-value of "no difference", as the interval has it: see
    /// [`interval_p`](tenbin_stats::interval_p).
    pub p: Option<f64>,
    /// The same after Bonferroni's correction over all questions of the run, or for
    /// a twin over those of twins: at most 5 % exactly where the interval excludes 1.
    /// `None` for the others.
    pub adjusted_p: Option<f64>,
    /// The comparisons whose intervals hold together, this one among them; `None` where it
    /// is the only one, or none of them.
    pub together: Option<Together>,
    /// The smallest effect that is called a difference here, as a share.
    pub noise_floor: f64,
    /// What it says.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
}

impl Comparison {
    /// What it is in the family of the plan.
    pub(crate) fn member(&self, plan: &Plan) -> Member {
        let decides = self.primary || is_deciding(plan, self);
        Member::of(decides, self.twin, self.level_of.is_some())
    }

    /// A finding about its challenger at its workload.
    pub(crate) fn finding(
        &self,
        rule: &'static str,
        severity: Severity,
        blame: Blame,
        evidence: String,
        advice: &str,
    ) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            blame,
            workload: Some(self.workload.clone()),
            target: Some(self.challenger.clone()),
            evidence,
            advice: advice.to_owned(),
        }
    }

    pub(crate) fn log_ratios(&self) -> Vec<f64> {
        self.block_ratios.iter().map(|ratio| ratio.ln()).collect()
    }

    /// What its outcome is decided from, in a `family` of this number of questions.
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
            rounds_per_block: self.rounds_per_block,
            family,
            scale,
        }
    }
}

/// Whether it is one of those that [`Plan::questions`] counts.
pub(crate) fn is_question(comparison: &Comparison) -> bool {
    comparison.primary && comparison.level_of.is_none()
}

/// Whether it is by a figure that decides a workload.
pub(crate) fn is_deciding(plan: &Plan, comparison: &Comparison) -> bool {
    let by_workload = |work: &Workload| Metric::primary(plan, work) == comparison.metric;
    let mut workloads = plan.workloads.iter();
    match comparison.across {
        Across::Targets => {
            workloads.any(|work| work.name == comparison.workload && by_workload(work))
        }
        Across::Levels | Across::Workloads => comparison.primary || workloads.any(by_workload),
    }
}
