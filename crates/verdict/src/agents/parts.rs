//! The slices and figures of one agent.

use tenbin_plan::{Plan, Target, Workload};
use tenbin_record::{AgentPart, Environment, OpFigures, Slice, SliceEnd, SliceHead};
use tenbin_result::{AgentResult, Metric};

use crate::cell::Cell;
use crate::evidence::is_closed;
use crate::figures::basis::Basis;
use crate::figures::latency::NANOS_PER_SECOND;
use crate::words::middle;

/// Number of agents that sent the load of some slices, of which `first` is one: all that took part
/// in the run, if some were lost.
pub(crate) fn agent_count(environment: &Environment, first: Option<&Slice>) -> usize {
    let first = first.map_or(0, |slice| slice.agents.len());
    if environment.lost_agents.is_empty() {
        first
    } else {
        environment.agents.len().max(first)
    }
}

/// The part of an agent in a slice: `agent` is its number among all agents that took part. After
/// a loss, the agents have other numbers in the slices.
pub(crate) fn part_of<'s>(
    environment: &Environment,
    slice: &'s Slice,
    agent: usize,
) -> Option<&'s AgentPart> {
    if environment.lost_agents.is_empty() {
        return slice.agents.get(agent);
    }
    let name = &environment.agents.get(agent)?.name;
    let names = environment.agents_of(slice.index, slice.agents.len());
    let number = names.iter().position(|other| other == name)?;
    slice.agents.get(number)
}

/// The name of an agent; its number, counted from 1, if the name is unknown.
pub(crate) fn agent_name(environment: &Environment, agent: usize) -> String {
    let named = environment.agents.get(agent);
    named.map_or_else(|| (agent + 1).to_string(), |agent| agent.name.clone())
}

/// The median of a figure of an agent over some slices; `None` if the figure is unknown.
pub(crate) fn middle_of(
    environment: &Environment,
    slices: &[&Slice],
    agent: usize,
    figure: impl Fn(&AgentPart) -> Option<f64>,
) -> Option<f64> {
    let parts = slices.iter();
    let parts = parts.filter_map(|slice| part_of(environment, slice, agent));
    middle(parts.filter_map(figure))
}

/// The slices as if the agent alone had measured them: with its operations, and without what is
/// known only of all agents together.
pub(super) fn slices_of(environment: &Environment, slices: &[Slice], agent: usize) -> Vec<Slice> {
    let alone = slices.iter().filter_map(|slice| {
        let part = part_of(environment, slice, agent)?;
        let mut work = OpFigures::new("work");
        work.counts.ok = part.ok;
        work.times.service = part.times.clone();
        work.times.response = part.times.clone();
        Some(Slice {
            head: SliceHead {
                reopen: None,
                probe: None,
                limit_probe: false,
                sustained: false,
                ..slice.head.clone()
            },
            end: SliceEnd {
                seconds: slice.end.seconds,
                cut_short: slice.end.cut_short,
                ..SliceEnd::default()
            },
            ops: vec![work],
            agents: vec![part.clone()],
            ..Slice::default()
        })
    });
    alone.collect()
}

/// The part of every agent in the result of each workload on each target; empty with fewer than
/// two agents.
pub(crate) fn agent_results(
    plan: &Plan,
    slices: &[Slice],
    environment: &Environment,
) -> Vec<AgentResult> {
    let agents = agent_count(environment, slices.first());
    if agents < 2 {
        return Vec::new();
    }
    // The slices of a maximum-rate search have different loads.
    let works = plan.workloads.iter().filter(|work| work.search().is_none());
    let places = works.flat_map(|work| plan.targets.iter().map(move |target| (work, target)));
    let places: Vec<(&Workload, &Target)> = places.collect();
    let mut results = Vec::new();
    // Agent by agent: there can be hundreds, and a run can have thousands of slices.
    for agent in 0..agents {
        let slices = slices_of(environment, slices, agent);
        for (place, (work, target)) in places.iter().enumerate() {
            let cell = Cell::new(work, target, &slices);
            let basis = Basis::of(&cell);
            let [p50, p99] = if is_closed(work) {
                [Metric::SERVICE_P50, Metric::SERVICE_P99]
            } else {
                [Metric::RESPONSE_P50, Metric::RESPONSE_P99]
            };
            let full = cell.full();
            let alone = Environment::default();
            let middle_of =
                |figure: &dyn Fn(&AgentPart) -> Option<f64>| middle_of(&alone, &full, 0, figure);
            let nanos = |figure: fn(&AgentPart) -> Option<u64>| {
                let nanos = middle_of(&|part| Some(figure(part)? as f64))?;
                Some(nanos / NANOS_PER_SECOND)
            };
            let result = AgentResult {
                workload: work.name.clone(),
                target: target.name.clone(),
                agent: agent_name(environment, agent),
                throughput: basis.metric(Metric::Throughput),
                p50: basis.metric(p50),
                p99: basis.metric(p99),
                cpu_busy: middle_of(&|part| part.machine.cpu_busy),
                busiest_thread: middle_of(&|part| Some(part.client.busiest_thread)),
                min_rtt: nanos(|part| part.machine.min_rtt_ns),
                round_trip: nanos(|part| part.machine.round_trip_ns),
            };
            results.push((place, result));
        }
    }
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}
