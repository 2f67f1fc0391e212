//! Gives the agents the plan, once the targets run.

use tenbin_plan::{Host, Plan, Reach, Relaunch};

use crate::controls::Controls;
use crate::error::RunError;
use crate::generators::{Generators, unsupported};
use crate::live_target::LiveTarget;

/// Gives the plan to the agents, if there are any. `threads` is the number of threads of each agent.
pub(crate) fn assign(
    plan: &Plan,
    live_targets: &[LiveTarget],
    threads: usize,
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    if matches!(controls.generators, Generators::Here) {
        return Ok(());
    }
    let prepared = live_targets.first().map_or(&[][..], |live| &live.prepared);
    for (work, prepared) in plan.workloads.iter().zip(prepared) {
        if prepared.position().is_some() && plan.targets.len() > 1 {
            return Err(unsupported(work, "whose requests follow a sequence"));
        }
    }
    let text = for_agents(plan, live_targets).to_toml();
    controls.generators.assign(&text, threads, controls.stop)
}

/// The plan as agents execute it: every target runs already, and is reached by its URL.
fn for_agents(plan: &Plan, live_targets: &[LiveTarget]) -> Plan {
    let mut plan = plan.clone();
    plan.agents = None;
    plan.output = tenbin_plan::Output::default();
    // The coordinator restarts the targets, so the plan of an agent must not demand it.
    plan.rounds.relaunch = Relaunch::Never;
    for (target, live) in plan.targets.iter_mut().zip(live_targets) {
        if !matches!(target.reach, Reach::Endpoint { .. }) {
            target.reach = Reach::Endpoint {
                url: live.running.url.clone(),
            };
            let hosts = live.running.route.hosts.iter().map(|host| Host {
                url: host.url.clone(),
                weight: host.weight,
            });
            let hosts: Vec<Host> = hosts.collect();
            target.connect.hosts = if hosts.len() > 1 { hosts } else { Vec::new() };
        }
        target.observe = None;
    }
    plan
}
