//! `tenbin observe`: serves the resource use of local processes to another machine.
//!
//! `GET /usage` with the token returns JSON; all other requests are refused. The server changes
//! nothing, and reads `/proc` only on request.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use subtle::ConstantTimeEq;
use tenbin_http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use tenbin_http::server::{Body, Handler, Server, ServerOptions, only_get, response, text};
use tenbin_http::{Bytes, HeaderValue, Method, Request, Response, StatusCode, tls};
use tenbin_plan::{Processes, Secret, Sentence, sentence};

use super::local::LocalProcesses;
use super::remote::{FORMAT, PATH, UsageResponse};
use super::{Lost, Source};
use crate::serve::stop_signal;
use crate::usage::Detail;

/// Time limit for a request head and for an idle connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for one write.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

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
#[error("{}", self.sentence())]
pub enum ObserveError {
    /// The processes cannot be observed.
    Processes {
        /// The configured processes.
        processes: Processes,
        /// Why the processes cannot be observed.
        why: String,
    },
    /// The certificate or key file is unusable.
    Tls(String),
    /// The server cannot listen on the address.
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Threads or signal handlers could not be set up.
    Runtime(#[source] io::Error),
}

impl ObserveError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Processes { processes, why } => sentence!(
                "observe-none",
                "cannot observe {processes}: {why}",
                processes,
                why
            ),
            Self::Tls(text) => sentence!("no-tls", "cannot speak TLS: {text}", text),
            Self::Listen { address, source } => sentence!(
                "cannot-listen-on",
                "cannot listen on {address}: {source}",
                address,
                source
            ),
            Self::Runtime(text) => {
                sentence!("no-set-up", "cannot set up the server: {text}", text)
            }
        }
    }
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
    let tls = options
        .tls
        .as_ref()
        .map(|(cert, key)| tls::server_config(cert, key).map(Arc::new))
        .transpose()
        .map_err(ObserveError::Tls)?;
    let seen = processes.count();
    let service = UsageService {
        processes: Mutex::new(processes),
        token: options.token.clone(),
    };
    let served = ServerOptions {
        name: "observe",
        tls,
        request_timeout: REQUEST_TIMEOUT,
        write_timeout: WRITE_TIMEOUT,
        keep_alive: true,
        largest_body: 0,
        slow: false,
    };
    let runtime = tenbin_http::runtime().map_err(ObserveError::Runtime)?;
    runtime.block_on(async {
        let stop = stop_signal().map_err(ObserveError::Runtime)?;
        let server = Server::start(options.listen, served, Arc::new(service));
        let server = server.map_err(|source| ObserveError::Listen {
            address: options.listen,
            source,
        })?;
        ready(server.address(), seen);
        stop.await;
        Ok(())
    })
}

#[derive(Debug)]
struct UsageService {
    processes: Mutex<LocalProcesses>,
    token: Secret,
}

impl Handler for UsageService {
    fn response(&self, request: &Request<Bytes>) -> Response<Body> {
        if !self.has_token(request) {
            let mut response = text(StatusCode::UNAUTHORIZED, "token missing or wrong");
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            return response;
        }
        if request.method() != Method::GET {
            return only_get();
        }
        if request.uri().path() != PATH {
            return text(StatusCode::NOT_FOUND, "the only path is /usage");
        }
        self.usage()
    }
}

impl UsageService {
    /// Whether the request has the token. Compares in constant time, except for the length.
    fn has_token(&self, request: &Request<Bytes>) -> bool {
        let shown = request.headers().get(AUTHORIZATION);
        let shown = shown.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let token = self.token.reveal().as_bytes();
        shown.is_some_and(|shown| bool::from(shown.ct_eq(token)))
    }

    fn usage(&self) -> Response<Body> {
        let mut processes = self
            .processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let read = processes.read(Detail::Full);
        let (status, usage, error) = match read {
            Ok(usage) => (StatusCode::OK, Some(usage), None),
            Err(Lost::Because(why)) => (StatusCode::SERVICE_UNAVAILABLE, None, Some(why)),
            Err(Lost::Ended) => {
                let why = format!("{} has ended", processes.which());
                (StatusCode::SERVICE_UNAVAILABLE, None, Some(why))
            }
        };
        let usage = UsageResponse {
            format: FORMAT,
            usage,
            error,
        };
        let body = serde_json::to_vec(&usage).unwrap_or_default();
        response(status, "application/json", Body::whole(body))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn service() -> UsageService {
        let own = Processes::Pid(std::process::id());
        UsageService {
            processes: Mutex::new(LocalProcesses::find(vec![own]).unwrap()),
            token: Secret::new("open sesame, please"),
        }
    }

    fn status(request: tenbin_http::RequestBuilder) -> u16 {
        let response = service().response(&request.body(Bytes::new()).unwrap());
        response.status().as_u16()
    }

    const SHOWN: &str = "Bearer open sesame, please";

    #[test]
    fn requests_without_the_token_are_refused() {
        let get = || Request::get(PATH);
        assert_eq!(status(get().header(AUTHORIZATION, SHOWN)), 200);
        assert_eq!(status(get()), 401);
        for wrong in [
            "", "Bearer ", "Bearer open sesame, pleasE", "Bearer open sesame, please ",
            "Bearer open", "Basic open sesame, please", "open sesame, please",
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
