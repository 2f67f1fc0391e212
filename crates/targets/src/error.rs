//! What can go wrong with a target, in words for the person who has to mend it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::address::Address;
use crate::probe::ProbeError;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It returned this status.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
    /// It is gone, and nobody saw how.
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
            Self::Unknown => f.write_str("is gone"),
        }
    }
}

/// The end of a launched command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// How it ended.
    pub status: ExitStatus,
    /// How long after its launch.
    pub after: Duration,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:.1} s", self.status, self.after.as_secs_f64())
    }
}

/// The last lines of a target's output, indented below a message. Already
/// redacted and free of control characters.
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

/// Why a target cannot be brought up, reached or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The name of its host has no address.
    #[error("cannot resolve host \"{host}\" of target \"{target}\": {source}")]
    Unresolved {
        /// Name of the target.
        target: String,
        /// The host in its URL.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// The URL, once placeholders are filled in, is not usable.
    #[error("target \"{target}\" has an unusable url \"{url}\": {reason}")]
    Url {
        /// Name of the target.
        target: String,
        /// The URL; without secrets.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// TLS cannot be spoken as the plan wants it.
    #[error("target \"{target}\": {reason}")]
    Tls {
        /// Name of the target.
        target: String,
        /// What is wrong with which file.
        reason: String,
    },
    /// A secret stands where others can read it.
    #[error(
        "target \"{target}\" has {{secret_key}} in its {place}, which anyone on this machine can read; pass it through env"
    )]
    ExposedSecret {
        /// Name of the target.
        target: String,
        /// `command`, `url` or `ready`.
        place: &'static str,
    },
    /// The name cannot be a directory name.
    #[error("target name \"{target}\" cannot be used as a file name")]
    Name {
        /// Name of the target.
        target: String,
    },
    /// The program was not found.
    #[error("cannot start target \"{target}\": {reason}")]
    Program {
        /// Name of the target.
        target: String,
        /// Which program, and what to do.
        reason: String,
    },
    /// The command could not be started.
    #[error("cannot start target \"{target}\": {reason}")]
    Start {
        /// Name of the target.
        target: String,
        /// What the system said.
        reason: String,
    },
    /// A file or directory of the target could not be made or removed.
    #[error("cannot {action} {} for target \"{target}\": {source}", path.display())]
    File {
        /// Name of the target.
        target: String,
        /// What was tried, for example `create`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process listens where the target should.
    #[error(
        "cannot start target \"{target}\": something else already listens on {address}; stop it, or let Tenbin choose with {{port}}"
    )]
    Occupied {
        /// Name of the target.
        target: String,
        /// Where.
        address: Address,
    },
    /// The command ended before it was ready.
    #[error("target \"{target}\" {exit}, before it was ready{tail}")]
    EndedEarly {
        /// Name of the target.
        target: String,
        /// How and when.
        exit: Exit,
        /// Its last output.
        tail: LogTail,
    },
    /// The command runs but did not become ready in time.
    #[error("target \"{target}\" was not ready within {limit:?}: {reason}{tail}")]
    NotReady {
        /// Name of the target.
        target: String,
        /// The limit.
        limit: Duration,
        /// What was missing.
        reason: String,
        /// Its last output.
        tail: LogTail,
    },
    /// Tenbin was asked to stop while it waited.
    #[error("interrupted while target \"{target}\" was coming up")]
    Interrupted {
        /// Name of the target.
        target: String,
    },
    /// Some processes survived even SIGKILL.
    #[error("target \"{target}\" could not be stopped: {reason}")]
    Unstopped {
        /// Name of the target.
        target: String,
        /// What is left.
        reason: String,
    },
    /// It does not answer as an HTTP server.
    #[error("target \"{target}\": {source}")]
    Unreachable {
        /// Name of the target.
        target: String,
        /// What happened instead.
        source: ProbeError,
    },
    /// Nobody tells what it uses.
    #[error("target \"{target}\" cannot be observed: {reason}")]
    Observe {
        /// Name of the target.
        target: String,
        /// Why not.
        reason: String,
    },
    /// Its clock is too far from ours for signed requests.
    #[error("target \"{target}\": {reason}")]
    Clock {
        /// Name of the target.
        target: String,
        /// How far, and what to do.
        reason: String,
    },
}
