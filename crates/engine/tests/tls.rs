//! Tests TLS on real sockets, against a small threaded server that counts handshakes and bodies.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{
    ClientConfig, HandshakeKind, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
};
use support::{Driven, PATIENT, driven};
use tenbin_engine::{
    Address, BodyUse, Destination, Drive, ErrorClass, Exchange, HTTP2, Judgement, Ledger, Moment,
    Next, Part, ResponseHead, Route, SliceEvent, Workload, drive,
};
use tenbin_plan::Load;

type Stream = StreamOwned<ServerConnection, TcpStream>;

static LARGE: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..10_485_760_u32).map(|at| (at % 251) as u8).collect());

/// A self-signed certificate for `localhost`.
struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

fn identity() -> Identity {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    Identity {
        certificate: made.cert.der().clone(),
        key: PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into(),
    }
}

impl Identity {
    fn server(&self) -> ServerConfig {
        ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key())
            .unwrap()
    }

    fn client(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }
}

/// Counts of full handshakes, resumed handshakes and request bodies at the server.
#[derive(Default)]
struct Seen {
    full: AtomicU64,
    resumed: AtomicU64,
    bodies: AtomicU64,
}

/// Starts a server that handles each connection with `serve`.
fn server(
    config: ServerConfig,
    serve: impl Fn(&mut Stream, &Seen) -> io::Result<()> + Send + Sync + 'static,
) -> (SocketAddr, Arc<Seen>) {
    slow_server(config, Duration::ZERO, serve)
}

/// Starts a server that completes one handshake at a time, each after `delay`.
fn slow_server(
    config: ServerConfig,
    delay: Duration,
    serve: impl Fn(&mut Stream, &Seen) -> io::Result<()> + Send + Sync + 'static,
) -> (SocketAddr, Arc<Seen>) {
    let door = Arc::new(Mutex::new(()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let (config, serve, noted) = (Arc::new(config), Arc::new(serve), seen.clone());
    thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            let (config, serve, seen) = (config.clone(), serve.clone(), noted.clone());
            let door = door.clone();
            thread::spawn(move || {
                let at_the_door = door.lock().unwrap();
                thread::sleep(delay);
                let mut tls = ServerConnection::new(config).unwrap();
                while tls.is_handshaking() {
                    if tls.complete_io(&mut socket).is_err() {
                        return;
                    }
                }
                let kind = match tls.handshake_kind() {
                    Some(HandshakeKind::Resumed) => &seen.resumed,
                    _ => &seen.full,
                };
                kind.fetch_add(1, Ordering::Relaxed);
                drop(at_the_door);
                let _ = serve(&mut StreamOwned::new(tls, socket), &seen);
            });
        }
    });
    (address, seen)
}

/// Reads the body of one request; `None` at the end of the connection.
fn request(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut seen = Vec::new();
    let mut some = vec![0; 1 << 16];
    let mut missing = None;
    loop {
        if missing.is_none()
            && let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&seen[..end]).to_lowercase();
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            missing = Some((end + 4, length));
        }
        if let Some((start, length)) = missing
            && seen.len() >= start + length
        {
            return Some(seen.split_off(start));
        }
        match stream.read(&mut some) {
            Ok(0) | Err(_) => return None,
            Ok(count) => seen.extend_from_slice(&some[..count]),
        }
    }
}

