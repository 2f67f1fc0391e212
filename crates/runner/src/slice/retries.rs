//! Measures the rate that a client with retries would observe: a short slice after the run, on the
//! targets that refused requests.

use std::time::Duration;

use tenbin_engine::{Role, Sample, SliceEvent};
use tenbin_plan::{Plan, Workload, sentence};
use tenbin_record::{Environment, Retried, Slice};
use tenbin_workloads::SliceState;

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;
use crate::target::live::LiveTarget;

/// Maximum number of retries per request, as in minio-go, the client library of warp.
const MOST: u32 = 10;

/// Minimum length of the extra slice, which otherwise is as long as the plan's slices.
const SHORTEST: Duration = Duration::from_secs(2);
/// Maximum length of the extra slice.
const LONGEST: Duration = Duration::from_secs(10);

/// Share of refused operations above which the extra slice is run. The same share of wrong
/// responses makes a run INVALID.
const REFUSED_SHARE: f64 = 0.001;

/// Runs each workload once more, now with retries, on every target that temporarily refused
/// requests of the workload. Returns whether any workload was run again.
pub(crate) fn measure(
    plan: &Plan,
    slices: &[Slice],
    live_targets: &mut [LiveTarget],
    environment: &mut Environment,
    controls: &mut Controls<'_>,
) -> bool {
    let mut any = false;
    for live in live_targets {
        for (at, work) in plan.workloads.iter().enumerate() {
            let own = slices.iter().filter(|slice| {
                let of_target = slice.target == live.running.name;
                of_target && slice.workload == work.name && slice.probe.is_none()
            });
            let is_down = live.running.is_halted() || live.running.alive().is_err();
            if is_down || controls.stop.is_asked() || !refused_for_the_moment(own) {
                continue;
            }
            let window = plan.rounds.slice.clamp(SHORTEST, LONGEST);
            let mut seen = Retried {
                ns: window.as_nanos().try_into().unwrap_or(u64::MAX),
                most: MOST,
                ..Retried::default()
            };
            let listen = &mut |event: SliceEvent| {
                if let SliceEvent::Sample(sample) = event {
                    add(&mut seen, &sample);
                }
            };
            // Without a successful run, the figures stay unknown.
            if let Ok(true) = live.with_retries(work, at, window, controls, listen) {
                let target = environment.targets.entry(live.running.name.clone());
                let retried = &mut target.or_default().retried;
                retried.insert(work.name.clone(), seen);
                any = true;
            }
        }
    }
    any
}

impl LiveTarget {
    /// Drives a workload and retries refused requests. Returns false if the workload cannot retry
    /// or the user stopped.
    fn with_retries(
        &mut self,
        work: &Workload,
        at: usize,
        window: Duration,
        controls: &mut Controls<'_>,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<bool, RunError> {
        // Agents cannot retry.
        if self.prepared[at].spent().is_some() || controls.generators.agents() > 0 {
            return Ok(false);
        }
        self.before_slice(work, at, controls)?;
        let Some(workers) = self.prepared[at].slice_with_retries(MOST) else {
            return Ok(false);
        };
        (controls.progress)(Progress::Stage {
            target: &self.running.name,
            workload: &work.name,
            what: &sentence!("measuring-retries", "measuring what retries would hide"),
            done: 0,
            total: None,
        });
        let workers = (SliceState::default(), workers);
        self.drive_unmeasured(work, at, workers, window, controls, listen)?;
        Ok(!controls.stop.is_asked())
    }
}

/// Whether the share of operations that failed with a temporary status (429, 500, 502, 503 or 504)
/// exceeds [`REFUSED_SHARE`].
fn refused_for_the_moment<'a>(slices: impl Iterator<Item = &'a Slice>) -> bool {
    let (mut refused, mut all) = (0, 0);
    for slice in slices {
        all += slice.ok() + slice.failed();
        let statuses = slice.requests().flat_map(|op| &op.statuses);
        let passing = statuses.filter(|(status, _)| matches!(status, 429 | 500 | 502..=504));
        refused += passing.map(|(_, count)| count).sum::<u64>();
    }
    refused > 0 && refused as f64 > REFUSED_SHARE * all as f64
}

fn add(seen: &mut Retried, sample: &Sample) {
    for op in &sample.ops {
        if op.role.is_work() {
            seen.failed += op.failed_count();
            // Operations that end after the window do not count towards throughput.
            seen.ok += if sample.drain { 0 } else { op.counts.ok };
        }
        if op.role == Role::Step {
            seen.attempts_ok += op.counts.ok;
            seen.attempts_failed += op.failed_count();
        }
    }
}
