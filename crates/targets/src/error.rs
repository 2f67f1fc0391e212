//! Errors of targets. Messages address the person who has to fix the problem.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tenbin_http::Address;

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

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with status {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => write!(f, "was killed by {signal}"),
                Err(_) => write!(f, "was killed by signal {number}"),
            },
            Self::Unknown => f.write_str("ended with an unknown status"),
        }
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

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:.1} s", self.status, self.after.as_secs_f64())
    }
}

/// The last lines of a target's output, printed indented below an error message. The lines contain
/// no secrets and no control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogTail(pub Vec<String>);

impl fmt::Display for LogTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; it printed nothing");
        }
        f.write_str("; its last output:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  | {line}"))
    }
}

/// Why a target cannot be started, reached or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The name of a host cannot be resolved.
    #[error("cannot resolve host \"{host}\" of target \"{target}\": {source}")]
    Unresolved {
        /// Name of the target.
        target: String,
        /// The host in the URL.
        host: String,
        /// Error of the resolver.
        source: io::Error,
    },
    /// The URL is unusable after its placeholders have been replaced.
    #[error("target \"{target}\" has an unusable url \"{url}\": {reason}")]
    Url {
        /// Name of the target.
        target: String,
        /// The URL, without secrets.
        url: String,
        /// Why the URL is unusable.
        reason: String,
    },
    /// The TLS settings of the plan are unusable.
    #[error("target \"{target}\": {reason}")]
    Tls {
        /// Name of the target.
        target: String,
        /// The file and what is wrong with it.
        reason: String,
    },
    /// A secret is in a setting that other users of this machine can read.
    #[error(
        "target \"{target}\" has {{secret_key}} in its {place}, which anyone on this machine can read; pass it through env"
    )]
    ExposedSecret {
        /// Name of the target.
        target: String,
        /// The setting: `command`, `url` or `ready`.
        place: &'static str,
    },
    /// The target's name cannot be used as a directory name.
    #[error("target name \"{target}\" cannot be used as a file name")]
    Name {
        /// Name of the target.
        target: String,
    },
    /// The target's program cannot be run.
    #[error("cannot start target \"{target}\": {reason}")]
    Program {
        /// Name of the target.
        target: String,
        /// Why the program cannot be run.
        reason: String,
    },
    /// The target's command could not be started.
    #[error("cannot start target \"{target}\": {reason}")]
    Start {
        /// Name of the target.
        target: String,
        /// Error of the operating system.
        reason: String,
    },
    /// The target failed, and its processes could not be stopped afterwards.
    #[error("{first}; then: {then}")]
    AndThen {
        /// The first failure.
        first: Box<TargetError>,
        /// Why the processes could not be stopped.
        then: Box<TargetError>,
    },
    /// A file or directory of the target could not be created or removed.
    #[error("cannot {action} {} for target \"{target}\": {source}", path.display())]
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
    #[error(
        "cannot start target \"{target}\": something else already listens on {address}; stop it, or let Tenbin choose with {{port}}"
    )]
    Occupied {
        /// Name of the target.
        target: String,
        /// The address that is in use.
        address: Address,
    },
    /// The command ended before the target was ready.
    #[error("target \"{target}\" {exit}, before it was ready{tail}")]
    EndedEarly {
        /// Name of the target.
        target: String,
        /// How and when the command ended.
        exit: Exit,
        /// Last lines of the command's output.
        tail: LogTail,
    },
    /// The command runs, but the target did not become ready in time.
    #[error("target \"{target}\" was not ready within {limit:?}: {reason}{tail}")]
    NotReady {
        /// Name of the target.
        target: String,
        /// The time limit.
        limit: Duration,
        /// The condition that was not met.
        reason: String,
        /// Last lines of the command's output.
        tail: LogTail,
    },
    /// Tenbin was interrupted while it waited for the target to become ready.
    #[error("interrupted while target \"{target}\" was starting")]
    Interrupted {
        /// Name of the target.
        target: String,
    },
    /// Processes of the target survived SIGKILL, or the guard that stops the processes failed.
    #[error("target \"{target}\" could not be stopped: {reason}")]
    Unstopped {
        /// Name of the target.
        target: String,
        /// How many processes survived, or what happened to `tenbin guard`, their parent process.
        reason: String,
    },
    /// The target does not respond as an HTTP server.
    #[error("target \"{target}\": {source}")]
    Unreachable {
        /// Name of the target.
        target: String,
        /// The error of the request.
        source: ProbeError,
    },
    /// Hosts of the target do not respond, and the plan refuses to run without them.
    #[error(
        "target \"{target}\": {hosts}; start them, or use --dead-hosts count or --dead-hosts leave-out"
    )]
    DeadHosts {
        /// Name of the target.
        target: String,
        /// The hosts, with the reason of the first one.
        hosts: String,
    },
    /// The resource use of the target cannot be read.
    #[error("target \"{target}\" cannot be observed: {reason}")]
    Observe {
        /// Name of the target.
        target: String,
        /// Why the resource use cannot be read.
        reason: String,
    },
    /// The target's clock differs from this machine's clock by too much for signed requests.
    #[error("target \"{target}\": {reason}")]
    Clock {
        /// Name of the target.
        target: String,
        /// The difference and what to do.
        reason: String,
    },
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
            reason: "no such file".to_owned(),
        };
        let unstopped = || TargetError::Unstopped {
            target: "a".to_owned(),
            reason: "2 of its processes survive SIGKILL".to_owned(),
        };
        assert_eq!(failed().then(Ok(())).to_string(), failed().to_string());
        let both = failed().then(Err(unstopped())).to_string();
        assert!(both.starts_with(&failed().to_string()), "{both}");
        assert!(both.ends_with(&unstopped().to_string()), "{both}");
    }
}