fn answer(stream: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Starts a server that responds to every request with `body`.
fn fixed(config: ServerConfig, body: &'static [u8]) -> (SocketAddr, Arc<Seen>) {
    server(config, move |stream, _| {
        while request(stream).is_some() {
            answer(stream, body)?;
        }
        Ok(())
    })
}

/// A workload that sends `sent` `count` times and expects `body` back.
struct Client {
    count: u64,
    sent: &'static [u8],
    body: &'static [u8],
    looks: bool,
    /// Bytes by which each request is longer than the next request.
    shrinks: usize,
}

/// Value of an exchange's note if a part of the body was wrong.
const WRONG: u64 = u64::MAX;

impl Client {
    fn new(count: u64, sent: &'static [u8], body: &'static [u8]) -> Self {
        Self {
            count,
            sent,
            body,
            looks: true,
            shrinks: 0,
        }
    }
}

impl Workload for Client {
    fn operations(&self) -> &[&'static str] {
        &["PUT"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.count == 0 {
            return Next::Exhausted;
        }
        exchange.tag = match self.shrinks {
            0 => self.sent.len() as u64,
            step => step as u64 * self.count,
        };
        self.count -= 1;
        exchange.head.clear();
        let length = exchange.tag;
        write!(
            exchange.head,
            "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.sent[..exchange.tag as usize]
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        exchange.note = 0;
        if self.looks {
            BodyUse::Inspect
        } else {
            BodyUse::Discard
        }
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let right = offset == exchange.note && self.body[offset as usize..].starts_with(part);
        exchange.note = if right {
            offset + part.len() as u64
        } else {
            WRONG
        };
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        match () {
            () if status != 200 => Judgement::Failed(ErrorClass::Status, String::new()),
            () if length != self.body.len() as u64 => {
                Judgement::Failed(ErrorClass::Short, String::new())
            }
            () if self.looks && exchange.note != length => {
                Judgement::Failed(ErrorClass::Wrong, String::new())
            }
            () => Judgement::Correct,
        }
    }
}

fn run(
    address: SocketAddr,
    config: ClientConfig,
    client: Client,
    connections: usize,
    keep_alive: bool,
) -> Driven {
    let mut route = Route::plain(address);
    route.tls = Some(Arc::new(config));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    run_on(route, client, connections, keep_alive, None)
}

fn run_on(
    route: Route,
    client: Client,
    connections: usize,
    keep_alive: bool,
    window: Option<Duration>,
) -> Driven {
    let load = Load {
        timeout: Duration::from_secs(10),
        keep_alive,
        ..Load::closed(connections)
    };
    driven(route, load, window, Box::new(client))
}

#[test]
fn keeps_its_connections() {
    let identity = identity();
    let (address, seen) = fixed(identity.server(), b"hello");
    let client = Client::new(500, b"", b"hello");
    let driven = run(address, identity.client(), client, 3, true);
    assert_eq!(driven.op.counts.ok, 500, "{:?}", driven.op.failures);
    assert_eq!(driven.op.counts.received, 500 * 43, "plaintext is counted");
    assert_eq!(driven.ledger.opened, 3);
    assert_eq!(driven.ledger.reused, 497);
    assert_eq!(seen.full.load(Ordering::Relaxed), 3);
    driven.expect_tcp_of_all();
}

/// Drives two threads with 20 connections each to a server that takes `delay` for each handshake.
/// Returns connection counters, correct responses and failures.
fn slowly_accepted(delay: Duration, timeout: Duration) -> (Ledger, u64, u64) {
    let identity = identity();
    let (address, _) = slow_server(identity.server(), delay, |stream, _| {
        while request(stream).is_some() {
            answer(stream, b"hello")?;
        }
        Ok(())
    });
    let mut route = Route::plain(address);
    route.tls = Some(Arc::new(identity.client()));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    let plan = Drive {
        rest: None,
        destination: Destination::Route(route),
        load: Load {
            timeout,
            ..Load::closed(40)
        },
        seed: 1,
        lead: Duration::from_millis(50),
        stages: false,
        part: Part::default(),
        window: Some(Duration::from_millis(300)),
    };
    let workers = (0..2).map(|_| Box::new(Client::new(u64::MAX, b"", b"hello")) as _);
    let (mut ledger, mut ok, mut failed) = (Ledger::default(), 0, 0);
    let stop = AtomicBool::new(false);
    let done = drive(&plan, workers.collect(), &stop, &mut |event| {
        let SliceEvent::Sample(sample) = event else {
            return;
        };
        ledger += sample.ledger;
        ok += sample.ops[0].counts.ok;
        failed += sample.ops[0].failed_count();
    });
    let seconds = done.unwrap().seconds;
    assert!((seconds - 0.3).abs() < 1e-6, "{seconds}");
    (ledger, ok, failed)
}

#[test]
fn the_window_opens_when_all_connections_are_open() {
    let (ledger, ok, failed) = slowly_accepted(Duration::from_millis(10), PATIENT);
    assert_eq!((ledger.already_open, ledger.opened, failed), (40, 40, 0));
    assert!(ok > 0);
}

#[test]
fn the_window_waits_for_connections_at_most_for_their_timeout() {
    let begun = Instant::now();
    let timeout = Duration::from_millis(400);
    let (ledger, _, _) = slowly_accepted(Duration::from_millis(50), timeout);
    assert!(
        ledger.already_open > 0 && ledger.already_open < 40,
        "{ledger:?}"
    );
    assert!(begun.elapsed() < PATIENT, "{:?}", begun.elapsed());
}

#[test]
fn reads_large_bodies() {
    let identity = identity();
    let (address, _) = fixed(identity.server(), &LARGE);
    let client = Client::new(4, b"", &LARGE);
    let driven = run(address, identity.client(), client, 2, true);
    assert_eq!(driven.op.counts.ok, 4, "{:?}", driven.op.failures);
    assert_eq!(driven.ledger.opened, 2);
}

#[test]
fn drops_large_bodies_that_are_not_inspected() {
    let identity = identity();
    let (address, _) = fixed(identity.server(), &LARGE);
    let mut client = Client::new(6, b"", &LARGE);
    client.looks = false;
    let driven = run(address, identity.client(), client, 2, true);
    assert_eq!(driven.op.counts.ok, 6, "{:?}", driven.op.failures);
    assert!(driven.op.counts.received > 6 * LARGE.len() as u64);
    assert_eq!(driven.ledger.opened, 2);
}

#[test]
fn writes_large_bodies() {
    let identity = identity();
    let (address, seen) = server(identity.server(), |stream, seen| {
        while let Some(body) = request(stream) {
            if body == *LARGE {
                seen.bodies.fetch_add(1, Ordering::Relaxed);
            }
            answer(stream, b"taken")?;
        }
        Ok(())
    });
    let client = Client::new(4, &LARGE, b"taken");
    let driven = run(address, identity.client(), client, 2, true);
    assert_eq!(driven.op.counts.ok, 4, "{:?}", driven.op.failures);
    assert_eq!(seen.bodies.load(Ordering::Relaxed), 4);
}

#[test]
fn bytes_that_were_taken_are_sent_without_further_writes() {
    let identity = identity();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let config = Arc::new(identity.server());
    thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let tls = ServerConnection::new(config).unwrap();
        let mut stream = StreamOwned::new(tls, socket);
        loop {
            // Lets the client fill the socket buffer, which has a fixed size. Among many body
            // lengths, some bodies have a last part that the socket does not accept at once.
            thread::sleep(Duration::from_millis(15));
            if request(&mut stream).is_none() {
                return;
            }
            answer(&mut stream, b"taken").unwrap();
        }
    });
    let mut route = Route::plain(SocketAddr::from(([127, 0, 0, 1], 1)));
    route.hosts[0].addresses = vec![Address::Unix(path)];
    route.tls = Some(Arc::new(identity.client()));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    let mut client = Client::new(32, &LARGE, b"taken");
    client.shrinks = 16 * 1024;
    let driven = run_on(route, client, 1, true, None);
    assert_eq!(driven.op.counts.ok, 32, "{:?}", driven.op.failures);
    assert_eq!(driven.tcp, None, "a Unix socket has no round trips");
}

#[test]
fn resumes_earlier_sessions() {
    let identity = identity();
    let (address, seen) = fixed(identity.server(), b"hello");
    let client = Client::new(20, b"", b"hello");
    let driven = run(address, identity.client(), client, 1, false);
    assert_eq!(driven.op.counts.ok, 20, "{:?}", driven.op.failures);
    // One more connection is opened before the workload is exhausted.
    assert_eq!(driven.ledger.opened, 21);
    assert_eq!(seen.full.load(Ordering::Relaxed), 1);
    // The server can still be serving the last connection, which carried no request.
    let resumed = seen.resumed.load(Ordering::Relaxed);
    assert!((19..=20).contains(&resumed), "{resumed} resumed");
}

#[test]
fn speaks_tls_1_2_too() {
    let identity = identity();
    let config = ServerConfig::builder_with_protocol_versions(&[&rustls::version::TLS12])
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())
        .unwrap();
    let (address, _) = fixed(config, b"hello");
    let client = Client::new(100, b"", b"hello");
    let driven = run(address, identity.client(), client, 2, true);
    assert_eq!(driven.op.counts.ok, 100, "{:?}", driven.op.failures);
}

