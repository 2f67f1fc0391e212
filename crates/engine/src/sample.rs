//! The figures that each generator thread reports about once a second.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::error::ErrorClass;
use crate::exchange::Role;
use crate::histogram::{latency_histogram, small_histogram, sparse};

/// The figures of one thread for about one second of a slice's measured window. The last sample
/// covers the drain: the time after the window in which requests in flight finish.
///
/// Throughput and latency count different operations, so that both are unbiased: `ok` counts
/// operations that *ended* inside the window; the histograms hold operations that were *due*
/// inside the window, even if they ended in the drain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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
    /// Figures of each host, in the order of the route's hosts; empty with one host.
    pub hosts: Vec<HostSample>,
    /// CPU time of this thread in the period, nanoseconds.
    pub cpu: u64,
    /// Time for which this thread was ready to run and waited for a core, nanoseconds; `None` if
    /// the kernel does not report waiting times.
    pub waited: Option<u64>,
    /// Open loop: requests due by `end` and not yet sent.
    pub backlog: u64,
    /// Whether the sample covers the drain after the window closed.
    pub drain: bool,
    /// The longest pause that ended in the period; `None` if all were shorter than
    /// [`SHORTEST_PAUSE_NANOS`].
    pub pause: Option<Pause>,
    /// Open loop: requests due in the window that this thread sent late although a connection was
    /// free, by delay. Bucket i counts delays from 2^(16+i) ns to below 2^(17+i) ns; bucket 0
    /// starts at 66 µs, and the last bucket has no upper bound.
    pub late: [u64; LATE_BUCKETS],
}

impl Sample {
    /// Clears the figures of connections and hosts, for a thread whose connections do not belong to
    /// the load.
    pub(crate) fn forget_connections(&mut self) {
        self.ledger = Ledger::default();
        self.setup = SetupSample::default();
        self.hosts.clear();
    }
}

/// A period in which requests of a thread were in flight and no response arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Start, nanoseconds after the measured window opened: the last response after which requests
    /// were still in flight, or the first request sent while no request was in flight.
    pub start: u64,
    /// End, nanoseconds after the window opened: the next response, or the end of the drain.
    pub end: u64,
}

/// Number of buckets of [`Sample::late`].
pub const LATE_BUCKETS: usize = 20;
/// Base-2 logarithm of the lower bound of the first bucket of [`Sample::late`], nanoseconds.
pub const LATE_FROM_LOG2: u32 = 16;

/// The shortest pause that is reported, nanoseconds.
pub const SHORTEST_PAUSE_NANOS: u64 = 1_000_000;

/// One operation's figures in a [`Sample`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpSample {
    /// Name of the operation. Not serialized: another process knows the name from the workload.
    #[serde(skip)]
    pub name: &'static str,
    /// How the operation counts in throughput and failures.
    pub role: Role,
    /// Correct operations that ended inside the window: the numerator of throughput.
    pub ok: u64,
    /// Bytes written for operations whose response ended inside the window, including heads.
    pub sent: u64,
    /// Bytes read for operations whose response ended inside the window, including heads; with
    /// HTTP/2, bodies only.
    pub received: u64,
    /// Body bytes of the operations in `ok`: of the request or the response, whichever is longer,
    /// unless the workload sets [`crate::Exchange::content`].
    pub payload: u64,
    /// Body bytes of the responses in `ok`, without request bodies; 0 for transactions.
    pub answered: u64,
    /// Failures by class, indexed by `ErrorClass as usize`: operations that were due before the
    /// window closed and failed after the window opened.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Number of responses by status code, over the operations that `ok` and `errors` count.
    pub statuses: BTreeMap<u16, u64>,
    /// Failure texts with their counts: at most 32 texts, and one entry for all further texts.
    pub failures: BTreeMap<String, u64>,
    /// Operations due in the window that timed out after the window closed. `errors` counts them as
    /// timeouts, and `failed` contains the time until the timeout.
    pub censored: u64,
    /// Service time of correct operations, nanoseconds: from the start of the write to the last
    /// byte of the response.
    #[serde(with = "sparse")]
    pub service: Histogram<u64>,
    /// Response time of correct operations, nanoseconds: from the intended start to the last byte
    /// of the response. Empty in a closed loop, where response time equals service time.
    #[serde(with = "sparse")]
    pub response: Histogram<u64>,
    /// Send lag of correct operations, nanoseconds: from the intended start to the start of the
    /// write. Empty in a closed loop.
    #[serde(with = "sparse")]
    pub lag: Histogram<u64>,
    /// Time to first byte of correct operations, nanoseconds: from the start of the write to the
    /// first byte of the response.
    #[serde(with = "sparse")]
    pub first_byte: Histogram<u64>,
    /// Time from the intended start to the failure, nanoseconds.
    #[serde(with = "sparse")]
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

