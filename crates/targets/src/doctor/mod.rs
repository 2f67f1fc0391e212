//! Checks this machine and each target before a run. Each [`Check`] evaluates facts that were
//! collected earlier.
//!
//! No check sends S3 requests: the caller passes the response to a signed request as a [`Reply`].
//!
//! To add a check, add a file, and a line in [`CHECKS`].

mod access_key;
mod bucket;
mod busy;
mod clock;
mod clock_source;
mod cores;
mod descriptors;
mod encryption;
mod kernel;
mod logging;
mod machine;
mod noise;
mod outgoing;
mod port;
mod process;
mod protocol;
mod reach;
mod region;
mod reply;
mod secret_key;
mod space;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenbin_plan::{Sentence, sentence};

pub use process::{LogFiles, Process, nearly_full_disk};
pub use reply::Reply;

use crate::error::TargetError;
use crate::preflight::Preflight;
use crate::running::Running;

/// All checks, in the order of the report. Checks are registered only here.
pub const CHECKS: &[&dyn Check] = &[
    &busy::Busy,
    &cores::CoreCheck,
    &kernel::KernelCheck,
    &clock_source::ClockSource,
    &noise::NoiseCheck,
    &encryption::Encryption,
    &port::Port,
    &outgoing::Outgoing,
    &reach::Reach,
    &clock::Clock,
    &protocol::Protocol,
    &region::Region,
    &access_key::AccessKey,
    &secret_key::SecretKey,
    &bucket::Bucket,
    &descriptors::Descriptors,
    &space::Space,
    &logging::Logging,
];

/// A check of this machine or of each target.
pub trait Check: Sync {
    /// Name of the check, one or two words.
    fn name(&self) -> &'static str;

    /// Results for this machine; empty if the check does not apply.
    fn of_machine(&self, _config: &CheckConfig) -> Vec<Outcome> {
        Vec::new()
    }

    /// Results for a target; empty if the check does not apply.
    fn of_target(&self, _config: &CheckConfig, _target: &TargetFacts) -> Vec<Outcome> {
        Vec::new()
    }
}

/// State of a check result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// No problem.
    Ok,
    /// A run would work, but its figures could mislead, or the run could stop early.
    Warning,
    /// A run would not work.
    Failed,
    /// The check cannot be carried out.
    Unknown,
}

impl State {
    /// Name of the state in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// Result of a check. May contain text of servers and processes, so output must escape it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// State.
    pub state: State,
    /// The facts found.
    pub evidence: Sentence,
    /// What to do; `None` if the evidence already says it.
    pub advice: Option<Sentence>,
}

impl Outcome {
    pub(crate) fn ok(evidence: impl Into<Sentence>) -> Self {
        Self::new(State::Ok, evidence, None)
    }

    pub(crate) fn unknown(evidence: impl Into<Sentence>) -> Self {
        Self::new(State::Unknown, evidence, None)
    }

    pub(crate) fn warning(evidence: impl Into<Sentence>, advice: impl Into<Sentence>) -> Self {
        Self::new(State::Warning, evidence, Some(advice.into()))
    }

    pub(crate) fn failed(evidence: impl Into<Sentence>, advice: impl Into<Sentence>) -> Self {
        Self::new(State::Failed, evidence, Some(advice.into()))
    }

    fn new(state: State, evidence: impl Into<Sentence>, advice: Option<Sentence>) -> Self {
        Self {
            state,
            evidence: evidence.into(),
            advice,
        }
    }
}

/// Several reasons, one after the other; `None` without reasons.
fn joined(reasons: impl IntoIterator<Item = Sentence>) -> Option<Sentence> {
    reasons.into_iter().reduce(|first, next| {
        let both = sentence!("then", "{first}; {next}", first, next);
        both.with_part("first", [first]).with_part("next", [next])
    })
}

