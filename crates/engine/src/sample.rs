//! The figures that each generator thread reports about once a second.

use serde::{Deserialize, Serialize};

use crate::histogram::SampleHistogram;
use crate::operation::{HostFigures, Operation, Setup};

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
pub type OpSample = Operation<SampleHistogram>;

impl OpSample {
    /// Adds all figures of `part`.
    ///
    /// # Panics
    /// Never: these histograms grow with their values.
    pub fn add(&mut self, part: &Self) {
        self.add_counts(part);
        for (sum, part) in self.times.as_mut().zip(part.times.as_ref()).into_array() {
            sum.add(&**part)
                .expect("a histogram that resizes itself takes any value");
        }
    }
}

/// Duration of connection set-up in a [`Sample`], nanoseconds, by step.
pub type SetupSample = Setup<SampleHistogram>;

/// The figures of one host in a [`Sample`].
pub type HostSample = HostFigures<SampleHistogram>;

/// Counters of connection events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Connections opened, including those that were open when the window opened.
    pub opened: u64,
    /// Of `opened`: connections that were open when the window opened.
    #[serde(default, rename = "standing")]
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
    #[serde(default)]
    pub resent_refused: u64,
    /// Requests inside the window that the server left unprocessed with GOAWAY (HTTP/2), and that
    /// were sent again as the same operation.
    #[serde(default)]
    pub resent_goaway: u64,
    /// Pipelined requests inside the window that were sent again as the same operation, because the
    /// server announced the end of the connection in an earlier response.
    #[serde(default)]
    pub resent_closed: u64,
    /// Smallest number of concurrent streams that the server allowed on a connection
    /// (SETTINGS_MAX_CONCURRENT_STREAMS), if smaller than the planned number; `None` otherwise.
    #[serde(default)]
    pub streams_allowed: Option<u64>,
    /// Time to open the connections in `opened`, including TLS, nanoseconds, summed over
    /// connections. Includes the time to close the connections that the new connections replaced.
    pub connect_nanos: u64,
    /// Time in flight inside the window, nanoseconds, summed over the requests that no histogram
    /// contains because they were due before the window opened.
    #[serde(default)]
    pub unrecorded_nanos: u64,
    /// Time in flight outside the window, nanoseconds, summed over the requests that a histogram
    /// contains.
    #[serde(default)]
    pub outside_nanos: u64,
    /// Closed loop: time that the load generator needed before it sent the next request on a
    /// connection or began to replace a closed connection, nanoseconds. Summed over the requests in
    /// `service` and the connections that ended inside the window. The load generator recorded
    /// responses and prepared requests, or waited for a core.
    #[serde(default)]
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
