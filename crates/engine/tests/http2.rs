//! Tests HTTP/2 on real sockets, against a server in this process that counts requests.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use support::{Driven, driven};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, HTTP2, Judgement, Moment, Next, ResponseHead, Route, Workload,
};
use tenbin_plan::{Load, Pace};

/// Behaviour of a server.
#[derive(Clone, Copy, Default)]
struct Manners {
    /// Most concurrent streams that the server allows.
    streams: Option<u32>,
    /// Number of requests per connection after which the server sends GOAWAY.
    requests: Option<u64>,
}

/// Counts of connections, requests and responses at the server.
#[derive(Default)]
struct Seen {
    connections: AtomicU64,
    requests: AtomicU64,
    answered: AtomicU64,
    at_once: AtomicU64,
    most_at_once: AtomicU64,
}

fn server(manners: Manners) -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let noted = seen.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                noted.connections.fetch_add(1, Ordering::Relaxed);
                tokio::task::spawn_local(connection(socket, manners, noted.clone()));
            }
        });
    });
    (address, seen)
}

async fn connection(socket: tokio::net::TcpStream, manners: Manners, seen: Arc<Seen>) {
    let mut builder = h2::server::Builder::new();
    if let Some(streams) = manners.streams {
        builder.max_concurrent_streams(streams);
    }
    let Ok(mut connection) = builder.handshake(socket).await else {
        return;
    };
    let mut count = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        count += 1;
        if manners.requests == Some(count) {
            connection.graceful_shutdown();
        }
        let seen = seen.clone();
        tokio::task::spawn_local(async move {
            let at_once = seen.at_once.fetch_add(1, Ordering::Relaxed) + 1;
            seen.most_at_once.fetch_max(at_once, Ordering::Relaxed);
            if answer(request, respond, &seen).await.is_ok() {
                seen.answered.fetch_add(1, Ordering::Relaxed);
            }
            seen.at_once.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    seen: &Seen,
) -> Result<(), h2::Error> {
    let number = seen.requests.fetch_add(1, Ordering::Relaxed);
    let path = request.uri().path().to_owned();
    match path.as_str() {
        "/reset" => {
            respond.send_reset(Reason::INTERNAL_ERROR);
            return Err(Reason::INTERNAL_ERROR.into());
        }
        "/refuse" if number.is_multiple_of(3) => {
            respond.send_reset(Reason::REFUSED_STREAM);
            return Err(Reason::REFUSED_STREAM.into());
        }
        // Blocks the server's only thread, so no other request is served for 5 ms.
        "/slow" => thread::sleep(Duration::from_millis(5)),
        "/silent" => {
            // Waits until the client cancels the stream.
            return std::future::poll_fn(|cx| respond.poll_reset(cx))
                .await
                .and_then(|reason| Err(reason.into()));
        }
        _ => {}
    }
    let host = request.uri().authority().map(ToString::to_string);
    let mut body = request.into_body();
    let mut sent = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        sent.extend_from_slice(&part);
    }
    if sent.is_empty() {
        sent.extend_from_slice(b"hello");
    }
    // Lets other requests arrive.
    tokio::task::yield_now().await;
    let answer = Response::builder()
        .header("content-length", sent.len())
        .header("x-host", host.unwrap_or_default())
        .header("server-timing", "db;dur=0.5")
        .header("server-timing", "app;dur=1, total;dur=1.5")
        .body(())
        .unwrap();
    let mut stream = respond.send_response(answer, false)?;
    send(&mut stream, sent.into()).await
}

async fn send(stream: &mut SendStream<Bytes>, mut body: Bytes) -> Result<(), h2::Error> {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        while stream.capacity() == 0 {
            let room = std::future::poll_fn(|cx| stream.poll_capacity(cx)).await;
            room.ok_or(Reason::CANCEL)??;
        }
        let part = body.split_to(stream.capacity().min(body.len()));
        stream.send_data(part, body.is_empty())?;
    }
    Ok(())
}

/// Value of an exchange's note if a part of the response was wrong.
const WRONG: u64 = u64::MAX;

/// A workload that sends `sent` to `path` `count` times and expects the same bytes back.
struct Client {
    path: &'static str,
    count: u64,
    sent: &'static [u8],
}

impl Client {
    fn expected(&self) -> &'static [u8] {
        if self.sent.is_empty() {
            b"hello"
        } else {
            self.sent
        }
    }
}

