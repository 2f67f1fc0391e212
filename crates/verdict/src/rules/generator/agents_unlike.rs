//! Agents on different machines.

use tenbin_record::AgentEnvironment;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agents_unlike",
    summary: Texts {
        english: "the machines of the agents have different cores, CPU models or kernels",
        japanese: "エージェントのマシンのコア数、CPU の型番、カーネルが異なる",
    },
    severities: &[Severity::Note],
    explanation: pages!("agents_unlike"),
    messages: Messages {
        english: r#"
            machines-differ = the machines of the agents differ: { $differences }
            difference = "{ $first }" has { $usual }, "{ $other }" has { $unusual }
            cores =
                { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                }
            cpu-model = CPU { $model }
            kernel = kernel { $kernel }
            different-machines =
                read the absolute figures as those of different machines; the section "agents" of
                the report has the figures of each
        "#,
        japanese: r#"
            machines-differ = エージェントのマシンが異なる: { $differences }
            difference = 「{ $first }」: { $usual }、「{ $other }」: { $unusual }
            cores = { $cores } コア
            cpu-model = CPU { $model }
            kernel = カーネル { $kernel }
            different-machines =
                絶対値は異なるマシンでの値として読む。エージェントごとの数値はレポートの agents の節にある
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

/// A property of a machine; `None` if unknown.
type Property = fn(&AgentEnvironment) -> Option<Message>;

const PROPERTIES: [Property; 3] = [
    |agent| Some(message!("cores", cores = agent.cores)),
    |agent| {
        Some(message!(
            "cpu-model",
            model = tame(agent.cpu_model.as_deref()?)
        ))
    },
    |agent| Some(message!("kernel", kernel = tame(agent.kernel.as_deref()?))),
];

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let agents = &evidence.environment.agents;
    let each = PROPERTIES.iter();
    let differences: Vec<Message> = each.filter_map(|it| difference(agents, *it)).collect();
    if differences.is_empty() {
        return Vec::new();
    }
    let differ = message!("machines-differ", differences = Value::Clauses(differences));
    let advice = message!("different-machines");
    vec![RULE.finding(Severity::Note, Cause::Setup, differ, advice)]
}

/// The first two agents that differ in a property.
fn difference(agents: &[AgentEnvironment], property: Property) -> Option<Message> {
    let mut known = agents
        .iter()
        .filter_map(|agent| Some((agent, property(agent)?)));
    let (first, usual) = known.next()?;
    let (other, unusual) = known.find(|(_, value)| *value != usual)?;
    Some(message!(
        "difference",
        first = &first.name,
        usual,
        other = &other.name,
        unusual
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Run, agent};

    /// A run of two agents, the second of which was changed.
    fn changed(change: impl FnOnce(&mut AgentEnvironment)) -> Vec<Finding> {
        let mut run = Run::pair(8);
        for target in ["a", "b"] {
            run.agents_of(target, |_| vec![agent(1_000, 0.2), agent(1_000, 0.2)]);
        }
        change(&mut run.environment.agents[1]);
        run.findings(&RULE)
    }

    #[test]
    fn different_machines_are_named() {
        let findings = changed(|two| {
            two.cores = 8;
            two.kernel = Some("6.8.0".to_owned());
        });
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "the machines of the agents differ: \"one\" has 4 cores, \"two\" has 8 cores; \"one\" has \
             kernel 6.1.0, \"two\" has kernel 6.8.0"
        );
        let model = changed(|two| two.cpu_model = Some("other\u{1b}".to_owned()));
        assert!(model[0].evidence.ends_with("\"two\" has CPU other\\u{1b}"));
    }

    #[test]
    fn silent_about_equal_and_unknown_machines() {
        assert_eq!(changed(|_| {}), []);
        assert_eq!(changed(|two| two.cpu_model = None), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
