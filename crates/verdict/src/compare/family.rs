//! The comparisons of a run that are judged together: at most one run in twenty, not one comparison
//! in twenty, has an interval that misses the true value.

use tenbin_plan::Plan;
use tenbin_stats::{CONFIDENCE, confidence_of_each};

/// The role of a comparison among the comparisons of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// It answers a question that [`Plan::hypotheses`] counts.
    Question,
    /// A comparison with a twin by a deciding figure: no question.
    Control,
    /// An exploratory comparison, with an interval for itself.
    Alone,
}

impl Member {
    /// Whether the comparison uses the figure that `decides`, and whether a twin is compared. A
    /// level of a sweep is not a question, but its curve is.
    pub(crate) fn of(decides: bool, twin: bool, is_level: bool) -> Self {
        match (decides && !is_level, twin) {
            (true, false) => Self::Question,
            (true, true) => Self::Control,
            (false, _) => Self::Alone,
        }
    }
}

/// Number of comparisons that share an error of 5 %.
///
/// Only comparisons by the deciding figure are questions, and of the levels of a sweep only the
/// curve. All other comparisons are exploratory, each with an interval for itself. A question that
/// was not answered still counts. Comparisons with twins are a separate family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    questions: usize,
    controls: usize,
}

impl Family {
    /// The family of a plan. Every interval, p-value and number of rounds needed follows from its
    /// size.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            questions: plan.hypotheses(),
            controls: plan.controls(),
        }
    }

    /// Number of comparisons that a comparison with this role is judged together with, including
    /// itself.
    pub(crate) fn size(self, member: Member) -> usize {
        match member {
            Member::Question => self.questions.max(1),
            Member::Control => self.controls.max(1),
            Member::Alone => 1,
        }
    }

    /// Confidence of the interval of a comparison with this role, taken alone.
    pub(crate) fn confidence(self, member: Member) -> f64 {
        confidence_of_each(CONFIDENCE, self.size(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare_all;
    use crate::testing::Run;

    /// The number of questions of the plan is the number of deciding comparisons.
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
