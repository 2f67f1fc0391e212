//! The plain HTTP server: all responses are equal and small.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, SERVER};
use hyper::service::Service;
use hyper::{Request, Response};

use super::{ServeError, accept};

/// Body of every response.
const BODY: &[u8; 12] = b"hello tenbin";

/// Settings of the HTTP server.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Delay before every response.
    pub delay: Duration,
    /// Whether responses have a `Server-Timing` header with the times of the server stages: reading
    /// the request body, the rest including the delay, and the total.
    pub server_timing: bool,
    /// Worker threads, at least 1.
    pub workers: usize,
}

/// Responds to every request with status 200 and 12 bytes, until SIGTERM or SIGINT. Calls `ready`
/// once, with the listen address.
///
/// # Errors
/// When the server cannot listen or start its threads.
pub fn http(options: &HttpOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let service = Hello {
        delay: options.delay,
        server_timing: options.server_timing,
    };
    accept::run(options.listen, options.workers, service, ready)
}

#[derive(Debug, Clone)]
struct Hello {
    delay: Duration,
    server_timing: bool,
}

impl Service<Request<Incoming>> for Hello {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let Self {
            delay,
            server_timing,
        } = *self;
        Box::pin(async move {
            let started = Instant::now();
            let mut body = request.into_body();
            // hyper closes the connection if bytes of the body are left unread.
            while let Some(Ok(_)) = body.frame().await {}
            let read = started.elapsed();
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            let mut response = Response::new(Full::new(Bytes::from_static(BODY)));
            let headers = response.headers_mut();
            headers.insert(SERVER, HeaderValue::from_static("tenbin"));
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
            if server_timing && let Some(told) = stages(read, started.elapsed()) {
                headers.insert("server-timing", told);
            }
            Ok(response)
        })
    }
}

/// `Server-Timing` header: `read` is reading the body, `rest` is all time after that, including the
/// delay.
fn stages(read: Duration, total: Duration) -> Option<HeaderValue> {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let rest = total.saturating_sub(read);
    let text = format!(
        "read;dur={:.6}, rest;dur={:.6}, total;dur={:.6}",
        millis(read),
        millis(rest),
        millis(total)
    );
    HeaderValue::from_str(&text).ok()
}
