//! A small server for the pages of Tenbin, on a separate thread. Time limits and a limit of
//! connections keep clients from delaying the run.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

pub use self::body::{Body, EventSender};
use self::write_timeout::Impatient;
use crate::connection::Io;

mod body;
mod write_timeout;

/// Largest number of concurrent connections; further connections wait.
const CONNECTIONS: u32 = 32;
/// Largest number of slow responses that are made or wait for each other; further requests are refused.
/// A client that closes its connection does not end them.
const SLOW_RESPONSES: usize = 8;
/// When to send a refused request again, seconds.
const RETRY: &str = "5";
/// Largest size of a request head, bytes: the minimum that hyper allows.
const MAX_HEAD: usize = 8 << 10;
/// Largest number of headers of a request.
const MAX_HEADERS: usize = 64;
/// Time limit of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a client to close its connection after the last response.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How a server treats connections.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Name of the server's thread.
    pub name: &'static str,
    /// The TLS configuration; `None` for plain HTTP.
    pub tls: Option<Arc<ServerConfig>>,
    /// Time limit for a request head, and for an idle connection.
    pub request_timeout: Duration,
    /// Time limit for one write; the connection of a slower reader is closed.
    pub write_timeout: Duration,
    /// Whether a connection stays open after a response.
    pub keep_alive: bool,
    /// Largest body of a request, bytes; with 0, bodies are not read, and are empty for the handler.
    pub largest_body: usize,
    /// Whether each response is made on a separate thread, because some take long; beyond a limit,
    /// requests get status 503. Otherwise all are made on the server's thread.
    pub slow: bool,
}

/// The logic of a server.
pub trait Handler: Send + Sync + 'static {
    /// The response to a request.
    fn response(&self, request: &Request<Bytes>) -> Response<Body>;

    /// Called at the end of a connection that was served without an error, with the last target.
    fn sent(&self, target: &str) {
        let _ = target;
    }
}

/// A response that must not be stored.
pub fn response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A response with one line of plain text.
pub fn text(status: StatusCode, line: &str) -> Response<Body> {
    let line = Bytes::from(format!("{line}\n"));
    response(status, "text/plain; charset=utf-8", Body::whole(line))
}

/// The response to a request that is not a `GET`.
pub fn only_get() -> Response<Body> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET is supported");
    let get = HeaderValue::from_static("GET");
    response.headers_mut().insert(ALLOW, get);
    response
}

/// Whether the request has exactly one `Host` header, and it names this machine. Guards against DNS
/// rebinding: if the name of a foreign site resolves to 127.0.0.1, a browser sends the requests of
/// its pages to this server, with the name of the site as `Host`.
pub fn is_to_this_machine<B>(request: &Request<B>) -> bool {
    host(request).is_some_and(|(name, _)| names_this_machine(name))
}

/// Like [`is_to_this_machine`], and the `Host` header has this port, which browsers leave out if it is
/// 80.
pub fn is_to_this_port<B>(request: &Request<B>, port: u16) -> bool {
    host(request).is_some_and(|(name, of)| names_this_machine(name) && of.unwrap_or(80) == port)
}

fn names_this_machine(name: &str) -> bool {
    ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost")
}

/// Name and port in the only `Host` header.
fn host<B>(request: &Request<B>) -> Option<(&str, Option<u16>)> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none());
    let host = host?.to_str().ok()?;
    Some(match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => (name, port.parse().ok()),
        _ => (host, None),
    })
}

/// The response to a request while too many others wait.
fn busy() -> Response<Body> {
    let line = "too many requests wait for a response; send the request again in some seconds";
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, line);
    let retry = HeaderValue::from_static(RETRY);
    response.headers_mut().insert(RETRY_AFTER, retry);
    response
}

