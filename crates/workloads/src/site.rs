//! A target, as a workload sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenbin_plan::{Credentials, Signature};
use url::Url;

use crate::shared::Shared;

/// A target, as a workload sees it.
#[derive(Debug, Clone)]
pub struct Site {
    /// Base URL; of several hosts that of the first. Scheme, path and query are
    /// those of all.
    pub url: Url,
    /// Value of the `Host` header, one for each host in the order of the route: host
    /// and, unless it is the scheme's own, port. Never empty.
    host_headers: Vec<String>,
    /// S3 credentials; requests are not signed without.
    pub credentials: Option<Credentials>,
    /// S3 region.
    pub region: String,
    /// How S3 requests are signed.
    pub signature: Signature,
    /// Name of the target.
    name: String,
    means: Means,
    /// Directory of the run, if what is put there outlives a run that is killed.
    run_directory: Option<PathBuf>,
    shared: Shared,
}

/// By what blobs get to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Means {
    /// The access layer of a blob store.
    #[default]
    Blobstore,
    /// S3.
    S3,
    /// Files in a directory.
    Files,
    /// Nothing: everything is done at once.
    Dummy,
}

impl Site {
    /// The site at that URL, with the `Host` header the URL asks for.
    pub fn new(url: Url, credentials: Option<Credentials>, region: impl Into<String>) -> Self {
        Self {
            host_headers: vec![host_header(&url)],
            url,
            credentials,
            region: region.into(),
            signature: Signature::V4,
            name: "target".to_owned(),
            means: Means::default(),
            run_directory: None,
            shared: Shared::default(),
        }
    }

    /// The same site with requests signed in another way.
    #[must_use]
    pub fn signed(self, signature: Signature) -> Self {
        Self { signature, ..self }
    }

    /// The same site under the name of its target, with blobs getting there by these
    /// means.
    #[must_use]
    pub fn of_target(self, name: impl Into<String>, means: Means) -> Self {
        let name = name.into();
        Self {
            name,
            means,
            ..self
        }
    }

    /// The same site, where what is put outlives a run that is killed: the directory of
    /// the run then tells what that is.
    #[must_use]
    pub fn tracked_in(self, run_directory: impl Into<PathBuf>) -> Self {
        Self {
            run_directory: Some(run_directory.into()),
            ..self
        }
    }

    /// Directory of the run, if what is put there outlives a run that is killed.
    pub(crate) fn run_directory(&self) -> Option<&Path> {
        self.run_directory.as_deref()
    }

    /// Name of the target.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn means(&self) -> Means {
        self.means
    }

    /// What the workloads on this target have in common, by its type.
    pub(crate) fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.shared.of()
    }

    /// The same site with one more host: the next of the route, at that URL.
    #[must_use]
    pub fn and_host(mut self, url: &Url) -> Self {
        self.host_headers.push(host_header(url));
        self
    }

    /// Values of the `Host` header, by [`tenbin_engine::Exchange::host`].
    pub(crate) fn host_headers(&self) -> &[String] {
        &self.host_headers
    }

    /// Names of the hosts, in lower case, and their ports, in the same order.
    pub(crate) fn hosts_and_ports(&self) -> Vec<(String, Option<u16>)> {
        let usual = self.url.port_or_known_default();
        let headers = self
            .host_headers
            .iter()
            .map(|header| header.to_ascii_lowercase());
        headers
            .map(|header| match header.rsplit_once(':') {
                // The colons inside brackets are those of an address.
                Some((host, port)) if !port.contains(']') => (host.to_owned(), port.parse().ok()),
                _ => (header, usual),
            })
            .collect()
    }

    /// Its URL, without user name and password, for error texts.
    pub(crate) fn shown(&self) -> String {
        let mut url = self.url.clone();
        // Refused only by URLs that cannot hold either.
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
