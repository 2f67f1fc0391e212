//! Steps before the first slice, except the warm-up: starts and fills the targets, resolves the
//! slice length, and announces the number of requests per slice.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use tenbin_plan::{Found, Plan, Relaunch, Sentence, Turn};
use tenbin_record::{Environment, RunDirectory, TargetEnvironment, write_buckets_made};
use tenbin_targets::{bring_up, own_cpu_quota};

use crate::context::RunContext;
use crate::controls::Controls;
use crate::data::loaded;
use crate::data::pages::Pages;
use crate::error::RunError;
use crate::progress::Progress;
use crate::slice::cache;
use crate::slice::length;
use crate::slice::request_samples;
use crate::slice::segments::AllSegments;
use crate::target::access::was_there;
use crate::target::live::{Launcher, LiveTarget, recorded_quota, stated_version};
use crate::target::nodes;
use crate::target::restarts;

/// Total number of requests in all slices; `None` if any slice ends by time alone.
pub(crate) fn requests_of(plan: &Plan, turns: &[Turn]) -> Option<u64> {
    let of_turns = turns.iter();
    let counted = of_turns.map(|turn| plan.workloads.get(turn.workload)?.load.requests);
    counted.sum::<Option<u64>>().filter(|all| *all > 0)
}

/// Starts all targets. Returns what is known of their environment, when they are restarted, and what
/// to say of the time of the restarts.
pub(crate) fn bring_all_up(
    plan: &Plan,
    launcher: &Launcher<'_>,
    pages: Option<&Pages>,
    live_targets: &mut Vec<LiveTarget>,
    controls: &mut Controls<'_>,
) -> Result<(Environment, Relaunch, Option<Sentence>), RunError> {
    let mut environment = Environment {
        cpu_quota: own_cpu_quota().map(recorded_quota),
        ..Environment::collect()
    };
    let mut slowest: Option<(Duration, &String)> = None;
    let mut starts = Duration::ZERO;
    for target in &plan.targets {
        let name = &target.name;
        (controls.progress)(Progress::Starting {
            target: name,
            awaited: None,
            waited: Duration::ZERO,
        });
        let stated = stated_version(target);
        let started = Instant::now();
        let running = launcher.under(controls, |context| bring_up(target, context))?;
        slowest = slowest.max(Some((started.elapsed(), &target.name)));
        starts += started.elapsed();
        loaded::check_there(plan, target, &running)?;
        let mut live = LiveTarget::new(plan, target, running, launcher.directory, controls)?;
        live.version = live.version.or_else(|| stated?.get());
        if let Some(pages) = pages {
            live.records = pages.load_into(target, &live.running, controls)?;
        }
        if let Some(why) = nodes::missing(target, &live.running)? {
            let target = name.clone();
            return Err(RunError::Nodes { target, why });
        }
        (controls.progress)(Progress::Ready {
            target: name,
            url: &target.shown_url(&live.running.url),
        });
        live_targets.push(live);
    }
    let relaunch = restarts::decide(plan, slowest, controls);
    let restarts = restarts::note(plan, relaunch, starts);
    let relaunched = matches!(relaunch, Relaunch::Block | Relaunch::Slice);
    for live in live_targets.iter() {
        let known = TargetEnvironment {
            relaunched,
            ..live.environment()
        };
        environment.targets.insert(live.running.name.clone(), known);
    }
    Ok((environment, relaunch, restarts))
}

pub(crate) fn make_all_ready(
    plan: &Plan,
    directory: &Path,
    live_targets: &mut [LiveTarget],
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    let mut made = BTreeMap::new();
    for (at, target) in plan.targets.iter().enumerate() {
        let checked = live_targets[at].check(plan, controls);
        // Written even if the check failed: a run that is killed later can no longer write the
        // list.
        let buckets = live_targets[at].buckets_made();
        if was_there(target) && !buckets.is_empty() {
            made.insert(target.name.clone(), buckets);
            write_buckets_made(directory, &made)?;
        }
        checked?;
        live_targets[at].make_ready(plan, controls)?;
    }
    for (live, target) in live_targets.iter().zip(&plan.targets) {
        for work in &plan.workloads {
            // A cache page that cannot be read ends the run before the first slice.
            cache::read_counters(&live.running, work, plan.cache_counters(target, work))?;
        }
    }
    for note in request_samples::notes(live_targets) {
        (controls.progress)(Progress::Note(&note));
    }
    Ok(())
}

/// Returns the plan with longer slices if the warm-up showed that slices are too short and the user
/// has not set their length. Also writes the new plan to the run directory.
pub(crate) fn lengthen(
    (given, plan, found): (&Plan, &Plan, &[(usize, Found)]),
    context: &RunContext,
    directory: &RunDirectory,
    live_targets: &[LiveTarget],
    controls: &mut Controls<'_>,
) -> Result<Option<Plan>, RunError> {
    let median = live_targets.iter().filter_map(|live| live.slowest).max();
    let longer = if context.lengthen_slices {
        length::lengthened(plan, median)
    } else {
        None
    };
    if let (Some(longer), Some(median)) = (&longer, median) {
        let mut written = given.clone();
        written.rounds.slice = longer.rounds.slice;
        directory.write_plan(&crate::data::existing::resolved_toml(
            &written, found, plan.rounds.relaunch,
        ))?;
        let sentence = length::sentence(plan, longer, median);
        (controls.progress)(Progress::Note(&sentence));
    }
    Ok(longer)
}

/// Reports the number of requests per slice.
pub(crate) fn announce(plan: &Plan, segments: &mut AllSegments, controls: &mut Controls<'_>) {
    let names: Vec<&str> = plan.targets.iter().map(|target| &*target.name).collect();
    for (at, work) in plan.workloads.iter().enumerate() {
        let length = work.lead(&plan.rounds) + plan.rounds.slice;
        let sequence = segments.of_workload(at);
        if let Some(note) = sequence.and_then(|sequence| sequence.sentence(work, &names, length)) {
            (controls.progress)(Progress::Note(&note));
        }
    }
}