/// A running server. Dropping it ends the accept loop; open connections end as they would.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Server {
    /// Starts a server that listens on `address`; port 0 selects a free port.
    ///
    /// # Errors
    /// If the address cannot be listened on, or no thread can be started.
    pub fn start(
        address: SocketAddr,
        options: ServerOptions,
        handler: Arc<impl Handler>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let runtime = crate::runtime()?;
        thread::Builder::new()
            .name(options.name.to_owned())
            .spawn(move || runtime.block_on(serve(listener, options, handler, stopped)))?;
        Ok(Self {
            address,
            _stop: stop,
        })
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// What all connections of a server share.
struct Shared<H> {
    options: ServerOptions,
    handler: Arc<H>,
    /// A permit for each slow response.
    slow: Arc<Semaphore>,
}

/// Serves connections until `stopped` is ready, and then those that are open.
async fn serve(
    listener: TcpListener,
    options: ServerOptions,
    handler: Arc<impl Handler>,
    stopped: impl Future,
) {
    let shared = Arc::new(Shared {
        options,
        handler,
        slow: Arc::new(Semaphore::new(SLOW_RESPONSES)),
    });
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let accept = async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                connection(stream, &shared).await;
                drop(place);
            });
        }
    };
    tokio::select! {
        _ = stopped => {}
        () = accept => {}
    }
    let _ = places.acquire_many(CONNECTIONS).await;
}

async fn connection(stream: TcpStream, shared: &Shared<impl Handler>) {
    let options = &shared.options;
    // With Nagle's algorithm, a response in two writes would wait for the peer's delayed ACK.
    let _ = stream.set_nodelay(true);
    let io: Box<dyn Io> = match &options.tls {
        None => Box::new(stream),
        Some(config) => {
            let accept = TlsAcceptor::from(Arc::clone(config)).accept(stream);
            match timeout(HANDSHAKE_TIMEOUT, accept).await {
                Ok(Ok(stream)) => Box::new(stream),
                _ => return,
            }
        }
    };
    let last = Mutex::new(String::new());
    let last = || last.lock().unwrap_or_else(PoisonError::into_inner);
    let service = service_fn(|request: Request<Incoming>| {
        *last() = request.uri().to_string();
        Box::pin(respond(request, shared))
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.request_timeout)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .keep_alive(options.keep_alive)
        .title_case_headers(true)
        .serve_connection(
            TokioIo::new(Impatient::new(io, options.write_timeout)),
            service,
        );
    let served = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut io = connection.into_parts().io.into_inner();
    // Closing a socket with unread bytes resets the connection, and the client can lose the
    // response: read until the client closes.
    if io.shutdown().await.is_ok() {
        let drain = async { while matches!(io.read(&mut [0; 512]).await, Ok(1..)) {} };
        let _ = timeout(CLOSE_TIMEOUT, drain).await;
        if served.is_ok() {
            shared.handler.sent(&last());
        }
    }
}

async fn respond(
    request: Request<Incoming>,
    shared: &Shared<impl Handler>,
) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = match read(body, &shared.options).await {
        Ok(body) => body,
        Err(refused) => return Ok(refused),
    };
    let request = Request::from_parts(head, body);
    if !shared.options.slow {
        return Ok(shared.handler.response(&request));
    }
    // The permit goes with the thread: the thread goes on if the client closes the connection.
    let Ok(permit) = Arc::clone(&shared.slow).try_acquire_owned() else {
        return Ok(busy());
    };
    let handler = Arc::clone(&shared.handler);
    let made = tokio::task::spawn_blocking(move || {
        let response = handler.response(&request);
        drop(permit);
        response
    })
    .await;
    let failed = |_| text(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in tenbin");
    Ok(made.unwrap_or_else(failed))
}

/// The body of a request, or the response to one that is too long or too slow.
async fn read(body: Incoming, options: &ServerOptions) -> Result<Bytes, Response<Body>> {
    if options.largest_body == 0 {
        return Ok(Bytes::new());
    }
    let body = Limited::new(body, options.largest_body).collect();
    match timeout(options.request_timeout, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let line = "the body of the request is too long";
            Err(text(StatusCode::PAYLOAD_TOO_LARGE, line))
        }
        Ok(Err(_)) => Err(text(StatusCode::BAD_REQUEST, "the body cannot be read")),
        Err(_) => Err(text(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        )),
    }
}

#[cfg(test)]
mod tests;
