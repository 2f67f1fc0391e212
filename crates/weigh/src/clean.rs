//! Removes what a run that was killed has left on its targets.

use tenbin_plan::{DataSet, Plan, Reach, Target, WorkloadKind};
use tenbin_targets::{Grounds, bring_up};
use tenbin_workloads::s3::prefix;

use crate::arm::{Arm, Wires};
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
    let there = |reach: &Reach| matches!(reach, Reach::Endpoint { .. });
    for target in plan.targets.iter().filter(|target| there(&target.reach)) {
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
        let mut arm = Arm::new(plan, target, running, &mut wires)?;
        left.extend(arm.clean(plan, &mut wires)?);
    }
    Ok(left)
}

/// Where a run puts objects that are not its targets' own: `under … in bucket … of …`.
pub fn places(plan: &Plan) -> Vec<String> {
    let mut places = Vec::new();
    let there = plan.targets.iter();
    for target in there.filter(|target| matches!(target.reach, Reach::Endpoint { .. })) {
        for workload in &plan.workloads {
            let workload = plan.work_on(target, workload);
            let WorkloadKind::S3(work) = &workload.kind else {
                continue;
            };
            if work.data == DataSet::Fresh {
                let prefix = prefix(work, plan.seed, &workload.name);
                let bucket = match work.buckets {
                    0 | 1 => format!("bucket {}", work.bucket),
                    many => format!("buckets {0}-000 to {0}-{1:03}", work.bucket, many - 1),
                };
                places.push(format!(
                    "under {prefix} in {bucket} of target \"{}\"",
                    target.name
                ));
            }
        }
    }
    places
}
