//! A small HTTP server in this process whose responses are given by a function.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time that a request takes.
const SERVICE: Duration = Duration::from_micros(1_500);

/// What a response can depend on.
pub(crate) struct Ask {
    /// Number of earlier requests.
    pub(crate) number: u64,
    /// Number of requests in progress, this one included: 1 without load.
    pub(crate) busy: u64,
    /// A random number.
    pub(crate) random: u64,
    /// Time since the start of the server.
    pub(crate) age: Duration,
}

impl Ask {
    /// Whether the server has load.
    pub(crate) fn is_loaded(&self) -> bool {
        self.busy > 1
    }

    /// A random number below `limit`, different for each `of`.
    pub(crate) fn pick(&self, of: u64, limit: u64) -> u64 {
        scrambled(self.random ^ scrambled(of)) % limit
    }

    /// One of these texts at random.
    pub(crate) fn one<'a>(&self, of: u64, texts: &[&'a str]) -> &'a str {
        texts[self.pick(of, texts.len() as u64) as usize]
    }

    /// Whether an event of this probability, percent, happens.
    pub(crate) fn in_percent(&self, percent: u64) -> bool {
        self.pick(0xFACE, 100) < percent
    }

    /// A request with the same random numbers each time.
    pub(crate) fn frozen(&self) -> Self {
        Self {
            random: 42,
            number: 7,
            ..*self
        }
    }
}

fn scrambled(state: u64) -> u64 {
    let mut state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) is_chunked: bool,
}

impl Reply {
    fn new(media: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            media,
            headers: Vec::new(),
            body: body.into(),
            is_chunked: false,
        }
    }

    pub(crate) fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new("application/json", body)
    }

    pub(crate) fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new("text/html; charset=utf-8", body)
    }

    pub(crate) fn text(body: impl Into<Vec<u8>>) -> Self {
        Self::new("text/plain", body)
    }

    pub(crate) fn bytes(body: impl Into<Vec<u8>>) -> Self {
        Self::new("application/octet-stream", body)
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn chunked(mut self) -> Self {
        self.is_chunked = true;
        self
    }

    pub(crate) fn cut(mut self, part: usize) -> Self {
        self.body.truncate(self.body.len() / part);
        self
    }

    pub(crate) fn gzip(mut self) -> Self {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&self.body).expect("memory");
        self.body = gzip.finish().expect("memory");
        self.with("Content-Encoding", "gzip")
    }
}

/// Starts a server that listens until the test process ends, and returns its address.
pub(crate) fn start(reply: fn(&Ask) -> Reply) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let server = Arc::new(Server {
        reply,
        requests: AtomicU64::new(0),
        busy: AtomicU64::new(0),
        began: Instant::now(),
        seed: u64::from(port),
    });
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let server = Arc::clone(&server);
            // A connection error ends only the thread of the connection.
            std::thread::spawn(move || drop(server.serve(&stream)));
        }
    });
    format!("http://127.0.0.1:{port}/")
}

struct Server {
    reply: fn(&Ask) -> Reply,
    requests: AtomicU64,
    busy: AtomicU64,
    began: Instant,
    seed: u64,
}

impl Server {
    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut input = BufReader::new(stream);
        let mut output = stream;
        loop {
            let (mut line, mut length) = (String::new(), 0);
            loop {
                line.clear();
                if input.read_line(&mut line)? == 0 {
                    return Ok(());
                }
                let lower = line.to_ascii_lowercase();
                if let Some(value) = lower.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
                if line == "\r\n" {
                    break;
                }
            }
            std::io::copy(&mut (&mut input).take(length), &mut std::io::sink())?;
            let before = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
            std::thread::sleep(SERVICE);
            let busy = before.max(self.busy.load(Ordering::SeqCst));
            let number = self.requests.fetch_add(1, Ordering::SeqCst);
            let reply = (self.reply)(&Ask {
                number,
                busy,
                random: scrambled(self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(number)),
                age: self.began.elapsed(),
            });
            self.busy.fetch_sub(1, Ordering::SeqCst);
            output.write_all(&written(&reply))?;
        }
    }
}

fn written(reply: &Reply) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {} OK\r\nContent-Type: {}\r\n",
        reply.status, reply.media
    );
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut all = head.into_bytes();
    if reply.is_chunked {
        all.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
        for part in reply.body.chunks(700) {
            all.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
            all.extend_from_slice(part);
            all.extend_from_slice(b"\r\n");
        }
        all.extend_from_slice(b"0\r\n\r\n");
    } else {
        all.extend_from_slice(format!("Content-Length: {}\r\n\r\n", reply.body.len()).as_bytes());
        all.extend_from_slice(&reply.body);
    }
    all
}
