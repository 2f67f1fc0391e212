//! A target works while another is measured.

use std::collections::BTreeMap;

use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::words::middle;

/// Share of one core.
const NOTICEABLE: f64 = 0.02;
/// The same, from which on it weighs on the figures of others.
const MUCH: f64 = 0.10;

/// A target works while another is measured.
pub(super) struct BusyIdleTarget;

impl Rule for BusyIdleTarget {
    fn name(&self) -> &'static str {
        "busy_idle_target"
    }

    fn summary(&self) -> &'static str {
        "a target without load used CPU time while another was measured"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("busy_idle_target.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for slice in evidence.slices.iter().filter(|slice| !slice.cut_short) {
            let Some(machine) = &slice.machine else {
                continue;
            };
            for (target, seconds) in &machine.idle_targets {
                if machine.seconds > 0.0 {
                    let of_target = shares.entry(target).or_default();
                    of_target.push(seconds / machine.seconds);
                }
            }
        }
        let finding = |(target, shares): (&str, Vec<f64>)| self.target(target, &shares);
        shares.into_iter().filter_map(finding).collect()
    }
}

impl BusyIdleTarget {
    fn target(&self, target: &str, shares: &[f64]) -> Option<Finding> {
        let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
        Some(Finding {
            rule: self.name().to_owned(),
            severity: if share > MUCH {
                Severity::Suspect
            } else {
                Severity::Note
            },
            blame: Blame::Server,
            workload: None,
            // It disturbs all others, and is not disturbed by itself.
            target: None,
            evidence: format!(
                "target \"{target}\" used {} of a core while others had the load (median of {})",
                percent(share),
                plural(shares.len(), "slice")
            ),
            advice: "look for what it does without load (compaction, scanning, replication, busy \
                     waiting) and switch it off or let it end; or rest longer between slices \
                     with --gap"
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn idle_use_of_b(seconds: f64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().idle_targets.clear());
        run.each_of("a", |slice| {
            let idle = &mut slice.machine().idle_targets;
            idle.insert("b".to_owned(), seconds);
        });
        run.findings(&BusyIdleTarget)
    }

    #[test]
    fn fires_above_two_percent_of_a_core() {
        let findings = idle_use_of_b(0.04);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let expected =
            "target \"b\" used 4 % of a core while others had the load (median of 16 slices)";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(idle_use_of_b(0.4)[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_below_it_and_for_targets_that_are_not_observed() {
        assert_eq!(idle_use_of_b(0.019), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().idle_targets.clear());
        assert_eq!(run.findings(&BusyIdleTarget), []);
    }
}
