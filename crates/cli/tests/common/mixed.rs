//! A server in this process with varying responses to the same request.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of a full response.
pub(crate) const FULL: usize = 10_000;
/// Requests before [`Kind::OtherBytes`] sends other bytes.
pub(crate) const BEFORE: u64 = 300;
/// Full responses per second of [`Kind::Overloaded`].
pub(crate) const CAPACITY: u64 = 300;

/// How responses vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Above [`CAPACITY`] requests per second, a short message with status 200.
    Overloaded,
    /// Every second body is empty.
    Empty,
    /// Every second body is shorter.
    Shorter,
    /// After [`BEFORE`] requests, every second body has different bytes of the same length.
    OtherBytes,
    /// Every response has a different length and content.
    Dynamic,
    /// The content contains the time in seconds.
    Clock,
    /// All responses are full.
    Honest,
}

/// Listens until the test process ends.
#[derive(Debug)]
pub(crate) struct Mixed {
    port: u16,
}

struct State {
    kind: Kind,
    chunked: bool,
    requests: AtomicU64,
    second: AtomicU64,
    in_second: AtomicU64,
}

impl Mixed {
    /// Starts the server on a free port of 127.0.0.1.
    pub(crate) fn start(kind: Kind) -> Self {
        Self::with(kind, false)
    }

    /// Like [`Self::start`], with chunked responses.
    pub(crate) fn chunked(kind: Kind) -> Self {
        Self::with(kind, true)
    }

    fn with(kind: Kind, chunked: bool) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let state = Arc::new(State {
            kind,
            chunked,
            requests: AtomicU64::new(0),
            second: AtomicU64::new(0),
            in_second: AtomicU64::new(0),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&state);
                // A connection error ends only the thread of the connection.
                std::thread::spawn(move || drop(serve(&stream, &state)));
            }
        });
        Self { port }
    }

    /// `http://127.0.0.1:<port>/`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

fn serve(stream: &TcpStream, state: &State) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    loop {
        let mut closes = false;
        loop {
            line.clear();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            closes |= line.eq_ignore_ascii_case("connection: close\r\n");
            if line == "\r\n" {
                break;
            }
        }
        let body = body(state);
        let mut response = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n".to_vec();
        if closes {
            response.extend_from_slice(b"Connection: close\r\n");
        }
        if state.chunked {
            response.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
            for part in body.chunks(3_000) {
                response.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                response.extend_from_slice(part);
                response.extend_from_slice(b"\r\n");
            }
            response.extend_from_slice(b"0\r\n\r\n");
        } else {
            let length = format!("Content-Length: {}\r\n\r\n", body.len());
            response.extend_from_slice(length.as_bytes());
            response.extend_from_slice(&body);
        }
        let mut output = stream;
        output.write_all(&response)?;
        if closes {
            return Ok(());
        }
    }
}

fn body(state: &State) -> Vec<u8> {
    let number = state.requests.fetch_add(1, Ordering::Relaxed);
    let second = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let is_odd = number % 2 == 1;
    match state.kind {
        Kind::Overloaded => {
            if state.second.swap(second, Ordering::Relaxed) != second {
                state.in_second.store(0, Ordering::Relaxed);
            }
            if state.in_second.fetch_add(1, Ordering::Relaxed) < CAPACITY {
                vec![b'x'; FULL]
            } else {
                br#"{"error":"overloaded"}"#.to_vec()
            }
        }
        Kind::Empty if is_odd => Vec::new(),
        Kind::Shorter if is_odd => vec![b'x'; FULL - 1_000],
        Kind::OtherBytes if is_odd && number > BEFORE => vec![b'y'; FULL],
        Kind::Dynamic => {
            let mut body = vec![b'x'; FULL + number as usize % 37];
            body[..8].copy_from_slice(&number.to_le_bytes());
            body
        }
        Kind::Clock => {
            let mut body = vec![b'x'; FULL];
            body[..8].copy_from_slice(&second.to_le_bytes());
            body
        }
        _ => vec![b'x'; FULL],
    }
}
