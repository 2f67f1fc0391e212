//! How a target is reached: by URL, by a command that Tenbin starts, or as a directory.

use std::path::PathBuf;

use url::Url;

use super::Launch;
use crate::keys::names::Named;
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

/// Tenbin's own servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Responds to every request with a small fixed body.
    Http,
    /// HTTP server with one worker, which takes 5 ms for each request.
    HttpOneWorker,
    /// HTTP server with four workers, each of which takes 5 ms for a request.
    HttpFourWorkers,
    /// S3 object store in memory.
    S3Memory,
    /// S3 object store on disk that syncs before it responds.
    S3Durable,
    /// A blob store in memory, with the protocol of CubeFS's access layer.
    Blob,
    /// The blob store with one worker, which takes 5 ms for each request.
    BlobOneWorker,
    /// The blob store with four workers, each of which takes 5 ms for a request.
    BlobFourWorkers,
    /// No server: every operation completes immediately, which shows the cost of Tenbin itself.
    Dummy,
}

impl Named for Builtin {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("http", Self::Http),
        ("http-1-worker", Self::HttpOneWorker),
        ("http-4-workers", Self::HttpFourWorkers),
        ("s3-memory", Self::S3Memory),
        ("s3-durable", Self::S3Durable),
        ("blob", Self::Blob),
        ("blob-1-worker", Self::BlobOneWorker),
        ("blob-4-workers", Self::BlobFourWorkers),
        ("dummy", Self::Dummy),
    ];
}

impl Builtin {
    /// Whether the server speaks HTTP and no storage protocol.
    pub fn is_http(self) -> bool {
        matches!(
            self,
            Self::Http | Self::HttpOneWorker | Self::HttpFourWorkers
        )
    }

    /// Whether the server is a blob store.
    pub fn is_blob_store(self) -> bool {
        matches!(
            self,
            Self::Blob | Self::BlobOneWorker | Self::BlobFourWorkers
        )
    }

    /// Whether the server keeps objects or blobs in memory.
    pub fn is_in_memory(self) -> bool {
        self == Self::S3Memory || self.is_blob_store()
    }

    /// Name in plans and on the command line, such as `http` or `s3-memory`.
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
