//! Load generator and target that together use all cores of the machine.

use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::processor::Busy;

/// Used share of all cores above which no core counts as idle.
const FULL: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "shared_cores",
    summary: "load generator and target together used all cores of the machine",
    severities: &[Severity::Note],
    explanation: include_str!("shared_cores.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let busy = cells
        .iter()
        .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
    busy.filter_map(|(cell, busy)| of_cell(cell, busy))
        .collect()
}

fn of_cell(cell: &Cell<'_>, Busy { both, cores, .. }: Busy) -> Option<Finding> {
    let share = both / cores as f64;
    (share > FULL).then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Setup,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "load generator and target used {both:.2} of {} ({})",
            plural(cores, "core"),
            percent(share)
        ),
        advice: "read the ratio, not the absolute figures; or pin load generator and target to \
                 different cores, or use a separate machine for the load generator"
            .to_owned(),
    })
}

/// Whether this rule has a finding: target and load generator together use nearly all cores.
pub(crate) fn is_reported(cell: &Cell<'_>, evidence: &Evidence<'_>) -> bool {
    Busy::of(cell, evidence).is_some_and(|busy| busy.both / busy.cores as f64 > FULL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_no_core_is_left() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.server_cpu(1.7));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "load generator and target used 1.90 of 2 cores (95 %)"
        );
    }

    #[test]
    fn silent_with_room_to_spare_or_unknown_cores() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut run = Run::pair(8).on_unknown_machine();
        run.each_of("b", |slice| slice.server_cpu(1.9));
        assert_eq!(run.findings(&RULE), []);
    }
}
