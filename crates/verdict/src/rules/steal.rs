//! Other machines on the same hardware take CPU time away.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::places_above;

/// Share of the CPU time of all cores.
const NOTICEABLE: f64 = 0.02;

/// Other machines on the same hardware take CPU time away.
pub(super) struct Steal;

impl Rule for Steal {
    fn name(&self) -> &'static str {
        "steal"
    }

    fn summary(&self) -> &'static str {
        "other machines on the same hardware took CPU time away"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("steal.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, NOTICEABLE, &|_, machine| {
            let cpu = machine.cpu?;
            Some(cpu.steal / cpu.all()?)
        });
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "{} of the CPU time of this machine was stolen by others on the same hardware ({})",
                percent(place.value),
                place.basis()
            );
            place.finding(
                self.name(),
                Severity::Suspect,
                Blame::Generator,
                told,
                "measure on hardware of your own or on an instance with dedicated cores, or with \
                 more rounds when the neighbours are quiet",
            )
        });
        finding.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_above_two_percent() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            cpu.idle -= 0.05;
            cpu.steal += 0.05;
        });
        let findings = run.findings(&Steal);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.starts_with("2.5 % of the CPU time"));
    }

    #[test]
    fn silent_below_it_and_where_nothing_is_known() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().cpu.as_mut().unwrap().steal = 0.03);
        assert_eq!(run.findings(&Steal), []);
        run.each(|slice| slice.machine().cpu = None);
        assert_eq!(run.findings(&Steal), []);
    }
}
