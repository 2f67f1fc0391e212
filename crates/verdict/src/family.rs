//! The comparisons of a run that are judged together, so that one of twenty runs, and not one
//! of twenty comparisons, has an interval that misses the truth.

use tenbin_plan::Plan;
use tenbin_stats::{CONFIDENCE, confidence_of_each};

/// What a comparison is in the family of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// One of those that [`Plan::questions`] counts.
    Question,
    /// The same for a twin, of which nothing is asked.
    Control,
    /// It explores, with an interval for itself.
    Alone,
}

impl Member {
    /// A comparison by the figure that `decides` or by another, with a twin or not. A level of a
    /// sweep is no question: its curve is.
    pub(crate) fn of(decides: bool, twin: bool, is_level: bool) -> Self {
        match (decides && !is_level, twin) {
            (true, false) => Self::Question,
            (true, true) => Self::Control,
            (false, _) => Self::Alone,
        }
    }
}

/// How many comparisons share one error of 5 %.
///
/// Only the figure that decides a workload is a question, and of the levels of a sweep only the
/// curve; the others explore, each with an interval for itself. What was asked and not answered
/// was asked all the same. Twins, of which nothing is asked, are a family for themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    questions: usize,
    controls: usize,
}

impl Family {
    /// That of a plan. Every interval, p-value and rounds needed follow from this count.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            questions: plan.questions(),
            controls: plan.controls(),
        }
    }

    /// How many comparisons a comparison like this is judged together with, itself among them.
    pub(crate) fn size(self, member: Member) -> usize {
        match member {
            Member::Question => self.questions.max(1),
            Member::Control => self.controls.max(1),
            Member::Alone => 1,
        }
    }

    /// Confidence of the interval of a comparison like this, taken alone.
    pub(crate) fn confidence(self, member: Member) -> f64 {
        confidence_of_each(CONFIDENCE, self.size(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare_all;
    use crate::testing::Run;

    /// The count of the plan is that of the comparisons that decide.
    #[test]
    fn every_deciding_comparison_is_one_of_the_family() {
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