/// The failure texts of a short slice.
fn refusals(route: Route) -> Vec<String> {
    let client = Client::new(3, b"", b"hello");
    let driven = run_on(route, client, 1, true, Some(Duration::from_millis(300)));
    assert_eq!(driven.op.counts.ok, 0);
    assert!(driven.op.errors_of(ErrorClass::Connect) > 0);
    driven.op.failures.into_keys().collect()
}

#[test]
fn an_unknown_authority_is_refused_and_reported() {
    let (address, seen) = fixed(identity().server(), b"hello");
    let mut route = Route::plain(address);
    route.tls = Some(Arc::new(identity().client()));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    let texts = refusals(route);
    assert_eq!(
        texts,
        [
            "the server's certificate is self-signed or from an unknown issuer; pass its CA with \
             --cacert FILE, or skip the check with --insecure"
        ]
    );
    assert_eq!(seen.full.load(Ordering::Relaxed), 0);
}

#[test]
fn another_host_name_is_refused_and_reported() {
    let identity = identity();
    let (address, _) = fixed(identity.server(), b"hello");
    let mut route = Route::plain(address);
    route.tls = Some(Arc::new(identity.client()));
    route.hosts[0].server_name = Some(ServerName::try_from("db1.example").unwrap());
    let texts = refusals(route);
    assert!(texts[0].contains("does not match db1.example"), "{texts:?}");
    assert!(texts[0].contains("localhost"), "{texts:?}");
}