/// Duration of connection set-up, nanoseconds, by phase; not part of the latency of an operation on
/// an open connection. Includes connections that were already open when the window opened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SetupSample {
    /// Time from the start of the attempt until the socket was connected: the TCP handshake, or
    /// `connect` of a Unix socket. Includes closing the previous connection, if any.
    #[serde(with = "sparse")]
    pub connect: Histogram<u64>,
    /// Durations of TLS handshakes; empty without TLS.
    #[serde(with = "sparse")]
    pub tls: Histogram<u64>,
    /// Time to first byte of the first response on a connection.
    #[serde(with = "sparse")]
    pub first_byte: Histogram<u64>,
    /// Service time of the first response on a connection, if correct and inside the window.
    #[serde(with = "sparse")]
    pub response: Histogram<u64>,
    /// Each time in `response` plus the set-up time of its connection.
    #[serde(with = "sparse")]
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HostSample {
    /// Correct responses inside the window.
    pub ok: u64,
    /// Failures by class, indexed by `ErrorClass as usize`.
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Service time of correct responses, nanoseconds: from the start of the write to the last
    /// byte.
    #[serde(with = "sparse")]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Connections opened, including those that were open when the window opened.
    pub opened: u64,
    /// Of `opened`: connections that were open when the window opened.
    pub already_open: u64,
    /// Requests on a connection that had already carried a request. A request that is sent again
    /// counts again.
    pub reused: u64,
    /// Connections closed by Tenbin after the window opened: keep-alive off, planned reopening, a
    /// timeout or a malformed response.
    pub closed_by_client: u64,
    /// Connections that the server closed without cutting off a response.
    pub closed_by_server: u64,
    /// Connection attempts that failed inside the window or the drain.
    pub refused: u64,
    /// Connections reset or closed by the server before a response was complete.
    pub reset: u64,
    /// Requests inside the window that the server refused with REFUSED_STREAM (HTTP/2), and that
    /// were sent again as the same operation.
    pub resent_refused: u64,
    /// Requests inside the window that the server left unprocessed with GOAWAY (HTTP/2), and that
    /// were sent again as the same operation.
    pub resent_goaway: u64,
    /// Pipelined requests inside the window that were sent again as the same operation, because the
    /// server announced the end of the connection in an earlier response.
    pub resent_closed: u64,
    /// Smallest number of concurrent streams that the server allowed on a connection
    /// (SETTINGS_MAX_CONCURRENT_STREAMS), if smaller than the planned number; `None` otherwise.
    pub streams_allowed: Option<u64>,
    /// Time to open the connections in `opened`, including TLS, nanoseconds, summed over
    /// connections. Includes the time to close the connections that the new connections replaced.
    pub connect_nanos: u64,
    /// Time in flight inside the window, nanoseconds, summed over the requests that no histogram
    /// contains because they were due before the window opened.
    pub unrecorded_nanos: u64,
    /// Time in flight outside the window, nanoseconds, summed over the requests that a histogram
    /// contains.
    pub outside_nanos: u64,
    /// Closed loop: time for which connections were free because the load generator had not sent
    /// their next request yet, nanoseconds, summed over the requests in `service`. The load
    /// generator used this time to prepare requests, or waited for a core.
    pub turnaround_nanos: u64,
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
        self.resent_refused += other.resent_refused;
        self.resent_goaway += other.resent_goaway;
        self.resent_closed += other.resent_closed;
        let allowed = [self.streams_allowed, other.streams_allowed];
        self.streams_allowed = allowed.into_iter().flatten().min();
        self.connect_nanos += other.connect_nanos;
        self.unrecorded_nanos += other.unrecorded_nanos;
        self.outside_nanos += other.outside_nanos;
        self.turnaround_nanos += other.turnaround_nanos;
    }
}
