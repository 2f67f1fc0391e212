//! A blocking client of one server.

use std::fmt;
use std::io::{self, Read};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{Buf as _, Bytes};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use url::{Position, Url};

use crate::connection::{Address, Destination, Io};
use crate::{Error, Failure, excerpt, tls};

#[cfg(test)]
mod tests;

/// Default time limit of a connection attempt, including the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Default time limit of a response. Creating an index or indexing a batch can take minutes.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);
/// Default size of the largest response that is read into memory, bytes.
const MAX_BODY: usize = 256 << 20;

/// Credentials and certificate checks for a server.
#[derive(Debug, Clone, Default)]
pub struct Login {
    /// The `Authorization` header, marked as sensitive: see [`Login::basic`] and [`bearer`].
    pub authorization: Option<HeaderValue>,
    /// PEM file of the authorities to trust, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Whether to accept invalid TLS certificates.
    pub insecure: bool,
}

impl Login {
    /// Adds user name and password.
    #[must_use]
    pub fn basic(self, user: &str, password: &str) -> Self {
        let pair = STANDARD.encode(format!("{user}:{password}"));
        Self {
            authorization: secret(format!("Basic {pair}")),
            ..self
        }
    }
}

/// The `Authorization` header with this bearer token; `None` if the token is not valid in a header.
pub fn bearer(token: &str) -> Option<HeaderValue> {
    secret(format!("Bearer {token}"))
}

/// A header value that is never printed.
fn secret(value: String) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The start of the body, for use in a message.
    pub fn excerpt(&self) -> String {
        excerpt(&String::from_utf8_lossy(&self.body))
    }
}

/// A client of one HTTP or HTTPS server. It keeps one idle connection, follows no redirect, and
/// uses no proxy.
pub struct Client {
    runtime: Runtime,
    server: Server,
    /// Base URL, without a trailing slash.
    base: String,
    /// Path of the base URL.
    prefix: String,
    headers: HeaderMap,
    connect_timeout: Duration,
    timeout: Duration,
    max_body: usize,
    idle: Mutex<Option<Connection>>,
}

type Connection = SendRequest<Full<Bytes>>;