impl Workload for Client {
    fn operations(&self) -> &[&'static str] {
        &["POST"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.count == 0 {
            return Next::Exhausted;
        }
        self.count -= 1;
        exchange.head.clear();
        let (path, length) = (self.path, self.sent.len());
        write!(
            exchange.head,
            "POST {path} HTTP/1.1\r\nHost: db:9000\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        self.sent
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let right = head.header("X-Host") == Some(b"db:9000")
            && head.length == Some(self.expected().len() as u64);
        exchange.note = if right { 0 } else { WRONG };
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let right = offset == exchange.note && self.expected()[offset as usize..].starts_with(part);
        exchange.note = if right {
            offset + part.len() as u64
        } else {
            WRONG
        };
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        match () {
            () if status != 200 => Judgement::Failed(ErrorClass::Status, String::new()),
            () if length != self.expected().len() as u64 => {
                Judgement::Failed(ErrorClass::Short, String::new())
            }
            () if exchange.note != length => Judgement::Failed(ErrorClass::Wrong, String::new()),
            () => Judgement::Correct,
        }
    }
}

fn run(address: SocketAddr, client: Client, connections: usize, streams: usize) -> Driven {
    run_for(
        address,
        client,
        connections,
        streams,
        Duration::from_secs(30),
        None,
    )
}

fn run_for(
    address: SocketAddr,
    client: Client,
    connections: usize,
    streams: usize,
    timeout: Duration,
    window: Option<Duration>,
) -> Driven {
    let pace = Pace::Closed;
    run_at(pace, address, client, connections, streams, timeout, window)
}

fn run_at(
    pace: Pace,
    address: SocketAddr,
    client: Client,
    connections: usize,
    streams: usize,
    timeout: Duration,
    window: Option<Duration>,
) -> Driven {
    let mut route = Route::plain(address);
    route.protocol = HTTP2;
    let load = Load {
        pace,
        timeout,
        depth: streams,
        ..Load::closed(connections)
    };
    driven(route, load, window, Box::new(client))
}

fn client(path: &'static str, count: u64) -> Client {
    Client {
        path,
        count,
        sent: b"",
    }
}

#[test]
fn sends_several_streams_at_once_and_keeps_its_connections() {
    let (address, seen) = server(Manners::default());
    let driven = run(address, client("/", 1000), 2, 8);
    assert_eq!(driven.op.counts.ok, 1000, "{:?}", driven.op.failures);
    assert_eq!(driven.op.counts.received, 5000);
    assert_eq!(driven.ledger.streams_allowed, None);
    assert_eq!(seen.answered.load(Ordering::Relaxed), 1000);
    assert_eq!(seen.connections.load(Ordering::Relaxed), 2);
    assert_eq!(driven.ledger.opened, 2);
    driven.expect_tcp_of_all();
    let stages = &driven.stages.operations[0];
    assert_eq!((stages.answers(), stages.carrying()), (1000, 1000));
    assert_eq!(stages.stages, ["db", "app"]);
    let spent = |at: usize| -> u64 { stages.buckets.iter().map(|b| b.stages[at].ns).sum() };
    assert_eq!([spent(0), spent(1)], [500_000_000, 1_000_000_000]);
    let totals: u64 = stages.buckets.iter().map(|bucket| bucket.total_ns).sum();
    assert_eq!(totals, 1_500_000_000);
    let most = seen.most_at_once.load(Ordering::Relaxed);
    assert!((2..=16).contains(&most), "{most}");
}

#[test]
fn bodies_are_sent_and_received() {
    static LARGE: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..3_000_000_u32).map(|at| (at % 251) as u8).collect());
    let (address, seen) = server(Manners::default());
    let client = Client {
        path: "/",
        count: 12,
        sent: &LARGE,
    };
    let driven = run(address, client, 1, 3);
    assert_eq!(driven.op.counts.ok, 12, "{:?}", driven.op.failures);
    assert_eq!(driven.op.counts.received, 12 * LARGE.len() as u64);
    assert_eq!(seen.answered.load(Ordering::Relaxed), 12);
    assert_eq!(driven.ledger.opened, 1);
}

#[test]
fn a_reset_stream_does_not_fail_others() {
    let (address, seen) = server(Manners::default());
    let driven = run(address, client("/reset", 50), 1, 4);
    assert_eq!(driven.errors(ErrorClass::Reset), 50);
    assert_eq!(seen.requests.load(Ordering::Relaxed), 50);
    assert_eq!(driven.ledger.opened, 1);
    let texts: Vec<_> = driven.op.failures.keys().collect();
    assert!(
        texts[0].starts_with("stream reset by the server"),
        "{texts:?}"
    );
}

#[test]
fn a_refused_stream_is_sent_again() {
    let (address, seen) = server(Manners::default());
    let driven = run(address, client("/refuse", 90), 1, 4);
    assert_eq!(driven.op.counts.ok, 90, "{:?}", driven.op.failures);
    assert_eq!(seen.answered.load(Ordering::Relaxed), 90);
    let requests = seen.requests.load(Ordering::Relaxed);
    assert!(requests > 90);
    assert_eq!(driven.ledger.resent_refused, requests - 90);
    assert_eq!(driven.ledger.resent_goaway, 0);
}

