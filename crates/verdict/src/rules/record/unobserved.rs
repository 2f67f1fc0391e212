//! Observed targets whose resource use is unknown in some slices.

use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::server;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unobserved",
    summary: "the resource use of an observed target is unknown in some slices",
    severities: &[Severity::Note],
    explanation: include_str!("unobserved.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    cell.target.observe.as_ref()?;
    let full = cell.full();
    let unknown = full
        .iter()
        .filter(|slice| server::cpu_seconds(slice).is_none())
        .count();
    (unknown > 0).then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Setup,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "the resource use of the target is unknown in {unknown} of {}: its source did not \
             respond, responded too late, or reset its counters",
            plural(full.len(), "slice")
        ),
        advice: "the costs of the server are those of the other slices; check whether the target \
                 was restarted, and the source of its figures (observe in the plan)"
            .to_owned(),
    })
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
    fn fires_when_an_observation_is_missing() {
        let mut run = run();
        run.first_of("b").unobserved();
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("unknown in 1 of 16 slices"));
    }

    #[test]
    fn silent_when_all_is_known_or_nothing_is_observed() {
        assert_eq!(run().findings(&RULE), []);
        let mut launched = Run::pair(8);
        launched.first_of("b").unobserved();
        assert_eq!(launched.findings(&RULE), []);
    }
}
