//! Unmeasured work, driven like any other: checks, data sets, cleaning up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tenbin_engine::{Carrier, Drive, EngineError, ErrorClass, News, drive};
use tenbin_plan::{Load, Pace};
use tenbin_workloads::Stage;

use crate::stop::Stop;

/// What became of a stage.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    /// Operations that succeeded.
    pub(crate) ok: u64,
    /// The most frequent failure, in its own words.
    pub(crate) failure: Option<String>,
    /// It was ended before its time.
    pub(crate) stopped: bool,
}

/// Drives `stage` to its end, or to its first failure if it must succeed, or
/// until nobody answers any more.
pub(crate) fn run(
    stage: Stage,
    carrier: Carrier,
    timeout: Duration,
    stop: &Stop,
    done: &mut dyn FnMut(u64),
) -> Result<Staged, EngineError> {
    let plan = Drive {
        carrier,
        load: Load {
            pace: Pace::Closed,
            connections: stage.connections.max(stage.workers.len()),
            think: None,
            depth: 1,
            timeout,
            keep_alive: true,
            requests: None,
        },
        seed: 0,
        lead: Duration::ZERO,
        window: None,
    };
    let must_succeed = stage.must_succeed;
    // Its own flag: a stage that fails must not stop the run as if the user had.
    let halt = AtomicBool::new(stop.is_asked());
    let mut staged = Staged::default();
    let mut worst = 0;
    drive(&plan, stage.workers, &halt, &mut |news| {
        let News::Sample(sample) = news else { return };
        let mut unreachable = false;
        for op in &sample.ops {
            staged.ok += op.ok;
            unreachable |= op.ok == 0 && op.errors[ErrorClass::Connect as usize] > 0;
            let nameless = op.failed_count() > 0 && op.failures.is_empty();
            if nameless && staged.failure.is_none() {
                staged.failure = Some(named_failure(&op.errors));
            }
            for (text, &count) in &op.failures {
                if count > worst {
                    worst = count;
                    staged.failure = Some(text.clone());
                }
            }
        }
        done(staged.ok);
        let failed = must_succeed && staged.failure.is_some();
        if failed || unreachable || stop.is_asked() {
            halt.store(true, Ordering::Relaxed);
        }
    })?;
    staged.stopped = halt.into_inner();
    Ok(staged)
}

fn named_failure(errors: &[u64]) -> String {
    ErrorClass::ALL
        .into_iter()
        .find(|&class| errors[class as usize] > 0)
        .map_or_else(String::new, |class| format!("{} error", class.name()))
}