#[test]
fn after_goaway_the_rest_uses_another_connection() {
    let manners = Manners {
        requests: Some(10),
        ..Manners::default()
    };
    let (address, seen) = server(manners);
    let driven = run(address, client("/", 200), 1, 4);
    assert_eq!(driven.op.counts.ok, 200, "{:?}", driven.op.failures);
    assert_eq!(seen.answered.load(Ordering::Relaxed), 200);
    assert!(driven.ledger.opened > 5, "{:?}", driven.ledger);
    assert_eq!(driven.ledger.reset, 0);
    assert_eq!(driven.ledger.resent_refused, 0, "{:?}", driven.ledger);
}

#[test]
fn no_more_streams_are_opened_than_the_server_allows() {
    let manners = Manners {
        streams: Some(2),
        ..Manners::default()
    };
    let (address, seen) = server(manners);
    let driven = run(address, client("/", 300), 1, 8);
    assert_eq!(driven.op.counts.ok, 300, "{:?}", driven.op.failures);
    assert_eq!(driven.ledger.opened, 1);
    // The server's library refuses requests that arrive before the client knows the limit, so the
    // server does not see these; they are sent again. At most 8 - 2 are refused.
    assert_eq!(seen.requests.load(Ordering::Relaxed), 300);
    assert_eq!(seen.answered.load(Ordering::Relaxed), 300);
    assert_eq!(driven.ledger.streams_allowed, Some(2));
    assert!(driven.ledger.resent_refused <= 6, "{:?}", driven.ledger);
}

#[test]
fn waiting_for_a_stream_is_send_lag() {
    let manners = Manners {
        streams: Some(1),
        ..Manners::default()
    };
    let (address, _) = server(manners);
    // The server completes at most 200 requests per second, and 400 per second are due. Every due
    // request has a slot, so requests wait for a stream, not for a slot.
    let pace = Pace::Constant { per_second: 400.0 };
    let (timeout, window) = (Duration::from_secs(30), Duration::from_millis(500));
    let driven = run_at(
        pace,
        address,
        client("/slow", u64::MAX),
        1,
        500,
        timeout,
        Some(window),
    );
    assert!(driven.op.counts.ok > 0, "{:?}", driven.op.failures);
    assert_eq!(driven.op.failed_count(), 0);
    let lag = Duration::from_nanos(driven.op.times.lag.max());
    assert!(lag > Duration::from_millis(100), "{lag:?}");
}

/// The bytes of an HTTP/2 frame with this type, flags, stream and payload.
fn frame(kind: u8, flags: u8, stream: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = (content.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// Waits for `count` requests. Returns their stream numbers.
fn requests(socket: &mut TcpStream, count: usize) -> Vec<u32> {
    let mut streams = Vec::new();
    while streams.len() < count {
        let mut head = [0; 9];
        if socket.read_exact(&mut head).is_err() {
            break;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut content = vec![0; length as usize];
        socket.read_exact(&mut content).unwrap();
        if head[3] == HEADERS {
            streams.push(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
    streams
}

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

#[test]
fn requests_that_goaway_excludes_are_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let headers = Arc::new(AtomicU64::new(0));
    let counted = headers.clone();
    thread::spawn(move || {
        for (answered, socket) in listener.incoming().enumerate() {
            let mut socket = socket.unwrap();
            socket.read_exact(&mut [0; 24]).unwrap();
            socket.write_all(&frame(SETTINGS, 0, 0, &[])).unwrap();
            // Waits for the remaining requests and responds only to the first.
            let streams = requests(&mut socket, 4 - answered);
            counted.fetch_add(streams.len() as u64, Ordering::Relaxed);
            let mut last = streams[0].to_be_bytes().to_vec();
            last.extend_from_slice(&[0; 4]);
            // 0x88 is `:status: 200` (RFC 7541 appendix A); the response has no body.
            let mut answer = frame(GOAWAY, 0, 0, &last);
            answer.extend(frame(HEADERS, 0x5, streams[0], &[0x88]));
            socket.write_all(&answer).unwrap();
            if answered == 3 {
                break;
            }
        }
    });
    let driven = run(address, client("/", 4), 1, 4);
    // Every request gets exactly one response, which lacks the expected body.
    assert_eq!(driven.errors(ErrorClass::Short), 4, "{:?}", driven.op);
    assert_eq!(driven.op.failed_count(), 4);
    assert_eq!(headers.load(Ordering::Relaxed), 4 + 3 + 2 + 1);
}

#[test]
fn a_missing_response_is_a_timeout_and_a_silent_connection_is_replaced() {
    let (address, seen) = server(Manners::default());
    let timeout = Duration::from_millis(100);
    let driven = run_for(address, client("/silent", 12), 1, 4, timeout, None);
    assert_eq!(driven.errors(ErrorClass::Timeout), 12);
    assert_eq!(seen.requests.load(Ordering::Relaxed), 12);
    // The connection is given up once the server has sent nothing for a whole timeout.
    assert!(
        (2..=4).contains(&driven.ledger.opened),
        "{:?}",
        driven.ledger
    );
}

#[test]
fn a_server_without_http_2_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut some = [0; 4096];
            let _ = stream.read(&mut some);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut some);
        }
    });
    let window = Some(Duration::from_millis(200));
    let timeout = Duration::from_secs(5);
    let driven = run_for(address, client("/", 3), 1, 2, timeout, window);
    assert_eq!(driven.op.counts.ok, 0);
    assert!(driven.errors(ErrorClass::Protocol) > 0, "{:?}", driven.op);
    let texts: Vec<_> = driven.op.failures.keys().collect();
    assert!(texts[0].contains("use --http 1.1"), "{texts:?}");
}

