//! What must hold for any bytes that a server sends to the engine's HTTP/2 client.
//!
//! An input is one line that says how the server sends, then the bytes that it sends once
//! it has read the client's three requests (streams 1, 3 and 5). The first character of
//! the line says how often the bytes are sent: `!` is once, `"` twice, and so on in the
//! order of ASCII, 64 times at most. Each other character is the length of a piece, in the
//! same order; after the last one they repeat. The server closes the connection after the
//! last byte. The second connection is sent the same; each one after it is closed at once.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::{
    Address, BodyUse, Destination, Drive, ErrorClass, Exchange, HTTP2, Host, Judgement, Moment,
    Next, Part, ResponseHead, Route, SliceEvent, Workload, drive,
};
use tenbin_plan::Load;

/// Requests of one input, all in flight at the same time.
const REQUESTS: u64 = 3;
/// Connections that are sent the input.
const CONNECTIONS: u64 = 2;
/// How often an input may be repeated.
const MOST_REPEATS: usize = 64;
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_millis(150);
/// Longer than any input may take on a busy machine.
const BOUND: Duration = Duration::from_secs(55);

/// Panics when a request of the client has not exactly one outcome, when the client reports
/// bytes that were not sent, or when it does not end.
pub(crate) fn check(input: &[u8]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|held| held.into_inner());
    let server = server();
    server.accept_next(input);
    let outcome = run(server.path.clone());
    let sent = server.sent.load(Ordering::SeqCst);

    assert!(outcome.took < BOUND, "it took {:?}", outcome.took);
    assert_eq!(
        outcome.ok + outcome.failed,
        REQUESTS,
        "requests without an outcome, or with two: {:?}",
        outcome.failures
    );
    assert_eq!(
        outcome.judged_correct, outcome.ok,
        "a response judged twice"
    );
    assert!(
        outcome.body_bytes <= sent,
        "{} bytes of bodies from {sent} bytes sent",
        outcome.body_bytes
    );
}

/// What the client reports of an input.
struct Outcome {
    ok: u64,
    failed: u64,
    judged_correct: u64,
    body_bytes: u64,
    took: Duration,
    failures: BTreeMap<String, u64>,
}

fn run(path: PathBuf) -> Outcome {
    let host = Host {
        name: "server".to_owned(),
        addresses: vec![Address::Unix(path)],
        weight: 1,
        server_name: None,
    };
    let route = Route {
        hosts: vec![host],
        protocol: HTTP2,
        tls: None,
        source: None,
    };
    let load = Load {
        timeout: TIMEOUT,
        depth: REQUESTS as usize,
        ..Load::closed(1)
    };
    let plan = Drive {
        rest: None,
        destination: Destination::Route(route),
        load,
        seed: 1,
        lead: Duration::ZERO,
        stages: true,
        part: Part::default(),
        window: None,
    };
    let judged = Arc::new(AtomicU64::new(0));
    let client = Client {
        left: REQUESTS,
        judged: judged.clone(),
    };
    let begun = Instant::now();
    let mut outcome = Outcome {
        ok: 0,
        failed: 0,
        judged_correct: 0,
        body_bytes: 0,
        took: Duration::ZERO,
        failures: BTreeMap::new(),
    };
    drive(
        &plan,
        vec![Box::new(client)],
        &AtomicBool::new(false),
        &mut |event| {
            if let SliceEvent::Sample(sample) = event {
                let op = &sample.ops[0];
                outcome.ok += op.counts.ok;
                // A connection that cannot be opened is a failure, and no request of these.
                let unopened = op.errors_of(ErrorClass::Connect);
                outcome.failed += op.failed_count() - unopened;
                outcome.body_bytes += op.answered.unwrap_or(0);
                outcome.failures.extend(op.failures.clone());
            }
        },
    )
    .expect("the engine runs");
    outcome.judged_correct = judged.load(Ordering::SeqCst);
    outcome.took = begun.elapsed();
    outcome
}

/// Sends one GET and two requests with a body, and accepts every whole response.
struct Client {
    left: u64,
    judged: Arc<AtomicU64>,
}

