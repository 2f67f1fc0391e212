//! The first response of a target, before the measured part of a run.

use std::time::Duration;

use tenbin_plan::{DeadHosts, Plan, Signature, Target, sentence};
use tenbin_record::DeadHost;
use tenbin_targets::{Running, TargetError, preflight};

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
    /// Hosts that do not respond, while others do.
    pub(crate) dead_hosts: Vec<DeadHost>,
}

/// Waits for the target's first response. A missing response is an error, unless another host of the
/// target responds. Removes hosts that the plan leaves out from the route.
pub(crate) fn first_answer(
    plan: &Plan,
    target: &Target,
    running: &mut Running,
    controls: &mut Controls<'_>,
) -> Result<FirstAnswer, RunError> {
    let signed = running.credentials.is_some() && target.signature != Signature::None;
    let limit = FIRST_ANSWER.min(longest_timeout(plan));
    let first = preflight::check(running, signed, limit)?;
    for warning in &first.warnings {
        (controls.progress)(Progress::Warning(warning));
    }
    let dead_hosts = dead_hosts(plan, target, running, &first.dead, controls)?;
    if let Some(status) = first.response.status {
        let location = first.response.location.as_deref();
        check_status(plan, target, (status, location), controls)?;
    }
    Ok(FirstAnswer {
        server: first.response.server,
        bare_line_feed: first.response.bare_line_feed,
        dead_hosts,
    })
}

/// Does with hosts that do not respond what the plan says.
fn dead_hosts(
    plan: &Plan,
    target: &Target,
    running: &mut Running,
    dead: &[preflight::DeadHost],
    controls: &mut Controls<'_>,
) -> Result<Vec<DeadHost>, RunError> {
    let Some(first) = dead.first() else {
        return Ok(Vec::new());
    };
    let names: Vec<&str> = dead.iter().map(|host| host.name.as_str()).collect();
    let all = running.route.hosts.len();
    let hosts = sentence!(
        "hosts-dead",
        "{dead} of {all} hosts do not respond ({names}): {reason}",
        dead = dead.len(),
        all,
        names = names.join(", "),
        reason = first.reason
    );
    let how = target.connect.dead_hosts;
    let then = match how {
        DeadHosts::Refuse => {
            let target = target.name.clone();
            return Err(TargetError::DeadHosts { target, hosts }.into());
        }
        DeadHosts::LeaveOut if plan.agents.is_some() => {
            return Err(RunError::NotForAgents {
                target: target.name.clone(),
                why: sentence!(
                    "agents-leave-out",
                    "target \"{name}\": {hosts}; agents cannot leave hosts out: name only the \
                     others, or use --dead-hosts count",
                    name = target.name,
                    hosts
                ),
            });
        }
        DeadHosts::LeaveOut => "they are left out",
        DeadHosts::Count => "their share of the requests will fail (--dead-hosts leave-out)",
    };
    let warning = sentence!(
        "dead-hosts",
        "target \"{target}\": {hosts}; {then}",
        target = target.name,
        hosts,
        then
    );
    let warning = warning
        .with("hosts", names.join("、"))
        .with("dead", dead.len())
        .with("all", all)
        .with("reason", &first.reason)
        .with("left_out", how == DeadHosts::LeaveOut);
    (controls.progress)(Progress::Warning(&warning));
    if how == DeadHosts::LeaveOut {
        leave_out(running, dead);
    }
    let kept = dead.iter().map(|host| DeadHost {
        name: host.name.clone(),
        reason: host.reason.to_string(),
        left_out: how == DeadHosts::LeaveOut,
    });
    Ok(kept.collect())
}

fn leave_out(running: &mut Running, dead: &[preflight::DeadHost]) {
    let mut index = 0;
    running.route.hosts.retain(|_| {
        index += 1;
        dead.iter().all(|host| host.index + 1 != index)
    });
    if let Some(first) = running.route.hosts.first() {
        running.url = first.url.clone();
    }
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
        if (300..400).contains(&status) {
            return Err(RunError::Preparation {
                target: target.name.clone(),
                workload: work.name.clone(),
                what: sentence!("first-request", "the first request"),
                why: tenbin_workloads::redirected(status, location),
            });
        }
        if is_final {
            return Err(RunError::Rejected {
                target: target.name.clone(),
                workload: work.name.clone(),
                status,
            });
        }
        (controls.progress)(Progress::Warning(&sentence!(
            "first-status",
            "target \"{target}\": GET returned status {status}, which does not count as success; \
             requests of \"{workload}\" may fail",
            target = target.name,
            status,
            workload = work.name
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
