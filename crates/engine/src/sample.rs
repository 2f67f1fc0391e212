//! What the engine hands out about once a second, from each of its threads.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::error::ErrorClass;
use crate::exchange::Role;
use crate::histogram::{latency_histogram, small_histogram};

/// Everything one thread saw in a stretch of about one second of a slice's
/// measured window, and last of all in the drain after it.
///
/// Throughput and latency count different things, so that both are unbiased:
/// `ok` counts what *ended* inside the window, the histograms hold what was *due*
/// inside it, even if it ended in the drain.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Generator thread, from 0.
    pub thread: usize,
    /// Start of the stretch, nanoseconds after the measured window opened.
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// Figures, one for each of the workload's operations.
    pub ops: Vec<OpSample>,
    /// What happened to connections.
    pub ledger: Ledger,
    /// How long opening connections took, step by step.
    pub setup: SetupSample,
    /// Figures of each host of the route, in its order; empty with one host.
    pub hosts: Vec<HostSample>,
    /// CPU time of this thread in the stretch, nanoseconds.
    pub cpu: u64,
    /// Time for which this thread was ready to run in the stretch and waited for a core,
    /// nanoseconds; `None` where the kernel does not count it.
    pub waited: Option<u64>,
    /// Open loop: arrivals due by `end` and not yet written.
    pub backlog: u64,
    /// True for what came in after the window closed, while draining.
    pub drain: bool,
    /// The longest pause that ended in the stretch; `None` if all were shorter than
    /// [`SHORTEST_PAUSE_NANOS`].
    pub pause: Option<Pause>,
    /// Open loop: requests due in the window that this thread sent late though a connection was
    /// free, by how late: bucket i from 2^(16+i) ns (the first: 66 µs) up to twice that, the last
    /// without an upper end.
    pub late: [u64; LATE_BUCKETS],
}

impl Sample {
    /// Leaves out what happened to connections and hosts: those are not connections of the load.
    pub(crate) fn forget_connections(&mut self) {
        self.ledger = Ledger::default();
        self.setup = SetupSample::default();
        self.hosts.clear();
    }
}

/// A stretch in which requests of a thread were out and none was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// Its start, nanoseconds after the measured window opened: the last response before
    /// it, or the first request where none was out.
    pub start: u64,
    /// Its end: the next response, or the end of the drain.
    pub end: u64,
}

/// Buckets of [`Sample::late`].
pub const LATE_BUCKETS: usize = 20;
/// The lateness, nanoseconds, from which on a request is in [`Sample::late`], as a power of 2.
pub const LATE_FROM_LOG2: u32 = 16;

/// The shortest pause that is reported.
pub const SHORTEST_PAUSE_NANOS: u64 = 1_000_000;

/// One operation's figures in a [`Sample`].
#[derive(Debug, Clone)]
pub struct OpSample {
    /// Name of the operation.
    pub name: &'static str,
    /// What it is to the work.
    pub role: Role,
    /// Correct answers that came inside the window: the numerator of throughput.
    pub ok: u64,
    /// Bytes written, heads included.
    pub sent: u64,
    /// Bytes read, heads included.
    pub received: u64,
    /// Body bytes of correct answers, or of correctly answered request bodies.
    pub payload: u64,
    /// Body bytes of the answers alone; 0 of what is made of several requests.
    pub answered: u64,
    /// Failures by class, indexed by `ErrorClass as usize`: what was due before
    /// the window closed and failed after it opened.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failure texts with their counts, at most 32 different ones.
    pub failures: BTreeMap<String, u64>,
    /// Operations still out when the drain ended, recorded in `failed` at their
    /// age. They are also counted in `errors` as timeouts.
    pub censored: u64,
    /// Write start to last byte of correct answers.
    pub service: Histogram<u64>,
    /// Intended start to last byte of correct answers; empty in a closed loop,
    /// where it equals `service`.
    pub response: Histogram<u64>,
    /// Intended start to write start; empty in a closed loop.
    pub lag: Histogram<u64>,
    /// Write start to first byte of correct answers.
    pub first_byte: Histogram<u64>,
    /// Start to failure.
    pub failed: Histogram<u64>,
}

