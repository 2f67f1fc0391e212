//! What preparing found on the targets: taken over by the plan before the first slice, so
//! that work is recorded and named as what it is.

use tenbin_plan::{Found, Plan, Relaunch};

use crate::live_target::LiveTarget;

/// What was found, by position of the workload.
pub(crate) fn on(live_targets: &[LiveTarget], workloads: usize) -> Vec<(usize, Found)> {
    let of = |at: usize| {
        let each = live_targets
            .iter()
            .filter_map(|live| live.prepared[at].found());
        Some((at, each.reduce(Found::and)?))
    };
    (0..workloads).filter_map(of).collect()
}

/// The plan with what was found, with workloads named after it, and with when its targets are
/// started again; `None` if nothing is different from what was assumed.
pub(crate) fn settled(
    plan: &Plan,
    found: &[(usize, Found)],
    relaunch: Relaunch,
    live_targets: &mut [LiveTarget],
) -> Option<Plan> {
    let mut settled = plan.clone();
    settled.rounds.relaunch = relaunch;
    let mut is_different = relaunch != plan.rounds.relaunch;
    for (at, found) in found {
        is_different |= settled.settle(*at, *found);
        let name = &settled.workloads[*at].name;
        if *name != plan.workloads[*at].name {
            for live in live_targets.iter_mut() {
                live.prepared[*at].rename(name);
            }
        }
    }
    is_different.then_some(settled)
}

/// The plan as given, with what was found, as text.
pub(crate) fn in_words(plan: &Plan, found: &[(usize, Found)], relaunch: Relaunch) -> String {
    let mut settled = plan.clone();
    settled.rounds.relaunch = relaunch;
    for (at, found) in found {
        settled.settle(*at, *found);
    }
    settled.to_toml()
}
