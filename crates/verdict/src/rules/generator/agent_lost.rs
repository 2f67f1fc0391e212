//! Agents that were lost during the run.

use tenbin_record::LostAgent;
use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agent_lost",
    summary: "an agent was lost, and a part of the run was repeated",
    severities: &[Severity::Note],
    explanation: include_str!("agent_lost.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let lost = evidence.environment.lost_agents.iter();
    lost.map(finding).collect()
}

fn finding(lost: &LostAgent) -> Finding {
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Generator,
        workload: None,
        target: None,
        evidence: format!(
            "{} during {}, which was repeated with {}",
            lost.reason,
            lost.during,
            plural(lost.agents.len(), "agent")
        ),
        advice: format!(
            "look at the output of `tenbin agent` on the machine of agent \"{}\", and at its \
             network; no figure contains the void slices",
            lost.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn each_lost_agent_is_named_with_its_block_and_the_agents_left() {
        let mut run = Run::pair(8);
        for (name, agents) in [("load2", &["load1", "load3"][..]), ("load3", &["load1"])] {
            run.environment.lost_agents.push(LostAgent {
                name: name.to_owned(),
                reason: format!("agent \"{name}\" sent no heartbeat for 3 s"),
                during: "block 2".to_owned(),
                agents: agents.iter().map(|name| (*name).to_owned()).collect(),
                next_slice: 6,
            });
        }
        let findings = run.findings(&RULE);
        let evidence: Vec<&str> = findings.iter().map(|it| it.evidence.as_str()).collect();
        assert_eq!(
            evidence,
            [
                "agent \"load2\" sent no heartbeat for 3 s during block 2, which was \
                 repeated with 2 agents",
                "agent \"load3\" sent no heartbeat for 3 s during block 2, which was \
                 repeated with 1 agent",
            ]
        );
        assert!(findings[0].advice.contains("agent \"load2\""));
    }
}
