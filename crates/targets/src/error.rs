//! Errors of targets. Messages address the person who has to fix the problem.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tenbin_http::Address;
use tenbin_plan::{Sentence, sentence};

use crate::probe::ProbeError;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The process exited with this status.
    Code(i32),
    /// The process was killed by this signal.
    Signal(i32),
    /// The process has ended; its status is unknown.
    Unknown,
}

impl ExitStatus {
    /// How the command ended, after its subject.
    pub fn sentence(self) -> Sentence {
        match self {
            Self::Code(code) => sentence!("exited", "exited with status {code}", code),
            Self::Signal(number) => {
                let signal = nix::sys::signal::Signal::try_from(number);
                let signal =
                    signal.map_or_else(|_| format!("signal {number}"), |signal| signal.to_string());
                sentence!("was-killed", "was killed by {signal}", signal)
            }
            Self::Unknown => sentence!("ended-somehow", "ended with an unknown status"),
        }
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// When and how a launched command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// How the command ended.
    pub status: ExitStatus,
    /// Time between the launch and the end.
    pub after: Duration,
}

impl Exit {
    /// How and when the command ended, after its subject.
    pub fn sentence(&self) -> Sentence {
        sentence!(
            "ended-after",
            "{status} after {seconds} s",
            status = self.status.sentence(),
            seconds = format!("{:.1}", self.after.as_secs_f64())
        )
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// The last lines of a target's output, printed indented below an error message. The lines contain
/// no secrets and no control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogTail(pub Vec<String>);

impl LogTail {
    /// The lines below the end of a sentence.
    pub fn sentence(&self) -> Sentence {
        if self.0.is_empty() {
            return sentence!("printed-nothing", "; it printed nothing");
        }
        let lines: String = self.0.iter().map(|line| format!("\n  | {line}")).collect();
        sentence!("last-output", "; its last output:{lines}", lines)
    }
}

/// Why a target cannot be started, reached or stopped.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum TargetError {
    /// The name of a host cannot be resolved.
    Unresolved {
        /// Name of the target.
        target: String,
        /// The host in the URL.
        host: String,
        /// Error of the resolver.
        source: io::Error,
    },
    /// The URL is unusable after its placeholders have been replaced.
    Url {
        /// Name of the target.
        target: String,
        /// The URL, without secrets.
        url: String,
        /// Why the URL is unusable.
        reason: Sentence,
    },
    /// The TLS settings of the plan are unusable.
    Tls {
        /// Name of the target.
        target: String,
        /// The file and what is wrong with it.
        reason: Sentence,
    },
    /// A secret is in a setting that other users of this machine can read.
    ExposedSecret {
        /// Name of the target.
        target: String,
        /// The setting: `command`, `url` or `ready`.
        place: &'static str,
    },
    /// The target's name cannot be used as a directory name.
    Name {
        /// Name of the target.
        target: String,
    },
    /// The target's program cannot be run.
    Program {
        /// Name of the target.
        target: String,
        /// Why the program cannot be run.
        reason: Sentence,
    },
    /// The target's command could not be started.
    Start {
        /// Name of the target.
        target: String,
        /// Error of the operating system.
        reason: Sentence,
    },
    /// The target failed, and its processes could not be stopped afterwards.
    AndThen {
        /// The first failure.
        first: Box<TargetError>,
        /// Why the processes could not be stopped.
        then: Box<TargetError>,
    },
    /// A file or directory of the target could not be created or removed.
    File {
        /// Name of the target.
        target: String,
        /// The operation, for example `create`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another process already listens on the target's address.
    Occupied {
        /// Name of the target.
        target: String,
        /// The address that is in use.
        address: Address,
    },
    /// The command ended before the target was ready.
    EndedEarly {
        /// Name of the target.
        target: String,
        /// How and when the command ended.
        exit: Exit,
        /// The cause and what to do, if the output shows it.
        advice: Option<Sentence>,
        /// Last lines of the command's output.
        tail: LogTail,
    },
    /// The command runs, but the target did not become ready in time.
    NotReady {
        /// Name of the target.
        target: String,
        /// The time limit.
        limit: Duration,
        /// The condition that was not met.
        reason: Sentence,
        /// Last lines of the command's output.
        tail: LogTail,
    },
    /// Tenbin was interrupted while it waited for the target to become ready.
    Interrupted {
        /// Name of the target.
        target: String,
    },
    /// Processes of the target survived SIGKILL, or the guard that stops the processes failed.
    Unstopped {
        /// Name of the target.
        target: String,
        /// How many processes survived, or what happened to `tenbin guard`, their parent process.
        reason: Sentence,
    },
    /// The target does not respond as an HTTP server.
    Unreachable {
        /// Name of the target.
        target: String,
        /// The error of the request.
        source: ProbeError,
    },
    /// Hosts of the target do not respond, and the plan refuses to run without them.
    DeadHosts {
        /// Name of the target.
        target: String,
        /// The hosts, with the reason of the first one.
        hosts: Sentence,
    },
    /// The resource use of the target cannot be read.
    Observe {
        /// Name of the target.
        target: String,
        /// Why the resource use cannot be read.
        reason: Sentence,
    },
    /// The target's clock differs from this machine's clock by too much for signed requests.
    Clock {
        /// Name of the target.
        target: String,
        /// The difference and what to do.
        reason: Sentence,
    },
}

impl TargetError {
    /// Name of the target; of two failures, the target of the first.
    pub fn target(&self) -> &str {
        match self {
            Self::AndThen { first, .. } => first.target(),
            Self::Unresolved { target, .. }
            | Self::Url { target, .. }
            | Self::Tls { target, .. }
            | Self::ExposedSecret { target, .. }
            | Self::Name { target }
            | Self::Program { target, .. }
            | Self::Start { target, .. }
            | Self::File { target, .. }
            | Self::Occupied { target, .. }
            | Self::EndedEarly { target, .. }
            | Self::NotReady { target, .. }
            | Self::Interrupted { target }
            | Self::Unstopped { target, .. }
            | Self::Unreachable { target, .. }
            | Self::DeadHosts { target, .. }
            | Self::Observe { target, .. }
            | Self::Clock { target, .. } => target,
        }
    }

    /// The error with its arguments.
    #[expect(clippy::too_many_lines, reason = "one row for each error")]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Unresolved {
                target,
                host,
                source,
            } => sentence!(
                "unresolved",
                "cannot resolve host \"{host}\" of target \"{target}\": {source}",
                host,
                target,
                source = Sentence::from(source)
            ),
            Self::Url {
                target,
                url,
                reason,
            } => sentence!(
                "target-url",
                "target \"{target}\" has an unusable url \"{url}\": {reason}",
                target,
                url,
                reason
            ),
            Self::ExposedSecret { target, place } => sentence!(
                "exposed-secret",
                "target \"{target}\" has {{secret_key}} in its {place}, which anyone on this \
                    machine can read; pass it through env",
                target,
                place
            ),
            Self::Name { target } => sentence!(
                "target-name",
                "target name \"{target}\" cannot be used as a file name",
                target
            ),
            Self::Program { target, reason } | Self::Start { target, reason } => sentence!(
                "cannot-start",
                "cannot start target \"{target}\": {reason}",
                target,
                reason
            ),
            Self::AndThen { first, then } => sentence!(
                "and-then",
                "{first}; then: {then}",
                first = first.sentence(),
                then = then.sentence()
            ),
            Self::File {
                target,
                action,
                path,
                source,
            } => sentence!(
                "target-file",
                "cannot {action} {path} for target \"{target}\": {source}",
                path = path.display(),
                action,
                target,
                source = Sentence::from(source)
            ),
            Self::Occupied { target, address } => sentence!(
                "occupied",
                "cannot start target \"{target}\": something else already listens on \
                    {address}; stop it, or let Tenbin choose with {{port}}",
                target,
                address
            ),
            Self::EndedEarly {
                target,
                exit,
                advice: None,
                tail,
            } => sentence!(
                "ended-early",
                "target \"{target}\" {exit}, before it was ready{tail}",
                target,
                exit = exit.sentence(),
                tail = tail.sentence()
            ),
            Self::EndedEarly {
                target,
                exit,
                advice: Some(advice),
                tail,
            } => sentence!(
                "ended-early-why",
                "target \"{target}\" {exit}, before it was ready: {advice}{tail}",
                target,
                exit = exit.sentence(),
                advice,
                tail = tail.sentence()
            ),
            Self::NotReady {
                target,
                limit,
                reason,
                tail,
            } => sentence!(
                "not-ready",
                "target \"{target}\" was not ready within {limit}: {reason}{tail}",
                target,
                limit = format!("{limit:?}"),
                reason,
                tail = tail.sentence()
            ),
            Self::Interrupted { target } => sentence!(
                "target-interrupted",
                "interrupted while target \"{target}\" was starting",
                target
            ),
            Self::Unstopped { target, reason } => sentence!(
                "unstopped",
                "target \"{target}\" could not be stopped: {reason}",
                target,
                reason
            ),
            Self::Tls { target, .. }
            | Self::Unreachable { target, .. }
            | Self::DeadHosts { target, .. }
            | Self::Clock { target, .. } => sentence!(
                "of-target-reason",
                "target \"{target}\": {reason}",
                target,
                reason = self.reason()
            ),
            Self::Observe { target, reason } => sentence!(
                "cannot-observe",
                "target \"{target}\" cannot be observed: {reason}",
                target,
                reason
            ),
        }
    }