impl OpSample {
    /// Nothing seen yet of requests of that name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            role: Role::Request,
            ok: 0,
            sent: 0,
            received: 0,
            payload: 0,
            answered: 0,
            errors: [0; ErrorClass::ALL.len()],
            statuses: BTreeMap::new(),
            failures: BTreeMap::new(),
            censored: 0,
            service: latency_histogram(),
            response: latency_histogram(),
            lag: latency_histogram(),
            first_byte: latency_histogram(),
            failed: latency_histogram(),
        }
    }

    /// All failures.
    pub fn failed_count(&self) -> u64 {
        self.errors.iter().sum()
    }
}

/// How long opening connections took, nanoseconds, each step apart; never part of
/// the latency of an operation on a connection that stands. Those that the lead
/// left to the window are among them.
#[derive(Debug, Clone)]
pub struct SetupSample {
    /// From the first step to an open socket: TCP's handshake, or a Unix
    /// socket's acceptance.
    pub connect: Histogram<u64>,
    /// TLS handshakes; empty without TLS.
    pub tls: Histogram<u64>,
    /// Write start to first byte of the first answer on a connection.
    pub first_byte: Histogram<u64>,
    /// Write start to last byte of the first response on a connection, of those that
    /// count as correct: a part of their operation's service times.
    pub response: Histogram<u64>,
    /// The same responses with the time that opening their connection took.
    pub total: Histogram<u64>,
}

impl Default for SetupSample {
    fn default() -> Self {
        Self {
            connect: small_histogram(),
            tls: small_histogram(),
            first_byte: small_histogram(),
            response: small_histogram(),
            total: small_histogram(),
        }
    }
}

/// One host's figures, over all operations.
#[derive(Debug, Clone)]
pub struct HostSample {
    /// Correct answers that came inside the window.
    pub ok: u64,
    /// Failures by class, indexed by `ErrorClass as usize`.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Write start to last byte of correct answers.
    pub service: Histogram<u64>,
}

impl Default for HostSample {
    fn default() -> Self {
        Self {
            ok: 0,
            errors: [0; ErrorClass::ALL.len()],
            service: small_histogram(),
        }
    }
}

/// What happened to connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Connections established, with those that the lead left open for the window.
    pub opened: u64,
    /// Of `opened`: those that the lead left open for the window.
    pub standing: u64,
    /// Requests sent on a connection that had carried one before; those that had to be
    /// sent again count again.
    pub reused: u64,
    /// Closed by Tenbin: keep-alive off, a timeout, the end of the slice.
    pub closed_by_client: u64,
    /// Closed by the server in good order, between answers.
    pub closed_by_server: u64,
    /// Attempts refused or failed inside the window or the drain.
    pub refused: u64,
    /// Reset or closed in the middle of an answer.
    pub reset: u64,
    /// Sum of connect times of `opened`, nanoseconds. One that takes the place of
    /// another counts from the moment that one was given up, its closing included.
    pub connect_nanos: u64,
    /// Time inside the window of requests whose times are in no histogram, because they were due
    /// before it opened, nanoseconds.
    pub unrecorded_nanos: u64,
    /// Time outside the window of requests whose times are in a histogram, nanoseconds.
    pub outside_nanos: u64,
}

impl std::ops::AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.opened += other.opened;
        self.standing += other.standing;
        self.reused += other.reused;
        self.closed_by_client += other.closed_by_client;
        self.closed_by_server += other.closed_by_server;
        self.refused += other.refused;
        self.reset += other.reset;
        self.connect_nanos += other.connect_nanos;
        self.unrecorded_nanos += other.unrecorded_nanos;
        self.outside_nanos += other.outside_nanos;
    }
}
