//! The comparisons of a run that are judged together, so that one of twenty runs, and not one
//! of twenty comparisons, has an interval that misses the truth.

use serde::Serialize;
use tenbin_plan::Plan;
use tenbin_stats::{CONFIDENCE, Measured, bonferroni, confidence_of_each, confidence_together};

use crate::compare::{Comparison, is_deciding};
use crate::metric::Metric;

/// Comparisons whose intervals hold together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Together {
    /// How many.
    pub comparisons: usize,
    /// Confidence with which all their intervals are right at once, 0 to 1.
    pub confidence: f64,
}

/// How many comparisons share one error of 5 %.
///
/// Only the figure that decides a workload is a question; the others explore, each with an
/// interval for itself. What was asked and not answered was asked all the same. Twins, of which
/// nothing is asked, are a family for themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    questions: usize,
    twins: usize,
}

impl Family {
    /// That of a plan. Every interval, p-value and rounds needed follow from this count.
    pub(crate) fn of(plan: &Plan) -> Self {
        let workloads = plan.workloads.iter();
        let workloads = workloads.filter(|work| work.search().is_none()).count();
        let twins = usize::from(plan.twin().is_some());
        let between_workloads = plan.compared_workloads().count().saturating_sub(1);
        let of_targets = match plan.baseline() {
            Some(_) => workloads * plan.challengers().count(),
            None => 0,
        };
        Self {
            questions: of_targets + between_workloads * (plan.targets.len() - twins),
            twins: workloads * twins,
        }
    }

    /// How many comparisons a comparison like this is judged together with, itself among them.
    pub(crate) fn size(self, metric: Metric, primary: bool, twin: bool) -> usize {
        match (primary, twin) {
            (true, _) => self.questions.max(1),
            (_, true) if is_deciding(metric) => self.twins.max(1),
            _ => 1,
        }
    }

    /// Confidence of the interval of a comparison like this, taken alone.
    pub(crate) fn confidence(self, metric: Metric, primary: bool, twin: bool) -> f64 {
        confidence_of_each(CONFIDENCE, self.size(metric, primary, twin))
    }

    /// Confidence of the interval of a deciding ratio, taken alone.
    pub(crate) fn confidence_of_questions(self) -> f64 {
        confidence_of_each(CONFIDENCE, self.questions)
    }

    /// Corrects the p-values, and says with what confidence the intervals hold together.
    pub(crate) fn correct(self, comparisons: &mut [Comparison]) {
        self.correct_those(comparisons, |each| each.primary);
        self.correct_those(comparisons, |each| each.twin && is_deciding(each.metric));
    }

    fn correct_those(self, all: &mut [Comparison], belongs: impl Fn(&Comparison) -> bool) {
        let mine = all.iter().filter(|each| belongs(each));
        let known = mine.filter_map(|each| Some(each.ratio.estimate()?.confidence));
        let confidence = confidence_together(known);
        for each in all.iter_mut().filter(|each| belongs(each)) {
            let comparisons = self.size(each.metric, each.primary, each.twin);
            each.adjusted_p = each.p.map(|p| bonferroni(p, comparisons));
            each.together = (comparisons > 1 && !matches!(each.ratio, Measured::Unknown))
                .then_some(Together {
                    comparisons,
                    confidence,
                });
        }
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
            let (targets, workloads) = compare_all(&run.plan, &run.slices);
            let primary = targets.iter().chain(&workloads).filter(|each| each.primary);
            assert_eq!(Family::of(&run.plan).questions, primary.count());
            let twins = targets
                .iter()
                .filter(|it| it.twin && is_deciding(it.metric));
            assert_eq!(Family::of(&run.plan).twins, twins.count());
        }
    }
}
