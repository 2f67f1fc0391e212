//! Which value of what was swept is best.

use super::Rule;
use crate::evidence::Evidence;
use crate::finding::{Blame, Finding, Severity};
use crate::sweep::{Optimum, optima};
use crate::words::percent;

/// Which value of what was swept is best.
pub(super) struct SweepOptimum;

impl Rule for SweepOptimum {
    fn name(&self) -> &'static str {
        "sweep_optimum"
    }

    fn summary(&self) -> &'static str {
        "the smallest value of a sweep that no other value beats"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("sweep_optimum.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let optima = optima(evidence.plan, evidence.slices);
        optima.iter().map(|optimum| self.finding(optimum)).collect()
    }
}

impl SweepOptimum {
    fn finding(&self, optimum: &Optimum) -> Finding {
        Finding {
            rule: self.name(),
            severity: Severity::Note,
            blame: Blame::Setup,
            workload: Some(optimum.workload.clone()),
            target: Some(optimum.target.clone()),
            evidence: optimum.sentence(),
            advice: match optimum.is_certain() {
                true if optimum.is_largest() => format!(
                    "sweep larger values as well: {} is the largest of {} that was tried, and \
                     the best may lie beyond it",
                    optimum.place, optimum.sweep
                ),
                true => format!(
                    "use {} for {}; larger values cost more and gain no more than {}",
                    optimum.place,
                    optimum.sweep,
                    percent(optimum.margin)
                ),
                false => format!(
                    "use more --rounds to be sure: another value may still be more than {} better \
                     than {}",
                    percent(optimum.margin),
                    optimum.place
                ),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::swept;
    use crate::testing::Run;

    #[test]
    fn names_the_optimum_and_says_how_sure_that_is() {
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 36).findings(&SweepOptimum);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("web@workers=2"));
        assert!(findings[0].advice.starts_with("use workers=2 for web"));
        let findings = swept(&[(1, 1.0), (2, 1.9)], 36).findings(&SweepOptimum);
        assert!(findings[0].advice.starts_with("sweep larger values"));
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 12).findings(&SweepOptimum);
        assert!(findings[0].advice.contains("more --rounds"), "{findings:?}");
    }

    #[test]
    fn silent_without_a_sweep() {
        assert_eq!(Run::pair(8).findings(&SweepOptimum), []);
    }
}
