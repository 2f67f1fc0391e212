//! The figures that each generator thread reports about once a second.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::error::ErrorClass;
use crate::exchange::Role;
use crate::histogram::{latency_histogram, small_histogram};

/// The figures of one thread for about one second of a slice's measured window; the last sample
/// covers the drain after the window.
///
/// Throughput and latency count different operations, so that both are unbiased: `ok` counts
/// operations that *ended* inside the window; the histograms hold operations that were *due*
/// inside the window, even if they ended in the drain.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Generator thread, from 0.
    pub thread: usize,
    /// Start of the sample's period, nanoseconds after the measured window opened.
    pub start: u64,
    /// End of the period, nanoseconds after the window opened.
    pub end: u64,
    /// Figures of each of the workload's operations.
    pub ops: Vec<OpSample>,
    /// Counters of connection events.
    pub ledger: Ledger,
    /// Duration of connection set-up, by phase.
    pub setup: SetupSample,
    /// Figures of each host of the route, in its order; empty with one host.
    pub hosts: Vec<HostSample>,
    /// CPU time of this thread in the period, nanoseconds.
    pub cpu: u64,
    /// Time in which this thread was ready to run and waited for a core, nanoseconds; `None`
    /// where the kernel does not count it.
    pub waited: Option<u64>,
    /// Open loop: arrivals due by `end` and not yet sent.
    pub backlog: u64,
    /// Whether the sample covers the drain after the window closed.
    pub drain: bool,
    /// The longest pause that ended in the period; `None` if all were shorter than
    /// [`SHORTEST_PAUSE_NANOS`].
    pub pause: Option<Pause>,
    /// Open loop: requests due in the window that this thread sent late although a connection was
    /// free, by lateness. Bucket i holds 2^(16+i) ns (first bucket: 66 µs) up to twice that; the
    /// last bucket has no upper bound.
    pub late: [u64; LATE_BUCKETS],
}

impl Sample {
    /// Clears the counters of connections and hosts: these connections do not belong to the load.
    pub(crate) fn forget_connections(&mut self) {
        self.ledger = Ledger::default();
        self.setup = SetupSample::default();
        self.hosts.clear();
    }
}

/// A period in which requests of a thread were in flight and no response arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// Start, nanoseconds after the measured window opened: the last response before the pause,
    /// or the first request if none was in flight.
    pub start: u64,
    /// End: the next response, or the end of the drain.
    pub end: u64,
}

/// Buckets of [`Sample::late`].
pub const LATE_BUCKETS: usize = 20;
/// Lower bound of the first bucket of [`Sample::late`], nanoseconds, as a power of 2.
pub const LATE_FROM_LOG2: u32 = 16;

/// The shortest pause that is reported, nanoseconds.
pub const SHORTEST_PAUSE_NANOS: u64 = 1_000_000;

/// One operation's figures in a [`Sample`].
#[derive(Debug, Clone)]
pub struct OpSample {
    /// Name of the operation.
    pub name: &'static str,
    /// How the operation counts.
    pub role: Role,
    /// Correct responses inside the window: the numerator of throughput.
    pub ok: u64,
    /// Bytes written, including heads.
    pub sent: u64,
    /// Bytes read, including heads.
    pub received: u64,
    /// Body bytes of correct operations, of the request or the response.
    pub payload: u64,
    /// Body bytes of responses alone; 0 for transactions.
    pub answered: u64,
    /// Failures by class, indexed by `ErrorClass as usize`: operations due before the window
    /// closed that failed after it opened.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failure texts with their counts, at most 32 distinct texts.
    pub failures: BTreeMap<String, u64>,
    /// Operations in flight when the drain ended. `failed` contains their age at that time, and
    /// `errors` counts them as timeouts.
    pub censored: u64,
    /// Service time: from the start of the write to the last byte of correct responses.
    pub service: Histogram<u64>,
    /// Response time: from the intended start to the last byte of correct responses. Empty in a
    /// closed loop, where it equals `service`.
    pub response: Histogram<u64>,
    /// Send lag: from the intended start to the start of the write. Empty in a closed loop.
    pub lag: Histogram<u64>,
    /// Time to first byte: from the start of the write to the first byte of correct responses.
    pub first_byte: Histogram<u64>,
    /// Time from the start to the failure.
    pub failed: Histogram<u64>,
}

impl OpSample {
    /// An empty sample of the operation with this name.
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

    /// Number of failures of all classes.
    pub fn failed_count(&self) -> u64 {
        self.errors.iter().sum()
    }
}

/// Duration of connection set-up, nanoseconds, by phase; not part of the latency of an operation
/// on an open connection. Includes connections that were opened before the window and are used in
/// it.
#[derive(Debug, Clone)]
pub struct SetupSample {
    /// Time until the socket was open: the TCP handshake, or `connect` of a Unix socket.
    pub connect: Histogram<u64>,
    /// TLS handshakes; empty without TLS.
    pub tls: Histogram<u64>,
    /// Time to first byte of the first response on a connection.
    pub first_byte: Histogram<u64>,
    /// Service times of the first response on a connection, if it was correct; `service` of the
    /// operation includes them.
    pub response: Histogram<u64>,
    /// The same responses, including the set-up of their connection.
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

/// The figures of one host, over all operations.
#[derive(Debug, Clone)]
pub struct HostSample {
    /// Correct responses inside the window.
    pub ok: u64,
    /// Failures by class, indexed by `ErrorClass as usize`.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Service time of correct responses: from the start of the write to the last byte.
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

/// Counters of connection events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Connections opened, including those that were open when the window opened.
    pub opened: u64,
    /// Of `opened`: connections that were open when the window opened.
    pub already_open: u64,
    /// Requests on a connection that had already carried a request; a repeated request counts
    /// again.
    pub reused: u64,
    /// Closed by Tenbin: keep-alive off, a timeout, or the end of the slice.
    pub closed_by_client: u64,
    /// Closed by the server in good order, between responses.
    pub closed_by_server: u64,
    /// Attempts that were refused or failed inside the window or the drain.
    pub refused: u64,
    /// Reset or closed during a response.
    pub reset: u64,
    /// Sum of the connect times of `opened`, nanoseconds. For a connection that replaces another,
    /// the time starts when the other was given up, and includes its closing.
    pub connect_nanos: u64,
    /// Time inside the window of requests that no histogram contains because they were due before
    /// it opened, nanoseconds.
    pub unrecorded_nanos: u64,
    /// Time outside the window of requests that a histogram contains, nanoseconds.
    pub outside_nanos: u64,
}

impl std::ops::AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.opened += other.opened;
        self.already_open += other.already_open;
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
