//! Restarts targets during a run.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{Plan, Relaunch, Sentence, sentence};

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;
use crate::slice::segments::{self, AllSegments};
use crate::slice::warm_up::warm_up;
use crate::target::live::{Launcher, LiveTarget};

/// Share of the time of a run from which the time of restarts is announced.
const NOTICEABLE: f64 = 0.1;

/// Decides when targets are restarted. `slowest` is the longest start: its duration and its target.
/// If targets cannot be restarted, returns the setting of the plan unchanged.
pub(crate) fn decide(
    plan: &Plan,
    slowest: Option<(Duration, &String)>,
    controls: &mut Controls<'_>,
) -> Relaunch {
    let is_auto = plan.rounds.relaunch == Relaunch::Auto;
    match (plan.relaunch(), slowest) {
        (Relaunch::Never, _) => plan.rounds.relaunch,
        (Relaunch::Block, Some((took, target))) if is_auto && took > Relaunch::QUICK_START => {
            (controls.progress)(Progress::Note(&sentence!(
                "started-once",
                "target \"{target}\" took {seconds} s to start: targets are started once, so the \
                 intervals do not include the variation between starts of a program \
                 (--relaunch=block includes it)",
                target,
                seconds = format!("{:.0}", took.as_secs_f64())
            )));
            Relaunch::Never
        }
        (restarts, _) => restarts,
    }
}

/// Says how much of the run the restarts take with their warm-ups, if that is noticeable. `starts`
/// is how long the first start of all targets took together.
pub(crate) fn note(plan: &Plan, relaunch: Relaunch, starts: Duration) -> Option<Sentence> {
    // The budget of a gate can allow fewer rounds than the largest number.
    let budget = plan.gate_budget();
    let rounds = budget.map_or(plan.rounds.most(), |budget| budget.measured);
    let per_block = plan.rounds_per_block();
    let (is_slice, restarts) = match relaunch {
        Relaunch::Block => (false, rounds.div_ceil(per_block).saturating_sub(1)),
        Relaunch::Slice => {
            let each = plan.slices_in_rounds(rounds) / plan.targets.len().max(1);
            (true, u32::try_from(each).unwrap_or(u32::MAX))
        }
        _ => return None,
    };
    let mut once = plan.clone();
    once.rounds.relaunch = Relaunch::Never;
    let starts = starts.saturating_mul(restarts);
    let whole = plan.lasting(rounds) + starts;
    let of_restarts = whole.saturating_sub(once.lasting(rounds));
    (of_restarts > whole.mul_f64(NOTICEABLE)).then(|| {
        let (word, when) = match per_block {
            _ if is_slice => ("slice", "each slice".to_owned()),
            1 => ("round", "each round".to_owned()),
            2 => ("rounds", "every two rounds".to_owned()),
            more => ("rounds", format!("every {more} rounds")),
        };
        sentence!(
            "restarts-take",
            "targets are restarted before {when}; with warm-ups, this takes about {time} of {whole} \
             (--relaunch=never starts them once)",
            when,
            time = Time::rounded(of_restarts),
            whole = Time::rounded(whole)
        )
        .with("when", word)
        .with("rounds", per_block)
    })
}

/// Stops all targets, restarts them on empty data directories and warms up each target, dividing
/// the warm-up time equally among the workloads.
pub(crate) fn restart_all(
    plan: &Plan,
    launcher: &Launcher<'_>,
    live_targets: &mut [LiveTarget],
    segments: &mut AllSegments,
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    for live in live_targets.iter_mut() {
        live.running.halt()?;
    }
    for live in live_targets.iter_mut() {
        // Loaded pages are kept across restarts; other data is created again during the start.
        if !plan.draws_from_corpus() {
            live.running.empty_data()?;
        }
        live.restart(launcher, controls)?;
    }
    let length = part_of(plan.rounds.warmup, plan.workloads.len());
    for workload in 0..plan.workloads.len() {
        for target in 0..live_targets.len() {
            segments::level(live_targets, segments, workload, target);
            let live = (target, &mut live_targets[target]);
            warm_up(plan, workload, length, live, segments, controls)?;
        }
    }
    if controls.stop.is_asked() {
        Err(RunError::Interrupted)
    } else {
        Ok(())
    }
}

fn part_of(whole: Duration, parts: usize) -> Duration {
    whole / u32::try_from(parts.max(1)).unwrap_or(u32::MAX)
}
