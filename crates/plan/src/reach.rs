//! Where a target is, or how it comes to be.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::names::Named;
use crate::store::Store;

/// Where a target is, or how it comes to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// A running server.
    Endpoint {
        /// Base URL (`http://host:port/path` or `https://…`); of several hosts
        /// that of the first.
        url: Url,
    },
    /// Tenbin launches it.
    Launched(Launch),
    /// One of Tenbin's own servers, run as a child process.
    Builtin(Builtin),
    /// A directory, for blobs in files.
    Files(Files),
}

impl Reach {
    /// Whether it is reached by connections at all.
    pub fn has_connections(&self) -> bool {
        !matches!(self, Self::Files(_) | Self::Builtin(Builtin::Dummy))
    }

    /// What blob workloads speak there, where a plan says `given` of it: a built-in server
    /// speaks what it speaks.
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
    /// The directory; a resolved plan has it absolute.
    pub path: PathBuf,
    /// Whether a file is synced to disk, and its directory with it, before it counts as
    /// stored.
    pub sync: bool,
}

/// A command that Tenbin starts, observes and stops.
///
/// Placeholders in `command`, `env`, `url` and `ready` are replaced: `{port}` with a free port,
/// `{data}` with a new directory in the run directory, which is removed after the run, and
/// `{access_key}` and `{secret_key}` with its credentials, which are generated if the plan has none.
/// `{secret_key}` is not allowed in `command`, which every user of the machine can read.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Extra environment.
    pub env: BTreeMap<String, String>,
    /// Addresses of this machine, a process on each; one process on 127.0.0.1 when empty.
    /// `{host}` is replaced with the address.
    pub nodes: Vec<IpAddr>,
    /// Working directory; Tenbin's own when not set. A resolved plan always
    /// sets it: by default to the directory of the plan file.
    pub directory: Option<PathBuf>,
    /// Base URL once it is up, with placeholders.
    pub url: String,
    /// Its readiness check.
    pub ready: Ready,
    /// How long it may take to come up.
    pub ready_within: Duration,
    /// Timeout of the stop after SIGTERM, before it is killed.
    pub stop_within: Duration,
}

/// The readiness check of a launched target.
#[derive(Debug, Clone, PartialEq)]
pub enum Ready {
    /// Its URL's port accepts connections.
    Port,
    /// This URL (with placeholders) returns a status below 500.
    Url(String),
    /// Its output contains this text.
    Log(String),
}

/// Tenbin's own servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Answers every request with a small fixed body.
    Http,
    /// S3 object store in memory.
    S3Memory,
    /// S3 object store on disk that syncs before it responds.
    S3Durable,
    /// The access layer of a blob store, in memory.
    Blob,
    /// No server at all: every operation is done at once. It shows what Tenbin itself
    /// costs.
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
    /// Its name in plans and on the command line: `http`, `s3-memory`, `s3-durable`,
    /// `blob`, `dummy`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// The built-in server of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|&&(known, _)| known == name)
            .map(|&(_, builtin)| builtin)
    }
}
