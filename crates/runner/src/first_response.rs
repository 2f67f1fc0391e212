//! The first response of a target, before the measured part of a run.

use std::time::Duration;

use tenbin_plan::{Plan, Signature, Target};
use tenbin_targets::{Running, preflight};

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;

/// Longest wait for the first response of a target.
pub(crate) const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// What the first response of a target shows about the server.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstAnswer {
    /// The `Server` header.
    pub(crate) server: Option<String>,
    /// Number of the first line of the head that ends with a line feed alone.
    pub(crate) bare_line_feed: Option<u64>,
}

/// Waits for the target's first response. A missing response is an error.
pub(crate) fn first_answer(
    plan: &Plan,
    target: &Target,
    running: &Running,
    controls: &mut Controls<'_>,
) -> Result<FirstAnswer, RunError> {
    let signed = running.credentials.is_some() && target.signature != Signature::None;
    let limit = FIRST_ANSWER.min(longest_timeout(plan));
    let first = preflight::check(running, signed, limit)?;
    for warning in &first.warnings {
        (controls.progress)(Progress::Warning(warning));
    }
    if let Some(status) = first.response.status {
        let location = first.response.location.as_deref();
        check_status(plan, target, (status, location), controls)?;
    }
    Ok(FirstAnswer {
        server: first.response.server,
        bare_line_feed: first.response.bare_line_feed,
    })
}

/// Checks the status of the first response against each workload that sends plain GET requests to
/// the URL of the target, as the first request did. Warns if the workload does not accept the
/// status; returns an error if the status is a redirect or a final rejection such as 404.
fn check_status(
    plan: &Plan,
    target: &Target,
    (status, location): (u16, Option<&str>),
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    // These statuses reject the request itself; other error statuses, such as 503 or 429, may be
    // temporary.
    let is_final = (300..500).contains(&status) && !matches!(status, 408 | 425 | 429);
    for work in &plan.workloads {
        if work.facts().accepts_first(status) != Some(false) {
            continue;
        }
        let why = format!("GET returned status {status}, which does not count as success");
        if (300..400).contains(&status) {
            return Err(RunError::Preparation {
                target: target.name.clone(),
                workload: work.name.clone(),
                what: "the first request".to_owned(),
                why: tenbin_workloads::redirected(status, location),
            });
        }
        if is_final {
            return Err(RunError::Preparation {
                target: target.name.clone(),
                workload: work.name.clone(),
                what: "the first request".to_owned(),
                why: format!("{why}; correct the URL, or accept the status with --expect {status}"),
            });
        }
        (controls.progress)(Progress::Warning(&format!(
            "target \"{}\": {why}; requests of \"{}\" may fail",
            target.name, work.name
        )));
    }
    Ok(())
}

/// The longest request timeout of any workload.
fn longest_timeout(plan: &Plan) -> Duration {
    plan.workloads
        .iter()
        .map(|work| work.load.timeout)
        .max()
        .unwrap_or(FIRST_ANSWER)
}
