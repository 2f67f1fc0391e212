//! Agents that are farther away than others.

use tenbin_record::{AgentPart, Environment, Slice};
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::agents::{agent_count, agent_name, middle_of};
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::latency::NANOS_PER_SECOND;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Longest round trip divided by the shortest, above which there is a finding.
const TIMES: f64 = 2.0;
/// Difference of round trips to the target above which there is a finding, seconds.
const TO_TARGET: f64 = 0.000_2;
/// Difference of round trips to the coordinator above which there is a finding, seconds. Programs
/// respond to these probes, not kernels.
const TO_COORDINATOR: f64 = 0.001;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agent_far",
    summary: Texts {
        english: "an agent is farther from the target than others",
        japanese: "ターゲットまでの距離がほかより遠いエージェントがある",
    },
    severities: &[Severity::Note],
    explanation: pages!("agent_far"),
    messages: Messages {
        english: r#"
            round-trips =
                the round trip to { $to_target ->
                    [true] the target
                   *[false] the coordinator
                } takes at least { $longest } from agent "{ $far }" and { $shortest } from agent
                "{ $near }"
            equal-distance =
                use agents at the same distance from the targets, or read the figures of each agent
        "#,
        japanese: r#"
            round-trips =
                { $to_target ->
                    [true] ターゲット
                   *[false] コーディネーター
                }までの往復は、エージェント「{ $far }」から最短 { $longest }、エージェント「{ $near }」から最短 { $shortest }
            equal-distance =
                ターゲットまでの距離が等しいエージェントを使う。または、エージェントごとの数値を読む
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let agents = agent_count(evidence.environment, evidence.slices.first());
    if agents < 2 {
        return Vec::new();
    }
    let cells = evidence.cells();
    let distances = cells.iter().filter_map(|cell| {
        let to_target = |part: &AgentPart| part.machine.min_rtt_ns;
        Some((
            cell,
            Distances::of(evidence.environment, &cell.full(), agents, to_target)?,
        ))
    });
    let distances: Vec<(&Cell<'_>, Distances)> = distances.collect();
    if distances.is_empty() {
        return of_probes(evidence, agents).into_iter().collect();
    }
    let far = distances
        .iter()
        .filter(|(_, distances)| distances.differ_by(TO_TARGET));
    let found = far.map(|(cell, distances)| Finding {
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        ..finding(evidence, distances, true)
    });
    found.collect()
}

fn of_probes(evidence: &Evidence<'_>, agents: usize) -> Option<Finding> {
    let full: Vec<&Slice> = evidence.cells.iter().flat_map(Cell::full).collect();
    let distances = Distances::of(evidence.environment, &full, agents, |part| {
        part.machine.round_trip_ns
    })?;
    let is_far = distances.differ_by(TO_COORDINATOR);
    is_far.then(|| finding(evidence, &distances, false))
}

fn finding(evidence: &Evidence<'_>, distances: &Distances, to_target: bool) -> Finding {
    let name = |agent| agent_name(evidence.environment, agent);
    let ((near, shortest), (far, longest)) = (distances.nearest, distances.farthest);
    let round_trips = message!(
        "round-trips",
        to_target,
        longest = Value::Seconds(longest),
        far = name(far),
        shortest = Value::Seconds(shortest),
        near = name(near)
    );
    let advice = message!("equal-distance");
    RULE.finding(Severity::Note, Cause::Network, round_trips, advice)
}

/// The nearest and the farthest agent, with their round trips in seconds.
struct Distances {
    nearest: (usize, f64),
    farthest: (usize, f64),
}

impl Distances {
    /// `None` unless the round trip of every agent is known.
    fn of(
        environment: &Environment,
        slices: &[&Slice],
        agents: usize,
        nanos: impl Fn(&AgentPart) -> Option<u64>,
    ) -> Option<Self> {
        let seconds = |part: &AgentPart| Some(nanos(part)? as f64 / NANOS_PER_SECOND);
        let each =
            (0..agents).map(|agent| Some((agent, middle_of(environment, slices, agent, seconds)?)));
        let each: Vec<(usize, f64)> = each.collect::<Option<_>>()?;
        let order = |(_, one): &&(usize, f64), (_, other): &&(usize, f64)| one.total_cmp(other);
        Some(Self {
            nearest: *each.iter().min_by(order)?,
            farthest: *each.iter().max_by(order)?,
        })
    }

    fn differ_by(&self, most: f64) -> bool {
        let (shortest, longest) = (self.nearest.1, self.farthest.1);
        longest > TIMES * shortest && longest - shortest > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Run, agent};

    /// A run of two agents with these round trips to target `b` and to the coordinator, µs.
    fn away(to_b: [Option<u64>; 2], to_coordinator: [Option<u64>; 2]) -> Vec<Finding> {
        let mut run = Run::pair(8);
        for (target, to_target) in [("a", [Some(50); 2]), ("b", to_b)] {
            let to_target = match to_b[0] {
                Some(_) => to_target,
                None => to_b,
            };
            run.agents_of(target, |_| {
                let both = to_target.into_iter().zip(to_coordinator);
                let part = both.map(|(to_target, to_coordinator)| {
                    let mut part = agent(1_000, 0.2);
                    part.machine.min_rtt_ns = to_target.map(|micros| micros * 1_000);
                    part.machine.round_trip_ns = to_coordinator.map(|micros| micros * 1_000);
                    part
                });
                part.collect()
            });
        }
        run.findings(&RULE)
    }

    #[test]
    fn an_agent_farther_from_the_target_is_found() {
        let findings = away([Some(50), Some(900)], [None; 2]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "the round trip to the target takes at least 900 µs from agent \"two\" and 50.0 µs from \
             agent \"one\""
        );
    }

    #[test]
    fn both_the_factor_and_the_amount_decide() {
        assert_eq!(away([Some(20), Some(200)], [None; 2]), [], "little");
        assert_eq!(away([Some(900), Some(1_500)], [None; 2]), [], "alike");
    }

    #[test]
    fn probes_decide_only_if_the_distance_to_the_target_is_unknown() {
        let far = [Some(200), Some(5_000)];
        assert_eq!(away([Some(50); 2], far), []);
        let findings = away([None; 2], far);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target, None);
        assert!(
            findings[0]
                .evidence
                .contains("the coordinator takes at least 5.00 ms")
        );
        assert_eq!(
            away([None; 2], [Some(200), Some(1_100)]),
            [],
            "busy machine"
        );
        assert_eq!(away([None; 2], [Some(200), None]), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
