//! Errors of this crate. Messages say what to do.

use std::io;

use tenbin_http::Failure;
use tenbin_plan::{Sentence, sentence};

use crate::source::Place;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum Error {
    /// The input is invalid.
    Malformed {
        /// Name of the input.
        name: String,
        /// Position in the input.
        place: Place,
        /// What is wrong.
        reason: Sentence,
    },
    /// The input cannot be read.
    Read {
        /// Name of the input.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The output cannot be written.
    Write {
        /// Name of the output.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The operation is refused; the text says why and what to do.
    Refused(Sentence),
    /// A table, column or index that a load would create exists.
    Exists {
        /// URL of the server.
        server: String,
        /// What exists.
        what: String,
        /// Number of records in it, if known.
        records: Option<u64>,
        /// How to remove it.
        remove: String,
    },
    /// A server has refused data: sending the same data again fails in the same way.
    Rejected {
        /// URL of the server.
        server: String,
        /// What was refused and why.
        reason: String,
        /// What to do before the next attempt.
        next: String,
    },
    /// Interrupted by the user before a server had responded.
    Stopped,
    /// A server is unreachable, or has refused a request.
    Server {
        /// URL or address of the server.
        server: String,
        /// What is wrong and, if known, what to do.
        reason: Sentence,
    },
}

impl Error {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Malformed {
                name,
                place,
                reason,
            } => sentence!(
                "malformed", "{name}, {place}: {reason}", name, place, reason
            )
            .with("line", place.line)
            .with("byte", place.byte),
            Self::Read { name, source } => sentence!(
                "cannot-read",
                "cannot read {path}: {why}",
                path = name,
                why = Sentence::from(source)
            ),
            Self::Write { name, source } => sentence!(
                "cannot-write-file",
                "cannot write {path}: {why}",
                path = name,
                why = Sentence::from(source)
            ),
            Self::Refused(said) => said.clone(),
            Self::Exists {
                server,
                what,
                records,
                remove,
            } => sentence!(
                "pages-exist",
                "{server}: {what} already exists{holding}; to replace it, {remove}",
                holding = holding(*records),
                server,
                what,
                remove
            ),
            Self::Rejected {
                server,
                reason,
                next,
            } => sentence!(
                "data-rejected", "{server}: {reason}; {next}", server, reason, next
            ),
            Self::Stopped => sentence!(
                "interrupted-waiting",
                "interrupted while waiting for a response of the server"
            ),
            Self::Server { server, reason } => {
                sentence!("of-server", "{server}: {reason}", server, reason)
            }
        }
    }
}

fn holding(records: Option<u64>) -> Sentence {
    records.map_or_else(Sentence::default, |records| {
        sentence!("and-holds", " and holds {records} records", records)
    })
}

impl Error {
    /// An operation is refused: why, and what to do.
    pub fn refused(reason: impl Into<Sentence>) -> Self {
        Self::Refused(reason.into())
    }

    pub(crate) fn server(server: impl Into<String>, reason: impl Into<Sentence>) -> Self {
        Self::Server {
            server: server.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn read(name: impl Into<String>, source: io::Error) -> Self {
        Self::Read {
            name: name.into(),
            source,
        }
    }

    /// Error for an output that cannot be written. `name`: name of the output.
    pub fn write(name: impl Into<String>, source: io::Error) -> Self {
        Self::Write {
            name: name.into(),
            source,
        }
    }
}

impl From<tenbin_http::Error> for Error {
    fn from(error: tenbin_http::Error) -> Self {
        match error {
            tenbin_http::Error::Request { server, failure } => {
                Self::server(server, of_failure(&failure))
            }
            tenbin_http::Error::Url { url, reason } => Self::Refused(sentence!(
                "server-url", "server {url}: {reason}", url, reason
            )),
            tenbin_http::Error::Password => Self::Refused(sentence!(
                "server-url-password",
                "a server's url must not hold a user or a password: every user of this machine could \
                 read it; use --user and --password-file"
            )),
        }
    }
}

/// Why a request failed, as a sentence.
pub(crate) fn of_failure(failure: &Failure) -> Sentence {
    match failure {
        Failure::UnknownHost(_) => {
            sentence!("unknown-host", "the host is unknown; check its name")
        }
        Failure::Connect(error) if error.kind() == io::ErrorKind::ConnectionRefused => sentence!(
            "no-server-there",
            "no server listens there (connection refused); start it, or check the port"
        ),
        Failure::ConnectTimeout(limit) => sentence!(
            "no-connection-in-time",
            "no response in time (no connection within {limit})",
            limit = format!("{limit:?}")
        ),
        Failure::Timeout(limit) => sentence!(
            "no-response-in-time",
            "no response in time ({limit})",
            limit = format!("{limit:?}")
        ),
        Failure::Status {
            path,
            status,
            excerpt,
        } => sentence!(
            "response-status",
            "{path} has status {status}: {excerpt}",
            path,
            status,
            excerpt
        ),
        Failure::TooLong(bytes) => sentence!(
            "response-too-long",
            "the request failed: the response has more than {bytes} bytes",
            bytes
        ),
        Failure::Connect(_)
        | Failure::Tls(_)
        | Failure::Request(_)
        | Failure::Head(_)
        | Failure::Body(_) => Sentence::quoted(failure),
    }
}
