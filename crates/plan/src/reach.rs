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
    /// It is simply there.
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
/// `{port}`, `{data}`, `{access_key}` and `{secret_key}` in `command` (not the
/// secret key there: process titles are public), `env`, `url` and `ready` stand
/// for: a free port chosen for it; a fresh directory inside the run directory,
/// removed afterwards; its credentials, made up for the run when none are given.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Extra environment.
    pub env: BTreeMap<String, String>,
    /// Addresses of this machine, a process on each; one process on 127.0.0.1 when empty.
    /// `{host}` stands for the address.
    pub nodes: Vec<IpAddr>,
    /// Working directory; Tenbin's own when not set. A resolved plan always
    /// sets it: to the directory of the plan file when nothing else was asked for.
    pub directory: Option<PathBuf>,
    /// Base URL once it is up, with placeholders.
    pub url: String,
    /// How to tell that it is up.
    pub ready: Ready,
    /// How long it may take to come up.
    pub ready_within: Duration,
    /// How long it may take to stop when asked, before it is killed.
    pub stop_within: Duration,
}

/// How to tell that a launched target is up.
#[derive(Debug, Clone, PartialEq)]
pub enum Ready {
    /// Its URL's port accepts connections.
    Port,
    /// This URL (with placeholders) answers with any status below 500.
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
    /// S3 object store on disk that syncs before it answers.
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
