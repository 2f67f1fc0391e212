//! Fetches a page repeatedly over a persistent connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, AUTHORIZATION, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tenbin_plan::{HttpVersion, ObservePage, Tls};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::tls;

/// Time limit of a request. The run continues meanwhile, but the record of the current second is
/// delayed.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit of the first request, before the run.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// A page to fetch, and the connection to its server.
pub(super) struct Fetcher {
    runtime: Runtime,
    url: Url,
    tls: Option<Arc<ClientConfig>>,
    authorization: Option<HeaderValue>,
    accept: HeaderValue,
    /// Largest page, bytes.
    limit: usize,
    connection: Option<SendRequest<Empty<Bytes>>>,
    timeout: Duration,
}

/// A response to a fetch.
pub(super) struct Fetched {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetcher({})", self.url)
    }
}

impl Fetcher {
    /// Creates a fetcher without connecting. `path` is the default for a URL without a path.
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
        let settings = Tls {
            ca: page.ca.clone(),
            insecure: page.insecure,
            ..Tls::default()
        };
        let is_https = url.scheme() == "https";
        let tls = is_https
            .then(|| tls::client_config(&settings, HttpVersion::Http1).map(Arc::new))
            .transpose()?;
        let authorization = page
            .token
            .as_ref()
            .map(|token| bearer(token.secret.reveal()))
            .transpose()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            runtime,
            url,
            tls,
            authorization,
            accept: HeaderValue::from_static(accept),
            limit,
            connection: None,
            timeout: FIRST_REQUEST_TIMEOUT,
        })
    }

    /// The URL of the page, for use in messages.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Fetches the page.
    ///
    /// # Errors
    /// Why the page could not be fetched, in one clause.
    pub(super) fn fetch(&mut self) -> Result<Fetched, String> {
        let timeout = self.timeout;
        self.timeout = REQUEST_TIMEOUT;
        let request = self.request()?;
        let host = self.url.host_str().unwrap_or_default().to_owned();
        let standing = self.connection.take();
        let (url, tls, limit) = (&self.url, self.tls.as_ref(), self.limit);
        let fetched = self.runtime.block_on(async {
            tokio::time::timeout(timeout, fetch(standing, request, url, tls, limit))
                .await
                .unwrap_or_else(|_| Err(format!("no response within {timeout:?}")))
        });
        match fetched {
            Ok((fetched, connection)) => {
                self.connection = connection;
                Ok(fetched)
            }
            Err(why) => Err(format!("{host}: {why}")),
        }
    }

    fn request(&self) -> Result<Request<Empty<Bytes>>, String> {
        let query = self
            .url
            .query()
            .map_or(String::new(), |query| format!("?{query}"));
        let target = format!("{}{query}", self.url.path());
        let target: Uri = target
            .parse()
            .map_err(|_| "its path is not valid in a request".to_owned())?;
        let host = self.url.host_str().unwrap_or_default();
        let host = match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let mut request = Request::get(target)
            .header(HOST, host)
            .header(USER_AGENT, "tenbin")
            .header(ACCEPT, &self.accept);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        request
            .body(Empty::new())
            .map_err(|error| error.to_string())
    }
}

/// The `Authorization` header. Marked as sensitive, so that the token is never printed.
fn bearer(token: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::try_from(format!("Bearer {token}"));
    let mut value = value.map_err(|_| "its token is not valid in a header".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

type Connection = SendRequest<Empty<Bytes>>;

async fn fetch(
    standing: Option<Connection>,
    request: Request<Empty<Bytes>>,
    url: &Url,
    tls: Option<&Arc<ClientConfig>>,
    limit: usize,
) -> Result<(Fetched, Option<Connection>), String> {
    if let Some(mut connection) = standing
        && connection.ready().await.is_ok()
        && let Ok(fetched) = exchange(&mut connection, request.clone(), limit).await
    {
        return Ok((fetched, Some(connection)));
    }
    // The server may have closed the idle connection: open a new connection.
    let mut connection = connect(url, tls).await?;
    let fetched = exchange(&mut connection, request, limit).await?;
    Ok((fetched, Some(connection)))
}

async fn exchange(
    connection: &mut Connection,
    request: Request<Empty<Bytes>>,
    limit: usize,
) -> Result<Fetched, String> {
    let broken = |error: hyper::Error| format!("its response is not HTTP ({error})");
    let response = connection.send_request(request).await.map_err(broken)?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), limit).collect().await;
    let body = body.map_err(|error| format!("the response is incomplete ({error})"))?;
    Ok(Fetched {
        status,
        body: body.to_bytes().to_vec(),
    })
}

async fn connect(url: &Url, tls: Option<&Arc<ClientConfig>>) -> Result<Connection, String> {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or_default();
    let stream = TcpStream::connect((bare, port))
        .await
        .map_err(|error| format!("cannot connect to port {port} ({error})"))?;
    let _ = stream.set_nodelay(true);
    let Some(config) = tls else {
        return shake_hands(stream).await;
    };
    let name = ServerName::try_from(bare.to_owned())
        .map_err(|_| "its host is not valid in a certificate".to_owned())?;
    let stream = TlsConnector::from(Arc::clone(config))
        .connect(name, stream)
        .await
        .map_err(|error| {
            format!(
                "the TLS handshake failed ({}); trust its certificate with observe.ca \
                 (--observe-cacert), or do not check it with observe.insecure \
                 (--observe-insecure)",
                error.to_string().escape_debug()
            )
        })?;
    shake_hands(stream).await
}

async fn shake_hands<S>(stream: S) -> Result<Connection, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (connection, driver) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    // The runtime drives the connection only while a request is active, which is enough.
    tokio::spawn(async move {
        let _ = driver.await;
    });
    Ok(connection)
}
