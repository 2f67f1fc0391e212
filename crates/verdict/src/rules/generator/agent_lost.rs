//! Agents that were lost during the run.

use tenbin_record::LostAgent;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
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
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("agent_lost"),
    messages: Messages {
        english: r#"
            lost =
                { $reason } during { $during }, which was repeated with { $agents ->
                    [one] 1 agent
                   *[other] { $agents } agents
                } ({ $names }){ $mixed ->
                    [true] ; figures of the whole run mix slices of { $fewest } and of { $most } agents
                   *[false] {""}
                }
            look-at-agent =
                look at the output of `tenbin agent` on the machine of agent "{ $name }", and at
                its network; no figure contains the void slices{ $mixed ->
                    [true] ; for absolute figures, run again with all agents
                   *[false] {""}
                }
        "#,
        japanese: r#"
            lost =
                エージェントを失った({ $reason }、{ $during } の間)。その部分は { $agents } 台のエージェント({ $names })で測り直した{ $mixed ->
                    [true] 。実行全体の数値には、{ $fewest } 台のスライスと { $most } 台のスライスが混じる
                   *[false] {""}
                }
            look-at-agent =
                エージェント「{ $name }」のマシンで `tenbin agent` の出力とネットワークを確かめる。
                無効になったスライスはどの数値にも含まれない{ $mixed ->
                    [true] 。絶対値が必要なら、すべてのエージェントで測り直す
                   *[false] {""}
                }
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let numbers = numbers_of_agents(evidence);
    let lost = evidence.environment.lost_agents.iter();
    let compares = evidence.plan.hypotheses() > 0;
    lost.map(|lost| finding(lost, numbers, compares)).collect()
}

/// The fewest and the most agents that sent the slices of one workload to one target: the pair with the
/// largest difference; 0 without a slice that counts.
fn numbers_of_agents(evidence: &Evidence<'_>) -> (usize, usize) {
    let of_cell = |cell: &Cell<'_>| {
        let numbers = cell.full();
        let numbers = numbers.iter().map(|slice| slice.agents.len());
        Some((numbers.clone().min()?, numbers.max()?))
    };
    let cells = evidence.cells();
    let all = cells.iter().filter_map(of_cell);
    all.max_by_key(|(fewest, most)| most - fewest)
        .unwrap_or_default()
}

fn finding(lost: &LostAgent, (fewest, most): (usize, usize), compares: bool) -> Finding {
    let is_mixed = fewest != most;
    // The slices of one block have the same agents, so that ratios remain fair.
    let severity = Severity::Note.raised_if(is_mixed && !compares);
    let said = message!(
        "lost",
        reason = &lost.reason,
        during = void_part(lost.part, &lost.during),
        agents = lost.agents.len(),
        names = Value::Texts(lost.agents.clone()),
        mixed = is_mixed,
        fewest,
        most
    );
    let advice = message!("look-at-agent", name = &lost.name, mixed = is_mixed);
    RULE.finding(severity, Cause::Generator, said, advice)
}

#[cfg(test)]
mod tests {
    use tenbin_record::RunPart;
    use tenbin_result::Language;

    use super::*;
    use crate::said;
    use crate::testing::{Run, agent};

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
                 repeated with 2 agents (load1, load3)",
                "agent \"load3\" sent no heartbeat for 3 s during block 2, which was \
                 repeated with 1 agent (load1)",
            ]
        );
        assert!(findings.iter().all(|it| it.severity == Severity::Note));
        assert!(findings[0].advice.contains("agent \"load2\""));
        let (japanese, _) = said(&findings[0], Language::Japanese);
        assert!(japanese.contains("ブロック 2 の間"), "{japanese}");
    }

    #[test]
    fn slices_of_other_numbers_of_agents_are_suspect() {
        let mut run = Run::single(8);
        let parts = |count: usize| vec![agent(1_000, 0.2); count];
        run.each(|slice| slice.0.agents = parts(if slice.0.block < 4 { 2 } else { 1 }));
        run.environment.lost_agents.push(LostAgent {
            name: "load2".to_owned(),
            reason: "agent \"load2\" sent no heartbeat for 3 s".to_owned(),
            during: "block 5".to_owned(),
            part: Some(RunPart::Block(4)),
            agents: vec!["load1".to_owned()],
            next_slice: 16,
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "agent \"load2\" sent no heartbeat for 3 s during block 5, which was repeated with 1 agent \
             (load1); figures of the whole run mix slices of 1 and of 2 agents"
        );
        assert!(findings[0].advice.ends_with("run again with all agents"));
        run.each(|slice| slice.0.agents = parts(2));
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Note);
    }

    #[test]
    fn a_comparison_within_blocks_is_not_suspect() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let count = if slice.0.block < 4 { 2 } else { 1 };
            slice.0.agents = vec![agent(1_000, 0.2); count];
        });
        run.environment.lost_agents.push(LostAgent {
            name: "load2".to_owned(),
            reason: "agent \"load2\" sent no heartbeat for 3 s".to_owned(),
            during: "block 5".to_owned(),
            part: Some(RunPart::Block(4)),
            agents: vec!["load1".to_owned()],
            next_slice: 16,
        });
        let found = run.findings(&RULE);
        assert_eq!(found[0].severity, Severity::Note);
        assert!(
            found[0]
                .evidence
                .contains("mix slices of 1 and of 2 agents")
        );
    }
}
