//! Existing data sets that preparation found on the targets. The plan is updated with these data
//! sets before the first slice, so that the record describes the workloads correctly.

use tenbin_plan::{Found, Plan, Relaunch};
use tenbin_workloads::WorkloadError;

use crate::target::live::LiveTarget;

/// The data sets found on the targets, with the index of each workload.
pub(crate) fn on(live_targets: &[LiveTarget], workloads: usize) -> Vec<(usize, Found)> {
    let of = |at: usize| {
        let each = live_targets
            .iter()
            .filter_map(|live| live.prepared[at].found());
        Some((at, each.reduce(Found::and)?))
    };
    (0..workloads).filter_map(of).collect()
}

/// Returns an error if a workload cannot use the data set found, for example because its range ends
/// beyond the smallest blob.
pub(crate) fn check(plan: &Plan, found: &[(usize, Found)]) -> Result<(), WorkloadError> {
    let mut refused = found.iter().filter_map(|&(at, found)| {
        let why = plan.refuses(at, found)?;
        let workload = plan.workloads[at].name.clone();
        Some(WorkloadError::Found { workload, why })
    });
    refused.next().map_or(Ok(()), Err)
}

/// The plan with the data sets found, renamed workloads and the decision when to restart targets;
/// `None` if nothing changes.
pub(crate) fn resolved(
    plan: &Plan,
    found: &[(usize, Found)],
    relaunch: Relaunch,
    live_targets: &mut [LiveTarget],
) -> Option<Plan> {
    let mut resolved = plan.clone();
    resolved.rounds.relaunch = relaunch;
    let mut is_different = relaunch != plan.rounds.relaunch;
    for (at, found) in found {
        is_different |= resolved.settle(*at, *found);
        let name = &resolved.workloads[*at].name;
        if *name != plan.workloads[*at].name {
            for live in live_targets.iter_mut() {
                live.prepared[*at].rename(name);
            }
        }
    }
    is_different.then_some(resolved)
}

/// The original plan with the data sets found and the restart decision, as TOML.
pub(crate) fn resolved_toml(plan: &Plan, found: &[(usize, Found)], relaunch: Relaunch) -> String {
    let mut resolved = plan.clone();
    resolved.rounds.relaunch = relaunch;
    for (at, found) in found {
        resolved.settle(*at, *found);
    }
    resolved.to_toml()
}
