//! Rules that judge a run.

use tenbin_result::Finding;

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::findings::threshold::Threshold;

/// A rule, which judges whether one kind of fault makes the figures of a run misleading.
#[derive(Debug)]
pub struct Rule {
    /// The description of the rule.
    pub info: &'static RuleInfo,
    judge: Judge,
}

#[derive(Debug)]
enum Judge {
    Function(fn(&Evidence<'_>) -> Vec<Finding>),
    Threshold(&'static Threshold),
}

impl Rule {
    pub(crate) const fn new(
        info: &'static RuleInfo,
        judge: fn(&Evidence<'_>) -> Vec<Finding>,
    ) -> Self {
        let judge = Judge::Function(judge);
        Self { info, judge }
    }

    pub(crate) const fn threshold(threshold: &'static Threshold) -> Self {
        Self {
            info: &threshold.info,
            judge: Judge::Threshold(threshold),
        }
    }

    /// The rule's findings about a run. Empty if the run is free of the fault, or if the figures
    /// that the rule needs were not measured.
    pub fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        match self.judge {
            Judge::Function(judge) => judge(evidence),
            Judge::Threshold(threshold) => threshold.judge(evidence),
        }
    }
}
