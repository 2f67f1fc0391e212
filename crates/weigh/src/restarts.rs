//! Starting targets again during a run.

use std::time::Duration;

use tenbin_plan::{Plan, Relaunch};

use crate::arm::{Arm, Ground, Wires};
use crate::course::{self, Courses};
use crate::error::WeighError;
use crate::progress::Progress;
use crate::warm_up::warm_up;

/// Decides whether targets are started again during the run, now that it is known how long that
/// takes.
pub(crate) fn settle<'a>(plan: &Plan, arms: &'a mut [Arm], wires: &mut Wires<'_>) -> &'a [Arm] {
    let slow = arms
        .iter()
        .filter(|_| plan.rounds.relaunch == Relaunch::Auto)
        .find(|arm| arm.started_in > Relaunch::QUICK_START);
    let restarts = match (plan.relaunch(), slow) {
        (Relaunch::Block, Some(slow)) => {
            (wires.progress)(Progress::Note(&format!(
                "target \"{}\" took {:.0} s to start: targets are started once, and the intervals do \
                 not contain how much two starts of a program differ (--relaunch=block)",
                slow.running.name,
                slow.started_in.as_secs_f64()
            )));
            false
        }
        (Relaunch::Never, _) => false,
        _ => true,
    };
    for arm in arms.iter_mut() {
        arm.relaunched = restarts;
    }
    arms
}

/// When the targets of a run are started again: as the plan says, with an answer where it says
/// [`Relaunch::Auto`] and restarts are possible.
pub(crate) fn settled(plan: &Plan, arms: &[Arm]) -> Relaunch {
    match plan.relaunch() {
        Relaunch::Never => plan.rounds.relaunch,
        _ if !arms.iter().any(|arm| arm.relaunched) => Relaunch::Never,
        settled => settled,
    }
}

/// Stops all targets and starts them again on empty data directories, then warms each up: with every workload for an equal
/// part of the time.
pub(crate) fn restart_all(
    plan: &Plan,
    ground: &Ground<'_>,
    arms: &mut [Arm],
    courses: &mut Courses,
    wires: &mut Wires<'_>,
) -> Result<(), WeighError> {
    for arm in arms.iter_mut() {
        arm.running.halt()?;
    }
    for arm in arms.iter_mut() {
        // Loaded pages are data that every start needs; anything else is made by the start.
        if !plan.draws_from_corpus() {
            arm.running.empty_data()?;
        }
        arm.restart(ground, wires)?;
    }
    let length = part_of(plan.rounds.warmup, plan.workloads.len());
    for workload in 0..plan.workloads.len() {
        for target in 0..arms.len() {
            course::level(arms, courses, workload, target);
            let arm = (target, &mut arms[target]);
            warm_up(plan, workload, length, arm, courses, wires)?;
        }
    }
    match wires.stop.is_asked() {
        true => Err(WeighError::Interrupted),
        false => Ok(()),
    }
}

fn part_of(whole: Duration, parts: usize) -> Duration {
    whole / u32::try_from(parts.max(1)).unwrap_or(u32::MAX)
}
