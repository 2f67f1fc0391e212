//! Removes what a run created on a target.

use tenbin_plan::{Plan, Sentence, Workload};
use tenbin_record::{CLEAN_UP_INTERRUPTED, Left};
use tenbin_workloads::{Leftover, place};

use super::{LiveTarget, of_target};
use crate::controls::Controls;
use crate::error::RunError;
use crate::generators::Generators;
use crate::progress::Progress;
use crate::stop::Stop;

/// What remains on a target after a run, one sentence each.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    /// Data kept because the plan says so, for example with `data = "keep"`.
    pub(crate) kept: Vec<Sentence>,
    /// Data that could not be removed.
    pub(crate) left_behind: Vec<Left>,
    /// Whether the user stopped the clean-up.
    pub(crate) interrupted: bool,
}

/// The result of cleaning up after an earlier run.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// What was removed, one sentence each.
    pub removed: Vec<Sentence>,
    /// What remains.
    pub left: Vec<Left>,
    /// What the run left and no clean-up removes, such as blobs whose deletion the target
    /// acknowledged.
    pub unremovable: Vec<Left>,
}

impl LiveTarget {
    /// Removes everything created on the target, last created first, and returns the leftovers.
    /// `stop` holds the flags of the clean-up, not of the run.
    pub(crate) fn clean_up(
        &mut self,
        plan: &Plan,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Leftovers {
        let mut leftovers = Leftovers::default();
        let is_down = self.running.is_halted() || self.running.alive().is_err();
        if self.disposable || is_down {
            return leftovers;
        }
        for (at, work) in plan.workloads.iter().enumerate().rev() {
            let mut is_done = false;
            while !stop.is_asked() {
                let Some(stage) = self.prepared[at].after_run() else {
                    is_done = true;
                    break;
                };
                let mut controls = Controls {
                    stop,
                    progress,
                    generators: Generators::Here,
                };
                if let Err(error) = self.drive_stage(work, stage, &mut controls) {
                    leftovers.left_behind.push(error.to_string().into());
                }
            }
            let prepared = &self.prepared[at];
            let left = prepared.leftovers().into_iter();
            let mut left: Vec<Left> = left.map(|one| self.left(one)).collect();
            if !is_done {
                leftovers.interrupted = true;
                self.explain_interruption(&mut left, plan, work);
            }
            leftovers.left_behind.extend(left);
            let named = |kept| of_target(&self.running.name, kept);
            leftovers.kept.extend(prepared.kept().map(named));
        }
        leftovers
    }

    /// Removes what an earlier run of the same plan may have left. Also removes the buckets in
    /// `buckets`, which that earlier run created, if they are empty afterwards.
    pub(crate) fn clean(
        &mut self,
        plan: &Plan,
        buckets: &[String],
        controls: &mut Controls<'_>,
    ) -> Result<Cleaned, RunError> {
        let mut cleaned = Cleaned::default();
        let mut buckets = buckets.to_vec();
        for prepared in &mut self.prepared {
            prepared.inherit();
            // Workloads are cleaned up in reverse order, so the workload that created a bucket, its
            // first user, comes last.
            prepared.inherit_buckets(&mut buckets);
        }
        for (at, work) in plan.workloads.iter().enumerate().rev() {
            if let Some(lost) = self.prepared[at].lost() {
                (controls.progress)(Progress::Left(&lost.into()));
            }
            let mut said = None;
            while let Some(stage) = self.prepared[at].after_run() {
                said = self.stage(work, Some(stage), controls)?.or(said);
            }
            let prepared = &self.prepared[at];
            let named = |removed| of_target(&self.running.name, removed);
            cleaned
                .removed
                .extend(prepared.removed().into_iter().map(named));
            let left = prepared.leftovers().into_iter().map(|one| Left {
                reason: one.reason.clone().or_else(|| said.clone()),
                ..self.left(one)
            });
            cleaned.left.extend(left);
        }
        Ok(cleaned)
    }

    /// Says for the leftovers of a workload that the user stopped their removal. A workload that
    /// does not know yet what is left names the place of its objects.
    fn explain_interruption(&self, left: &mut Vec<Left>, plan: &Plan, work: &Workload) {
        let target = plan.targets.get(self.index);
        let place = target.and_then(|target| {
            let work = plan.work_on(target, work);
            place(&work, target, plan.seed)
        });
        if let (true, Some(place)) = (left.is_empty(), place) {
            left.push(Left {
                target: Some(self.running.name.clone()),
                what: format!("objects may be left {place}"),
                ..Left::default()
            });
        }
        for one in left {
            one.reason = Some(CLEAN_UP_INTERRUPTED.to_owned());
        }
    }

    /// Adds the target's name to a leftover.
    fn left(&self, leftover: Leftover) -> Left {
        Left {
            target: Some(self.running.name.clone()),
            what: leftover.what,
            bucket: leftover.bucket,
            prefix: leftover.prefix,
            objects: leftover.objects,
            reason: leftover.reason,
            acknowledged: leftover.acknowledged,
            unremovable: leftover.unremovable,
            clean: None,
        }
    }

    /// Names of the buckets that the target's workloads have created.
    pub(crate) fn buckets_made(&self) -> Vec<String> {
        let each = self.prepared.iter();
        each.flat_map(|prepared| prepared.buckets_made()).collect()
    }
}
