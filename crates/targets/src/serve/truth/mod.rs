//! The ground-truth server: what it does to each request is known beforehand and
//! logged, so that what a load generator reports can be held against it.
//!
//! A thread for each connection reads requests and plans their answers on the
//! [`desk`]; one timekeeper sends every answer at its time. Built to be exact, not
//! fast. Requests are answered in the order of their times: do not pipeline.

mod answer;
mod connection;
mod desk;
mod log;
mod prefork;
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

pub use self::answer::{Shares, share};
use self::connection::Connection;
use self::desk::Desk;
use self::log::Log;
pub use self::service::{Service, ServiceError};
pub use self::stall::{RarePause, RarePauseError, Stall, StallError};
use self::timekeeper::Timekeeper;
use super::ServeError;

/// Rest after a failed accept: usually there are no file descriptors left.
const ACCEPT_REST: Duration = Duration::from_millis(10);

/// What the truth is to be.
#[derive(Debug, Clone)]
pub struct TruthOptions {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long a request takes to serve, unless it says so itself
    /// (`X-Tenbin-Delay: 5ms`).
    pub service: Service,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of requests served at the same time, first come first served; unlimited if not set.
    /// N workers with a mean service time of S serve at most N/S requests a second.
    pub workers: Option<NonZeroUsize>,
    /// Number of workers that share one listening socket. Each serves the connections that it has
    /// accepted, one request at a time. Capacity, stalls, wrong responses and the log do not work
    /// with it.
    pub prefork: Option<NonZeroUsize>,
    /// Most requests started per second, evenly spaced; further requests wait.
    pub capacity: Option<f64>,
    /// Times in which the server sends no response.
    pub stalls: Vec<Stall>,
    /// A pause once per N requests. From the request that starts the pause until its end the server
    /// sends no response; then it sends all responses that are due.
    pub rare_pause: Option<RarePause>,
    /// Share of requests that are answered wrong, unless they say so themselves
    /// (`X-Tenbin-Answer: reset`).
    pub shares: Shares,
    /// Send head and body in two writes with Nagle's algorithm on, so that the body waits for
    /// the peer's delayed acknowledgement of the head.
    pub two_writes: bool,
    /// Where to log every request, one line each.
    pub log: Option<PathBuf>,
}

/// Nanoseconds since the server's start.
#[derive(Debug, Clone, Copy)]
struct Clock(Instant);

impl Clock {
    fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// Serves until SIGTERM or SIGINT; then the log is complete but for requests not
/// yet answered. `ready` is called once, with the address that it listens on.
///
/// # Errors
/// It cannot listen there, write its log, or start its threads.
pub fn truth(options: &TruthOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(ServeError::Runtime)?;
    let served = Served::start(options)?;
    ready(served.address);
    signals.forever().next();
    served.stop()
}

/// A server at work.
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
        let desk = Arc::new(Desk::new(options));
        let over = Arc::new(AtomicBool::new(false));
        let (seen, counts) = (Arc::clone(&over), Arc::clone(&log));
        let two_writes = options.two_writes;
        thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || {
                accept(
                    &listener,
                    clock,
                    two_writes,
                    &desk,
                    &timekeeper,
                    &counts,
                    &seen,
                );
            })
            .map_err(ServeError::Runtime)?;
        Ok(Self { address, log, over })
    }

    /// Answers nothing new; the process is expected to end soon.
    fn stop(&self) -> Result<(), ServeError> {
        self.over.store(true, Ordering::Relaxed);
        self.log.close()
    }
}

fn accept(
    listener: &TcpListener,
    clock: Clock,
    two_writes: bool,
    desk: &Arc<Desk>,
    timekeeper: &Arc<Timekeeper>,
    log: &Log,
    over: &AtomicBool,
) {
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(ACCEPT_REST);
            continue;
        };
        let connection = Connection::new(number, stream, clock, two_writes);
        number += 1;
        log.count_connection();
        let (desk, timekeeper) = (Arc::clone(desk), Arc::clone(timekeeper));
        let serving = move || -> io::Result<()> { connection?.serve(&desk, &timekeeper) };
        // Without a thread the connection is closed, which its peer will see.
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
            stalls: Vec::new(),
            rare_pause: None,
            shares: Shares::default(),
            two_writes: false,
            log,
        }
    }

    fn ask(stream: &mut TcpStream, headers: &str) -> io::Result<Vec<u8>> {
        write!(stream, "GET / HTTP/1.1\r\n{headers}\r\n")?;
        let mut answer = vec![0; 1024];
        let read = stream.read(&mut answer)?;
        answer.truncate(read);
        Ok(answer)
    }

    fn ask_once(served: &Served, headers: &str) -> io::Result<Vec<u8>> {
        ask(&mut TcpStream::connect(served.address)?, headers)
    }

    #[test]
    fn a_wrong_answer_is_wrong_in_the_way_asked_for() {
        let served = Served::start(&options(None)).unwrap();
        let reset = ask_once(&served, "X-Tenbin-Answer: reset\r\n");
        assert_eq!(reset.unwrap_err().kind(), ErrorKind::ConnectionReset);
        let half = ask_once(&served, "X-Tenbin-Answer: truncate\r\n").unwrap();
        assert!(half.ends_with(b"\r\n\r\nground"), "{half:?}");
        let malformed = ask_once(&served, "X-Tenbin-Answer: malformed\r\n").unwrap();
        assert!(malformed.starts_with(b"HTTP/1.1 OK 200"));
        let right = ask_once(&served, "").unwrap();
        assert!(right.ends_with(b"\r\n\r\nground truth"));
        served.stop().unwrap();
    }

    #[test]
    fn answers_come_no_sooner_than_due_and_the_log_knows_when() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let served = Served::start(&options(Some(path.clone()))).unwrap();
        let mut stream = TcpStream::connect(served.address).unwrap();
        let mut took = Vec::new();
        for _ in 0..50 {
            let begun = Instant::now();
            ask(&mut stream, "X-Tenbin-Delay: 2ms\r\n").unwrap();
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
        // A quarter of them: a busy machine may delay the others. A millisecond timer
        // would be a quarter of a millisecond late or more for three quarters.
        assert!(late[12] < 200_000, "{late:?}");
    }
}
