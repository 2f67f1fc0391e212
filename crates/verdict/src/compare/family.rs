//! Families of comparisons that are judged together. In at least 95 % of runs, all intervals of a
//! family contain the true values; without Bonferroni's correction, this would hold only for each
//! single interval.

use tenbin_plan::Plan;
use tenbin_stats::{CONFIDENCE, confidence_of_each};

/// The role of a comparison among the comparisons of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// A hypothesis of the plan: [`Plan::hypotheses`] counts this comparison.
    Question,
    /// A comparison of a twin by a primary metric, which is a control and not a hypothesis.
    Control,
    /// An exploratory comparison, whose interval is not corrected.
    Alone,
}

impl Member {
    /// The role of a comparison. `decides`: the comparison uses the primary metric; `twin`: a twin
    /// is compared. A level of a sweep is exploratory; the curve of the sweep is the hypothesis.
    pub(crate) fn of(decides: bool, twin: bool, is_level: bool) -> Self {
        match (decides && !is_level, twin) {
            (true, false) => Self::Question,
            (true, true) => Self::Control,
            (false, _) => Self::Alone,
        }
    }
}

/// Sizes of the two families of comparisons, each of which shares an error of 5 %.
///
/// Hypotheses are the comparisons by the primary metric; a sweep counts once, as a curve. A
/// hypothesis without a result still counts. Comparisons with twins are a separate family. All
/// other comparisons are exploratory, and their intervals are not corrected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    questions: usize,
    controls: usize,
}

impl Family {
    /// The families of a plan. Every interval, p-value and required number of rounds depends on the
    /// size of a family.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            questions: plan.hypotheses(),
            controls: plan.controls(),
        }
    }

    /// Size of the family of a comparison with this role, at least 1.
    pub(crate) fn size(self, member: Member) -> usize {
        match member {
            Member::Question => self.questions.max(1),
            Member::Control => self.controls.max(1),
            Member::Alone => 1,
        }
    }

    /// Confidence that the interval of each comparison with this role needs, so that all intervals
    /// of the family hold together.
    pub(crate) fn confidence(self, member: Member) -> f64 {
        confidence_of_each(CONFIDENCE, self.size(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare_all;
    use crate::testing::Run;

    /// The number of hypotheses of the plan equals the number of primary comparisons.
    #[test]
    fn every_primary_comparison_is_one_of_the_family() {
        let mut with_twin = Run::new(&["a", "b", "c", "a-twin"], &["x", "y"], 8);
        with_twin.plan.comparing.twin = Some(3);
        let runs = [
            Run::pair(8),
            Run::new(&["a", "b", "c"], &["x", "y"], 6),
            Run::compared(&["a"], &["x", "y", "z"], 12),
            Run::compared(&["a", "b"], &["x", "y"], 8),
            with_twin,
        ];
        for run in runs {
            let found = compare_all(&run.plan, &run.slices);
            let all = || {
                found
                    .targets
                    .iter()
                    .chain(&found.curves)
                    .chain(&found.workloads)
            };
            let count = |kind| all().filter(|each| each.member(&run.plan) == kind).count();
            let family = Family::of(&run.plan);
            assert_eq!(family.questions, count(Member::Question));
            assert_eq!(family.controls, count(Member::Control));
        }
    }
}
