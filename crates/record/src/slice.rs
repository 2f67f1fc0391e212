//! The figures of one slice, merged over threads and seconds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenbin_engine::{ErrorClass, Ledger, Role, Spread, StageSums};

use crate::machine::{MachineUse, WireUse};
use crate::packed::PackedHistogram;
use crate::pause::Pause;
use crate::probed::Probed;
use crate::responses::Responses;
use crate::samples::{CacheUse, RecordedSamples, SearchUse};
use crate::sequence::Segment;
use crate::server::ServerUse;

/// Description of a slice when its window opens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceStart {
    /// Index in the run, from 0.
    pub index: u32,
    /// Index of its block, from 0; see [`Slice::block`].
    pub block: u32,
    /// Index of its round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Names of the workload's operations, in its order.
    pub operations: Vec<String>,
    /// Role of each operation; an operation without an entry is a request, as in older versions.
    #[serde(default, skip_serializing_if = "only_requests")]
    pub roles: Vec<Role>,
    /// Names of the target's hosts, in the order of the figures in samples; empty with only one
    /// host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Number of generator threads that report samples.
    pub threads: usize,
    /// Configured connections, over all threads.
    pub connections: usize,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Planned length of the window, seconds.
    pub planned_seconds: f64,
    /// Start of the window, seconds after the start of the run.
    pub start: f64,
    /// How often each connection was opened per window, if more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopen: Option<u32>,
    /// The offered rate, for a probe of a maximum-rate search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<RateProbe>,
}

/// A probe of a maximum-rate search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateProbe {
    /// Offered rate, operations per second, above 0.
    pub rate: f64,
    /// Whether it is the longer probe at the end, which proves the result.
    pub proof: bool,
}

impl SliceStart {
    /// The operations by name, with their roles.
    pub(crate) fn operations_by_role(&self) -> impl Iterator<Item = (&str, Role)> {
        let roles = self.roles.iter().copied();
        let roles = roles.chain(std::iter::repeat(Role::Request));
        self.operations.iter().map(String::as_str).zip(roles)
    }
}

fn only_requests(roles: &[Role]) -> bool {
    roles.iter().all(is_plain_request)
}

pub(crate) fn is_plain_request(role: &Role) -> bool {
    *role == Role::Request
}

/// Data of a slice that is known only at its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceEnd {
    /// Actual length of the window, seconds.
    pub seconds: f64,
    /// Whether the slice ended early.
    pub cut_short: bool,
    /// Resource use of the target over the slice, if it is observed.
    pub server: Option<ServerUse>,
    /// Allocations of Tenbin's process during the window, if it counts them; unknown in runs of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<Allocated>,
    /// Resource use of the load generator's machine; unknown in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
    /// TCP statistics of the connections; unknown without TCP, outside Linux, and in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireUse>,
    /// Request samples, if requests are drawn from patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singles: Option<RecordedSamples>,
    /// Comparison of the responses, if the expected ones are learned; unknown in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// Times of server stages that the target reported, if the plan requests them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageSums>,
    /// Expected and observed hits in the target's caches, if the plan expects hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheUse>,
    /// Memory and index figures that the search server reported; unknown for other servers, and in
    /// runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// Spread of the work over its connections; unknown with fewer than two lasting connections,
    /// and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// The part of the request sequence that was sent, if the sequence matters; unknown in runs of
    /// older versions, which restarted the sequence in each slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
}

