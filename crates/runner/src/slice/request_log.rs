//! The log of all measured requests.

use tenbin_plan::{Plan, Target, Turn, Workload, conceal_parameters, sentence};
use tenbin_record::{MOST_LOGGED, RequestLogPart, RequestLogSummary, RequestLogWriter};
use tenbin_record::{RecordError, request_log_file};

use crate::progress::Progress;

/// Creates the files of the log, one for each workload on each target; `None` without a log.
pub(crate) fn start(plan: &Plan) -> Result<Option<RequestLogWriter>, RecordError> {
    let Some(file) = &plan.output.ops_log else {
        return Ok(None);
    };
    let mut parts: Vec<RequestLogPart> = Vec::new();
    for work in &plan.workloads {
        for target in &plan.targets {
            let name = name(plan, work, target);
            let mut own = request_log_file(file, &name);
            // Names that differ only where a file name cannot.
            if parts.iter().any(|part| part.file == own) {
                own = request_log_file(file, &format!("{name}-{}", parts.len() + 1));
            }
            parts.push(RequestLogPart {
                file: own,
                objects: work.kind.facts().objects_per_request(),
                conceal: concealing(work, target),
            });
        }
    }
    RequestLogWriter::start(parts).map(Some)
}

/// Index of the part of the log for the slice of this turn.
pub(crate) fn part(plan: &Plan, turn: &Turn) -> usize {
    turn.workload * plan.targets.len() + turn.target
}

/// The names that distinguish the file of a workload on a target; empty with only one file.
fn name(plan: &Plan, work: &Workload, target: &Target) -> String {
    let names = [
        (plan.workloads.len() > 1).then_some(work.name.as_str()),
        (plan.targets.len() > 1).then_some(target.name.as_str()),
    ];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    names.join("-")
}

fn concealing(work: &Workload, target: &Target) -> Box<dyn Fn(&str) -> String + Send> {
    let (kind, secrets) = (work.kind.clone(), target.secrets.clone());
    Box::new(move |text| conceal_parameters(&kind.facts().conceal(&secrets.conceal(text))))
}

/// Says where the log is and what is missing in it.
pub(crate) fn announce(log: &RequestLogSummary, progress: &mut dyn FnMut(Progress<'_>)) {
    progress(Progress::Note(&sentence!(
        "request-log",
        "log of {requests} requests: {files}",
        requests = log.requests,
        files = log.files.join(", ")
    )));
    if log.dropped > 0 {
        progress(Progress::Warning(&sentence!(
            "log-too-slow",
            "{requests} requests are missing in the log, because the writer was slower than the load",
            requests = log.dropped
        )));
    }
    if log.over_limit > 0 {
        progress(Progress::Warning(&sentence!(
            "log-full",
            "{requests} requests are missing in the log, because the log holds at most {most} requests",
            requests = log.over_limit,
            most = MOST_LOGGED
        )));
    }
    if let Some(error) = &log.error {
        progress(Progress::Warning(&sentence!(
            "log-ended",
            "the log of requests ended early: {reason}",
            reason = error
        )));
    }
}
