//! Unmeasured work, driven like any other: checks, data sets, cleaning up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tenbin_engine::{
    Destination, Drive, EngineError, ErrorClass, News, Route, Sample, Workload, drive,
};
use tenbin_plan::{Load, Pace};
use tenbin_workloads::{Governor, Patient, Refused, SENT_AGAIN, Stage};

use crate::stop::Stop;

/// What became of a stage.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    /// Work done: a step of something larger is none.
    pub(crate) ok: u64,
    /// The most frequent failure, in its own words.
    pub(crate) failure: Option<String>,
    /// It was asked to end.
    pub(crate) stopped: bool,
    /// What the server refused and then took when it was sent again.
    pub(crate) refused: Refused,
}

impl Staged {
    /// What the server refused although the stage has succeeded, in a sentence.
    pub(crate) fn refusals(&self) -> Option<String> {
        if self.failure.is_some() || self.stopped {
            return None;
        }
        let requests = match self.refused.requests {
            0 => return None,
            1 => "1 request, which succeeded when it was sent again".to_owned(),
            many => format!("{many} requests, and all succeeded when they were sent again"),
        };
        let fewest = self.refused.fewest_at_once;
        Some(format!(
            "the server refused {requests} (with {fewest} at a time at the fewest)"
        ))
    }
}

/// Drives `stage` to its end, or to its first failure if it must succeed, or
/// until nobody answers any more. Requests of a stage that must succeed are sent again while
/// the server refuses them for the moment. `done` gets the operations done so far and the
/// requests refused so far.
pub(crate) fn run(
    stage: Stage,
    destination: Destination,
    timeout: Duration,
    stop: &Stop,
    done: &mut dyn FnMut(u64, u64),
) -> Result<Staged, EngineError> {
    let plan = Drive {
        rest: None,
        destination: narrowed(destination, stage.host),
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
        window: None,
    };
    let must_succeed = stage.must_succeed;
    // Its own flag: a stage that fails must not stop the run as if the user had.
    let halt = AtomicBool::new(stop.is_asked());
    let mut staged = Staged::default();
    let mut worst = 0;
    let governor = Arc::new(Governor::new(plan.load.connections));
    let workers = match must_succeed {
        true => patient(stage.workers, &governor),
        false => stage.workers,
    };
    drive(&plan, workers, &halt, &mut |news| {
        let News::Sample(sample) = news else { return };
        let unreachable = nobody_answers(&sample);
        for op in &sample.ops {
            if op.role.is_work() {
                staged.ok += op.ok;
            }
            // A failed step is a failure, told of the whole as well or not.
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
    })?;
    // Not when nobody answered: what comes next will find out why.
    staged.stopped = stop.is_asked();
    staged.refused = governor.refused();
    Ok(staged)
}

/// The workers, each of which sends again what the server refuses.
fn patient(workers: Vec<Box<dyn Workload>>, governor: &Arc<Governor>) -> Vec<Box<dyn Workload>> {
    let numbered = workers.into_iter().zip(0..);
    let patient = numbered.map(|(worker, index)| {
        let patient = Patient::new(worker, Arc::clone(governor), index);
        Box::new(patient) as Box<dyn Workload>
    });
    patient.collect()
}

/// The way to one host of several alone.
fn narrowed(destination: Destination, host: Option<usize>) -> Destination {
    match (destination, host) {
        (Destination::Route(route), Some(host)) => Destination::Route(Route {
            hosts: route.hosts.into_iter().skip(host).take(1).collect(),
            ..route
        }),
        (destination, _) => destination,
    }
}

/// Whether connections were refused, by every host if there are several, and nothing
/// was answered: one host that is away leaves the work to the others, however slow.
fn nobody_answers(sample: &Sample) -> bool {
    let refused = |errors: &[u64]| errors[ErrorClass::Connect as usize] > 0;
    let all_refuse = match sample.hosts.as_slice() {
        [] => sample.ops.iter().any(|op| refused(&op.errors)),
        hosts => hosts.iter().all(|host| refused(&host.errors)),
    };
    all_refuse && sample.ops.iter().all(|op| op.ok == 0)
}

fn named_failure(errors: &[u64]) -> String {
    ErrorClass::ALL
        .into_iter()
        .find(|&class| errors[class as usize] > 0)
        .map_or_else(String::new, |class| format!("{} error", class.name()))
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{HostSample, OpSample};

    use super::*;

    const CONNECT: usize = ErrorClass::Connect as usize;

    /// A report of one operation with so many correct answers, and refusals by host.
    fn report(ok: u64, refusals: &[u64]) -> Sample {
        let mut op = OpSample::new("tidy");
        op.ok = ok;
        op.errors[CONNECT] = refusals.iter().sum();
        let host = |&refused: &u64| {
            let mut host = HostSample::default();
            host.errors[CONNECT] = refused;
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
    fn one_host_that_is_away_does_not_end_the_work() {
        for (ok, refusals, expected) in [
            (0, &[3][..], true),
            (1, &[3], false),
            (0, &[0], false),
            (0, &[0, 3], false),
            (0, &[1, 3], true),
            (1, &[1, 3], false),
        ] {
            let found = nobody_answers(&report(ok, refusals));
            assert_eq!(found, expected, "{ok} correct, {refusals:?} refused");
        }
    }
}
