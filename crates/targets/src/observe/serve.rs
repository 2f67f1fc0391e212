//! `tenbin observe`: serves the resource use of local processes to another machine.
//!
//! `GET /usage` with the token returns JSON; all other requests are refused. The server changes
//! nothing, and reads `/proc` only on request.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE,
};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use subtle::ConstantTimeEq;
use tenbin_plan::{Processes, Secret};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::local::LocalProcesses;
use super::remote::{FORMAT, PATH, UsageResponse};
use super::{Lost, Source};
use crate::serve::stop_signal;
use crate::tls;
use crate::usage::Detail;

/// Maximum number of connections at the same time; one client needs one connection.
const CONNECTIONS: usize = 32;
/// Time limit of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a request head and for an idle connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest request head, bytes: the minimum that hyper allows.
const MAX_HEAD: usize = 8 * 1024;
/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Settings of `tenbin observe`.
#[derive(Debug, Clone)]
pub struct ObserveOptions {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Processes to observe.
    pub processes: Processes,
    /// Bearer token that requests must contain.
    pub token: Secret,
    /// PEM files of the certificate and of its private key, for TLS; `None` for plain HTTP.
    pub tls: Option<(PathBuf, PathBuf)>,
}

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// The processes cannot be observed.
    #[error("cannot observe {processes}: {why}")]
    Processes {
        /// The configured processes.
        processes: Processes,
        /// Why the processes cannot be observed.
        why: String,
    },
    /// The certificate or key file is unusable.
    #[error("cannot speak TLS: {0}")]
    Tls(String),
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Threads or signal handlers could not be set up.
    #[error("cannot set up the server: {0}")]
    Runtime(#[source] io::Error),
}

/// Serves requests until SIGTERM or SIGINT. Calls `ready` once, with the listen address and the
/// number of observed processes.
///
/// # Errors
/// When the processes to observe do not exist, or the server cannot listen or start.
pub fn serve(
    options: &ObserveOptions,
    ready: impl FnOnce(SocketAddr, usize),
) -> Result<(), ObserveError> {
    let processes = LocalProcesses::find(vec![options.processes.clone()]);
    let processes = processes.map_err(|why| ObserveError::Processes {
        processes: options.processes.clone(),
        why,
    })?;
    let acceptor = options
        .tls
        .as_ref()
        .map(|(cert, key)| tls::server_config(cert, key))
        .transpose()
        .map_err(ObserveError::Tls)?
        .map(|config| TlsAcceptor::from(Arc::new(config)));
    let seen = processes.count();
    let service = UsageService {
        processes: Arc::new(Mutex::new(processes)),
        token: options.token.clone(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(ObserveError::Runtime)?;
    runtime.block_on(async {
        let stop = stop_signal().map_err(ObserveError::Runtime)?;
        let unusable = |source| ObserveError::Listen {
            address: options.listen,
            source,
        };
        let listener = TcpListener::bind(options.listen).await.map_err(unusable)?;
        ready(listener.local_addr().map_err(unusable)?, seen);
        tokio::select! {
            () = stop => {}
            () = accept(listener, acceptor, service) => {}
        }
        Ok(())
    })
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, service: UsageService) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (acceptor, service) = (acceptor.clone(), service.clone());
        tokio::spawn(async move {
            connection(stream, acceptor, service).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, service: UsageService) {
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => serve_http(stream, service).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
                serve_http(stream, service).await;
            }
        }
    }
}

async fn serve_http<S>(stream: S, service: UsageService)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let _ = pin!(serving).await;
}

#[derive(Debug, Clone)]
struct UsageService {
    processes: Arc<Mutex<LocalProcesses>>,
    token: Secret,
}

type UsageReply = Response<Full<Bytes>>;

impl Service<Request<Incoming>> for UsageService {
    type Response = UsageReply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<UsageReply, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        // Request bodies are never read, because valid requests have none.
        let response = self.reply(&request);
        Box::pin(async move { Ok(response) })
    }
}

impl UsageService {
    fn reply<B>(&self, request: &Request<B>) -> UsageReply {
        if !self.has_token(request) {
            let mut response = text(StatusCode::UNAUTHORIZED, "token missing or wrong\n");
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return response;
        }
        if request.method() != Method::GET {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET is supported\n");
            response
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("GET"));
            return response;
        }
        if request.uri().path() != PATH {
            return text(StatusCode::NOT_FOUND, "the only path is /usage\n");
        }
        self.usage()
    }

    /// Whether the request has the token. Compares in constant time, except for the length.
    fn has_token<B>(&self, request: &Request<B>) -> bool {
        let shown = request.headers().get(AUTHORIZATION);
        let shown = shown.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let token = self.token.reveal().as_bytes();
        shown.is_some_and(|shown| bool::from(shown.ct_eq(token)))
    }

    fn usage(&self) -> UsageReply {
        let mut processes = self
            .processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (status, response) = match processes.read(Detail::Full) {
            Ok(usage) => (
                StatusCode::OK,
                UsageResponse {
                    format: FORMAT,
                    usage: Some(usage),
                    error: None,
                },
            ),
            Err(lost) => (
                StatusCode::SERVICE_UNAVAILABLE,
                UsageResponse {
                    format: FORMAT,
                    usage: None,
                    error: Some(match lost {
                        Lost::Because(why) => why,
                        Lost::Ended => format!("{} has ended", processes.which()),
                    }),
                },
            ),
        };
        let body = serde_json::to_vec(&response).unwrap_or_default();
        reply_with(status, "application/json", body.into())
    }
}

fn text(status: StatusCode, text: &'static str) -> UsageReply {
    reply_with(status, "text/plain", Bytes::from_static(text.as_bytes()))
}

fn reply_with(status: StatusCode, kind: &'static str, body: Bytes) -> UsageReply {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn service() -> UsageService {
        let own = Processes::Pid(std::process::id());
        UsageService {
            processes: Arc::new(Mutex::new(LocalProcesses::find(vec![own]).unwrap())),
            token: Secret::new("open sesame, please"),
        }
    }

    fn status(request: hyper::http::request::Builder) -> u16 {
        service()
            .reply(&request.body(()).unwrap())
            .status()
            .as_u16()
    }

    const SHOWN: &str = "Bearer open sesame, please";

    #[test]
    fn requests_without_the_token_are_refused() {
        let get = || Request::get(PATH);
        assert_eq!(status(get().header(AUTHORIZATION, SHOWN)), 200);
        assert_eq!(status(get()), 401);
        for wrong in [
            "",
            "Bearer ",
            "Bearer open sesame, pleasE",
            "Bearer open sesame, please ",
            "Bearer open",
            "Basic open sesame, please",
            "open sesame, please",
        ] {
            assert_eq!(status(get().header(AUTHORIZATION, wrong)), 401, "{wrong:?}");
        }
        assert_eq!(
            status(Request::get("/other")),
            401,
            "unknown paths are refused alike"
        );
        assert_eq!(status(Request::delete(PATH)), 401);
    }

    #[test]
    fn only_get_of_one_path_is_served() {
        let shown = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path);
            status(request.header(AUTHORIZATION, SHOWN))
        };
        assert_eq!(shown("GET", "/"), 404);
        assert_eq!(shown("GET", "/usage/"), 404);
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
            assert_eq!(shown(method, PATH), 405, "{method}");
        }
    }
}
