//! The cores run slower than they could.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::places_above;

/// Share of the highest frequency that even the fastest core lacked.
const FAR: f64 = 0.30;

/// The cores run slower than they could.
pub(super) struct CpuFrequency;

impl Rule for CpuFrequency {
    fn name(&self) -> &'static str {
        "cpu_frequency"
    }

    fn summary(&self) -> &'static str {
        "the cores ran far below their highest frequency"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("cpu_frequency.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, FAR, &|_, machine| {
            let frequency = machine.frequency?;
            let share = frequency.fastest_mhz / frequency.most_mhz;
            share.is_finite().then_some(1.0 - share)
        });
        let machines = evidence
            .slices
            .iter()
            .filter_map(|slice| slice.machine.as_ref());
        let governor = machines
            .filter_map(|machine| machine.governor.as_deref())
            .next_back();
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "even the fastest core ran at {} of its highest frequency ({}, governor {})",
                percent(1.0 - place.value),
                place.basis(),
                governor.unwrap_or("unknown")
            );
            place.finding(
                self.name(),
                Severity::Note,
                Blame::Generator,
                told,
                "set the governor to performance (cpupower frequency-set -g performance), look at \
                 the cooling and at power limits, and let the rounds even it out",
            )
        });
        finding.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn at(fastest_mhz: f64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let machine = slice.machine();
            machine.frequency.as_mut().unwrap().fastest_mhz = fastest_mhz;
            machine.governor = Some("powersave".to_owned());
        });
        run.findings(&CpuFrequency)
    }

    #[test]
    fn fires_far_below_the_highest_and_names_the_governor() {
        let findings = at(1_200.0);
        assert_eq!(findings.len(), 1);
        let expected = "even the fastest core ran at 40 % of its highest frequency (median of 32 \
                        slices, governor powersave)";
        assert_eq!(findings[0].evidence, expected);
    }

    #[test]
    fn silent_near_it_and_where_it_is_unknown() {
        assert_eq!(at(2_200.0), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().frequency = None);
        assert_eq!(run.findings(&CpuFrequency), []);
    }
}
