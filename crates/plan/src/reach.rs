//! How a target is reached: by URL, by a command that Tenbin starts, or as a directory.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::names::Named;
use crate::store::Store;

/// How a target is reached: by URL, by a command that Tenbin starts, or as a directory.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// A running server.
    Endpoint {
        /// Base URL (`http://host:port/path` or `https://…`); for several hosts, the URL of the
        /// first.
        url: Url,
    },
    /// A server that Tenbin launches.
    Launched(Launch),
    /// One of Tenbin's own servers, run as a child process.
    Builtin(Builtin),
    /// A directory in which each blob is a file.
    Files(Files),
}

impl Reach {
    /// Whether operations use connections. A directory and the dummy have none.
    pub fn has_connections(&self) -> bool {
        !matches!(self, Self::Files(_) | Self::Builtin(Builtin::Dummy))
    }

    /// The storage protocol of blob workloads on this target: for a built-in server, the protocol
    /// of that server; otherwise `given`, the value in the plan.
    pub fn store(&self, given: Store) -> Store {
        match self {
            Self::Builtin(Builtin::S3Memory | Builtin::S3Durable) => Store::S3,
            _ => given,
        }
    }
}

/// A directory with blobs in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The directory; an absolute path in a resolved plan.
    pub path: PathBuf,
    /// Whether a file and its directory are synced to disk before the file counts as stored.
    pub sync: bool,
}

/// A command that Tenbin starts, observes and stops.
///
/// Placeholders in `command`, `env`, `url` and `ready` are replaced: `{port}` with a free port,
/// `{data}` with a new directory (removed after the run) in the run directory, and `{access_key}`
/// and `{secret_key}` with the target's credentials, which are generated if the plan has none.
/// `{secret_key}` is not allowed in `command`, which every user of the machine can read.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Additional environment variables.
    pub env: BTreeMap<String, String>,
    /// Addresses of this machine, with one process per address; empty: one process on 127.0.0.1.
    /// `{host}` is replaced with the address.
    pub nodes: Vec<IpAddr>,
    /// Working directory; `None`: Tenbin's working directory. A resolved plan always sets the
    /// directory, by default to that of the plan file.
    pub directory: Option<PathBuf>,
    /// Base URL of the started server, with placeholders.
    pub url: String,
    /// The readiness check.
    pub ready: Ready,
    /// Maximum time for the server to become ready.
    pub ready_within: Duration,
    /// Maximum time for the server to exit after SIGTERM, before it is killed.
    pub stop_within: Duration,
}

/// The readiness check of a launched target.
#[derive(Debug, Clone, PartialEq)]
pub enum Ready {
    /// The port of the URL accepts connections.
    Port,
    /// This URL (with placeholders) returns a status below 500.
    Url(String),
    /// The output of the server contains this text.
    Log(String),
}

/// Tenbin's own servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Responds to every request with a small fixed body.
    Http,
    /// S3 object store in memory.
    S3Memory,
    /// S3 object store on disk that syncs before it responds.
    S3Durable,
    /// A blob store in memory, with the protocol of CubeFS's access layer.
    Blob,
    /// No server: every operation completes immediately, which shows the cost of Tenbin itself.
    Dummy,
}

impl Named for Builtin {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("http", Self::Http),
        ("s3-memory", Self::S3Memory),
        ("s3-durable", Self::S3Durable),
        ("blob", Self::Blob),
        ("dummy", Self::Dummy),
    ];
}

impl Builtin {
    /// Name in plans and on the command line: `http`, `s3-memory`, `s3-durable`, `blob`, `dummy`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// The built-in server with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|&&(known, _)| known == name)
            .map(|&(_, builtin)| builtin)
    }
}