/// The settings in the client's first frame: identifiers and values.
fn settings(socket: &mut TcpStream) -> Vec<(u16, u32)> {
    let mut preface_and_head = [0; 24 + 9];
    socket.read_exact(&mut preface_and_head).unwrap();
    let length = usize::from(preface_and_head[25]) * 256 + usize::from(preface_and_head[26]);
    let mut payload = vec![0; length];
    socket.read_exact(&mut payload).unwrap();
    let of_setting = |six: &[u8]| {
        let value = u32::from_be_bytes([six[2], six[3], six[4], six[5]]);
        (u16::from_be_bytes([six[0], six[1]]), value)
    };
    payload.chunks_exact(6).map(of_setting).collect()
}

/// A server that responds to the first request of each connection with an endless body in frames of
/// one byte. Returns the flow-control window that the client grants.
fn endless() -> (SocketAddr, Arc<AtomicU64>) {
    let window = Arc::new(AtomicU64::new(0));
    let told = window.clone();
    let address = support::server(move |mut socket| {
        let given = settings(&mut socket).into_iter();
        let largest = given.filter(|(id, _)| *id == 4).map(|(_, value)| value);
        told.fetch_max(largest.max().unwrap_or(0).into(), Ordering::Relaxed);
        let mut start = frame(4, 0, 0, &[]);
        start.extend(frame(4, 1, 0, &[]));
        // The static table of HPACK has `:status: 200` at index 8.
        start.extend(frame(1, 4, 1, &[0x88]));
        let mut reader = socket.try_clone().unwrap();
        thread::spawn(move || {
            let mut into = [0; 4096];
            while reader.read(&mut into).is_ok_and(|count| count > 0) {}
        });
        thread::sleep(Duration::from_millis(50));
        let mut alive = socket.write_all(&start).is_ok();
        let bytes = frame(0, 0, 1, b"x").repeat(20_000);
        let begun = Instant::now();
        while alive && begun.elapsed() < Duration::from_secs(10) {
            alive = socket.write_all(&bytes).is_ok();
        }
    });
    (address, window)
}

#[test]
fn endless_tiny_frames_do_not_prevent_timeout_or_stop() {
    let (address, window) = endless();
    let timeout = Duration::from_millis(200);
    let length = Some(Duration::from_secs(1));
    let driven = run_for(address, client("/", u64::MAX), 2, 1, timeout, length);
    assert_eq!(driven.op.counts.ok, 0);
    assert!(driven.took < Duration::from_secs(6), "{:?}", driven.took);
    let window = window.load(Ordering::Relaxed);
    assert!((65_535..=16 << 20).contains(&window), "{window}");
}

#[test]
fn a_request_that_never_gets_a_stream_times_out() {
    let address = support::server(|mut socket| {
        settings(&mut socket);
        requests(&mut socket, 1);
        const MAX_CONCURRENT_STREAMS: [u8; 6] = [0, 3, 0, 0, 0, 0];
        let mut answer = frame(SETTINGS, 0, 0, &MAX_CONCURRENT_STREAMS);
        answer.extend(frame(HEADERS, 0x5, 1, &[0x88]));
        socket.write_all(&answer).unwrap();
        let mut rest = [0; 4096];
        while socket.read(&mut rest).is_ok_and(|count| count > 0) {}
    });
    // The second request is due after the timeout of the first, when none is in flight.
    let pace = Pace::Constant { per_second: 4.0 };
    let (timeout, window) = (Duration::from_millis(100), Duration::from_millis(450));
    let work = client("/", u64::MAX);
    let driven = run_at(pace, address, work, 1, 1, timeout, Some(window));
    assert_eq!(driven.errors(ErrorClass::Short), 1, "{:?}", driven.op);
    assert_eq!(driven.errors(ErrorClass::Timeout), 1, "{:?}", driven.op);
}
