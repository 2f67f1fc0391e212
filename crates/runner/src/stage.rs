//! Unmeasured work, driven by the engine: checks, loading data, cleaning up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tenbin_engine::{
    Destination, Drive, EngineError, ErrorClass, Part, Route, Sample, SliceEvent, Workload, drive,
};
use tenbin_plan::{Load, Pace, Sentence, sentence};
use tenbin_workloads::{Governor, Patient, Refused, SENT_AGAIN, Stage};

use crate::stop::Stop;

/// Interval between checks whether the user has stopped the stage.
const STOP_POLL: Duration = Duration::from_millis(50);

/// The result of a stage.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    /// Number of successful operations, not counting sub-requests.
    pub(crate) ok: u64,
    /// The most frequent failure text.
    pub(crate) failure: Option<String>,
    /// Whether the user stopped the stage.
    pub(crate) stopped: bool,
    /// Requests that the server refused at first and accepted when they were retried.
    pub(crate) refused: Refused,
}

impl Staged {
    /// Returns a sentence about refused requests, for a stage that succeeded.
    pub(crate) fn refusals(&self) -> Option<Sentence> {
        if self.failure.is_some() || self.stopped {
            return None;
        }
        let requests = match self.refused.requests {
            0 => return None,
            1 => "1 request, which succeeded when it was sent again".to_owned(),
            many => format!("{many} requests, and all succeeded when they were sent again"),
        };
        let fewest = self.refused.fewest_at_once;
        let refused = sentence!(
            "server-refused",
            "the server refused {requests} (concurrency was reduced to {fewest})",
            requests,
            fewest
        );
        Some(refused.with("requests", self.refused.requests))
    }
}

/// Drives `stage` until it ends, until the target cannot be reached, or, if the stage must succeed,
/// until the first failure. A stage that must succeed retries requests that the server temporarily
/// refuses. `done` receives the operations done and the requests refused so far.
pub(crate) fn run(
    stage: Stage,
    destination: Destination,
    timeout: Duration,
    stop: &Stop,
    done: &mut dyn FnMut(u64, u64),
) -> Result<Staged, EngineError> {
    let plan = Drive {
        rest: None,
        destination: single_host(destination, stage.host),
        load: Load {
            pace: Pace::Closed,
            connections: stage.connections.max(stage.workers.len()),
            think: None,
            depth: 1,
            timeout,
            keep_alive: true,
            reopen: None,
            requests: None,
        },
        seed: 0,
        lead: Duration::ZERO,
        stages: false,
        part: Part::default(),
        window: None,
    };
    let must_succeed = stage.must_succeed;
    // A separate flag: a failing stage must not set the user's stop flag.
    let halt = AtomicBool::new(stop.is_asked());
    let mut staged = Staged::default();
    let mut worst = 0;
    let governor = Arc::new(Governor::new(plan.load.connections));
    let workers = if must_succeed {
        with_retries(stage.workers, &governor)
    } else {
        stage.workers
    };
    let mut on_event = |event| {
        let SliceEvent::Sample(sample) = event else {
            return;
        };
        let unreachable = all_refused(&sample);
        for op in &sample.ops {
            if op.role.is_work() {
                staged.ok += op.counts.ok;
            }
            // A failed sub-request counts as a failure, whether or not its transaction reports the
            // failure.
            let nameless = op.failed_count() > 0 && op.failures.is_empty();
            if nameless && staged.failure.is_none() {
                staged.failure = Some(named_failure(&op.errors));
            }
            for (text, &count) in &op.failures {
                if count > worst && text != SENT_AGAIN {
                    worst = count;
                    staged.failure = Some(text.clone());
                }
            }
        }
        done(staged.ok, governor.refused().requests);
        let failed = must_succeed && staged.failure.is_some();
        if failed || unreachable || stop.is_asked() {
            halt.store(true, Ordering::Relaxed);
        }
    };
    // Samples arrive once a second, which is late for somebody who has pressed Ctrl-C.
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !ended.load(Ordering::Acquire) && !stop.is_asked() {
                thread::park_timeout(STOP_POLL);
            }
            halt.fetch_or(stop.is_asked(), Ordering::Relaxed);
        });
        let driven = drive(&plan, workers, &halt, &mut on_event);
        ended.store(true, Ordering::Release);
        watcher.thread().unpark();
        driven
    })?;
    // Not set if the target could not be reached: the next step reports the cause.
    staged.stopped = stop.is_asked();
    staged.refused = governor.refused();
    Ok(staged)
}

/// Wraps the workers so that each worker retries requests that the server refuses.
fn with_retries(
    workers: Vec<Box<dyn Workload>>,
    governor: &Arc<Governor>,
) -> Vec<Box<dyn Workload>> {
    let numbered = workers.into_iter().zip(0..);
    let retrying = numbered.map(|(worker, index)| {
        let worker = Patient::new(worker, Arc::clone(governor), index);
        Box::new(worker) as Box<dyn Workload>
    });
    retrying.collect()
}

/// The destination restricted to a single host, if `host` is set.
fn single_host(destination: Destination, host: Option<usize>) -> Destination {
    match (destination, host) {
        (Destination::Route(route), Some(host)) => Destination::Route(Route {
            hosts: route.hosts.into_iter().skip(host).take(1).collect(),
            ..route
        }),
        (destination, _) => destination,
    }
}

/// Whether every host refused connections and no response arrived. If only some hosts are down, the
/// others continue.
fn all_refused(sample: &Sample) -> bool {
    let all_refuse = match sample.hosts.as_slice() {
        [] => sample
            .ops
            .iter()
            .any(|op| op.errors_of(ErrorClass::Connect) > 0),
        hosts => hosts
            .iter()
            .all(|host| host.errors_of(ErrorClass::Connect) > 0),
    };
    all_refuse && sample.ops.iter().all(|op| op.counts.ok == 0)
}

fn named_failure(errors: &BTreeMap<ErrorClass, u64>) -> String {
    let mut classes = errors.iter().filter(|(_, count)| **count > 0);
    classes
        .next()
        .map_or_else(String::new, |(class, _)| format!("{} error", class.name()))
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{HostSample, OpSample};

    use super::*;

    /// A sample of one operation with `ok` correct responses and the given number of refused
    /// connections per host.
    fn report(ok: u64, refusals: &[u64]) -> Sample {
        let mut op = OpSample::new("tidy");
        op.counts.ok = ok;
        op.errors.insert(ErrorClass::Connect, refusals.iter().sum());
        let host = |&refused: &u64| {
            let mut host = HostSample::default();
            host.errors.insert(ErrorClass::Connect, refused);
            host
        };
        let several = refusals.len() > 1;
        Sample {
            end: 1_000_000_000,
            ops: vec![op],
            hosts: refusals.iter().filter(|_| several).map(host).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn a_single_host_that_is_down_does_not_end_the_stage() {
        for (ok, refusals, expected) in [
            (0, &[3][..], true),
            (1, &[3], false),
            (0, &[0], false),
            (0, &[0, 3], false),
            (0, &[1, 3], true),
            (1, &[1, 3], false),
        ] {
            let found = all_refused(&report(ok, refusals));
            assert_eq!(found, expected, "{ok} correct, {refusals:?} refused");
        }
    }
}
