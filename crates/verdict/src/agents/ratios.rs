//! The ratio of two targets by agent, and whether the agents agree.

use std::collections::BTreeMap;

use tenbin_plan::{Plan, Target, Workload};
use tenbin_record::{Environment, Slice};
use tenbin_result::{AgentRatio, AgentRatios, Figure, Metric};
use tenbin_stats::{CONFIDENCE, Measured, departures, ratio};

use super::parts::{agent_count, agent_name, slices_of};
use crate::compare::blocks::Blocks;
use crate::compare::metric::Measure;

/// How far the ratio of one agent is from the ratios of the others, by the first figure that is
/// known of each agent: the primary metric, unless the figure is known only of all agents.
pub(crate) struct Departure {
    pub(crate) workload: String,
    pub(crate) challenger: String,
    pub(crate) metric: Metric,
    pub(crate) agent: usize,
    /// The agent's ratio challenger ÷ baseline.
    pub(crate) ratio: Measured,
    /// The agent's ratio divided by the geometric mean of the ratios of the others.
    pub(crate) to_others: Measured,
}

/// The ratios of every agent, by workload, challenger and figure; empty with fewer than two agents.
pub(crate) fn agent_ratios(
    plan: &Plan,
    slices: &[Slice],
    environment: &Environment,
) -> Vec<AgentRatios> {
    let asked = every_question(plan, slices, environment);
    let found = asked.iter().map(|asked| {
        let each = asked.of_agents.iter().zip(&asked.to_others).enumerate();
        AgentRatios {
            workload: asked.workload.name.clone(),
            baseline: asked.baseline.clone(),
            challenger: asked.challenger.name.clone(),
            metric: asked.metric.into(),
            metric_phrase: asked.metric.phrase(),
            agents: each
                .map(|(agent, (ratio, to_others))| AgentRatio {
                    agent: agent_name(environment, agent),
                    ratio: Figure::of(*ratio),
                    to_others: Figure::of(*to_others),
                })
                .collect(),
        }
    });
    found.collect()
}

/// The departures of every agent, by workload and challenger.
pub(crate) fn departures_of(
    plan: &Plan,
    slices: &[Slice],
    environment: &Environment,
) -> Vec<Departure> {
    let asked = every_question(plan, slices, environment);
    let first = asked.iter().filter(|asked| asked.is_first);
    let each = first.flat_map(|asked| {
        let each = asked.of_agents.iter().zip(&asked.to_others).enumerate();
        each.map(|(agent, (ratio, to_others))| Departure {
            workload: asked.workload.name.clone(),
            challenger: asked.challenger.name.clone(),
            metric: asked.metric,
            agent,
            ratio: *ratio,
            to_others: *to_others,
        })
    });
    each.collect()
}

/// One figure of a challenger at a workload, as each agent measured it.
struct Question<'a> {
    workload: &'a Workload,
    baseline: String,
    challenger: &'a Target,
    metric: Metric,
    is_first: bool,
    /// The block number and the log ratio of each block, by agent.
    logs: Vec<Vec<(u32, f64)>>,
    of_agents: Vec<Measured>,
    to_others: Vec<Measured>,
}

fn every_question<'a>(
    plan: &'a Plan,
    slices: &[Slice],
    environment: &Environment,
) -> Vec<Question<'a>> {
    let agents = agent_count(environment, slices.first());
    let Some(baseline) = plan.baseline().filter(|_| agents >= 2) else {
        return Vec::new();
    };
    let works = plan.workloads.iter().filter(|work| work.search().is_none());
    let mut asked = Vec::new();
    for workload in works {
        let metrics = Metric::of_workload(plan, workload).into_iter();
        let metrics = metrics.filter(|metric| is_known_of_each(*metric));
        for (at, metric) in metrics.enumerate() {
            let challengers = plan.challengers().chain(plan.twin());
            asked.extend(challengers.map(|challenger| Question {
                workload,
                baseline: baseline.name.clone(),
                challenger,
                metric,
                is_first: at == 0,
                logs: Vec::new(),
                of_agents: Vec::new(),
                to_others: Vec::new(),
            }));
        }
    }
    // Agent by agent: there can be hundreds, and a run can have thousands of slices.
    for agent in 0..agents {
        let slices = slices_of(environment, slices, agent);
        for asked in asked.chunk_by_mut(|a, b| a.workload.name == b.workload.name) {
            let Some(first) = asked.first() else { continue };
            let blocks = Blocks::of(first.workload, &slices);
            for asked in asked {
                let sides = (&asked.baseline, &asked.challenger.name);
                let logs = blocks.log_ratios_by_block(asked.metric, sides.0, sides.1);
                asked.logs.push(logs);
            }
        }
    }
    for asked in &mut asked {
        asked.answer(agents, plan.hypotheses());
    }
    asked
}

impl Question<'_> {
    fn answer(&mut self, agents: usize, families: usize) {
        let of_agents = self.logs.iter().map(|agent| {
            let logs: Vec<f64> = agent.iter().map(|(_, log)| *log).collect();
            ratio(&logs, CONFIDENCE)
        });
        self.of_agents = of_agents.collect();
        let found = departures(&common_blocks(&self.logs), families);
        let found = found.into_iter().map(|found| found.rescaled(f64::exp));
        self.to_others = found.collect();
        self.to_others.resize(agents, Measured::Unknown);
    }
}

/// The CPU time and the memory of the server and the bytes of bodies are known only of all agents together.
fn is_known_of_each(metric: Metric) -> bool {
    !matches!(
        metric,
        Metric::ServerCpu | Metric::ServerMemory | Metric::Bandwidth
    )
}

/// The log ratios of all agents in each block in which every agent has one.
fn common_blocks(of_agents: &[Vec<(u32, f64)>]) -> Vec<Vec<f64>> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (block, log) in of_agents.iter().flatten() {
        blocks.entry(*block).or_default().push(*log);
    }
    let complete = |block: &Vec<f64>| block.len() == of_agents.len();
    blocks.into_values().filter(complete).collect()
}
