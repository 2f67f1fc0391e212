//! What may be wrong before anything is measured: with this machine, and with each
//! target. Every [`Check`] looks at facts and says what it makes of them.
//!
//! Nothing here asks a question of S3: what a server said to one is handed in as a
//! [`Reply`].
//!
//! A new check is one file and its line in [`CHECKS`].

mod access_key;
mod bucket;
mod busy;
mod clock;
mod clock_source;
mod cores;
mod descriptors;
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

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

pub use process::{LogFiles, Process};
pub use reply::Reply;

use crate::error::TargetError;
use crate::preflight::Preflight;
use crate::running::Running;

/// Every check, in the order in which they are made. The only place where one is
/// registered.
pub const CHECKS: &[&dyn Check] = &[
    &busy::Busy,
    &cores::CoresOf,
    &clock_source::ClockSource,
    &noise::NoiseOf,
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

/// One thing to look at, on this machine or for each target.
pub trait Check: Sync {
    /// What is looked at, in a word or two.
    fn name(&self) -> &'static str;

    /// What this machine shows; nothing, if it has no say in the matter.
    fn of_machine(&self, _visit: &Visit) -> Vec<Found> {
        Vec::new()
    }

    /// What a target shows; nothing, if it has no say in the matter.
    fn of_target(&self, _visit: &Visit, _target: &Examined) -> Vec<Found> {
        Vec::new()
    }
}

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// A run would work, but may mislead or stop half-way.
    Warning,
    /// A run would not work.
    Failed,
    /// It cannot be told.
    Unknown,
}

impl State {
    /// Its name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// What a check says. May hold text of servers and processes: hostile until escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How it stands.
    pub state: State,
    /// What was seen.
    pub evidence: String,
    /// What to do about it, where the evidence does not say that.
    pub advice: Option<String>,
}

impl Found {
    pub(crate) fn ok(evidence: impl Into<String>) -> Self {
        Self::new(State::Ok, evidence, None)
    }

    pub(crate) fn unknown(evidence: impl Into<String>) -> Self {
        Self::new(State::Unknown, evidence, None)
    }

    pub(crate) fn warning(evidence: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(State::Warning, evidence, Some(advice.into()))
    }

    pub(crate) fn failed(evidence: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(State::Failed, evidence, Some(advice.into()))
    }

    fn new(state: State, evidence: impl Into<String>, advice: Option<String>) -> Self {
        Self {
            state,
            evidence: evidence.into(),
            advice,
        }
    }
}

/// What a check says, with its name and whom it is about. May hold text of servers and
/// processes: hostile until escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// Name of the target; this machine, if none.
    pub target: Option<String>,
    /// How it stands.
    pub state: State,
    /// What was seen.
    pub evidence: String,
    /// What to do about it, where the evidence does not say that.
    pub advice: Option<String>,
}

/// What is to be looked at.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Ports on which a server is to be started.
    pub ports: Vec<u16>,
    /// Directory in which runs get theirs; need not be there yet.
    pub root: PathBuf,
    /// Connections that a run would have.
    pub connections: u64,
    /// Open files that a run would need.
    pub files: u64,
    /// How long this machine is watched for noise; under a second it is not.
    pub watch: Duration,
}

/// A target with all that was found out about it.
pub struct Examined {
    /// Its name.
    pub name: String,
    /// Its first answer, or why there is none.
    pub reached: Result<Reached, TargetError>,
    /// What it said to a signed question; none, if there was nobody to ask.
    pub reply: Option<Reply>,
    /// The process that listens there, if it is one of this machine and can be seen.
    pub process: Option<Process>,
    /// Where it keeps its data, if that was said.
    pub data: Option<PathBuf>,
    /// Its log files, with how long they were before the questions.
    pub logs: Option<LogFiles>,
}

/// A target that answers.
pub struct Reached {
    /// Its first answer.
    pub first: Preflight,
    /// Where its hosts are.
    addresses: Vec<String>,
    /// Things about the way to it that are worth a word, with what to do.
    remarks: Vec<(String, &'static str)>,
}

impl Reached {
    /// The way to a target that has answered.
    pub fn of(running: &Running, first: Preflight) -> Self {
        let way = &running.way;
        let left_out = way.left_out.iter().map(|sentence| {
            let advice = "start the server there too, or name one address with --resolve";
            (sentence.clone(), advice)
        });
        let insecure = way.insecure.then(|| {
            (
                "its certificate is NOT checked; anybody could answer in its place".to_owned(),
                "trust its authority with --cacert instead of --insecure",
            )
        });
        let hosts = way.hosts.iter().flat_map(|host| &host.addresses);
        Self {
            first,
            addresses: hosts.map(ToString::to_string).collect(),
            remarks: left_out.chain(insecure).collect(),
        }
    }
}

/// Looks at this machine.
pub fn examine_machine(visit: &Visit) -> impl Iterator<Item = Finding> {
    CHECKS.iter().flat_map(move |check| {
        let found = check.of_machine(visit).into_iter();
        found.map(move |found| finding(*check, None, found))
    })
}

/// Looks at one target.
pub fn examine_target(visit: &Visit, target: &Examined) -> impl Iterator<Item = Finding> {
    CHECKS.iter().flat_map(move |check| {
        let found = check.of_target(visit, target).into_iter();
        found.map(move |found| finding(*check, Some(target.name.clone()), found))
    })
}

fn finding(check: &dyn Check, target: Option<String>, found: Found) -> Finding {
    Finding {
        check: check.name(),
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
