//! `tenbin observe`: tells another machine what processes of this one have used.
//!
//! It answers `GET /usage` with JSON to those who show the token, and nothing to anybody
//! else. It changes nothing, and looks at `/proc` only when it is asked.

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
use super::remote::{FORMAT, PATH, Told};
use super::{Lost, Source};
use crate::serve::stop_signal;
use crate::tls;
use crate::usage::Depth;

/// Connections at once: one is enough, and some for those who try.
const CONNECTIONS: usize = 32;
/// How long a TLS handshake may take.
const SHAKES_WITHIN: Duration = Duration::from_secs(5);
/// How long the head of a request may take, and how long a connection may lie idle.
const ASKS_WITHIN: Duration = Duration::from_secs(30);
/// Bytes of the longest sensible head of a request: hyper wants at least these.
const LONGEST_HEAD: usize = 8 * 1024;
/// Rest after a failed accept: usually there are no file descriptors left.
const ACCEPT_REST: Duration = Duration::from_millis(10);

/// What is observed, and who may know.
#[derive(Debug, Clone)]
pub struct ObserveOptions {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// What is observed.
    pub processes: Processes,
    /// What has to be shown.
    pub token: Secret,
    /// PEM files of the certificate and its private key, if TLS is to be spoken.
    pub tls: Option<(PathBuf, PathBuf)>,
}

/// Why nothing can be told.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// There is nothing to be observed.
    #[error("cannot observe {processes}: {why}")]
    Processes {
        /// What was asked for.
        processes: Processes,
        /// Why not.
        why: String,
    },
    /// The files of TLS cannot be used.
    #[error("cannot speak TLS: {0}")]
    Tls(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Threads or signal handlers could not be set up.
    #[error("cannot set up the server: {0}")]
    Runtime(#[source] io::Error),
}

/// Tells whoever shows the token, until SIGTERM or SIGINT. `ready` is called once, with the
/// address that it listens on and the number of processes that it sees.
///
/// # Errors
/// There are no such processes, it cannot listen there, or cannot start.
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
    let teller = Teller {
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
            () = accept(listener, acceptor, teller) => {}
        }
        Ok(())
    })
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, teller: Teller) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_REST).await;
            continue;
        };
        let (acceptor, teller) = (acceptor.clone(), teller.clone());
        tokio::spawn(async move {
            connection(stream, acceptor, teller).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, teller: Teller) {
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => answer(stream, teller).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = timeout(SHAKES_WITHIN, acceptor.accept(stream)).await {
                answer(stream, teller).await;
            }
        }
    }
}

async fn answer<S>(stream: S, teller: Teller)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ASKS_WITHIN)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), teller);
    let _ = pin!(serving).await;
}

#[derive(Debug, Clone)]
struct Teller {
    processes: Arc<Mutex<LocalProcesses>>,
    token: Secret,
}

type Answer = Response<Full<Bytes>>;

impl Service<Request<Incoming>> for Teller {
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        // Bodies are never read: nobody who asks for something has one.
        let answer = self.answer(&request);
        Box::pin(async move { Ok(answer) })
    }
}

impl Teller {
    fn answer<B>(&self, request: &Request<B>) -> Answer {
        if !self.is_shown(request) {
            let mut answer = text(StatusCode::UNAUTHORIZED, "show the token\n");
            let scheme = HeaderValue::from_static("Bearer");
            answer.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return answer;
        }
        if request.method() != Method::GET {
            let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "there is only GET\n");
            answer
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("GET"));
            return answer;
        }
        if request.uri().path() != PATH {
            return text(StatusCode::NOT_FOUND, "there is only /usage\n");
        }
        self.usage()
    }

    /// Takes as long whatever is wrong with it, but for its length.
    fn is_shown<B>(&self, request: &Request<B>) -> bool {
        let shown = request.headers().get(AUTHORIZATION);
        let shown = shown.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let token = self.token.reveal().as_bytes();
        shown.is_some_and(|shown| bool::from(shown.ct_eq(token)))
    }

    fn usage(&self) -> Answer {
        let mut processes = self
            .processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (status, told) = match processes.look(Depth::Whole) {
            Ok(usage) => (
                StatusCode::OK,
                Told {
                    format: FORMAT,
                    usage: Some(usage),
                    error: None,
                },
            ),
            Err(lost) => (
                StatusCode::SERVICE_UNAVAILABLE,
                Told {
                    format: FORMAT,
                    usage: None,
                    error: Some(match lost {
                        Lost::Because(why) => why,
                        Lost::Ended => format!("{} has ended", processes.which()),
                    }),
                },
            ),
        };
        let body = serde_json::to_vec(&told).unwrap_or_default();
        answer_with(status, "application/json", body.into())
    }
}

fn text(status: StatusCode, text: &'static str) -> Answer {
    answer_with(status, "text/plain", Bytes::from_static(text.as_bytes()))
}

fn answer_with(status: StatusCode, kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn teller() -> Teller {
        let own = Processes::Pid(std::process::id());
        Teller {
            processes: Arc::new(Mutex::new(LocalProcesses::find(vec![own]).unwrap())),
            token: Secret::new("open sesame, please"),
        }
    }

    fn status(request: hyper::http::request::Builder) -> u16 {
        teller()
            .answer(&request.body(()).unwrap())
            .status()
            .as_u16()
    }

    const SHOWN: &str = "Bearer open sesame, please";

    #[test]
    fn only_who_shows_the_token_learns_anything() {
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
            "not even what there is"
        );
        assert_eq!(status(Request::delete(PATH)), 401);
    }

    #[test]
    fn there_is_nothing_but_one_page_to_get() {
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
