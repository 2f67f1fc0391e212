//! Targets without load that use CPU time while another target is measured.

use std::collections::BTreeMap;

use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::middle;

/// Share of one core above which there is a finding.
const NOTICEABLE: f64 = 0.02;
/// Share of one core above which an idle target affects the figures of other targets.
const MUCH: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "busy_idle_target",
    summary: "a target without load used CPU time while another was measured",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("busy_idle_target.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
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
    let finding = |(target, shares): (&str, Vec<f64>)| of_target(target, &shares);
    shares.into_iter().filter_map(finding).collect()
}

fn of_target(target: &str, shares: &[f64]) -> Option<Finding> {
    let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: if share > MUCH {
            Severity::Suspect
        } else {
            Severity::Note
        },
        cause: Cause::Server,
        workload: None,
        // The idle target affects all other targets.
        target: None,
        evidence: format!(
            "target \"{target}\" used {} of a core while other targets were loaded (median of {})",
            percent(share),
            plural(shares.len(), "slice")
        ),
        advice: "disable its background work (compaction, scanning, replication, busy waiting) \
                 or let it finish before the run; or use a longer --gap between slices"
            .to_owned(),
    })
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
        run.findings(&RULE)
    }

    #[test]
    fn fires_above_two_percent_of_a_core() {
        let findings = idle_use_of_b(0.04);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let expected = "target \"b\" used 4 % of a core while other targets were loaded (median of 16 \
             slices)";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(idle_use_of_b(0.4)[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_below_it_and_for_targets_that_are_not_observed() {
        assert_eq!(idle_use_of_b(0.019), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().idle_targets.clear());
        assert_eq!(run.findings(&RULE), []);
    }
}
