//! Errors of this crate. Messages say what to do.

use std::io;

use crate::source::Place;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is invalid.
    #[error("{name}, {place}: {reason}")]
    Malformed {
        /// Name of the input.
        name: String,
        /// Position in the input.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// The input cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// Name of the input.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot write {name}: {source}")]
    Write {
        /// Name of the output.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The operation is refused; the text says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// A table, column or index that a load would create exists.
    #[error("{server}: {what} already exists{}; to replace it, {remove}", holding(*records))]
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
    #[error("{server}: {reason}; {next}")]
    Rejected {
        /// URL of the server.
        server: String,
        /// What was refused and why.
        reason: String,
        /// What to do before the next attempt.
        next: String,
    },
    /// Interrupted by the user before a server had responded.
    #[error("interrupted while waiting for a response of the server")]
    Stopped,
    /// A server is unreachable, or has refused a request.
    #[error("{server}: {reason}")]
    Server {
        /// URL or address of the server.
        server: String,
        /// What is wrong and, if known, what to do.
        reason: String,
    },
}

fn holding(records: Option<u64>) -> String {
    records.map_or_else(String::new, |records| {
        format!(" and holds {records} records")
    })
}

impl Error {
    pub(crate) fn server(server: impl Into<String>, reason: impl Into<String>) -> Self {
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
                Self::server(server, failure.to_string())
            }
            unusable => Self::Refused(unusable.to_string()),
        }
    }
}
