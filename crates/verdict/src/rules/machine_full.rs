//! The one machine that runs both sides has no core left.

use tenbin_plan::Reach;
use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use super::shared_cores;
use crate::backend::Backends;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::machine::Place;

/// Share of the CPU time of all cores that is too little to be called idle.
const IDLE: f64 = 0.10;
/// The same below which somebody must have waited.
const NONE_IDLE: f64 = 0.01;
/// Share from which on others are to blame, which is told apart.
const OF_OTHERS: f64 = 0.10;

/// The one machine that runs both sides has no core left.
pub(super) struct MachineFull;

impl Rule for MachineFull {
    fn name(&self) -> &'static str {
        "machine_full"
    }

    fn summary(&self) -> &'static str {
        "the machine that runs generator and target had no idle core"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("machine_full.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let told = |cell: &&Cell<'_>| shared_cores::is_told(cell, evidence);
        let rest = cells.iter().filter(|cell| !told(cell));
        let backends = Backends::of(evidence);
        let compares = evidence.plan.questions() > 0;
        rest.filter_map(|cell| self.cell(cell, &backends, compares))
            .collect()
    }
}

impl MachineFull {
    fn cell(&self, cell: &Cell<'_>, backends: &Backends<'_>, compares: bool) -> Option<Finding> {
        let others = Place::of_cell(cell, &|slice, machine| {
            backends.share_of_others(slice, machine)
        });
        if others
            .as_ref()
            .is_some_and(|others| others.value > OF_OTHERS)
        {
            return None;
        }
        let is_ours = !matches!(cell.target.reach, Reach::Endpoint { .. });
        let is_accounted_for = is_ours && others.is_some();
        let idle = Place::of_cell(cell, &|_, machine| {
            let here = machine.target_here?;
            machine.cpu?.idle_share().filter(|_| here)
        })?;
        (idle.value < IDLE).then(|| {
            let told = format!(
                "only {} of the CPU time of the machine that runs both generator and target was \
                 idle ({})",
                percent(idle.value),
                idle.basis()
            );
            // A ratio can stand: `absolute_figures` says that the figures themselves cannot.
            let severity = if idle.value < NONE_IDLE && !is_accounted_for && !compares {
                Severity::Suspect
            } else {
                Severity::Note
            };
            idle.finding(
                self.name(),
                severity,
                Blame::Setup,
                told,
                "read the ratio, not the absolute figures; or pin them to different cores, or \
                 use a separate machine for the generator",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    /// A target that is simply there, on this machine: nobody knows what it uses.
    fn full(idle: f64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.unobserved();
            let machine = slice.machine();
            machine.others_cpu_seconds = None;
            let cpu = machine.cpu.as_mut().unwrap();
            (cpu.busy, cpu.interrupts, cpu.idle, cpu.iowait) = (2.0 - idle, 0.0, idle, 0.0);
        });
        run
    }

    #[test]
    fn fires_without_knowing_what_the_target_used() {
        let findings = full(0.1).findings(&MachineFull);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.starts_with("only 5 % of the CPU time"));
    }

    #[test]
    fn suspect_when_nothing_is_idle_and_nobody_knows_who_it_was() {
        let severity = |run: &Run| run.findings(&MachineFull)[0].severity;
        let full = |idle: f64| {
            let mut run = full(idle);
            run.plan.targets.remove(0);
            run.slices.retain(|slice| slice.target == "b");
            run
        };
        assert_eq!(severity(&full(0.1)), Severity::Note);
        assert_eq!(severity(&full(0.01)), Severity::Suspect);
        let mut known = full(0.01);
        known.each(|slice| slice.machine().others_cpu_seconds = Some(0.02));
        assert_eq!(severity(&known), Severity::Note);
        assert_eq!(severity(&known.elsewhere()), Severity::Suspect);
    }

    #[test]
    fn a_ratio_stands_where_nothing_is_idle() {
        let run = full(0.01);
        assert_eq!(run.findings(&MachineFull)[0].severity, Severity::Note);
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.absolute.trust, Trust::Suspect);
    }

    #[test]
    fn silent_with_room_to_spare_or_a_target_elsewhere() {
        assert_eq!(full(0.3).findings(&MachineFull), []);
        let mut run = full(0.1);
        run.each(|slice| slice.machine().target_here = Some(false));
        assert_eq!(run.findings(&MachineFull), []);
        run.each(|slice| slice.machine().target_here = None);
        assert_eq!(run.findings(&MachineFull), []);
    }

    #[test]
    fn silent_when_another_rule_says_who_it_was() {
        let mut known = full(0.1);
        known.each_of("b", |slice| slice.server_cpu(1.7));
        assert_eq!(known.findings(&MachineFull), []);
        assert_eq!(known.findings(&shared_cores::SharedCores).len(), 1);
        let mut others = full(0.1);
        others.each(|slice| slice.machine().others_cpu_seconds = Some(0.9));
        assert_eq!(others.findings(&MachineFull), []);
    }
}
