//! Removes the leftovers of a run from its targets, and finds the data directories that a killed
//! run left behind.

use std::path::Path;

use tenbin_plan::{Plan, Sentence, Target, sentence};
use tenbin_record::{Left, buckets_made, left_behind, write_buckets_made, write_left};
use tenbin_targets::{DataLeft, LaunchContext, bring_up};
use tenbin_workloads::place;

use crate::context::RunContext;
use crate::controls::Controls;
use crate::error::RunError;
use crate::generators::Generators;
use crate::progress::Progress;
use crate::stop::Stop;
use crate::target::access::was_there;
use crate::target::live::LiveTarget;
use crate::target::live::clean_up::Cleaned;

/// Deletes everything that the workloads of a plan may have stored under the object key prefix of
/// the plan, on targets that the run did not launch. Also deletes the empty buckets that the run in
/// `directory` created.
///
/// # Errors
/// When a target cannot be reached, or the user stops the clean-up.
pub fn clean(
    plan: &Plan,
    directory: &Path,
    context: &RunContext,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Cleaned, RunError> {
    let mut cleaned = Cleaned::default();
    let buckets = buckets_made(directory);
    for target in plan.targets.iter().filter(|target| was_there(target)) {
        let launch = LaunchContext {
            run_dir: &context.root,
            plan_dir: &context.plan_directory,
            guard_exe: &context.executable,
            stop: stop.asked(),
            waiting: &|_| {},
        };
        // Resource usage is not measured here.
        let unobserved = Target {
            observe: None,
            ..target.clone()
        };
        let running = bring_up(&unobserved, &launch)?;
        let mut controls = Controls {
            stop,
            progress,
            generators: Generators::Here,
        };
        let mut live = LiveTarget::new(plan, target, running, &context.root, &mut controls)?;
        let made = buckets.get(&target.name).map_or(&[][..], Vec::as_slice);
        let of_target = live.clean(plan, made, &mut controls)?;
        cleaned.removed.extend(of_target.removed);
        cleaned.left.extend(of_target.left);
    }
    for left in &mut cleaned.left {
        left.clean = (!left.unremovable).then(|| clean_command(directory));
    }
    forget_buckets(directory, &cleaned.left);
    let earlier = left_behind(directory).unwrap_or_default().into_iter();
    let unremovable = earlier.filter(|left| left.unremovable && !cleaned.left.contains(left));
    cleaned.unremovable = unremovable.collect();
    // If the file cannot be written, the run keeps its earlier list of leftovers.
    let all = [cleaned.left.as_slice(), &cleaned.unremovable].concat();
    let _ = write_left(directory, &all);
    Ok(cleaned)
}

/// The command that removes the leftovers of the run in `directory`.
pub fn clean_command(directory: &Path) -> String {
    format!("tenbin clean {}", directory.display())
}

/// Removes deleted buckets from the list of buckets that the run created, so that a later bucket of
/// somebody else with the same name is not deleted.
pub(crate) fn forget_buckets(directory: &Path, left: &[Left]) {
    let noted = buckets_made(directory);
    let is_left = |target: &String, bucket: &String| {
        let mut named = left.iter();
        named.any(|left| {
            left.target.as_ref() == Some(target) && left.bucket.as_ref() == Some(bucket)
        })
    };
    let mut made = noted.clone();
    for (target, buckets) in &mut made {
        buckets.retain(|bucket| is_left(target, bucket));
    }
    made.retain(|_, buckets| !buckets.is_empty());
    if made != noted {
        // If the file cannot be written, a later `clean` deletes a listed bucket only if the bucket
        // is empty.
        let _ = write_buckets_made(directory, &made);
    }
}

/// Data directories of launched targets that a killed run has left in `directory`.
pub fn data_left(plan: &Plan, directory: &Path) -> Vec<DataLeft> {
    let launched = plan.targets.iter().filter(|target| !was_there(target));
    tenbin_targets::data_left(directory, launched.map(|target| target.name.as_str()))
}

/// The places where a run stores its objects: `under … in bucket … of …`.
pub fn places(plan: &Plan) -> Vec<Sentence> {
    let mut places = Vec::new();
    for target in plan.targets.iter().filter(|target| was_there(target)) {
        for workload in &plan.workloads {
            let workload = plan.work_on(target, workload);
            let place = place(&workload, target, plan.seed);
            let place = place.map(|place| {
                let name = &target.name;
                let of = sentence!(
                    "place-on-target",
                    "{place} of target \"{target}\"",
                    place,
                    target = name
                );
                of.with_part("place", [place])
            });
            // Phases of a workload store objects in the same place.
            places.extend(place.filter(|place| !places.contains(place)));
        }
    }
    places
}
