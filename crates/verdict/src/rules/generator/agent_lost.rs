//! Agents that were lost during the run.

use tenbin_record::LostAgent;
use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::void_part;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agent_lost",
    summary: Texts {
        english: "an agent was lost, and a part of the run was repeated",
        japanese: "エージェントを失い、実行の一部を測り直した",
    },
    severities: &[Severity::Note],
    explanation: pages!("agent_lost"),
    messages: Messages {
        english: r#"
            lost =
                { $reason } during { $during }, which was repeated with { $agents ->
                    [one] 1 agent
                   *[other] { $agents } agents
                }
            look-at-agent =
                look at the output of `tenbin agent` on the machine of agent "{ $name }", and at
                its network; no figure contains the void slices
        "#,
        japanese: r#"
            lost =
                エージェントを失った({ $reason }、{ $during } の間)。その部分は { $agents } 台のエージェントで測り直した
            look-at-agent =
                エージェント「{ $name }」のマシンで `tenbin agent` の出力とネットワークを確かめる。
                無効になったスライスはどの数値にも含まれない
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let lost = evidence.environment.lost_agents.iter();
    lost.map(finding).collect()
}

fn finding(lost: &LostAgent) -> Finding {
    let said = message!(
        "lost",
        reason = &lost.reason,
        during = void_part(lost.part, &lost.during),
        agents = lost.agents.len()
    );
    let advice = message!("look-at-agent", name = &lost.name);
    RULE.finding(Severity::Note, Cause::Generator, said, advice)
}

#[cfg(test)]
mod tests {
    use tenbin_record::RunPart;
    use tenbin_result::Language;

    use super::*;
    use crate::said;
    use crate::testing::Run;

    #[test]
    fn each_lost_agent_is_named_with_its_block_and_the_agents_left() {
        let mut run = Run::pair(8);
        for (name, agents) in [("load2", &["load1", "load3"][..]), ("load3", &["load1"])] {
            run.environment.lost_agents.push(LostAgent {
                name: name.to_owned(),
                reason: format!("agent \"{name}\" sent no heartbeat for 3 s"),
                during: "block 2".to_owned(),
                part: Some(RunPart::Block(1)),
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
        let (japanese, _) = said(&findings[0], Language::Japanese);
        assert!(japanese.contains("ブロック 2 の間"), "{japanese}");
    }
}