/// Result of a check, with the names of the check and the target. May contain text of servers and
/// processes, so output must escape it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Name of the check.
    pub check: Cow<'static, str>,
    /// Name of the agent that checked its machine, or the target from its machine; `None` for this
    /// machine.
    pub agent: Option<String>,
    /// Name of the target; `None` for a check of the machine.
    pub target: Option<String>,
    /// State.
    pub state: State,
    /// The facts found.
    pub evidence: Sentence,
    /// What to do; `None` if the evidence already says it.
    pub advice: Option<Sentence>,
}

/// Settings of the checks.
#[derive(Debug, Clone)]
pub struct CheckConfig {
    /// Ports that servers will be started on during the run.
    pub ports: Vec<u16>,
    /// Directory of the runs, which need not exist yet.
    pub root: PathBuf,
    /// Whether this machine records runs; an agent does not.
    pub records: bool,
    /// Connections of the planned run.
    pub connections: u64,
    /// Open files that the planned run needs.
    pub files: u64,
    /// How long the noise check samples this machine; less than a second disables the noise check.
    pub watch: Duration,
    /// Ends the noise check early.
    pub stop: Arc<AtomicBool>,
}

/// Facts about a target.
pub struct TargetFacts {
    /// Name.
    pub name: String,
    /// The first response, or why there was no response.
    pub reached: Result<Reached, TargetError>,
    /// The response to a signed request; `None` if no signed request was sent.
    pub reply: Option<Reply>,
    /// The process that listens on the target's port, if it is local and visible.
    pub process: Option<Process>,
    /// The data directory of the target, if known.
    pub data: Option<PathBuf>,
    /// The log files of the target, with their sizes before the checks' requests.
    pub logs: Option<LogFiles>,
}

/// A target that has responded.
pub struct Reached {
    /// The first response of the target.
    pub first: Preflight,
    /// Addresses of the target's hosts.
    addresses: Vec<String>,
    /// Warnings about the connection settings, each with what to do.
    remarks: Vec<(Sentence, Sentence)>,
}

impl Reached {
    /// Collects the facts about a target that has responded.
    pub fn of(running: &Running, first: Preflight) -> Self {
        let route = &running.route;
        let left_out = route.warnings.iter().map(|sentence| {
            let advice = sentence!(
                "start-there-too",
                "start the server on that address too, or select one address with --resolve"
            );
            (sentence.as_str().into(), advice)
        });
        let insecure = route.insecure.then(|| {
            (
                sentence!(
                    "certificate-unchecked",
                    "its certificate is NOT checked; another server could respond in its place"
                ),
                sentence!(
                    "trust-authority",
                    "trust its authority with --cacert instead of --insecure"
                ),
            )
        });
        let hosts = route.hosts.iter().flat_map(|host| &host.addresses);
        Self {
            first,
            addresses: hosts.map(ToString::to_string).collect(),
            remarks: left_out.chain(insecure).collect(),
        }
    }
}

/// Runs all checks of this machine.
pub fn examine_machine(config: &CheckConfig) -> impl Iterator<Item = CheckResult> {
    CHECKS.iter().flat_map(move |check| {
        let found = check.of_machine(config).into_iter();
        found.map(move |found| result(*check, None, found))
    })
}

/// Runs all checks of a target.
pub fn examine_target(
    config: &CheckConfig,
    target: &TargetFacts,
) -> impl Iterator<Item = CheckResult> {
    CHECKS.iter().flat_map(move |check| {
        let found = check.of_target(config, target).into_iter();
        found.map(move |found| result(*check, Some(target.name.clone()), found))
    })
}

fn result(check: &dyn Check, target: Option<String>, found: Outcome) -> CheckResult {
    CheckResult {
        check: check.name().into(),
        agent: None,
        target,
        state: found.state,
        evidence: found.evidence,
        advice: found.advice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_row_in_the_documentation() {
        let page = include_str!("../../../../docs/doctor.md");
        let rows: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let names: Vec<&str> = CHECKS.iter().map(|check| check.name()).collect();
        assert_eq!(rows, names);
    }
}