/// One uninterrupted measurement of one workload on one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slice {
    /// Index in the run, from 0.
    pub index: u32,
    /// Index of its block, from 0. A block is an ABBA quad for two targets, a Williams square for
    /// more, a single round for one.
    pub block: u32,
    /// Index of its round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Start of the window, seconds after the start of the run.
    pub start: f64,
    /// Actual length of the window, seconds.
    pub seconds: f64,
    /// Configured connections.
    pub connections: usize,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// How often each connection was opened per window, if more than once.
    pub reopen: Option<u32>,
    /// Spread of the work over its connections, if known.
    pub spread: Option<Spread>,
    /// The offered rate, for a probe of a maximum-rate search.
    pub probe: Option<RateProbe>,
    /// Results second by second, for a probe of a maximum-rate search.
    pub probed: Option<Probed>,
    /// Figures by operation, in the workload's order.
    pub ops: Vec<OpFigures>,
    /// Connections.
    pub ledger: Ledger,
    /// Setup times of connections.
    pub setup: SetupFigures,
    /// Figures by host over all operations, in route order; empty with only one host.
    pub hosts: Vec<HostFigures>,
    /// Resource use of the load generator.
    pub client: ClientUse,
    /// Resource use of the target, if it is observed.
    pub server: Option<ServerUse>,
    /// Resource use of the load generator's machine, if known.
    pub machine: Option<MachineUse>,
    /// TCP statistics of the connections, if known.
    pub wire: Option<WireUse>,
    /// Request samples, if requests are drawn from patterns.
    pub singles: Option<RecordedSamples>,
    /// Comparison of the responses, if the expected ones are learned.
    pub responses: Option<Responses>,
    /// Times of server stages that the target reported, if the plan requests them.
    pub stages: Option<StageSums>,
    /// Expected and observed hits in the target's caches, if the plan expects hits.
    pub cache: Option<CacheUse>,
    /// Memory and index figures that the search server reported, if known.
    pub search: Option<SearchUse>,
    /// The part of the request sequence that was sent, if the sequence matters.
    pub segment: Option<Segment>,
    /// Failures of the work by second of the window, from 0, and class; seconds and classes without a
    /// failure are absent. Their sum is [`Slice::failed`].
    pub failed_in: BTreeMap<u64, BTreeMap<ErrorClass, u64>>,
    /// Open loop: requests that were due by the end of the window and not yet sent.
    pub backlog: u64,
    /// The longest pause that ended in the window or the drain; `None` without a pause of a
    /// millisecond or more, and in runs of older versions.
    pub pause: Option<Pause>,
    /// Whether the slice ended early: interrupted, killed, or the target died.
    pub cut_short: bool,
}

impl Slice {
    /// The operations that count as work: single requests and transactions, without sub-requests.
    pub fn work(&self) -> impl Iterator<Item = &OpFigures> + Clone {
        self.ops.iter().filter(|op| op.role.is_work())
    }

    /// The operations that are requests: single requests and sub-requests, without transactions.
    pub fn requests(&self) -> impl Iterator<Item = &OpFigures> + Clone {
        self.ops.iter().filter(|op| op.role.is_request())
    }

    /// Successful operations per second. `None` for an empty window, and for a window in which no
    /// operation ended: that is too short for a figure, and not 0. `docs/run-directory.md` defines
    /// what counts.
    pub fn throughput(&self) -> Option<f64> {
        self.per_second(self.ok(), self.failed())
    }

    /// Correct responses per second, including those to sub-requests, for comparison with the rate
    /// of requests. `None` as in [`Slice::throughput`].
    pub fn response_rate(&self) -> Option<f64> {
        let failed = self.requests().map(OpFigures::failed_count).sum();
        self.per_second(self.requests().map(|op| op.ok).sum(), failed)
    }

    /// Successful operations per second of one of its operations.
    pub fn throughput_of(&self, op: &OpFigures) -> Option<f64> {
        self.per_second(op.ok, op.failed_count())
    }

    fn per_second(&self, ok: u64, failed: u64) -> Option<f64> {
        (self.seconds > 0.0 && ok + failed > 0).then(|| ok as f64 / self.seconds)
    }

    /// Successful operations.
    pub fn ok(&self) -> u64 {
        self.work().map(|op| op.ok).sum()
    }

    /// Failed operations. A failed sub-request counts as a failure of its transaction.
    pub fn failed(&self) -> u64 {
        self.work().map(OpFigures::failed_count).sum()
    }

    /// Whether operations or sub-requests failed, and none succeeded.
    pub fn gave_nothing(&self) -> bool {
        self.ok() == 0 && self.ops.iter().any(|op| op.failed_count() > 0)
    }
}

