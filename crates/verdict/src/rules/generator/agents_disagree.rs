//! Agents that measure different ratios of the same targets.

use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::Estimate;

use crate::agents::{Departure, agent_name, departures_of};
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "agents_disagree",
    summary: Texts {
        english: "the ratio of the targets depends on the agent",
        japanese: "ターゲットの比がエージェントによって異なる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("agents_disagree"),
    messages: Messages {
        english: r#"
            another-ratio =
                agent "{ $agent }" measured a { $metric } ratio of { $ratio }, { $to_others } times
                the ratio of the other agents ({ $low }–{ $high })
            compare-agents =
                compare the agents in the section "agents" of the report, and run again without an
                agent that is saturated or far from a target
        "#,
        japanese: r#"
            another-ratio =
                エージェント「{ $agent }」が測った{ $metric }の比は { $ratio } で、
                ほかのエージェントの比の { $to_others } 倍({ $low }–{ $high })
            compare-agents =
                レポートの agents の節でエージェントを比べ、
                飽和したエージェントやターゲットから遠いエージェントを外して再び測る
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let departures = departures_of(evidence.plan, evidence.slices, evidence.environment);
    let asked =
        departures.chunk_by(|a, b| (&a.workload, &a.challenger) == (&b.workload, &b.challenger));
    asked.filter_map(|each| of_agents(evidence, each)).collect()
}

/// The finding for the agent that is farthest from the others.
fn of_agents(evidence: &Evidence<'_>, all: &[Departure]) -> Option<Finding> {
    let margin = evidence.plan.comparing.margin.share();
    let apart = all.iter().filter_map(|found| {
        let to_others = found.to_others.estimate()?;
        let is_apart = !to_others.contains(1.0) && distance(to_others) > margin.ln_1p();
        is_apart.then_some((found, to_others))
    });
    let (found, to_others) = apart.max_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)))?;
    let another_ratio = message!(
        "another-ratio",
        agent = agent_name(evidence.environment, found.agent),
        metric = found.metric.message(),
        ratio = Value::Ratio(found.ratio.value()?),
        to_others = Value::Ratio(to_others.value),
        low = Value::Ratio(to_others.low),
        high = Value::Ratio(to_others.high)
    );
    let advice = message!("compare-agents");
    let finding = RULE.finding(Severity::Suspect, Cause::Generator, another_ratio, advice);
    Some(finding.on(&found.workload, &found.challenger))
}

/// Distance of a ratio from 1, on the scale of logarithms.
fn distance(of: &Estimate) -> f64 {
    of.value.ln().abs()
}

#[cfg(test)]
mod tests {
    use tenbin_record::AgentPart;

    use super::*;
    use crate::testing::{Run, agent};

    /// A number from 0 to 1 that looks random (SplitMix64).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Three agents, of which the third completes `factor` of its share on target `b`.
    fn third(quads: u32, seed: u64, factor: f64) -> Run {
        let mut run = Run::pair(quads);
        let mut seed = seed;
        for (target, factor) in [("a", 1.0), ("b", factor)] {
            run.agents_of(target, |_| {
                let shared = 1.0 + 0.3 * noise(&mut seed);
                let mut part = |factor: f64| {
                    let own = 1.0 + 0.1 * noise(&mut seed);
                    agent((1_000.0 * shared * own * factor) as u64, 0.2)
                };
                vec![part(1.0), part(1.0), part(factor)]
            });
        }
        run
    }

    #[test]
    fn an_agent_with_another_ratio_is_found_and_named() {
        let findings = third(12, 1, 0.8).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let found = &findings[0];
        assert_eq!(found.target.as_deref(), Some("b"));
        let start = "agent \"three\" measured a throughput ratio of 0.7";
        let start_or = "agent \"three\" measured a throughput ratio of 0.8";
        let says = &found.evidence;
        assert!(
            says.starts_with(start) || says.starts_with(start_or),
            "{says}"
        );
        assert!(
            says.contains("times the ratio of the other agents (0."),
            "{says}"
        );
    }

    #[test]
    fn agents_that_agree_are_found_in_at_most_five_percent_of_runs() {
        let found = |margin: &str, factor| {
            let runs = (0..1_000).map(|seed| {
                let mut run = third(8, seed * 104_729 + 17, factor);
                run.plan.comparing.margin = margin.parse().expect("a margin");
                run.findings(&RULE).len()
            });
            runs.sum::<usize>()
        };
        // 4.55 % of 8,000 runs, without a margin.
        let (any, of_margin) = (found("0.1%", 1.0), found("5%", 1.0));
        assert!((10..=50).contains(&any), "{any} of 1,000");
        assert!(of_margin <= any, "{of_margin} of 1,000");
        assert!(found("5%", 0.8) > 750, "the test can find something");
    }

    #[test]
    fn a_difference_within_the_margin_is_none() {
        let mut run = third(12, 1, 0.8);
        run.plan.comparing.margin = "50%".parse().expect("a margin");
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_with_few_blocks_and_without_a_second_agent() {
        assert_eq!(third(4, 1, 0.8).findings(&RULE), []);
        assert_eq!(Run::pair(12).findings(&RULE), []);
        let mut run = third(12, 1, 0.8);
        let alone = |parts: &Vec<AgentPart>| parts[2..].to_vec();
        run.each(|slice| slice.0.agents = alone(&slice.0.agents));
        assert_eq!(run.findings(&RULE), []);
    }
}
