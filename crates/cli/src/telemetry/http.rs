//! A small HTTP/1.1 server for telemetry: only GET, one request and one thread per connection. Time
//! limits for every connection keep a slow reader from delaying the run.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Largest number of concurrent connections; further connections are closed.
const CONNECTIONS: usize = 32;
/// Largest size of a request head, bytes.
const MAX_HEAD: usize = 8 << 10;
/// Largest number of headers of a request.
const MAX_HEADERS: usize = 64;
/// Time limit for a request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for one write; the connection of a slower reader is closed.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval of comments in an event stream without events. Sending a comment detects a closed
/// connection.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Stack size of the thread of a connection, bytes.
const STACK: usize = 128 << 10;

/// A parsed GET request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The path with its query, as sent.
    pub(super) path: String,
    /// The `Host` header, if there is exactly one.
    pub(super) host: Option<String>,
}

/// A response to send.
#[derive(Debug)]
pub(super) struct Response {
    /// Status code and reason.
    pub(super) status: &'static str,
    /// Value of the `Content-Type` header.
    pub(super) kind: &'static str,
    /// Additional header lines, each with CRLF at its end.
    pub(super) headers: String,
    /// The body.
    pub(super) body: Body,
}

/// The body of a response.
#[derive(Debug)]
pub(super) enum Body {
    /// A complete body.
    Whole(Vec<u8>),
    /// A stream of server-sent events: first the text, then every received event, until the channel
    /// is closed.
    Events(String, Receiver<Arc<str>>),
}

impl Response {
    /// A response with one line of plain text.
    pub(super) fn text(status: &'static str, line: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            headers: String::new(),
            body: Body::Whole(format!("{line}\n").into_bytes()),
        }
    }
}

/// Application logic of a [`Server`]. Called on the thread of each connection.
pub(super) trait Handler: Send + Sync + 'static {
    /// The response to a request.
    fn response(&self, request: &Request) -> Response;

    /// Called after the complete body for `path` was sent.
    fn sent(&self, path: &str) {
        let _ = path;
    }
}

/// Whether a `Host` header names this machine. Guards against DNS rebinding: if the name of a
/// foreign site resolves to 127.0.0.1, a browser sends the requests of its pages to this server,
/// with the name of the site as `Host`.
pub(super) fn is_local(host: &str) -> bool {
    let is_name = |name: &str| {
        ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost")
    };
    match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => is_name(name),
        _ => is_name(host),
    }
}

/// An HTTP server on separate threads. Dropping the server ends the accept loop.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that listens on `address`; port 0 selects a free port.
    ///
    /// # Errors
    /// If the address cannot be listened on, or no thread can be started.
    pub(super) fn start(address: SocketAddr, handler: Arc<impl Handler>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || accept(&listener, &handler, &ends))?;
        Ok(Self { address, over })
    }

    /// The address that the server listens on.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // A connection to the server ends its blocking accept.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        let _ = TcpStream::connect_timeout(&address, Duration::from_millis(100));
    }
}

fn accept(listener: &TcpListener, handler: &Arc<impl Handler>, over: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept();
        if over.load(Ordering::Relaxed) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            thread::sleep(ACCEPT_PAUSE);
            continue;
        };
        let place = Place::take(&open);
        if place.number > CONNECTIONS {
            continue;
        }
        let handler = Arc::clone(handler);
        // If no thread can be started, the connection is dropped and thereby closed.
        let _ = thread::Builder::new()
            .name("telemetry".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                let _place = place;
                let _ = converse(stream, handler.as_ref());
            });
    }
}

/// The count of one open connection; dropping it decrements the counter.
struct Place {
    open: Arc<AtomicUsize>,
    number: usize,
}

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        Self {
            number: open.fetch_add(1, Ordering::Relaxed) + 1,
            open: Arc::clone(open),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(mut stream: TcpStream, handler: &impl Handler) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let _ = stream.set_nodelay(true);
    let (response, path) = match read_head(&mut stream)? {
        Ok(request) => (handler.response(&request), Some(request.path)),
        Err(refusal) => (refusal, None),
    };
    let Response {
        status,
        kind,
        headers,
        body,
    } = response;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n{headers}"
    );
    match body {
        Body::Whole(bytes) => {
            let head = format!("{head}Content-Length: {}\r\n\r\n", bytes.len());
            stream.write_all(&[head.as_bytes(), &bytes].concat())?;
            stream.shutdown(std::net::Shutdown::Write)?;
            drain(&mut stream);
            if let Some(path) = path {
                handler.sent(&path);
            }
        }
        Body::Events(first, events) => {
            stream.write_all(format!("{head}\r\n{first}").as_bytes())?;
            loop {
                match events.recv_timeout(HEARTBEAT) {
                    Ok(event) => stream.write_all(event.as_bytes())?,
                    Err(RecvTimeoutError::Timeout) => stream.write_all(b":\n\n")?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        }
    }
    Ok(())
}

/// Reads until the client closes the connection, for at most [`WRITE_TIMEOUT`]: closing a socket
/// with unread bytes resets the connection.
fn drain(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(WRITE_TIMEOUT));
    let end = Instant::now() + WRITE_TIMEOUT;
    let mut bytes = [0; 512];
    while Instant::now() < end && matches!(stream.read(&mut bytes), Ok(1..)) {}
}