impl Workload for Client {
    fn operations(&self) -> &[&'static str] {
        &["POST"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        exchange.tag = REQUESTS - self.left;
        self.left -= 1;
        let length = self.payload(exchange).len();
        exchange.head = match length {
            0 => b"GET / HTTP/1.1\r\nHost: server\r\n\r\n".to_vec(),
            _ => format!("POST / HTTP/1.1\r\nHost: server\r\nContent-Length: {length}\r\n\r\n")
                .into_bytes(),
        };
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        match exchange.tag {
            0 => &[],
            1 => b"body",
            // More than the window that a client has before the server gives it one.
            _ => &[0; 70_000],
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        assert!(head.bytes.ends_with(b"\r\n\r\n"), "a head without its end");
        let name_of = |line: &[u8]| line.iter().any(|&byte| byte == b'\r' || byte == 0);
        let lines = head.bytes.split(|&byte| byte == b'\n');
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            assert!(!name_of(line), "a header line with a line end in it");
        }
        exchange.note = 0;
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        assert_eq!(offset, exchange.note, "a gap in the body");
        exchange.note += part.len() as u64;
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        assert!((100..=999).contains(&status), "{status}");
        assert_eq!(
            length, exchange.note,
            "another length than that of the body"
        );
        self.judged.fetch_add(1, Ordering::SeqCst);
        Judgement::Correct
    }

    fn gives_up(&self) -> bool {
        self.left == 0
    }
}

/// The server, for as long as the process lives.
struct Server {
    path: PathBuf,
    /// What it sends next.
    input: Arc<Mutex<Vec<u8>>>,
    /// Connections since the input was set.
    connections: Arc<AtomicU64>,
    /// Bytes that were sent since the input was set, or are about to be.
    sent: Arc<AtomicU64>,
}

impl Server {
    fn accept_next(&self, input: &[u8]) {
        let mut next = self.input.lock().expect("no panic while it is held");
        next.clear();
        next.extend_from_slice(input);
        self.connections.store(0, Ordering::SeqCst);
        self.sent.store(0, Ordering::SeqCst);
    }
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let name = format!("tenbin-h2-{}.socket", std::process::id());
        let path = std::env::temp_dir().join(name);
        // A process with the same number may have left it.
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).expect("a socket in the temporary directory");
        let server = Server {
            path,
            input: Arc::default(),
            connections: Arc::default(),
            sent: Arc::default(),
        };
        let (input, connections, sent) = (
            server.input.clone(),
            server.connections.clone(),
            server.sent.clone(),
        );
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if connections.fetch_add(1, Ordering::SeqCst) < CONNECTIONS {
                    let input = input.lock().expect("no panic while it is held").clone();
                    serve(stream, &input, &sent);
                }
            }
        });
        server
    })
}

/// Sends the input once the requests have come, and closes.
fn serve(mut stream: UnixStream, input: &[u8], sent: &AtomicU64) {
    // A client that never closes must not hold up the next input.
    let _ = stream.set_read_timeout(Some(2 * TIMEOUT));
    let _ = stream.set_write_timeout(Some(2 * TIMEOUT));
    if await_requests(&mut stream).is_none() {
        return;
    }
    for piece in pieces(input) {
        sent.fetch_add(piece.len() as u64, Ordering::SeqCst);
        if stream.write_all(piece).is_err() {
            return;
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
    let mut rest = [0; 65_536];
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}

/// Reads frames until the client has begun all its requests.
fn await_requests(stream: &mut UnixStream) -> Option<()> {
    const HEADERS: u8 = 1;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).ok()?;
    let mut begun = 0;
    while begun < REQUESTS {
        let mut head = [0; 9];
        stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).ok()?;
        begun += u64::from(head[3] == HEADERS);
    }
    Some(())
}

/// The pieces in which an input is sent.
fn pieces(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = input.iter().position(|&byte| byte == b'\n');
    let (line, bytes) = match end {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&input[..0], input),
    };
    let number = |&byte: &u8| usize::from(byte.saturating_sub(b' ')).max(1);
    let repeats = line.first().map_or(1, number).min(MOST_REPEATS);
    let lengths: Vec<usize> = line.iter().skip(1).map(number).collect();
    let once = move || {
        let mut rest = bytes;
        let mut lengths = lengths.clone().into_iter().cycle();
        std::iter::from_fn(move || {
            let length = lengths.next().unwrap_or(rest.len()).min(rest.len());
            let (piece, after) = rest.split_at(length);
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    };
    (0..repeats).flat_map(move |_| once())
}