enum Server {
    /// A host name or address, and the port. A name is resolved for every connection.
    Named(
        String,
        u16,
        Option<(Arc<ClientConfig>, ServerName<'static>)>,
    ),
    At(Destination),
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client of the server at `url` without connecting.
    ///
    /// # Errors
    /// If `url` is not the URL of a server, holds a password, or TLS cannot be set up.
    pub fn new(url: &str, login: &Login) -> Result<Self, Error> {
        let refuse = |reason: &str| Error::Url {
            url: url.to_owned(),
            reason: reason.to_owned(),
        };
        let mut base = Url::parse(url)
            .map_err(|_| refuse("write a URL, for example http://127.0.0.1:10041"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(refuse("write a URL that begins with http:// or https://"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(Error::Password);
        }
        base.set_query(None);
        base.set_fragment(None);
        let mut client = Self::of(&base, login).map_err(|why| refuse(&why))?;
        client.prefix = base.path().trim_end_matches('/').to_owned();
        client.base = base.as_str().trim_end_matches('/').to_owned();
        Ok(client)
    }

    /// Creates a client of the server of `url`, an HTTP URL. Requests have only the path that they
    /// are given.
    ///
    /// # Errors
    /// Why TLS cannot be set up, in one clause.
    pub fn of(url: &Url, login: &Login) -> Result<Self, String> {
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_owned();
        let tls = match url.scheme() {
            "https" => {
                let config = tls::client_config(login.ca.as_deref(), login.insecure)?;
                let name = ServerName::try_from(host.clone())
                    .map_err(|_| "its host is not valid in a certificate".to_owned())?;
                Some((Arc::new(config), name))
            }
            _ => None,
        };
        let port = url.port_or_known_default().unwrap_or_default();
        let mut client =
            Self::with(Server::Named(host, port, tls), url).map_err(|error| error.to_string())?;
        client.set_header(AUTHORIZATION, login.authorization.clone());
        Ok(client)
    }

    /// As [`Self::of`], for a server with a known address.
    ///
    /// # Errors
    /// If the operating system has no descriptors left.
    pub fn at(destination: Destination, url: &Url) -> io::Result<Self> {
        Self::with(Server::At(destination), url)
    }

    fn with(server: Server, url: &Url) -> io::Result<Self> {
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let mut client = Self {
            runtime: crate::runtime()?,
            server,
            base: url.origin().ascii_serialization(),
            prefix: String::new(),
            headers: HeaderMap::new(),
            connect_timeout: CONNECT_TIMEOUT,
            timeout: RESPONSE_TIMEOUT,
            max_body: MAX_BODY,
            idle: Mutex::new(None),
        };
        client.set_header(HOST, HeaderValue::try_from(host).ok());
        client.set_header(USER_AGENT, Some(HeaderValue::from_static("tenbin")));
        client.set_header(ACCEPT, Some(HeaderValue::from_static("*/*")));
        Ok(client)
    }

    /// Sets the time limit of requests, which covers connection, request and response.
    pub fn set_timeout(&mut self, limit: Duration) {
        self.timeout = limit;
        // A little less, so that the error names what did not happen in time.
        self.connect_timeout = CONNECT_TIMEOUT.min(limit - limit / 64);
    }

    /// Sets the size of the largest response that is read into memory, bytes.
    pub fn set_max_body(&mut self, bytes: usize) {
        self.max_body = bytes;
    }

    /// Sets the `Accept` header of every request.
    pub fn set_accept(&mut self, kinds: &'static str) {
        self.set_header(ACCEPT, Some(HeaderValue::from_static(kinds)));
    }

    /// Adds a header to every request. Returns whether name and value are valid.
    pub fn add_header(&mut self, name: &str, value: &str) -> bool {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(mut value)) => {
                value.set_sensitive(true);
                self.headers.append(name, value);
                true
            }
            _ => false,
        }
    }

    fn set_header(&mut self, name: HeaderName, value: Option<HeaderValue>) {
        if let Some(value) = value {
            self.headers.insert(name, value);
        }
    }

    /// Base URL of the server, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Sends a `GET` request.
    ///
    /// # Errors
    /// If no complete response is received.
    pub fn get(&self, path: &str) -> Result<Reply, Error> {
        self.send(Method::GET, path, None)
    }

    /// Sends a `POST` request.
    ///
    /// # Errors
    /// If no complete response is received.
    pub fn post(&self, path: &str, kind: &'static str, body: &[u8]) -> Result<Reply, Error> {
        self.send(Method::POST, path, Some((kind, body)))
    }

    /// Sends a `PUT` request.
    ///
    /// # Errors
    /// If no complete response is received.
    pub fn put(&self, path: &str, kind: &'static str, body: &[u8]) -> Result<Reply, Error> {
        self.send(Method::PUT, path, Some((kind, body)))
    }

    /// Sends a `DELETE` request.
    ///
    /// # Errors
    /// If no complete response is received.
    pub fn delete(&self, path: &str, kind: &'static str, body: &[u8]) -> Result<Reply, Error> {
        self.send(Method::DELETE, path, Some((kind, body)))
    }

    /// Sends a `GET` request and returns the body of a successful response as a stream, for bodies
    /// too large for memory. The time limit holds for the head and for each read.
    ///
    /// # Errors
    /// If no response with a status of 2xx is received.
    pub fn stream(&self, path: &str) -> Result<BodyReader<'_>, Error> {
        let head = self.block_on(async {
            let request = self.request(Method::GET, path, None)?;
            let (response, connection) = self.respond(request).await?;
            if response.status().is_success() {
                return Ok((response.into_body(), connection));
            }
            let reply = self.read(response).await?;
            Err(Failure::Status {
                path: path.to_owned(),
                status: reply.status,
                excerpt: reply.excerpt(),
            })
        });
        let (body, connection) = head.map_err(|failure| self.failed(failure))?;
        Ok(BodyReader {
            client: self,
            body,
            part: Bytes::new(),
            _connection: connection,
        })
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        content: Option<(&'static str, &[u8])>,
    ) -> Result<Reply, Error> {
        let reply = self.block_on(async {
            let request = self.request(method, path, content)?;
            let (response, connection) = self.respond(request).await?;
            let reply = self.read(response).await?;
            *self.idle() = Some(connection);
            Ok(reply)
        });
        reply.map_err(|failure| self.failed(failure))
    }

    async fn read(&self, response: Response<Incoming>) -> Result<Reply, Failure> {
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), self.max_body);
        let body = body
            .collect()
            .await
            .map_err(|error| match error.downcast() {
                Ok(error) => Failure::Body(*error),
                Err(_) => Failure::TooLong(self.max_body),
            })?;
        Ok(Reply {
            status,
            body: body.to_bytes().into(),
        })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Option<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` within the time limit.
    fn block_on<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.runtime.block_on(async {
            let done = timeout(self.timeout, work).await;
            done.unwrap_or(Err(Failure::Timeout(self.timeout)))
        })
    }

    fn failed(&self, failure: Failure) -> Error {
        Error::Request {
            server: self.base.clone(),
            failure,
        }
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        content: Option<(&'static str, &[u8])>,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let target = match format!("{}{path}", self.prefix) {
            rootless if !rootless.starts_with('/') => format!("/{rootless}"),
            target => target,
        };
        let (kind, body) = content.unzip();
        let body = Full::new(Bytes::copy_from_slice(body.unwrap_or_default()));
        let request = Request::builder().method(method).uri(target).body(body);
        let mut request = request.map_err(Failure::Request)?;
        request.headers_mut().clone_from(&self.headers);
        if let Some(kind) = kind {
            let kind = HeaderValue::from_static(kind);
            request.headers_mut().insert(CONTENT_TYPE, kind);
        }
        Ok(request)
    }

    /// Sends the request over the idle connection if it is still open, otherwise over a new one.
    async fn respond(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(Response<Incoming>, Connection), Failure> {
        let idle = self.idle().take();
        let request = match idle {
            None => request,
            Some(mut idle) => {
                let is_repeatable = request.method() == Method::GET;
                let spare = is_repeatable.then(|| request.clone());
                match send_if_open(&mut idle, request).await {
                    Ok(response) => return Ok((response, idle)),
                    Err((unsent, failure)) => unsent.or(spare).ok_or(failure)?,
                }
            }
        };
        let io = timeout(self.connect_timeout, self.open()).await;
        let io = io.unwrap_or(Err(Failure::ConnectTimeout(self.connect_timeout)))?;
        let (mut connection, driver) = http1::handshake(TokioIo::new(io))
            .await
            .map_err(Failure::Head)?;
        // The runtime drives the connection only while a request is active, which is enough.
        tokio::spawn(async move {
            let _ = driver.await;
        });
        let response = connection.send_request(request).await;
        Ok((response.map_err(Failure::Head)?, connection))
    }

    async fn open(&self) -> Result<Box<dyn Io>, Failure> {
        let (host, port, tls) = match &self.server {
            Server::At(destination) => return destination.open().await,
            Server::Named(host, port, tls) => (host, *port, tls),
        };
        let addresses = resolve(host.clone(), port).await;
        let mut failure = Failure::Connect(io::ErrorKind::AddrNotAvailable.into());
        for address in addresses.map_err(Failure::UnknownHost)? {
            let destination = Destination {
                address: Address::Tcp(address),
                source: None,
                tls: tls.clone(),
            };
            match destination.open().await {
                Ok(io) => return Ok(io),
                Err(other) => failure = other,
            }
        }
        Err(failure)
    }
}

/// The addresses of a host. The resolver has a separate thread, which can outlast a time limit: a
/// runtime would wait for it.
async fn resolve(host: String, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = host.parse() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs();
        sender.send(found.map(Vec::from_iter))
    })?;
    receiver.await.map_err(io::Error::other)?
}

/// Sends a request over an idle connection. The error holds the request if nothing of it was sent.
async fn send_if_open(
    idle: &mut Connection,
    request: Request<Full<Bytes>>,
) -> Result<Response<Incoming>, (Option<Request<Full<Bytes>>>, Failure)> {
    // The first pause finds out whether the server has closed the connection, and the second lets
    // the connection see it.
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    if let Err(closed) = idle.ready().await {
        return Err((Some(request), Failure::Head(closed)));
    }
    let sent = idle.try_send_request(request).await;
    sent.map_err(|mut error| (error.take_message(), Failure::Head(error.into_error())))
}

/// The body of a response as a stream.
pub struct BodyReader<'a> {
    client: &'a Client,
    body: Incoming,
    part: Bytes,
    /// The connection closes with this.
    _connection: Connection,
}

impl Read for BodyReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() {
            let frame = self.client.block_on(async {
                let frame = self.body.frame().await;
                frame.transpose().map_err(Failure::Body)
            });
            match frame.map_err(io::Error::other)? {
                None => return Ok(0),
                Some(frame) => self.part = frame.into_data().unwrap_or_default(),
            }
        }
        let length = buffer.len().min(self.part.len());
        self.part.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}
