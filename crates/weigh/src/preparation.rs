//! What is done before the first slice, the warm-up aside: targets are started and filled, the length
//! of a slice is settled, and the requests of a slice are announced.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use tenbin_plan::{Found, Plan, Relaunch, Turn};
use tenbin_record::{Environment, RunDirectory, TargetEnvironment, write_buckets_made};
use tenbin_targets::bring_up;

use crate::arm::{Arm, Ground, Wires};
use crate::cache;
use crate::course::Courses;
use crate::error::WeighError;
use crate::nodes;
use crate::pages::Pages;
use crate::progress::Progress;
use crate::reach::was_there;
use crate::restarts;
use crate::run::Bench;
use crate::single;
use crate::slice_length;
use crate::supply;

/// Number of requests of all slices; `None` if a slice ends by time alone.
pub(crate) fn requests_of(plan: &Plan, turns: &[Turn]) -> Option<u64> {
    let of_turns = turns.iter();
    let counted = of_turns.map(|turn| plan.workloads.get(turn.workload)?.load.requests);
    counted.sum::<Option<u64>>().filter(|all| *all > 0)
}

pub(crate) fn bring_all_up(
    plan: &Plan,
    ground: &Ground<'_>,
    pages: Option<&Pages>,
    arms: &mut Vec<Arm>,
    wires: &mut Wires<'_>,
) -> Result<(Environment, Relaunch), WeighError> {
    let mut environment = Environment::collect();
    let mut slowest: Option<(Duration, &String)> = None;
    for target in &plan.targets {
        let name = &target.name;
        (wires.progress)(Progress::Starting {
            target: name,
            awaited: None,
            waited: Duration::ZERO,
        });
        let begun = Instant::now();
        let running = ground.under(wires, |grounds| bring_up(target, grounds))?;
        slowest = slowest.max(Some((begun.elapsed(), &target.name)));
        supply::check_there(plan, target, &running)?;
        let mut arm = Arm::new(plan, target, running, ground.directory, wires)?;
        if let Some(pages) = pages {
            arm.records = pages.load_into(target, &arm.running, wires)?;
        }
        if let Some(sentence) = nodes::missing(target, &arm.running)? {
            return Err(WeighError::Nodes(sentence));
        }
        (wires.progress)(Progress::Up {
            target: name,
            url: &target.shown_url(&arm.running.url),
        });
        arms.push(arm);
    }
    let relaunch = restarts::decide(plan, slowest, wires);
    let relaunched = matches!(relaunch, Relaunch::Block | Relaunch::Slice);
    for arm in arms.iter() {
        let known = TargetEnvironment {
            relaunched,
            ..arm.environment()
        };
        environment.targets.insert(arm.running.name.clone(), known);
    }
    Ok((environment, relaunch))
}

pub(crate) fn make_all_ready(
    plan: &Plan,
    directory: &Path,
    arms: &mut [Arm],
    wires: &mut Wires<'_>,
) -> Result<(), WeighError> {
    let mut made = BTreeMap::new();
    for (at, target) in plan.targets.iter().enumerate() {
        let checked = arms[at].check(plan, wires);
        // Written even if the check failed: a run that is killed later cannot write it.
        let buckets = arms[at].buckets_made();
        if was_there(target) && !buckets.is_empty() {
            made.insert(target.name.clone(), buckets);
            write_buckets_made(directory, &made)?;
        }
        checked?;
        arms[at].make_ready(plan, wires)?;
    }
    for (arm, target) in arms.iter().zip(&plan.targets) {
        for work in &plan.workloads {
            // A cache page that cannot be read ends the run before the first slice.
            cache::look(&arm.running, work, plan.cache_counters(target, work))?;
        }
    }
    for note in single::notes(arms) {
        (wires.progress)(Progress::Note(&note));
    }
    Ok(())
}

/// The plan with longer slices, if the warm-up showed that they are too short and the user has not
/// set their length. The new plan is also written to the run directory.
pub(crate) fn lengthen(
    (given, plan, found): (&Plan, &Plan, &[(usize, Found)]),
    bench: &Bench,
    directory: &RunDirectory,
    arms: &[Arm],
    wires: &mut Wires<'_>,
) -> Result<Option<Plan>, WeighError> {
    let median = arms.iter().filter_map(|arm| arm.slowest).max();
    let longer = match bench.lengthen_slices {
        true => slice_length::lengthened(plan, median),
        false => None,
    };
    if let (Some(longer), Some(median)) = (&longer, median) {
        let mut written = given.clone();
        written.rounds.slice = longer.rounds.slice;
        directory.write_plan(&crate::found::in_words(
            &written,
            found,
            plan.rounds.relaunch,
        ))?;
        let sentence = slice_length::sentence(plan, longer, median);
        (wires.progress)(Progress::Note(&sentence));
    }
    Ok(longer)
}

/// Reports how many requests each slice will send.
pub(crate) fn announce(plan: &Plan, courses: &mut Courses, wires: &mut Wires<'_>) {
    let names: Vec<&str> = plan.targets.iter().map(|target| &*target.name).collect();
    for (at, work) in plan.workloads.iter().enumerate() {
        let length = work.lead(&plan.rounds) + plan.rounds.slice;
        let course = courses.of(at);
        if let Some(note) = course.and_then(|course| course.sentence(work, &names, length)) {
            (wires.progress)(Progress::Note(&note));
        }
    }
}
