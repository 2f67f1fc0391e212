//! Work waited for the disk while cores were idle.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::{places_above, share_of_time};

/// Share of the time in which something waited for storage.
const WAITING: f64 = 0.10;
/// Share of all cores that must have had nothing to do.
const IDLE: f64 = 0.20;

/// Work waited for the disk while cores were idle.
pub(super) struct StoragePressure;

impl Rule for StoragePressure {
    fn name(&self) -> &'static str {
        "storage_pressure"
    }

    fn summary(&self) -> &'static str {
        "work waited for storage while cores were idle"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("storage_pressure.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, WAITING, &|_, machine| {
            let waiting = share_of_time(machine.pressure.io_some_us, machine)?;
            // With all cores busy, the disk is not what is missing.
            let idle = machine.cpu?.idle_share()? > IDLE;
            Some(if idle { waiting } else { 0.0 })
        });
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "for {} of the time work on this machine waited for storage while cores were \
                 idle ({})",
                percent(place.value),
                place.basis()
            );
            place.finding(
                self.name(),
                Severity::Note,
                Blame::Server,
                told,
                "take the figures as those of the disk: use a faster one, or let the target sync \
                 less often if its promises allow that",
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
    fn fires_when_work_waits_for_the_disk_and_cores_are_idle() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.server_cpu(0.8);
            slice.machine().pressure.io_some_us = Some(420_000);
        });
        let findings = run.findings(&StoragePressure);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.starts_with("for 42 % of the time"));
    }

    #[test]
    fn silent_when_the_cores_are_busy_or_nothing_is_known() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let machine = slice.machine();
            machine.pressure.io_some_us = Some(420_000);
            let cpu = machine.cpu.as_mut().unwrap();
            (cpu.busy, cpu.idle, cpu.iowait) = (1.85, 0.05, 0.05);
        });
        assert_eq!(run.findings(&StoragePressure), []);
        run.each(|slice| slice.machine().pressure.io_some_us = None);
        assert_eq!(run.findings(&StoragePressure), []);
    }
}