    /// The error for a place that names the target already: [`Self::sentence`] without the name at
    /// its start.
    pub fn reason(&self) -> Sentence {
        match self {
            Self::Unreachable { source, .. } => source.sentence(),
            Self::Tls { reason, .. } | Self::Clock { reason, .. } => reason.clone(),
            Self::DeadHosts { hosts, .. } => sentence!(
                "start-dead-hosts",
                "{hosts}; start them, or use --dead-hosts count or --dead-hosts leave-out",
                hosts
            ),
            Self::AndThen { first, then } => sentence!(
                "and-then",
                "{first}; then: {then}",
                first = first.reason(),
                then = then.sentence()
            ),
            error => error.sentence(),
        }
    }
}

impl TargetError {
    /// This failure, with what happened when the processes were stopped after it.
    pub(crate) fn then(self, stopped: Result<(), Self>) -> Self {
        match (self, stopped) {
            (first, Ok(())) => first,
            // After Ctrl-C, only what is left matters.
            (Self::Interrupted { .. }, Err(then)) => then,
            (first, Err(then)) => Self::AndThen {
                first: Box::new(first),
                then: Box::new(then),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_kept_when_the_processes_cannot_be_stopped() {
        let failed = || TargetError::Start {
            target: "a".to_owned(),
            reason: "no such file".into(),
        };
        let unstopped = || TargetError::Unstopped {
            target: "a".to_owned(),
            reason: "2 of its processes survive SIGKILL".into(),
        };
        assert_eq!(failed().then(Ok(())).to_string(), failed().to_string());
        let both = failed().then(Err(unstopped())).to_string();
        assert!(both.starts_with(&failed().to_string()), "{both}");
        assert!(both.ends_with(&unstopped().to_string()), "{both}");
    }

    #[test]
    fn the_reason_is_the_sentence_without_the_name_at_its_start() {
        let target = || "a".to_owned();
        let begins_with_the_name = [
            TargetError::Unreachable {
                target: target(),
                source: ProbeError::ProxyPage {
                    host: "a:9000".to_owned(),
                    status: 502,
                },
            },
            TargetError::Tls {
                target: target(),
                reason: "ca.pem has no certificate".into(),
            },
            TargetError::DeadHosts {
                target: target(),
                hosts: "1 of 2 hosts do not respond".into(),
            },
            TargetError::Clock {
                target: target(),
                reason: "its clock is wrong".into(),
            },
        ];
        for error in begins_with_the_name {
            let whole = format!("target \"a\": {}", error.reason());
            assert_eq!(error.to_string(), whole);
        }
        let other = TargetError::Name { target: target() };
        assert_eq!(other.reason(), other.sentence());
    }

    #[test]
    fn two_failures_have_the_target_of_the_first() {
        let started = TargetError::Start {
            target: "a".to_owned(),
            reason: "no such file".into(),
        };
        let both = started.then(Err(TargetError::Unstopped {
            target: "b".to_owned(),
            reason: "2 of its processes survive SIGKILL".into(),
        }));
        assert_eq!(both.target(), "a");
    }
}
