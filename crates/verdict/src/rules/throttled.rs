//! A CPU quota stops the generator now and then.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::{places_above, share_of_time};

/// Share of the length of a slice.
const NOTICEABLE: f64 = 0.01;

/// A CPU quota stops the generator now and then.
pub(super) struct Throttled;

impl Rule for Throttled {
    fn name(&self) -> &'static str {
        "throttled"
    }

    fn summary(&self) -> &'static str {
        "a CPU quota stopped the generator"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("throttled.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, NOTICEABLE, &|_, machine| {
            share_of_time(machine.throttled_us, machine)
        });
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "the CPU quota of its cgroup stopped the generator for {} of the time, added up \
                 over its threads ({})",
                percent(place.value),
                place.basis()
            );
            place.finding(
                self.name(),
                Severity::Suspect,
                Blame::Generator,
                told,
                "give the container or service of the generator a larger CPU quota or none \
                 (cpu.max, --cpus, resources.limits.cpu), or use fewer --threads",
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
    fn fires_above_one_percent_of_the_time() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().throttled_us = Some(45_000));
        let findings = run.findings(&Throttled);
        assert_eq!(findings.len(), 1, "the machine is the same for all");
        assert_eq!(findings[0].target, None);
        assert!(findings[0].evidence.contains("for 4.5 % of the time"));
    }

    #[test]
    fn silent_below_it_and_without_a_quota() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().throttled_us = Some(9_000));
        assert_eq!(run.findings(&Throttled), []);
        run.each(|slice| slice.machine().throttled_us = None);
        assert_eq!(run.findings(&Throttled), []);
    }
}
