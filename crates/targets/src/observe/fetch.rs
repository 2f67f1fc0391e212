//! Fetches a page repeatedly over a persistent connection.

use std::fmt;
use std::time::Duration;

use tenbin_http::{Client, Error, Failure, Login, Reply, bearer};
use tenbin_plan::{ObservePage, conceal_parameters};
use url::{Position, Url};

/// Time limit of a request. The run continues meanwhile, but the record of the current second is
/// delayed.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit of the first request, before the run.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// A page to fetch, and the client of its server.
pub(super) struct Fetcher {
    client: Client,
    url: Url,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetcher({})", self.url())
    }
}

impl Fetcher {
    /// Creates a fetcher without connecting. `path` is the default for a URL without a path, and
    /// `limit` the size of the largest page, bytes.
    ///
    /// # Errors
    /// The unusable setting and the reason, in one clause.
    pub(super) fn new(
        page: &ObservePage,
        path: &str,
        accept: &'static str,
        limit: usize,
    ) -> Result<Self, String> {
        let mut url = page.url.clone();
        if matches!(url.path(), "" | "/") {
            url.set_path(path);
        }
        let authorization = page.token.as_ref().map(|token| {
            let header = bearer(token.secret.reveal());
            header.ok_or("its token is not valid in a header")
        });
        let login = Login {
            authorization: authorization.transpose()?,
            ca: page.ca.clone(),
            insecure: page.insecure,
        };
        let mut client = Client::of(&url, &login)?;
        client.set_accept(accept);
        client.set_max_body(limit);
        client.set_timeout(FIRST_REQUEST_TIMEOUT);
        Ok(Self { client, url })
    }

    /// The URL of the page, for use in messages: without its query, which can contain secrets.
    pub(super) fn url(&self) -> String {
        conceal_parameters(&self.url[..Position::AfterPath])
    }

    /// Fetches the page.
    ///
    /// # Errors
    /// Why the page could not be fetched, in one clause.
    pub(super) fn fetch(&mut self) -> Result<Reply, String> {
        let page = &self.url[Position::BeforePath..Position::AfterQuery];
        let fetched = self.client.get(page);
        self.client.set_timeout(REQUEST_TIMEOUT);
        let host = self.url.host_str().unwrap_or_default();
        fetched.map_err(|error| format!("{host}: {}", self.reason(error)))
    }

    fn reason(&self, error: Error) -> String {
        let Error::Request { failure, .. } = error else {
            return error.to_string();
        };
        match failure {
            Failure::UnknownHost(error) | Failure::Connect(error) => {
                let port = self.url.port_or_known_default().unwrap_or_default();
                format!("cannot connect to port {port} ({error})")
            }
            Failure::ConnectTimeout(limit) | Failure::Timeout(limit) => {
                format!("no response within {limit:?}")
            }
            Failure::Tls(error) => format!(
                "the TLS handshake failed ({}); trust its certificate with observe.ca \
                 (--observe-cacert), or do not check it with observe.insecure \
                 (--observe-insecure)",
                error.to_string().escape_debug()
            ),
            Failure::Request(_) => "its path is not valid in a request".to_owned(),
            Failure::Head(error) => format!("its response is not HTTP ({error})"),
            Failure::Body(error) => format!("the response is incomplete ({error})"),
            Failure::Status { status, .. } => format!("the response has status {status}"),
            Failure::TooLong(limit) => format!("the response has more than {limit} bytes"),
        }
    }
}
