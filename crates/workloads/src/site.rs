//! A target, as a workload sees it.

use tenbin_plan::Credentials;
use url::Url;

/// A target, as a workload sees it.
#[derive(Debug, Clone)]
pub struct Site {
    /// Base URL.
    pub url: Url,
    /// Value of the `Host` header: host and, unless it is the scheme's own, port.
    pub host_header: String,
    /// S3 credentials; requests are not signed without.
    pub credentials: Option<Credentials>,
    /// S3 region.
    pub region: String,
}

impl Site {
    /// The site at that URL, with the `Host` header the URL asks for.
    pub fn new(url: Url, credentials: Option<Credentials>, region: impl Into<String>) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host_header = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Self {
            url,
            host_header,
            credentials,
            region: region.into(),
        }
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
