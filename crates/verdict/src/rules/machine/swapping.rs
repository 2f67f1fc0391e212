//! Memory shortage on the load generator's machine.

use tenbin_result::format::percent;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::{Figure, Place, per_second, places_above, share_of_time};

/// Swapped pages per second above which there is a finding. At a lower rate, only memory that is
/// seldom used is swapped.
const PAGES: f64 = 10.0;
/// Share of the time in which all running processes wait for memory, above which there is a
/// finding.
const WAITING: f64 = 0.01;
/// Share of the time waiting for memory above which the run measures the disk.
const ONLY_WAITING: f64 = 0.10;

const ADVICE: &str = "stop the program that needs the memory, use a smaller data set or fewer \
                      connections, or use a machine with more memory";

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "swapping",
    summary: "memory was short: pages were swapped, or all processes waited for memory",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("swapping.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let waiting: Figure<'_> = &|_, machine| share_of_time(machine.pressure.memory_full_us, machine);
    let swapped: Figure<'_> = &|_, machine| per_second(machine.swapped_pages, machine);
    let stalls = places_above(evidence, WAITING, waiting);
    if !stalls.is_empty() {
        return stalls.into_iter().map(stalled).collect();
    }
    let swaps = places_above(evidence, PAGES, swapped);
    swaps.into_iter().map(swapping).collect()
}

fn stalled(place: Place) -> Finding {
    let severity = if place.value > ONLY_WAITING {
        Severity::Invalid
    } else {
        Severity::Suspect
    };
    let sentence = format!(
        "for {} of the time, all running processes of this machine waited for memory ({})",
        percent(place.value),
        place.basis()
    );
    place.finding(RULE.name, severity, Cause::Setup, sentence, ADVICE)
}

fn swapping(place: Place) -> Finding {
    let sentence = format!(
        "this machine swapped {:.0} pages per second in or out ({})",
        place.value,
        place.basis()
    );
    place.finding(RULE.name, Severity::Suspect, Cause::Setup, sentence, ADVICE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn swapped_pages_are_suspect() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.machine().swapped_pages = Some(500));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .starts_with("this machine swapped 500 pages per second")
        );
    }

    #[test]
    fn waiting_only_for_memory_is_invalid() {
        let stalled = |micros| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.machine().pressure.memory_full_us = Some(micros));
            let findings = run.findings(&RULE);
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
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| {
            slice.machine().swapped_pages = None;
            slice.machine().pressure.memory_full_us = None;
        });
        assert_eq!(run.findings(&RULE), []);
    }
}