/// The figures of one operation in one slice.
#[derive(Debug, Clone, PartialEq)]
pub struct OpFigures {
    /// Name of the operation, for example `GET`.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Correct responses received inside the window.
    pub ok: u64,
    /// Bytes written, heads included.
    pub sent: u64,
    /// Bytes read, heads included.
    pub received: u64,
    /// Body bytes of correct operations, in both directions.
    pub payload: u64,
    /// Body bytes of the responses only; unknown in runs of older versions.
    pub answered: Option<u64>,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Error messages with their counts. From the server: untrusted until escaped.
    pub failures: BTreeMap<String, u64>,
    /// Operations in flight at the end of the drain.
    pub censored: u64,
    /// From the start of the write to the last byte of correct responses, nanoseconds.
    pub service: PackedHistogram,
    /// From the intended start to the last byte of correct responses, nanoseconds; equals `service`
    /// in a closed loop.
    pub response: PackedHistogram,
    /// Send lag: from the intended start to the start of the write, nanoseconds; empty in a closed
    /// loop.
    pub lag: PackedHistogram,
    /// From the start of the write to the first byte of correct responses, nanoseconds; empty in
    /// runs of older versions.
    pub first_byte: PackedHistogram,
    /// From the start to the failure, nanoseconds.
    pub failed: PackedHistogram,
}

impl OpFigures {
    /// Empty figures of an operation with the role of a request.
    pub fn new(name: &str) -> Self {
        Self::of(name, Role::Request)
    }

    /// Empty figures.
    pub fn of(name: &str, role: Role) -> Self {
        Self {
            name: name.to_owned(),
            role,
            ok: 0,
            sent: 0,
            received: 0,
            payload: 0,
            answered: None,
            errors: BTreeMap::new(),
            statuses: BTreeMap::new(),
            failures: BTreeMap::new(),
            censored: 0,
            service: PackedHistogram::new(),
            response: PackedHistogram::new(),
            lag: PackedHistogram::new(),
            first_byte: PackedHistogram::new(),
            failed: PackedHistogram::new(),
        }
    }

    /// All failures.
    pub fn failed_count(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// Setup times of connections in one slice, nanoseconds, by phase; never part of the latency of an
/// operation on an open connection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SetupFigures {
    /// From the first system call to an established socket.
    pub connect: PackedHistogram,
    /// TLS handshakes; empty without TLS.
    pub tls: PackedHistogram,
    /// From the start of the write to the first byte of the first response on a connection.
    pub first_byte: PackedHistogram,
    /// From the start of the write to the last byte of the first response on a connection, if the
    /// response is correct: part of its operation's service times. Empty in runs of older versions.
    pub response: PackedHistogram,
    /// The same responses, including the time to open their connection.
    pub total: PackedHistogram,
}

impl SetupFigures {
    /// Whether no phase of any connection was timed.
    pub fn is_empty(&self) -> bool {
        let opening = [&self.connect, &self.tls];
        let responses = [&self.first_byte, &self.response, &self.total];
        let mut all = opening.into_iter().chain(responses);
        all.all(|histogram| histogram.is_empty())
    }
}

/// The figures of one host in one slice, over all operations.
#[derive(Debug, Clone, PartialEq)]
pub struct HostFigures {
    /// Name of the host.
    pub name: String,
    /// Correct responses received inside the window.
    pub ok: u64,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// From the start of the write to the last byte of correct responses, nanoseconds.
    pub service: PackedHistogram,
}

impl HostFigures {
    /// Empty figures.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ok: 0,
            errors: BTreeMap::new(),
            service: PackedHistogram::new(),
        }
    }

    /// All failures.
    pub fn failed_count(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// Resource use of the load generator during a slice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClientUse {
    /// CPU seconds of all generator threads.
    pub cpu_seconds: f64,
    /// CPU share of one core that the busiest thread used, 0 to 1.
    pub busiest_thread: f64,
    /// The thread that was longest running or waiting for a core. `None` if the kernel does not
    /// report waiting times, and in runs of older versions.
    pub readiest_thread: Option<ThreadTurn>,
    /// Allocations of Tenbin's process during the window: generator threads and the thread that
    /// writes the record. `None` if they were not counted.
    pub allocated: Option<Allocated>,
}

/// CPU time and waiting time of a generator thread in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ThreadTurn {
    /// Share of the window in which it ran, 0 to 1.
    pub used: f64,
    /// Share of the window in which it was ready to run and waited for a core, 0 to 1.
    pub waited: f64,
}

/// Memory allocations, whether or not the memory was freed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocated {
    /// Bytes allocated; for a reallocation, the new size.
    pub bytes: u64,
    /// Number of allocations, including reallocations.
    pub count: u64,
}

impl Allocated {
    /// The allocations since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(before.bytes),
            count: self.count.saturating_sub(before.count),
        }
    }
}
