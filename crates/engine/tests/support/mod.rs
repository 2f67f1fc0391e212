//! Helpers for the tests on real sockets: servers whose behaviour a test defines, a workload that
//! checks the responses, and a drive that sums its samples.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::{
    BodyUse, Destination, Drive, ErrorClass, Exchange, Judgement, Ledger, Moment, Next, OpSample,
    Part, ResponseHead, Route, SliceEvent, StageSums, TcpFigures, Workload, drive,
};
use tenbin_plan::Load;

/// A timeout that no passing test reaches.
pub const PATIENT: Duration = Duration::from_secs(20);

/// Starts a server that handles each connection with `serve`. Returns the server's address.
pub fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
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
pub fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
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

/// Starts a server that responds to every request with the same bytes.
pub fn fixed(answer: &'static [u8]) -> SocketAddr {
    server(move |mut stream| {
        while request(&mut stream).is_some() {
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    })
}

/// A workload that sends `count` requests and expects `body` back.
pub struct Echo {
    pub count: u64,
    pub sent: Vec<u8>,
    pub body: &'static [u8],
    pub seen: Vec<u8>,
}

impl Echo {
    pub fn times(count: u64, body: &'static [u8]) -> Self {
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

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
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

pub struct Driven {
    pub op: OpSample,
    pub ledger: Ledger,
    pub tcp: Option<TcpFigures>,
    pub stages: StageSums,
    pub took: Duration,
}

impl Driven {
    /// Asserts that the TCP statistics of every connection were read and have a round trip.
    pub fn expect_tcp_of_all(&self) {
        if cfg!(target_os = "linux") {
            let tcp = self.tcp.expect("TCP figures exist");
            assert_eq!(tcp.connections, self.ledger.opened, "{tcp:?}");
            assert!(tcp.min_rtt.is_some(), "{tcp:?}");
        }
    }

    pub fn errors(&self, class: ErrorClass) -> u64 {
        self.op.errors_of(class)
    }
}

pub fn run(address: SocketAddr, worker: Echo, connections: usize, timeout: Duration) -> Driven {
    run_for(address, worker, connections, timeout, None)
}

pub fn run_for(
    address: SocketAddr,
    worker: Echo,
    connections: usize,
    timeout: Duration,
    window: Option<Duration>,
) -> Driven {
    let load = closed(connections, timeout);
    driven(Route::plain(address), load, window, Box::new(worker))
}

/// A closed loop with default settings.
pub fn closed(connections: usize, timeout: Duration) -> Load {
    Load {
        timeout,
        ..Load::closed(connections)
    }
}

/// Drives one worker and sums the worker's samples.
pub fn driven(
    route: Route,
    load: Load,
    window: Option<Duration>,
    worker: Box<dyn Workload>,
) -> Driven {
    let plan = Drive {
        rest: None,
        destination: Destination::Route(route),
        load,
        seed: 1,
        lead: Duration::ZERO,
        stages: true,
        part: Part::default(),
        window,
    };
    let mut op = OpSample::new("all");
    let mut ledger = Ledger::default();
    let begun = Instant::now();
    let done = drive(&plan, vec![worker], &AtomicBool::new(false), &mut |event| {
        let SliceEvent::Sample(sample) = event else {
            return;
        };
        op.add(&sample.ops[0]);
        ledger += sample.ledger;
    })
    .unwrap();
    Driven {
        op,
        ledger,
        tcp: done.tcp,
        stages: done.stages.unwrap(),
        took: begun.elapsed(),
    }
}
