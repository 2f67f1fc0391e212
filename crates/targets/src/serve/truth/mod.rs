//! The ground-truth server: it responds at known times and logs these times, so that the figures of
//! a load generator can be compared with the truth.
//!
//! One thread per connection reads requests and schedules their responses with the [`scheduler`].
//! One timekeeper thread sends every response when it is due. The server is made for precision, not
//! for speed. Responses are sent in order of their due times, so pipelining is not supported.

mod connection;
mod log;
mod prefork;
mod response;
mod scheduler;
mod service;
mod stall;
mod timekeeper;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::connection::Connection;
use self::log::Log;
pub use self::response::{Shares, share};
use self::scheduler::Scheduler;
pub use self::service::Service;
pub use self::stall::{RarePause, Stall};
use self::timekeeper::Timekeeper;
use super::ServeError;

/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Settings of the ground-truth server.
#[derive(Debug, Clone)]
pub struct TruthOptions {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Service time of requests; a request can override it with `X-Tenbin-Delay: 5ms`.
    pub service: Service,
    /// Seed of all random values.
    pub seed: u64,
    /// Number of workers, which serve requests in order of arrival; `None` for no limit. N workers
    /// with a mean service time of S serve at most N/S requests per second.
    pub workers: Option<NonZeroUsize>,
    /// Number of workers that share one listening socket. Each worker serves the connections that
    /// it has accepted, one request at a time. Of the other settings, only `listen`, `service` and
    /// `seed` work with `prefork`.
    pub prefork: Option<NonZeroUsize>,
    /// Maximum number of requests started per second, evenly spaced; further requests wait.
    pub capacity: Option<f64>,
    /// Number of requests of `capacity` that the server saves while it has fewer, up to this number
    /// (token bucket). Saved requests start at once. 0 for none.
    pub credit: u64,
    /// Periods in which the server sends no response.
    pub stalls: Vec<Stall>,
    /// A pause once per N requests. The server sends no response from the request that starts the
    /// pause until the end of the pause, and then sends all responses that are due.
    pub rare_pause: Option<RarePause>,
    /// Shares of faulty responses; a request can override them with `X-Tenbin-Answer: reset`.
    pub shares: Shares,
    /// Whether to send head and body in two writes with Nagle's algorithm enabled, so that the body
    /// waits for the peer's delayed acknowledgement of the head.
    pub two_writes: bool,
    /// Log file with one line per request; `None` for no log.
    pub log: Option<PathBuf>,
}

/// Clock that counts nanoseconds since the server's start.
#[derive(Debug, Clone, Copy)]
struct Clock(Instant);

impl Clock {
    fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// Serves until SIGTERM or SIGINT. Calls `ready` once, with the listen address. On return, the log
/// contains every request with a response.
///
/// # Errors
/// When the server cannot listen, write its log or start its threads.
pub fn truth(options: &TruthOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(ServeError::Runtime)?;
    let served = Served::start(options)?;
    ready(served.address);
    signals.forever().next();
    served.stop()
}

/// A running server.
struct Served {
    address: SocketAddr,
    log: Arc<Log>,
    over: Arc<AtomicBool>,
}

impl Served {
    fn start(options: &TruthOptions) -> Result<Self, ServeError> {
        if let Some(workers) = options.prefork {
            let over = Arc::new(AtomicBool::new(false));
            return Ok(Self {
                address: prefork::start(options, workers, &over)?,
                log: Arc::new(Log::create(None)?),
                over,
            });
        }
        let unusable = |source| ServeError::Listen {
            address: options.listen,
            source,
        };
        let log = Arc::new(Log::create(options.log.as_deref())?);
        let listener = TcpListener::bind(options.listen).map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let clock = Clock(Instant::now());
        let timekeeper = Timekeeper::start(clock, Arc::clone(&log)).map_err(ServeError::Runtime)?;
        let scheduler = Arc::new(Scheduler::new(options));
        let over = Arc::new(AtomicBool::new(false));
        let (seen, counts) = (Arc::clone(&over), Arc::clone(&log));
        let two_writes = options.two_writes;
        thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || {
                accept(
                    &listener, clock, two_writes, &scheduler, &timekeeper, &counts, &seen,
                );
            })
            .map_err(ServeError::Runtime)?;
        Ok(Self { address, log, over })
    }

