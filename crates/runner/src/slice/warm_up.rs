//! Warms up every target before the measured part.

use std::time::Duration;

use tenbin_engine::Spread;
use tenbin_plan::{Plan, sentence};

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;
use crate::slice::segments::{self, AllSegments};
use crate::target::live::LiveTarget;

/// How often a slice opens each connection in a concurrency sweep whose connections are served
/// unevenly. Tenbin's own convention. The kernel assigns each new connection to a random worker of
/// the server; with 8 assignments in each of 8 slices, the mean speed of a connection is known to a
/// few percent.
const LIVES: u32 = 8;

/// Warms up every target. Returns, by workload, how often a slice must open each connection.
pub(crate) fn warm_all_up(
    plan: &Plan,
    live_targets: &mut [LiveTarget],
    segments: &mut AllSegments,
    controls: &mut Controls<'_>,
) -> Result<Vec<Option<u32>>, RunError> {
    catch_up(plan, live_targets, segments, controls)?;
    let warmup = plan.rounds.warmup;
    let mut uneven: Vec<Option<String>> = vec![None; plan.workloads.len()];
    for (at, work) in plan.workloads.iter().enumerate() {
        let position = live_targets
            .first()
            .and_then(|live| live.prepared[at].position());
        let lengths = match segments.of_workload(at).zip(position) {
            Some((sequence, from)) => sequence.probe(&work.load, warmup, &from.workers),
            None => None,
        };
        for length in lengths.unwrap_or_else(|| vec![warmup]) {
            for target in 0..live_targets.len() {
                segments::level(live_targets, segments, at, target);
                let live = (target, &mut live_targets[target]);
                let spread = warm_up(plan, at, length, live, segments, controls)?;
                if let Some(spread) = spread.filter(Spread::is_uneven) {
                    uneven[at] = Some(format!(
                        "target \"{}\" served {} connections unevenly in the warm-up, between \
                         {:.0} and {:.0} requests/s each",
                        live_targets[target].running.name,
                        spread.connections,
                        spread.slowest,
                        spread.fastest
                    ));
                }
            }
        }
    }
    if controls.stop.is_asked() {
        return Err(RunError::Interrupted);
    }
    let mut reopen = vec![None; plan.workloads.len()];
    for sweep in plan.concurrency_sweeps() {
        let may = |at: &usize| {
            let load = &plan.workloads[*at].load;
            load.keep_alive && load.depth == 1 && load.reopen.is_none() && load.requests.is_none()
        };
        let seen = sweep.iter().find_map(|at| uneven[*at].as_ref());
        let Some(seen) = seen.filter(|_| sweep.iter().all(may)) else {
            continue;
        };
        (controls.progress)(Progress::Note(&sentence!(
            "connections-reopened",
            "{seen}: every slice of this sweep opens its connections {times} times (--reopen)",
            seen,
            times = LIVES
        )));
        sweep.iter().for_each(|at| reopen[*at] = Some(LIVES));
    }
    Ok(reopen)
}

/// Sends every target the segments that it did not receive completely in a void part of the run, so
/// that all targets continue with the same segment. These requests are not measured.
///
/// # Errors
/// The errors of [`warm_up`], and [`RunError::Interrupted`].
pub(crate) fn catch_up(
    plan: &Plan,
    live_targets: &mut [LiveTarget],
    segments: &mut AllSegments,
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    for workload in 0..plan.workloads.len() {
        for target in 0..live_targets.len() {
            while segments
                .of_workload(workload)
                .is_some_and(|it| it.is_behind(target))
            {
                segments::level(live_targets, segments, workload, target);
                let live = (target, &mut live_targets[target]);
                warm_up(plan, workload, plan.rounds.slice, live, segments, controls)?;
                if controls.stop.is_asked() {
                    return Err(RunError::Interrupted);
                }
            }
        }
    }
    Ok(())
}

/// Warms up one target on one workload: for `length`, or with the same segment of the request
/// sequence as the other targets. Returns how evenly the target served the connections.
pub(crate) fn warm_up(
    plan: &Plan,
    at: usize,
    length: Duration,
    (target, live): (usize, &mut LiveTarget),
    segments: &mut AllSegments,
    controls: &mut Controls<'_>,
) -> Result<Option<Spread>, RunError> {
    if length.is_zero() || controls.stop.is_asked() {
        return Ok(None);
    }
    live.before_warm_up(plan, at, controls)?;
    let Some(sequence) = segments.of_workload(at) else {
        return Ok(live.drive_and_observe(plan, at, length, controls)?.spread);
    };
    let (load, planned) = (&plan.workloads[at].load, (Duration::ZERO, length));
    let stretch = sequence.begin(target, live.prepared[at].as_mut(), load, planned);
    let window = stretch.window + stretch.rest.unwrap_or_default();
    let seen = live.drive_and_observe(plan, at, window, controls)?;
    sequence.end(target, live.prepared[at].as_mut(), seen.rate);
    Ok(seen.spread)
}
