//! Tenbin's built-in servers, for a first trial and for tests.
//!
//! The servers block until SIGTERM or SIGINT, print nothing, and report their listen address
//! through a callback, so that callers can use port 0.

mod accept;
mod blob;
mod budget;
mod http;
mod s3;
mod truth;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tenbin_plan::{Sentence, sentence};

pub use accept::DEFAULT_WORKERS;
pub(crate) use accept::stop_signal;
pub use blob::{BlobOptions, Fault, Gone, blob};
pub use http::{HttpOptions, http};
pub use s3::{S3Fault, S3Options, half_of_available_memory, s3};
pub use truth::{RarePause, Service, Shares, Stall, TruthOptions, share, truth};

/// Environment variable with the access key of `tenbin serve s3`.
pub const ACCESS_KEY_VARIABLE: &str = "TENBIN_ACCESS_KEY";
/// Environment variable with the secret key of `tenbin serve s3`.
pub const SECRET_KEY_VARIABLE: &str = "TENBIN_SECRET_KEY";

/// Why a built-in server cannot run.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum ServeError {
    /// The server cannot listen on the address.
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Threads or signal handlers could not be set up.
    Runtime(#[source] io::Error),
    /// The log of the ground-truth server cannot be written.
    Log {
        /// The log file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The directory of the durable store is unusable.
    Store {
        /// The unusable directory or file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl ServeError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Listen { address, source } => sentence!(
                "cannot-listen-on",
                "cannot listen on {address}: {source}",
                address,
                source
            ),
            Self::Runtime(text) => {
                sentence!("no-set-up", "cannot set up the server: {text}", text)
            }
            Self::Log { path, source } => sentence!(
                "no-log",
                "cannot write the log {path}: {source}",
                path = path.display(),
                source
            ),
            Self::Store { path, source } => sentence!(
                "no-store",
                "cannot use {path} as object store: {source}",
                path = path.display(),
                source
            ),
        }
    }
}
