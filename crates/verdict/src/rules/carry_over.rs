//! A slice feels the one before it.

use tenbin_plan::Workload;
use tenbin_record::Slice;
use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};
use tenbin_stats::{CONFIDENCE, Estimate, quad_carry_over, ratio as ratio_of};

use super::Rule;
use super::drift::per_quad;
use crate::evidence::Evidence;

/// Difference that is worth a word.
const NOTICEABLE: f64 = 0.02;

/// Difference that the order of slices can no longer be trusted to cancel.
const LARGE: f64 = 0.20;

/// A slice feels the one before it.
pub(super) struct CarryOver;

impl Rule for CarryOver {
    fn name(&self) -> &'static str {
        "carry_over"
    }

    fn summary(&self) -> &'static str {
        "a target performs differently depending on which target ran before it"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("carry_over.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let workloads = evidence.plan.workloads.iter();
        workloads
            .filter_map(|workload| self.workload(workload, evidence.slices))
            .collect()
    }
}

impl CarryOver {
    fn workload(&self, workload: &Workload, slices: &[Slice]) -> Option<Finding> {
        let quads = per_quad(workload, slices, quad_carry_over);
        let found = ratio_of(&quads, CONFIDENCE);
        let Estimate { value, .. } = *found.estimate()?;
        let size = value.ln().abs().exp_m1();
        let is_there = !found.estimate()?.contains(1.0) && size > NOTICEABLE;
        let way = if value > 1.0 { "higher" } else { "lower" };
        is_there.then(|| Finding {
            rule: self.name().to_owned(),
            severity: if size > LARGE {
                Severity::Suspect
            } else {
                Severity::Note
            },
            blame: Blame::Setup,
            workload: Some(workload.name.clone()),
            target: None,
            evidence: format!(
                "the deciding figure of a target is {} {way} in a slice after a slice of the same \
                 target than after a slice of the other one, steady drift removed ({})",
                percent(size),
                plural(quads.len(), "quad")
            ),
            advice:
                "use a longer --gap, so that a target is idle before the next slice; look for work \
                     that it defers, such as flushing or compaction"
                    .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::drift::Drifting;
    use crate::testing::Run;

    /// Levels of the four slices of every quad.
    fn run(levels: [f64; 4]) -> Run {
        let mut run = Run::pair(8);
        let mut position = 0;
        run.each(|slice| {
            let level = levels[position % 4];
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            position += 1;
        });
        run
    }

    #[test]
    fn fires_when_a_slice_suffers_from_the_others() {
        // The first of a quad follows one of its own, the third as well.
        let findings = run([1.0, 0.95, 1.0, 0.95]).findings(&CarryOver);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(
            findings[0].evidence.starts_with(
                "the deciding figure of a target is 5.3 % higher in a slice after a slice of the same"
            ),
            "{findings:?}"
        );
        let findings = run([1.0, 0.7, 1.0, 0.7]).findings(&CarryOver);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_for_drift_which_has_a_rule_of_its_own() {
        let drifting = run([1.0, 0.97, 0.97_f64.powi(2), 0.97_f64.powi(3)]);
        assert_eq!(drifting.findings(&CarryOver), []);
        assert_eq!(drifting.findings(&Drifting).len(), 1);
        assert_eq!(Run::pair(8).findings(&CarryOver), []);
        let mut faster = Run::pair(8);
        faster.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(faster.findings(&CarryOver), []);
    }
}
