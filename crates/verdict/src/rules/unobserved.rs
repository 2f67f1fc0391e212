//! A target that was to be observed could not be, now and then or at all.

use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::server;

/// A target that was to be observed could not be, now and then or at all.
pub(super) struct Unobserved;

impl Rule for Unobserved {
    fn name(&self) -> &'static str {
        "unobserved"
    }

    fn summary(&self) -> &'static str {
        "the resource use of an observed target is unknown in some slices"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("unobserved.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl Unobserved {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        cell.target.observe.as_ref()?;
        let full = cell.full();
        let unknown = full
            .iter()
            .filter(|slice| server::cpu_seconds(slice).is_none())
            .count();
        (unknown > 0).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "what the target used is unknown in {unknown} of {}: whoever was to tell did \
                 not answer, came too late, or began to count anew",
                plural(full.len(), "slice")
            ),
            advice: "costs of the server are those of the other slices; look at whether the \
                     target was restarted, and at what observes it (observe in the plan)"
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Observe, Processes};

    use super::*;
    use crate::testing::Run;

    fn run() -> Run {
        let mut run = Run::pair(8);
        for target in &mut run.plan.targets {
            target.observe = Some(Observe::Processes(Processes::Port(80)));
        }
        run
    }

    #[test]
    fn fires_when_the_observer_fell_silent() {
        let mut run = run();
        run.first_of("b").unobserved();
        let findings = run.findings(&Unobserved);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("unknown in 1 of 16 slices"));
    }

    #[test]
    fn silent_when_all_is_known_and_when_nobody_was_asked() {
        assert_eq!(run().findings(&Unobserved), []);
        let mut launched = Run::pair(8);
        launched.first_of("b").unobserved();
        assert_eq!(launched.findings(&Unobserved), []);
    }
}
