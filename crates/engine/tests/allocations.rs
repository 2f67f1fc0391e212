//! Tests that the hot path allocates no memory after a warm-up, from preparing a request to
//! counting its response.

#![allow(clippy::unwrap_used)]

#[path = "support/counting.rs"]
mod counting;
mod support;

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use counting::allocations;
use support::{PATIENT, closed, driven, request, server};
use tenbin_engine::{
    BodyUse, Destination, Drive, ErrorClass, Exchange, Judgement, Moment, Next, Part, ResponseHead,
    Route, Workload, drive,
};
use tenbin_plan::{Load, Pace};

const WARM: u64 = 2_000;
const COUNTED: u64 = 4_000;
static BODY: LazyLock<Vec<u8>> = LazyLock::new(|| vec![7; 200_000]);

/// A workload that counts the requests during which memory was allocated.
struct Frugal {
    issued: u64,
    use_of_body: BodyUse,
    payload: &'static [u8],
    before: u64,
    begun: Option<Instant>,
    /// Number of counted requests with allocations, minus one per second for shipping a sample.
    spent: Arc<AtomicU64>,
}

impl Frugal {
    fn new(use_of_body: BodyUse, payload: &'static [u8]) -> (Self, Arc<AtomicU64>) {
        let spent = Arc::new(AtomicU64::new(u64::MAX));
        let worker = Self {
            issued: 0,
            use_of_body,
            payload,
            before: 0,
            begun: None,
            spent: Arc::clone(&spent),
        };
        (worker, spent)
    }

    fn count(&mut self) {
        let now = allocations();
        if self.issued == WARM {
            self.begun = Some(Instant::now());
            self.spent.store(0, Ordering::Relaxed);
        } else if self.issued > WARM && now != self.before {
            self.spent.fetch_add(1, Ordering::Relaxed);
        }
        self.before = allocations();
    }
}

impl Workload for Frugal {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        self.count();
        if self.issued == WARM + COUNTED {
            let seconds = self.begun.map_or(0, |begun| begun.elapsed().as_secs() + 1);
            let spent = self.spent.load(Ordering::Relaxed);
            self.spent
                .store(spent.saturating_sub(seconds), Ordering::Relaxed);
            return Next::Exhausted;
        }
        self.issued += 1;
        exchange.head.clear();
        let length = self.payload.len();
        write!(
            exchange.head,
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        self.payload
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        self.use_of_body
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        if status == 200 {
            Judgement::Correct
        } else {
            Judgement::Failed(ErrorClass::Status, String::new())
        }
    }
}

/// Runs `load` against responses with bodies of `length` bytes. Returns the number of requests with
/// allocations.
fn spent(load: Load, length: usize, use_of_body: BodyUse, payload: &'static [u8]) -> u64 {
    let address = server(move |mut stream| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nServer-Timing: db;dur=1.5, app;desc=\"x\";dur=2\r\n\
             Trace-Log: ACCESS:1\r\nContent-Length: {length}\r\n\r\n"
        );
        let answer = [head.as_bytes(), &BODY[..length]].concat();
        while request(&mut stream).is_some() {
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    });
    let (worker, spent) = Frugal::new(use_of_body, payload);
    let done = driven(Route::plain(address), load, None, Box::new(worker));
    assert_eq!(done.op.counts.ok, WARM + COUNTED, "{:?}", done.op.failures);
    let stages = done.stages.of("GET").unwrap();
    assert_eq!(
        (stages.carrying(), stages.stages.len()),
        (done.op.counts.ok, 3)
    );
    spent.load(Ordering::Relaxed)
}

#[test]
fn the_hot_path_allocates_nothing() {
    let discard = BodyUse::Discard;
    assert_eq!(spent(closed(8, PATIENT), 12, discard, b""), 0, "small");
    let inspect = BodyUse::Inspect;
    assert_eq!(spent(closed(2, PATIENT), 200_000, inspect, b""), 0, "seen");
    assert_eq!(spent(closed(2, PATIENT), 200_000, discard, b""), 0, "large");
    assert_eq!(spent(closed(2, PATIENT), 12, discard, &BODY), 0, "sent");
    let open_loop = Load {
        pace: Pace::Poisson {
            per_second: 20_000.0,
        },
        ..closed(8, PATIENT)
    };
    assert_eq!(spent(open_loop, 12, discard, b""), 0, "paced");
}

#[test]
fn the_null_driver_allocates_nothing() {
    let (worker, spent) = Frugal::new(BodyUse::Discard, b"");
    let plan = Drive {
        rest: None,
        destination: Destination::Null,
        load: closed(64, PATIENT),
        seed: 1,
        lead: Duration::ZERO,
        stages: false,
        part: Part::default(),
        window: None,
    };
    let workers: Vec<Box<dyn Workload>> = vec![Box::new(worker)];
    drive(&plan, workers, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_eq!(spent.load(Ordering::Relaxed), 0);
}
