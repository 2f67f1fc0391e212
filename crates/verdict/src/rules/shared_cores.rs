//! Generator and target fight for the same cores.

use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::processor::Busy;

/// Share of all cores that leaves no room.
const FULL: f64 = 0.90;

/// Generator and target fight for the same cores.
pub(super) struct SharedCores;

impl Rule for SharedCores {
    fn name(&self) -> &'static str {
        "shared_cores"
    }

    fn summary(&self) -> &'static str {
        "generator and target together used all cores of the machine"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("shared_cores.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let busy = cells
            .iter()
            .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
        busy.filter_map(|(cell, busy)| self.cell(cell, busy))
            .collect()
    }
}

impl SharedCores {
    fn cell(&self, cell: &Cell<'_>, Busy { both, cores, .. }: Busy) -> Option<Finding> {
        let share = both / cores as f64;
        (share > FULL).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "generator and target used {both:.2} of {} ({})",
                plural(cores, "core"),
                percent(share)
            ),
            advice: "read the ratio, not the absolute figures; or pin them to different cores, \
                     or use a separate machine for the generator"
                .to_owned(),
        })
    }
}

/// Whether this rule says of the cell who used the cores.
pub(super) fn is_told(cell: &Cell<'_>, evidence: &Evidence<'_>) -> bool {
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
        let findings = run.findings(&SharedCores);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "generator and target used 1.90 of 2 cores (95 %)"
        );
    }

    #[test]
    fn silent_with_room_to_spare_or_unknown_cores() {
        assert_eq!(Run::pair(8).findings(&SharedCores), []);
        let mut run = Run::pair(8).on_unknown_machine();
        run.each_of("b", |slice| slice.server_cpu(1.9));
        assert_eq!(run.findings(&SharedCores), []);
    }
}
