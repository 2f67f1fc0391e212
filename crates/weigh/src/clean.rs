//! Removes what a run that was killed has left on its targets.

use tenbin_plan::{BlobWork, DataSet, Plan, Reach, S3Work, Store, Target, WorkloadKind};
use tenbin_targets::{Grounds, bring_up};
use tenbin_workloads::blob::set_name;
use tenbin_workloads::s3::prefix;

use crate::arm::{Arm, Wires, was_there};
use crate::error::WeighError;
use crate::progress::Progress;
use crate::run::Bench;
use crate::stop::Stop;

/// Removes everything that the workloads of a plan may have put on targets which were
/// there before the run, by the prefix that is its own. Buckets stay: whether the run
/// made them is not known any more. Returns a sentence for each thing that is left.
///
/// # Errors
/// When a target cannot be reached, or the user asks to stop.
pub fn clean(
    plan: &Plan,
    bench: &Bench,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<String>, WeighError> {
    let mut left = Vec::new();
    for target in plan.targets.iter().filter(|target| was_there(target)) {
        let grounds = Grounds {
            run_dir: &bench.root,
            plan_dir: &bench.plan_directory,
            guard_exe: &bench.executable,
            stop: stop.asked(),
            waiting: &|_| {},
        };
        // What it uses is of no interest now.
        let unobserved = Target {
            observe: None,
            ..target.clone()
        };
        let running = bring_up(&unobserved, &grounds)?;
        let mut wires = Wires { stop, progress };
        let mut arm = Arm::new(plan, target, running, &bench.root, &mut wires)?;
        left.extend(arm.clean(plan, &mut wires)?);
    }
    Ok(left)
}

/// Where a run puts things that are not its targets' own: `under … in bucket … of …`.
pub fn places(plan: &Plan) -> Vec<String> {
    let mut places = Vec::new();
    for target in plan.targets.iter().filter(|target| was_there(target)) {
        for workload in &plan.workloads {
            let workload = plan.work_on(target, workload);
            let place = match &workload.kind {
                WorkloadKind::S3(work) => of_objects(work, plan.seed, &workload.name),
                WorkloadKind::Blob(work) => of_blobs(work, target, plan.seed),
                WorkloadKind::Http(_) => None,
            };
            let place = place.map(|place| format!("{place} of target \"{}\"", target.name));
            // Phases share theirs.
            places.extend(place.filter(|place| !places.contains(place)));
        }
    }
    places
}

fn of_objects(work: &S3Work, seed: u64, workload: &str) -> Option<String> {
    (work.data == DataSet::Fresh).then(|| {
        let prefix = prefix(work, seed, workload);
        match work.buckets {
            0 | 1 => format!("under {prefix} in bucket {}", work.bucket),
            many => format!(
                "under {prefix} in buckets {0}-000 to {0}-{1:03}",
                work.bucket,
                many - 1
            ),
        }
    })
}

/// Blobs whose locations are on disk are to stay.
fn of_blobs(work: &BlobWork, target: &Target, seed: u64) -> Option<String> {
    work.locations.is_none().then(|| {
        let set = set_name(work, seed);
        match (&target.reach, target.reach.store(target.store)) {
            (Reach::Files(_), _) => format!("in directory {set}"),
            (_, Store::S3) => format!("under tenbin-{seed:016x}/{set}/ in bucket {}", work.bucket),
            _ => format!("in set {set}"),
        }
    })
}
