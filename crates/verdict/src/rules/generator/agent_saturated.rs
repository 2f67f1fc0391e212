//! Agents whose threads or machines are the limit.

use tenbin_record::{AgentPart, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::agents::{agent_count, agent_name, middle_of};
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::Thread;
use crate::rules::generator::client_saturated;
use crate::rules::machine::machine_full::{IDLE, NONE_IDLE};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agent_saturated",
    summary: Texts {
        english: "a load generator thread of an agent was always busy, or an agent's machine had no idle \
              core",
        japanese: "エージェントの負荷生成側のスレッドが常に忙しい、またはマシンに空きコアがない",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("agent_saturated"),
    messages: Messages {
        english: r#"
            who =
                agent "{ $agent }"{ $further ->
                    [0] {""}
                   *[other] {" "}and { $further } more
                }
            thread-busy = { $who }: the busiest load generator thread { $thread } ({ $basis })
            machine-busy = { $who }: the machine was { $share } busy ({ $basis })
            stop-other-programs = stop the other programs on the machine of this agent
            more-threads =
                use more --threads if the agent's machine has idle cores, fewer connections, or
                more agents
            relieve-machine =
                stop other programs on the machine of this agent, or use fewer --threads, fewer
                connections, or more agents; do not run agents on the machine of a target
        "#,
        japanese: r#"
            who =
                エージェント「{ $agent }」{ $further ->
                    [0] {""}
                   *[other] ほか { $further } 台
                }
            thread-busy = { $who }: 負荷生成側の最も忙しいスレッドが { $thread }({ $basis })
            machine-busy = { $who }: マシンの CPU 使用率が { $share } だった({ $basis })
            stop-other-programs = このエージェントのマシンで動くほかのプログラムを止める
            more-threads =
                エージェントのマシンに空きコアがあれば --threads を増やす。
                または、接続を減らすか、エージェントを増やす
            relieve-machine =
                このエージェントのマシンで動くほかのプログラムを止める。または、--threads か接続を減らす、
                あるいはエージェントを増やす。ターゲットのマシンではエージェントを動かさない
        "#,
    },
    tier: Tier::Circumstance,
    explained_by: &[&client_saturated::RULE],
    // As `client_saturated`, for the part of one agent.
    distorts: Distortion::LATE_GENERATOR,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let cells = cells.iter().filter(|cell| cell.target.has_server());
    let found = cells.filter_map(|cell| {
        let thread = of_thread(evidence, cell);
        thread.or_else(|| of_machine(evidence, cell))
    });
    found.collect()
}

/// The finding for the busiest of the saturated threads.
fn of_thread(evidence: &Evidence<'_>, cell: &Cell<'_>) -> Option<Finding> {
    let full = cell.full();
    let agents = agent_count(evidence.environment, full.first().copied());
    // The threads of a single agent are all load generator threads.
    if agents < 2 {
        return None;
    }
    let threads = (0..agents)
        .filter_map(|agent| Some((agent, Thread::of_agent(evidence.environment, &full, agent)?)));
    let busy: Vec<(usize, Thread)> = threads.filter(|(_, thread)| thread.is_busy()).collect();
    let busiest = busy
        .iter()
        .max_by(|(_, one), (_, other)| one.ready().total_cmp(&other.ready()));
    let (agent, thread) = busiest?;
    let said = message!(
        "thread-busy",
        who = who(evidence, *agent, busy.len() - 1),
        thread = thread.message(),
        basis = message!("median-of-slices", slices = full.len())
    );
    let advice = if thread.is_displaced() {
        message!("stop-other-programs")
    } else {
        message!("more-threads")
    };
    Some(finding(cell, Severity::Suspect, said, advice))
}

/// The finding for the busiest of the machines without an idle core.
fn of_machine(evidence: &Evidence<'_>, cell: &Cell<'_>) -> Option<Finding> {
    let full = cell.full();
    let agents = agent_count(evidence.environment, full.first().copied());
    let busy = |agent| {
        middle_of(evidence.environment, &full, agent, |part| {
            part.machine.cpu_busy
        })
    };
    let known = (0..agents).filter_map(|agent| Some((agent, busy(agent)?)));
    let saturated: Vec<(usize, f64)> = known.filter(|(_, busy)| 1.0 - busy < IDLE).collect();
    let busiest = saturated
        .iter()
        .max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (agent, share) = busiest?;
    // A target on this machine may have used it up; all targets were measured so, and their ratio can
    // still be right.
    let can_be_right = evidence.plan.hypotheses() > 0 && may_run_target(evidence, &full, *agent);
    let severity = Severity::Note.raised_if(1.0 - share < NONE_IDLE && !can_be_right);
    let said = message!(
        "machine-busy",
        who = who(evidence, *agent, saturated.len() - 1),
        share = Value::Share(*share),
        basis = message!("median-of-slices", slices = full.len())
    );
    Some(finding(cell, severity, said, message!("relieve-machine")))
}

/// Whether a target may run on the machine of the agent. Without one, it is known what other programs
/// used.
fn may_run_target(evidence: &Evidence<'_>, slices: &[&Slice], agent: usize) -> bool {
    let others = |part: &AgentPart| part.machine.others_cores;
    middle_of(evidence.environment, slices, agent, others).is_none()
}

/// The agent, and the number of further agents.
fn who(evidence: &Evidence<'_>, agent: usize, further: usize) -> Message {
    let name = agent_name(evidence.environment, agent);
    message!("who", agent = name, further)
}

fn finding(cell: &Cell<'_>, severity: Severity, evidence: Message, advice: Message) -> Finding {
    let finding = RULE.finding(severity, Cause::Generator, evidence, advice);
    finding.on(&cell.workload.name, &cell.target.name)
}

#[cfg(test)]
mod tests {
    use tenbin_record::ThreadTurn;

    use super::*;
    use crate::rules::generator::client_saturated;
    use crate::testing::{Run, agent};

    /// Agents whose busiest threads use these shares of a core on target `b`.
    fn threads(shares: &[f64]) -> Run {
        let mut run = Run::pair(8);
        run.agents_of("b", |_| {
            shares.iter().map(|share| agent(1_000, *share)).collect()
        });
        run
    }

    /// Two agents, whose machines are busy by these shares on target `b`.
    fn machines(shares: &[f64]) -> Run {
        let mut run = Run::pair(8);
        run.agents_of("b", |_| {
            let part = |share: &f64| {
                let mut part = agent(1_000, 0.2);
                part.machine.cpu_busy = Some(*share);
                part
            };
            shares.iter().map(part).collect()
        });
        run
    }

    #[test]
    fn a_saturated_thread_is_found_and_its_agent_named() {
        let findings = threads(&[0.5, 0.97]).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "agent \"two\": the busiest load generator thread used 97 % of a core (median of 16 \
             slices)"
        );
        let several = &threads(&[0.93, 0.5, 0.97]).findings(&RULE)[0];
        assert!(several.evidence.starts_with("agent \"three\" and 1 more: "));
        assert_eq!(threads(&[0.5, 0.89]).findings(&RULE), []);
    }

    #[test]
    fn a_wait_counts_while_other_programs_run_on_the_machine_of_the_agent() {
        let waiting = |others_cores| {
            let mut run = threads(&[0.5, 0.5]);
            run.each_of("b", |slice| {
                let part = &mut slice.0.agents[1];
                let (used, waited) = (0.5, 0.45);
                part.client.readiest_thread = Some(ThreadTurn { used, waited });
                part.machine.others_cores = others_cores;
            });
            run.findings(&RULE)
        };
        let findings = waiting(Some(1.5));
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .contains("and waited in 45 % of the time")
        );
        assert!(findings[0].advice.starts_with("stop the other programs"));
        assert_eq!(waiting(Some(0.1)), []);
        assert_eq!(waiting(None), [], "a target may use the cores");
    }

    #[test]
    fn a_machine_without_an_idle_core_is_found() {
        let severity = |run: &Run| {
            let findings = run.findings(&RULE);
            findings.first().map(|found| found.severity)
        };
        let compared = |shares| severity(&machines(shares));
        assert_eq!(compared(&[0.5, 0.995]), Some(Severity::Note));
        assert_eq!(compared(&[0.95, 0.5]), Some(Severity::Note));
        assert_eq!(compared(&[0.89, 0.5]), None);
        assert_eq!(compared(&[0.995]), Some(Severity::Note), "one agent");
        let without_target = |shares| {
            let mut run = machines(shares);
            run.each_of("b", |slice| {
                let parts = slice.0.agents.iter_mut();
                parts.for_each(|part| part.machine.others_cores = Some(0.0));
            });
            severity(&run)
        };
        assert_eq!(without_target(&[0.5, 0.995]), Some(Severity::Suspect));
        assert_eq!(without_target(&[0.5, 0.95]), Some(Severity::Note));
        let alone = |shares| {
            let mut run = machines(shares);
            run.plan.targets.remove(0);
            run.slices.retain(|slice| slice.target == "b");
            severity(&run)
        };
        assert_eq!(alone(&[0.5, 0.995]), Some(Severity::Suspect));
        assert_eq!(alone(&[0.5, 0.95]), Some(Severity::Note));
        let found = &machines(&[0.995, 0.95]).findings(&RULE)[0];
        assert_eq!(
            found.evidence,
            "agent \"one\" and 1 more: the machine was 99.5 % busy (median of 16 slices)"
        );
    }

    #[test]
    fn if_all_agents_are_saturated_one_finding_says_so() {
        let mut run = threads(&[0.97, 0.95]);
        run.each_of("b", |slice| slice.busiest_thread(0.97));
        let rules = run.assess().findings;
        let has = |name: &str| rules.iter().any(|found| found.rule == name);
        assert!(
            has(client_saturated::RULE.name) && !has(RULE.name),
            "{rules:?}"
        );
    }

    #[test]
    fn silent_without_agents_and_when_unknown() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(threads(&[0.2, 0.2]).findings(&RULE), []);
    }
}