    /// Stops accepting connections and closes the log. The process is expected to end soon.
    fn stop(&self) -> Result<(), ServeError> {
        self.over.store(true, Ordering::Relaxed);
        self.log.close()
    }
}

fn accept(
    listener: &TcpListener,
    clock: Clock,
    two_writes: bool,
    scheduler: &Arc<Scheduler>,
    timekeeper: &Arc<Timekeeper>,
    log: &Log,
    over: &AtomicBool,
) {
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(ACCEPT_PAUSE);
            continue;
        };
        let connection = Connection::new(number, stream, clock, two_writes);
        number += 1;
        log.count_connection();
        let (scheduler, timekeeper) = (Arc::clone(scheduler), Arc::clone(timekeeper));
        let serving = move || -> io::Result<()> { connection?.serve(&scheduler, &timekeeper) };
        // If the thread cannot be started, the connection is closed, which the peer notices.
        let _ = thread::Builder::new()
            .name(format!("connection {number}"))
            .stack_size(128 * 1024)
            .spawn(serving);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpStream;

    use super::*;

    pub(super) fn options(log: Option<PathBuf>) -> TruthOptions {
        TruthOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            service: Service::Fixed(Duration::ZERO),
            seed: 1,
            workers: None,
            prefork: None,
            capacity: None,
            credit: 0,
            stalls: Vec::new(),
            rare_pause: None,
            shares: Shares::default(),
            two_writes: false,
            log,
        }
    }

    fn request(stream: &mut TcpStream, headers: &str) -> io::Result<Vec<u8>> {
        write!(stream, "GET / HTTP/1.1\r\n{headers}\r\n")?;
        let mut response = vec![0; 1024];
        let read = stream.read(&mut response)?;
        response.truncate(read);
        Ok(response)
    }

    fn request_once(served: &Served, headers: &str) -> io::Result<Vec<u8>> {
        request(&mut TcpStream::connect(served.address)?, headers)
    }

    #[test]
    fn a_faulty_response_has_the_requested_fault() {
        let served = Served::start(&options(None)).unwrap();
        let reset = request_once(&served, "X-Tenbin-Answer: reset\r\n");
        assert_eq!(reset.unwrap_err().kind(), ErrorKind::ConnectionReset);
        let half = request_once(&served, "X-Tenbin-Answer: truncate\r\n").unwrap();
        assert!(half.ends_with(b"\r\n\r\nground"), "{half:?}");
        let malformed = request_once(&served, "X-Tenbin-Answer: malformed\r\n").unwrap();
        assert!(malformed.starts_with(b"HTTP/1.1 OK 200"));
        let right = request_once(&served, "").unwrap();
        assert!(right.ends_with(b"\r\n\r\nground truth"));
        served.stop().unwrap();
    }

    #[test]
    fn responses_are_never_early_and_the_log_has_their_times() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let served = Served::start(&options(Some(path.clone()))).unwrap();
        let mut stream = TcpStream::connect(served.address).unwrap();
        let mut took = Vec::new();
        for _ in 0..50 {
            let begun = Instant::now();
            request(&mut stream, "X-Tenbin-Delay: 2ms\r\n").unwrap();
            took.push(begun.elapsed().as_nanos() as u64);
        }
        served.stop().unwrap();

        let log = std::fs::read_to_string(path).unwrap();
        assert!(log.ends_with("\n# connections 1\n"), "{log}");
        let lines: Vec<Vec<u64>> = log
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let numbers = line.split(' ').take(7);
                numbers.map(|number| number.parse().unwrap()).collect()
            })
            .collect();
        assert_eq!(lines.len(), took.len());
        let mut late = Vec::new();
        for (index, (line, took)) in lines.iter().zip(took).enumerate() {
            let [
                number,
                connection,
                received,
                due,
                answered,
                bytes_in,
                bytes_out,
            ] = line[..]
            else {
                panic!("{line:?}");
            };
            assert_eq!((number, connection), (index as u64, 0));
            assert_eq!((bytes_in, bytes_out), (39, 51), "{log}");
            assert_eq!(due, received + 2_000_000);
            assert!(due <= answered && answered - received <= took);
            late.push(answered - due);
        }
        late.sort_unstable();
        // Checks only a quarter of the values, because a busy machine can delay the others. A timer
        // with a resolution of 1 ms would delay three quarters by at least 0.25 ms.
        assert!(late[12] < 200_000, "{late:?}");
    }
}
