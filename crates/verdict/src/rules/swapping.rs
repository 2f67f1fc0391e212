//! Memory is short on the generator's machine.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::{Figure, Place, per_second, places_above, share_of_time};

/// Pages a second: less than that is old memory that nobody asks for again.
const PAGES: f64 = 10.0;
/// Share of the time in which everything that had work to do waited for memory.
const WAITING: f64 = 0.01;
/// From here on the disk is measured.
const ONLY_WAITING: f64 = 0.10;

const ADVICE: &str = "end what needs so much memory, use a smaller data set or fewer \
                      connections, or a machine with more memory";

/// Memory is short on the generator's machine.
pub(super) struct Swapping;

impl Rule for Swapping {
    fn name(&self) -> &'static str {
        "swapping"
    }

    fn summary(&self) -> &'static str {
        "memory was short: pages were swapped, or all processes waited for memory"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("swapping.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let waiting: Figure<'_> =
            &|_, machine| share_of_time(machine.pressure.memory_full_us, machine);
        let swapped: Figure<'_> = &|_, machine| per_second(machine.swapped_pages, machine);
        let stalls = places_above(evidence, WAITING, waiting);
        if !stalls.is_empty() {
            return stalls
                .into_iter()
                .map(|place| self.stalled(place))
                .collect();
        }
        let swaps = places_above(evidence, PAGES, swapped);
        swaps.into_iter().map(|place| self.swapped(place)).collect()
    }
}

impl Swapping {
    fn stalled(&self, place: Place) -> Finding {
        let severity = if place.value > ONLY_WAITING {
            Severity::Invalid
        } else {
            Severity::Suspect
        };
        let told = format!(
            "for {} of the time all that had work to do on this machine waited for memory ({})",
            percent(place.value),
            place.basis()
        );
        place.finding(self.name(), severity, Blame::Setup, told, ADVICE)
    }

    fn swapped(&self, place: Place) -> Finding {
        let told = format!(
            "{:.0} pages a second went to swap or came back on this machine ({})",
            place.value,
            place.basis()
        );
        place.finding(self.name(), Severity::Suspect, Blame::Setup, told, ADVICE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn pages_that_are_swapped_are_suspect() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.machine().swapped_pages = Some(500));
        let findings = run.findings(&Swapping);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(findings[0].evidence.starts_with("500 pages a second"));
    }

    #[test]
    fn waiting_for_nothing_but_memory_voids_the_numbers() {
        let stalled = |micros| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.machine().pressure.memory_full_us = Some(micros));
            let findings = run.findings(&Swapping);
            assert!(findings.len() <= 1);
            findings.first().map(|finding| finding.severity)
        };
        assert_eq!(stalled(9_000), None);
        assert_eq!(stalled(20_000), Some(Severity::Suspect));
        assert_eq!(stalled(200_000), Some(Severity::Invalid));
    }

    #[test]
    fn silent_for_a_few_pages_and_where_nothing_is_known() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().swapped_pages = Some(9));
        assert_eq!(run.findings(&Swapping), []);
        run.each(|slice| {
            slice.machine().swapped_pages = None;
            slice.machine().pressure.memory_full_us = None;
        });
        assert_eq!(run.findings(&Swapping), []);
    }
}
