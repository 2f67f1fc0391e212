//! The target's CPU is the limit.

use super::Rule;
use crate::evidence::{Cell, Evidence, is_closed};
use crate::finding::{Blame, Finding, Severity};
use crate::processor::Busy;
use crate::words::{count, percent};

/// Share of what it could use from which on a target's CPU is the limit.
const FULL: f64 = 0.90;

/// Cores that a target which works on one keeps busy; more than one is the accounting
/// of a kernel that counts in ticks, or a second thread that does next to nothing.
const ONE_CORE: std::ops::Range<f64> = 0.90..1.05;

/// The target's CPU is the limit.
pub(super) struct ServerCpu;

impl Rule for ServerCpu {
    fn name(&self) -> &'static str {
        "server_cpu"
    }

    fn summary(&self) -> &'static str {
        "the target's CPU is the limit, or the one core that it uses"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("server_cpu.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let busy = cells
            .iter()
            .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
        busy.filter_map(|(cell, busy)| self.cell(cell, &busy))
            .collect()
    }
}

impl ServerCpu {
    fn cell(&self, cell: &Cell<'_>, busy: &Busy) -> Option<Finding> {
        let share = busy.target / busy.cores as f64;
        let (seen, advice) = if share >= FULL {
            (
                format!(
                    "the target used {:.2} of {} ({}): its CPU is the limit",
                    busy.target,
                    count(busy.cores, "core"),
                    percent(share)
                ),
                "this is what it gives on this machine: give it more cores, or less to do for \
                 each operation",
            )
        } else if works_on_one_core(cell, busy) {
            (
                format!(
                    "the target used {:.2} of a core, one and no more, while neither side used {} of {}",
                    busy.target,
                    percent(busy.unused()),
                    count(busy.cores, "core")
                ),
                "it seems to work on one core, which is the limit then: give it more processes or \
                 threads, as many as there are cores, or compare it as what it is",
            )
        } else {
            return None;
        };
        Some(Finding {
            rule: self.name(),
            severity: Severity::Note,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: seen,
            advice: advice.to_owned(),
        })
    }
}

/// At a rate a core may be busy to nine tenths because that is what was asked for.
pub(super) fn works_on_one_core(cell: &Cell<'_>, busy: &Busy) -> bool {
    is_closed(cell.workload) && ONE_CORE.contains(&busy.target) && busy.has_room()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn on_cores(cores: u64, used: f64) -> Run {
        let mut run = Run::pair(8);
        run.environment.cores = Some(cores);
        run.each_of("b", |slice| slice.server_cpu(used));
        run
    }

    #[test]
    fn fires_when_the_target_uses_nine_tenths_of_all_cores() {
        let findings = on_cores(4, 3.7).findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].blame, Blame::Server);
        assert_eq!(
            findings[0].evidence,
            "the target used 3.70 of 4 cores (92.5 %): its CPU is the limit"
        );
    }

    #[test]
    fn fires_when_one_core_is_full_and_others_are_left() {
        let findings = on_cores(4, 0.98).findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "the target used 0.98 of a core, one and no more, while neither side used 70.5 % of 4 cores"
        );
    }

    #[test]
    fn silent_between_and_where_the_cores_are_not_known_to_be_its_own() {
        assert_eq!(on_cores(4, 3.5).findings(&ServerCpu), []);
        assert_eq!(on_cores(4, 1.1).findings(&ServerCpu), []);
        assert_eq!(on_cores(4, 0.85).findings(&ServerCpu), []);
        let unknown = on_cores(4, 3.9).on_unknown_machine();
        assert_eq!(unknown.findings(&ServerCpu), []);
        assert_eq!(on_cores(4, 3.9).elsewhere().findings(&ServerCpu), []);
        assert_eq!(on_cores(4, 0.98).open_loop().findings(&ServerCpu), []);
    }
}
