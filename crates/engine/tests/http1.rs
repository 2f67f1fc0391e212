//! The HTTP/1.1 wire on real sockets, against servers that do as a test says.

#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::{
    AnswerHead, BodyUse, Carrier, Drive, ErrorClass, Exchange, Judgement, Ledger, Moment, News,
    Next, OpSample, Route, Workload, drive,
};
use tenbin_plan::{Load, Pace};

/// Serves every connection with `serve` until it returns.
fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = std::sync::Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads one request, head and body; `None` at the end of the connection.
fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut seen = Vec::new();
    let mut byte = [0; 4096];
    loop {
        if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&seen[..end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if seen.len() >= end + 4 + length {
                return Some(seen.split_off(end + 4));
            }
        }
        match stream.read(&mut byte) {
            Ok(0) | Err(_) => return None,
            Ok(count) => seen.extend_from_slice(&byte[..count]),
        }
    }
}

/// Answers every request with the same bytes.
fn fixed(answer: &'static [u8]) -> SocketAddr {
    server(move |mut stream| {
        while request(&mut stream).is_some() {
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    })
}

/// Sends `count` requests and expects `body` back.
struct Echo {
    count: u64,
    sent: Vec<u8>,
    body: &'static [u8],
    seen: Vec<u8>,
}

impl Echo {
    fn times(count: u64, body: &'static [u8]) -> Self {
        Self {
            count,
            sent: Vec::new(),
            body,
            seen: Vec::new(),
        }
    }
}

impl Workload for Echo {
    fn operations(&self) -> &[&'static str] {
        &["ECHO"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.count == 0 {
            return Next::Exhausted;
        }
        self.count -= 1;
        exchange.head.clear();
        let length = self.sent.len();
        write!(
            exchange.head,
            "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &self.sent
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.seen.clear();
        BodyUse::Inspect
    }

    fn body(&mut self, _exchange: &mut Exchange, offset: u64, part: &[u8]) {
        assert_eq!(offset, self.seen.len() as u64);
        self.seen.extend_from_slice(part);
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if status != 200 {
            return Judgement::Failed(ErrorClass::Status, String::new());
        }
        if length != self.body.len() as u64 {
            return Judgement::Failed(ErrorClass::Short, String::new());
        }
        if self.seen != self.body {
            return Judgement::Failed(ErrorClass::Wrong, String::new());
        }
        Judgement::Correct
    }
}

struct Driven {
    op: OpSample,
    ledger: Ledger,
    took: Duration,
}

impl Driven {
    fn errors(&self, class: ErrorClass) -> u64 {
        self.op.errors[class as usize]
    }
}

fn run(address: SocketAddr, worker: Echo, connections: usize, timeout: Duration) -> Driven {
    run_for(address, worker, connections, timeout, None)
}

fn run_for(
    address: SocketAddr,
    worker: Echo,
    connections: usize,
    timeout: Duration,
    window: Option<Duration>,
) -> Driven {
    let plan = Drive {
        carrier: Carrier::Route(Route::plain(address)),
        load: Load {
            pace: Pace::Closed,
            connections,
            think: None,
            timeout,
            keep_alive: true,
            requests: None,
        },
        seed: 1,
        lead: Duration::ZERO,
        window,
    };
    let mut op = OpSample::new("ECHO");
    let mut ledger = Ledger::default();
    let begun = Instant::now();
    drive(
        &plan,
        vec![Box::new(worker)],
        &AtomicBool::new(false),
        &mut |news| {
            let News::Sample(sample) = news else { return };
            let seen = &sample.ops[0];
            op.ok += seen.ok;
            op.received += seen.received;
            op.sent += seen.sent;
            for (sum, count) in op.errors.iter_mut().zip(seen.errors) {
                *sum += count;
            }
            for (text, count) in &seen.failures {
                *op.failures.entry(text.clone()).or_default() += count;
            }
            ledger += sample.ledger;
        },
    )
    .unwrap();
    Driven {
        op,
        ledger,
        took: begun.elapsed(),
    }
}

const PATIENT: Duration = Duration::from_secs(20);

#[test]
fn keeps_its_connections() {
    let address = fixed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let driven = run(address, Echo::times(500, b"hello"), 3, PATIENT);
    assert_eq!(driven.op.ok, 500);
    assert_eq!(driven.op.received, 500 * 43);
    assert_eq!(driven.ledger.opened, 3);
    assert_eq!(driven.ledger.reused, 497);
}

#[test]
fn reads_answers_that_come_byte_by_byte() {
    let address = server(|mut stream| {
        stream.set_nodelay(true).unwrap();
        while request(&mut stream).is_some() {
            for byte in b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n" {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        }
    });
    let driven = run(address, Echo::times(40, b"hello"), 1, PATIENT);
    assert_eq!(driven.op.ok, 40);
    assert_eq!(driven.ledger.opened, 1);
}

#[test]
fn sends_bodies_larger_than_any_buffer_and_reads_them_back() {
    static LARGE: [u8; 3_000_000] = [7; 3_000_000];
    let address = server(|mut stream| {
        while let Some(body) = request(&mut stream) {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).unwrap();
            // The client may be gone once it has what it wants.
            let _ = stream.write_all(&body);
        }
    });
    let mut worker = Echo::times(4, &LARGE);
    worker.sent = LARGE.to_vec();
    let driven = run(address, worker, 1, PATIENT);
    assert_eq!(driven.op.ok, 4);
    assert!(driven.op.sent > 12_000_000);
}

#[test]
fn follows_connection_close() {
    let address = server(|mut stream| {
        request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end")
            .unwrap();
    });
    let driven = run(address, Echo::times(30, b"until the end"), 2, PATIENT);
    assert_eq!(driven.op.ok, 30);
    assert_eq!(driven.ledger.closed_by_server, 30);
}

#[test]
fn garbage_is_a_protocol_error() {
    let driven = run(
        fixed(b"220 smtp.example ESMTP\r\n"),
        Echo::times(10, b""),
        1,
        PATIENT,
    );
    assert_eq!(driven.op.ok, 0);
    assert_eq!(driven.errors(ErrorClass::Protocol), 10);
}

#[test]
fn a_connection_closed_inside_the_answer_is_a_reset() {
    let address = server(|mut stream| {
        request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            .unwrap();
    });
    let driven = run(address, Echo::times(10, b""), 2, PATIENT);
    assert_eq!(driven.errors(ErrorClass::Reset), 10);
    assert_eq!(
        driven.op.failures["connection closed inside the answer"],
        10
    );
}

#[test]
fn silence_is_a_timeout() {
    let address = server(|mut stream| {
        request(&mut stream);
        thread::sleep(Duration::from_secs(5));
    });
    let driven = run(address, Echo::times(2, b""), 1, Duration::from_millis(150));
    assert_eq!(driven.errors(ErrorClass::Timeout), 2);
    assert!(driven.took < Duration::from_secs(4), "{:?}", driven.took);
}

#[test]
fn a_closed_port_is_a_connect_error() {
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap();
    let window = Some(Duration::from_millis(200));
    let driven = run_for(address, Echo::times(5, b""), 1, PATIENT, window);
    assert!(driven.errors(ErrorClass::Connect) > 1);
    assert!(driven.op.failures.contains_key("connection refused"));
}

#[test]
fn an_early_refusal_of_a_large_body_is_heard() {
    let address = server(|mut stream| {
        // Answers after the head alone, then closes.
        let mut some = [0; 1000];
        let _ = stream.read(&mut some);
        let _ = stream
            .write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        // Taking the rest avoids a reset that would destroy the answer.
        let mut sink = vec![0; 1 << 16];
        while matches!(stream.read(&mut sink), Ok(count) if count > 0) {}
    });
    let mut worker = Echo::times(3, b"");
    worker.sent = vec![1; 5_000_000];
    let driven = run(address, worker, 1, PATIENT);
    assert_eq!(driven.errors(ErrorClass::Status), 3);
}

#[test]
fn stop_is_heeded_at_once() {
    let address = server(|mut stream| {
        request(&mut stream);
        thread::sleep(Duration::from_secs(10));
    });
    let stop = AtomicBool::new(false);
    let plan = Drive {
        carrier: Carrier::Route(Route::plain(address)),
        load: Load {
            pace: Pace::Closed,
            connections: 1,
            think: None,
            timeout: PATIENT,
            keep_alive: true,
            requests: None,
        },
        seed: 1,
        lead: Duration::ZERO,
        window: Some(Duration::from_secs(60)),
    };
    let begun = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let workers: Vec<Box<dyn Workload>> = vec![Box::new(Echo::times(9, b""))];
        let done = drive(&plan, workers, &stop, &mut |_| {}).unwrap();
        assert!(done.cut_short);
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
}
