//! Reads back, after the measured part, a sample of what was written and deleted.

use std::time::Duration;

use tenbin_plan::{Plan, Workload};
use tenbin_record::{Environment, ReadBack, Uncheckable};
use tenbin_workloads::Reading;

use crate::controls::Controls;
use crate::generators::Generators;
use crate::target::live::LiveTarget;

/// Longest wait for the response to a request that reads an object back.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads back a sample of what each workload has written and deleted on each target, and adds the
/// results to the environment. Returns whether there are any results. When the user stops the run,
/// the rest of the sample stays unknown.
pub(crate) fn read_back(
    plan: &Plan,
    live_targets: &mut [LiveTarget],
    environment: &mut Environment,
    controls: &mut Controls<'_>,
) -> bool {
    let mut any = false;
    for live in live_targets {
        let is_down = live.running.is_halted() || live.running.alive().is_err();
        for (at, work) in plan.workloads.iter().enumerate() {
            let results = live.read_back(work, at, is_down, controls);
            if !results.is_empty() {
                let target = environment.targets.entry(live.running.name.clone());
                let of_target = &mut target.or_default().read_back;
                of_target.insert(work.name.clone(), results);
                any = true;
            }
        }
    }
    any
}

impl LiveTarget {
    fn read_back(
        &mut self,
        work: &Workload,
        at: usize,
        is_down: bool,
        controls: &mut Controls<'_>,
    ) -> Vec<ReadBack> {
        let mut shorter = work.clone();
        shorter.load.timeout = work.load.timeout.min(TIMEOUT);
        loop {
            match self.prepared[at].read_back() {
                Reading::Done(results) => return results.into_iter().map(recorded).collect(),
                Reading::Stage(stage) if !is_down && !controls.stop.is_asked() => {
                    let mut here = Controls {
                        stop: controls.stop,
                        progress: &mut *controls.progress,
                        generators: Generators::Here,
                    };
                    // What was not read is unknown.
                    let _ = self.drive_stage(&shorter, stage, &mut here);
                }
                Reading::Stage(_) => {}
            }
        }
    }
}

fn recorded(result: tenbin_workloads::ReadBack) -> ReadBack {
    ReadBack {
        operation: result.operation,
        deletes: result.deletes,
        acknowledged: result.acknowledged,
        checked: result.checked,
        missing: result.missing,
        kept: result.kept,
        other_size: result.other_size,
        other_content: result.other_content,
        other_etag: result.other_etag,
        late: result.late,
        unknown: result.unknown,
        example: result.example,
        not_checked: result.not_checked,
        uncheckable: result.uncheckable.map(|why| match why {
            tenbin_workloads::Uncheckable::DeletesLater => Uncheckable::DeletesLater,
            tenbin_workloads::Uncheckable::AllDeleted => Uncheckable::AllDeleted,
        }),
    }
}
