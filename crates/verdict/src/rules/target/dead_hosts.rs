//! Hosts that did not respond before the run.

use tenbin_record::DeadHost;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "dead_hosts",
    summary: "a host of a target did not respond before the run",
    severities: &[Severity::Suspect],
    explanation: include_str!("dead_hosts.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    targets
        .filter_map(|(name, target)| finding(name, &target.dead_hosts))
        .collect()
}

fn finding(target: &str, dead: &[DeadHost]) -> Option<Finding> {
    let first = dead.first()?;
    let names: Vec<String> = dead.iter().map(|host| tame(&host.name)).collect();
    let (effect, advice) = if first.left_out {
        (
            "no requests were sent there",
            "the figures are those of the other hosts; start the dead ones and repeat the run to \
         measure all of them",
        )
    } else {
        (
            "their share of the requests was sent there and counts as failed unless they came back",
            "start them and repeat the run, or leave them out with --dead-hosts leave-out",
        )
    };
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Setup,
        workload: None,
        target: Some(target.to_owned()),
        evidence: format!(
            "before the run, {} of {target} did not respond ({}); {effect}",
            names.join(", "),
            tame(&first.reason)
        ),
        advice: advice.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn dead_hosts_are_named_with_what_happened_to_their_share() {
        for (left_out, effect) in [(true, "no requests"), (false, "counts as failed")] {
            let mut run = Run::pair(8);
            assert!(run.findings(&RULE).is_empty());
            let target = run.environment.targets.entry("b".to_owned()).or_default();
            target.dead_hosts.push(DeadHost {
                name: "db2:9000".to_owned(),
                reason: "nothing listens".to_owned(),
                left_out,
            });
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1);
            let evidence = &findings[0].evidence;
            assert!(evidence.contains("db2:9000 of b"), "{evidence}");
            assert!(evidence.contains(effect), "{evidence}");
        }
    }
}
