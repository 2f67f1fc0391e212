//! The settings of a target that workloads use.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenbin_plan::{Credentials, Signature};
use url::Url;

use crate::s3::keyring::{Keyring, Keyrings};
use crate::shared::Shared;

/// The settings of a target that workloads use.
#[derive(Debug, Clone)]
pub struct Site {
    /// Base URL of the first host. All hosts have the same scheme, path and query.
    pub url: Url,
    /// Value of the `Host` header for each host, in order: host name, and port unless the port is
    /// the scheme's default. Never empty.
    host_headers: Vec<String>,
    /// S3 credentials; `None` for unsigned requests.
    pub credentials: Option<Credentials>,
    /// Keys that replace the credentials during the run.
    keyrings: Keyrings,
    /// S3 region.
    pub region: String,
    /// How S3 requests are signed.
    pub signature: Signature,
    /// Name of the target.
    name: String,
    means: BlobAccess,
    /// Run directory for records of data stored on the target, if these records are needed to clean
    /// up after a kill.
    run_directory: Option<PathBuf>,
    /// Whether this process is an agent, which keeps no records of data stored on the target.
    is_on_agent: bool,
    shared: Shared,
}

/// Protocol for blobs on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlobAccess {
    /// The access layer of CubeFS's blobstore.
    #[default]
    Blobstore,
    /// S3.
    S3,
    /// Files in a directory.
    Files,
    /// No storage: every operation succeeds at once.
    Dummy,
}

impl Site {
    /// A target with one host, at this URL.
    pub fn new(url: Url, credentials: Option<Credentials>, region: impl Into<String>) -> Self {
        Self {
            host_headers: vec![host_header(&url)],
            url,
            credentials,
            keyrings: Keyrings::default(),
            region: region.into(),
            signature: Signature::V4,
            name: "target".to_owned(),
            means: BlobAccess::default(),
            run_directory: None,
            is_on_agent: false,
            shared: Shared::default(),
        }
    }

    /// Sets the signature version.
    #[must_use]
    pub fn signed(self, signature: Signature) -> Self {
        Self { signature, ..self }
    }

    /// Signs requests with keys that change during the run.
    #[must_use]
    pub fn with_keyrings(self, keyrings: Keyrings) -> Self {
        Self { keyrings, ..self }
    }

    /// The keys for requests to a bucket that change during the run.
    pub(crate) fn keyring(&self, bucket: &str) -> Option<&Arc<Keyring>> {
        self.keyrings.of(bucket)
    }

    /// Sets the name of the target and the protocol for blobs.
    #[must_use]
    pub fn of_target(self, name: impl Into<String>, means: BlobAccess) -> Self {
        let name = name.into();
        Self {
            name,
            means,
            ..self
        }
    }

    /// Sets the run directory, where data stored on the target is recorded for cleanup after a
    /// kill.
    #[must_use]
    pub fn tracked_in(self, run_directory: impl Into<PathBuf>) -> Self {
        Self {
            run_directory: Some(run_directory.into()),
            ..self
        }
    }

    /// Marks this process as an agent: the coordinator keeps the records of data stored on the
    /// target.
    #[must_use]
    pub fn on_agent(self) -> Self {
        Self {
            is_on_agent: true,
            ..self
        }
    }

    pub(crate) fn is_on_agent(&self) -> bool {
        self.is_on_agent
    }

    /// Run directory for records of data stored on the target, if these records are needed to clean
    /// up after a kill.
    pub(crate) fn run_directory(&self) -> Option<&Path> {
        self.run_directory.as_deref()
    }

    /// Name of the target.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn means(&self) -> BlobAccess {
        self.means
    }

    /// The value of type `T` that all workloads on this target share; created on first use.
    pub(crate) fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.shared.of()
    }

    /// Adds the next host of the target, at this URL.
    #[must_use]
    pub fn and_host(mut self, url: &Url) -> Self {
        self.host_headers.push(host_header(url));
        self
    }

    /// Values of the `Host` header, indexed by [`tenbin_engine::Exchange::host`].
    pub(crate) fn host_headers(&self) -> &[String] {
        &self.host_headers
    }

    /// Names of the hosts, in lower case, with their ports, in order.
    pub(crate) fn hosts_and_ports(&self) -> Vec<(String, Option<u16>)> {
        let usual = self.url.port_or_known_default();
        let headers = self
            .host_headers
            .iter()
            .map(|header| header.to_ascii_lowercase());
        headers
            .map(|header| match header.rsplit_once(':') {
                // A colon inside brackets belongs to an IPv6 address.
                Some((host, port)) if !port.contains(']') => (host.to_owned(), port.parse().ok()),
                _ => (header, usual),
            })
            .collect()
    }

    /// Base URL without user name and password, for error messages.
    pub(crate) fn shown(&self) -> String {
        let mut url = self.url.clone();
        // Fails only for URLs that cannot have a user name.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.to_string()
    }
}

fn host_header(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
