//! Agents that complete less or more than their share of the load.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Difference from the share, relative to the share, above which there is a finding.
const MOST: f64 = 0.2;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agents_differ",
    summary: Texts {
        english: "an agent completed less or more than its share of the load",
        japanese: "エージェントの完了した操作が、分担した負荷より少ない、または多い",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("agents_differ"),
    messages: Messages {
        english: r#"
            completed =
                agent "{ $agent }" completed { $share } of what its share of the load is
                ({ $basis })
            compare-agents =
                compare the machines of the agents and their distance to the target, or run again
                without that agent
        "#,
        japanese: r#"
            completed =
                エージェント「{ $agent }」が完了した操作は、分担した負荷に見合う数の { $share }({ $basis })
            compare-agents =
                エージェントのマシンと、ターゲットまでの距離を比べる。
                または、そのエージェントを外して再び測る
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| of_cell(evidence, cell));
    found.collect()
}

/// The finding for the agent that differs most.
fn of_cell(evidence: &Evidence<'_>, cell: &Cell<'_>) -> Option<Finding> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for slice in cell.full().into_iter().filter(|it| it.agents.len() > 1) {
        for agent in 0..slice.agents.len() {
            if let Some(done) = done(slice, agent) {
                let name = name(evidence, slice, agent);
                all.entry(name).or_default().push(done);
            }
        }
    }
    let known = all
        .into_iter()
        .filter_map(|(name, done)| Some((name, middle(done.iter().copied())?, done.len())));
    let apart = |(_, one, _): &(String, f64, usize)| (one - 1.0).abs();
    let most = known.max_by(|one, other| apart(one).total_cmp(&apart(other)))?;
    let is_far = apart(&most) > MOST;
    let (name, found, slices) = most;
    if !is_far {
        return None;
    }
    let completed = message!(
        "completed",
        agent = name,
        share = Value::Share(found),
        basis = message!("median-of-slices", slices)
    );
    let advice = message!("compare-agents");
    let finding = RULE.finding(Severity::Suspect, Cause::Generator, completed, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// What the agent completed, divided by its share of what all agents completed; `None` if they
/// completed nothing.
fn done(slice: &Slice, agent: usize) -> Option<f64> {
    let all: u64 = slice.agents.iter().map(|part| part.ok).sum();
    let own = slice.agents.get(agent)?;
    (all > 0 && own.share > 0.0).then(|| own.ok as f64 / all as f64 / own.share)
}

/// The name of an agent of the slice. After a loss, other agents can have the same numbers.
fn name(evidence: &Evidence<'_>, slice: &Slice, agent: usize) -> String {
    let names = evidence
        .environment
        .agents_of(slice.index, slice.agents.len());
    names
        .get(agent)
        .map_or_else(|| (agent + 1).to_string(), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use tenbin_record::{AgentEnvironment, AgentPart, LostAgent};

    use super::*;
    use crate::testing::Run;

    /// A run whose slices of `b` have these agents: correct operations, and share of the load.
    fn done_by(agents: &[(u64, f64)]) -> Run {
        let mut run = Run::pair(8);
        let parts = agents.iter().map(|&(ok, share)| AgentPart {
            ok,
            share,
            ..AgentPart::default()
        });
        let parts: Vec<AgentPart> = parts.collect();
        run.each_of("b", |slice| slice.0.agents = parts.clone());
        run
    }

    #[test]
    fn an_agent_below_its_share_is_found() {
        let even = 1.0 / 3.0;
        let findings = done_by(&[(1_000, even), (1_000, even), (500, even)]).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "agent \"3\" completed 60 % of what its share of the load is (median of 16 slices)"
        );
        let near = done_by(&[(1_000, even), (1_000, even), (850, even)]);
        assert_eq!(near.findings(&RULE), []);
    }

    #[test]
    fn after_a_loss_the_numbers_belong_to_other_agents() {
        let mut run = done_by(&[(1_000, 0.5), (1_000, 0.5)]);
        let agent = |name: &str| AgentEnvironment {
            name: name.to_owned(),
            ..AgentEnvironment::default()
        };
        run.environment.agents = ["load1", "load2", "load3"].map(agent).to_vec();
        run.environment.lost_agents.push(LostAgent {
            name: "load2".to_owned(),
            agents: vec!["load1".to_owned(), "load3".to_owned()],
            next_slice: 8,
            ..LostAgent::default()
        });
        // The agent that came late is slow; few of the slices of its number are its own.
        run.each_of("b", |slice| {
            if slice.0.index >= 24 {
                slice.0.agents[1].ok = 100;
            }
        });
        assert_eq!(run.findings(&RULE), []);
        run.each_of("b", |slice| {
            if slice.0.index >= 16 {
                slice.0.agents[1].ok = 100;
            }
        });
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "agent \"load3\" completed 18.2 % of what its share of the load is (median of 12 slices)"
        );
    }

    #[test]
    fn an_agent_with_a_larger_share_completes_more() {
        let run = done_by(&[(2_000, 2.0 / 3.0), (1_000, 1.0 / 3.0)]);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_without_agents_and_without_operations() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(done_by(&[(500, 1.0)]).findings(&RULE), []);
        assert_eq!(done_by(&[(0, 0.5), (0, 0.5)]).findings(&RULE), []);
    }
}