#[test]
fn a_server_without_tls_is_refused_and_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let mut route = Route::plain(address);
    route.tls = Some(Arc::new(identity().client()));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    let texts = refusals(route);
    assert!(texts[0].contains("does not speak TLS"), "{texts:?}");
}

#[test]
fn a_server_without_http_2_is_refused_and_reported() {
    let identity = identity();
    let (address, _) = fixed(identity.server(), b"hello");
    let mut config = identity.client();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let mut route = Route::plain(address);
    route.protocol = HTTP2;
    route.tls = Some(Arc::new(config));
    route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    let texts = refusals(route);
    assert_eq!(texts, ["the server does not offer HTTP/2; use --http 1.1"]);
}

#[test]
fn a_missing_close_notify_between_responses_is_harmless() {
    let identity = identity();
    let (address, _) = server(identity.server(), |stream, _| {
        request(stream);
        answer(stream, b"hello")?;
        // Ends the stream without close_notify.
        stream.sock.shutdown(std::net::Shutdown::Both)
    });
    let client = Client::new(20, b"", b"hello");
    let driven = run(address, identity.client(), client, 1, true);
    let resets = driven.op.errors_of(ErrorClass::Reset);
    // The client can send the next request before the end of the stream arrives.
    assert_eq!(driven.op.counts.ok + resets, 20, "{:?}", driven.op.failures);
    assert!(driven.op.counts.ok > 0);
}

#[test]
fn a_missing_close_notify_inside_a_response_is_a_reset() {
    let identity = identity();
    let (address, _) = server(identity.server(), |stream, _| {
        request(stream);
        // Without a length, only close_notify can end the body.
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhel")?;
        stream.flush()?;
        stream.sock.shutdown(std::net::Shutdown::Both)
    });
    let client = Client::new(5, b"", b"hel");
    let driven = run(address, identity.client(), client, 1, true);
    assert_eq!(driven.op.counts.ok, 0);
    assert_eq!(driven.op.errors_of(ErrorClass::Reset), 5);
}

#[test]
fn close_notify_ends_a_body_of_unknown_length() {
    let identity = identity();
    let (address, _) = server(identity.server(), |stream, _| {
        request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")?;
        stream.conn.send_close_notify();
        stream.flush()
    });
    let client = Client::new(5, b"", b"hello");
    let driven = run(address, identity.client(), client, 1, true);
    assert_eq!(driven.op.counts.ok, 5, "{:?}", driven.op.failures);
}
