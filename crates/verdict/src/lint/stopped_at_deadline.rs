//! Requests that oha stops when its time ends.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{count, percent, plural};

use super::{Failed, Files, LintFinding, Measurement, Reported, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

/// The tool, and what its file calls these requests.
const TOOL: &str = "oha";
const STOPPED: &str = "aborted due to deadline";

/// Largest number of stopped requests for each request in flight by Little's law, which leaves out the
/// time that the tool needs between two requests.
const PER_IN_FLIGHT: f64 = 1.25;

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "stopped_at_deadline",
    summary: Texts {
        english: "the tool stopped the requests that were in flight when its time ended",
        japanese: "終了時刻に応答待ちだったリクエストをツールが打ち切っている",
    },
    severities: &[Severity::Note],
    explanation: pages!("stopped_at_deadline"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| {
            let mut failures = of.failures.iter();
            let stopped = failures.find(|each| is_stopped(file, of, each))?;
            let ended = of.ended.as_ref().filter(|ended| ended.value > 0)?;
            let share = stopped.count as f64 / ended.value as f64;
            Some(LintFinding {
                rule: RULE.name,
                severity: Severity::Note,
                operation: Some(of.operation.clone()),
                evidence: sentence!(
                    "lint-stopped-at-deadline",
                    "oha stopped {requests} at its deadline (-w waits for them): {share} of the requests",
                    requests = plural(stopped.count, "request"),
                    share = percent(share)
                )
                .with("requests", count(stopped.count)),
                advice: sentence!(
                    "lint-deadline-is-usual",
                    "nothing to do, unless the slowest requests matter: these requests were in flight when \
                     the time ended, at most one on each connection, and their times are missing"
                ),
                quotes: quotes(file, [&stopped.quote]),
            })
        })
        .collect()
}

/// Whether these failures are the requests that were in flight when the time of the tool ended. More
/// requests than connections are other failures.
pub(super) fn is_stopped(file: &Reported, of: &Measurement, failed: &Failed) -> bool {
    file.tool == TOOL
        && failed.what == STOPPED
        && most_in_flight(of).is_some_and(|most| failed.count <= most)
}

/// Most requests that can be in flight: one for each connection. The JSON of oha does not say the number
/// of connections; it follows from rate and mean time.
fn most_in_flight(of: &Measurement) -> Option<u64> {
    if let Some(connections) = &of.connections {
        return Some(connections.value);
    }
    let (rate, mean) = (of.rate.as_ref()?, of.mean.as_ref()?);
    let in_flight = rate.value.middle() * mean.value.middle() * PER_IN_FLIGHT;
    in_flight.is_finite().then(|| in_flight.ceil() as u64)
}