/// Reads a request head. The inner error is the response to an invalid request.
fn read_head(stream: &mut TcpStream) -> io::Result<Result<Request, Response>> {
    let end = Instant::now() + HEAD_TIMEOUT;
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let length = match stream.read(&mut part) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes.extend_from_slice(&part[..length]);
        if let Some(parsed) = parse(&bytes) {
            return Ok(parsed);
        }
        if bytes.len() >= MAX_HEAD {
            let status = "431 Request Header Fields Too Large";
            return Ok(Err(Response::text(status, "the request head is too long")));
        }
    }
}

/// The request, or the response to an invalid request; `None` while the head is incomplete.
fn parse(bytes: &[u8]) -> Option<Result<Request, Response>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => return None,
        Ok(httparse::Status::Complete(_)) => {}
        Err(_) => {
            let refusal = Response::text("400 Bad Request", "not an HTTP/1.1 request");
            return Some(Err(refusal));
        }
    }
    if request.method != Some("GET") {
        let refusal = Response::text("405 Method Not Allowed", "only GET is supported");
        return Some(Err(Response {
            headers: "Allow: GET\r\n".to_owned(),
            ..refusal
        }));
    }
    let path = request.path.unwrap_or_default().to_owned();
    let all = request.headers.iter();
    let mut hosts = all.filter(|header| header.name.eq_ignore_ascii_case("host"));
    let host = hosts.next().filter(|_| hosts.next().is_none());
    let host = host.and_then(|header| String::from_utf8(header.value.to_vec()).ok());
    Some(Ok(Request { path, host }))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Handler for Echo {
        fn response(&self, request: &Request) -> Response {
            Response::text("200 OK", &request.path)
        }
    }

    fn exchange(server: &Server, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(HEAD_TIMEOUT * 4)).unwrap();
        // The server can respond with an error before the entire request is written.
        let _ = stream.write_all(request);
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    }

    #[test]
    fn requests_that_are_not_gets_or_not_http_are_refused() {
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::start(address, Arc::new(Echo)).unwrap();
        let get = exchange(&server, b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(get.starts_with("HTTP/1.1 200 OK\r\n"), "{get}");
        assert!(get.ends_with("\r\n\r\n/a?b\n"), "{get}");
        let post = exchange(&server, b"POST / HTTP/1.1\r\n\r\n");
        assert!(post.starts_with("HTTP/1.1 405 "), "{post}");
        assert!(post.contains("\r\nAllow: GET\r\n"), "{post}");
        let other = exchange(&server, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n");
        assert!(other.starts_with("HTTP/1.1 400 "), "{other}");
        let mut long = b"GET / HTTP/1.1\r\nA: ".to_vec();
        long.resize(MAX_HEAD, b'a');
        let long = exchange(&server, &long);
        assert!(long.starts_with("HTTP/1.1 431 "), "{long}");
    }

    #[test]
    fn two_hosts_are_no_host() {
        let host = |head: &str| parse(head.as_bytes()).unwrap().unwrap().host;
        assert_eq!(
            host("GET / HTTP/1.1\r\nhost: a:1\r\n\r\n").as_deref(),
            Some("a:1")
        );
        assert_eq!(host("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), None);
        assert_eq!(host("GET / HTTP/1.1\r\n\r\n"), None);
        assert!(parse(b"GET / HTTP/1.1\r\nHost: a\r\n").is_none());
    }

    #[test]
    fn a_dropped_server_accepts_no_connection() {
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::start(address, Arc::new(Echo)).unwrap();
        let address = server.address();
        drop(server);
        let refused = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(50));
            TcpStream::connect(address).is_err()
        });
        assert!(refused);
    }
}
