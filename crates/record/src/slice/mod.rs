//! The figures of one slice, merged over threads and seconds.

pub(crate) mod compact;
pub(crate) mod from_seconds;
pub(crate) mod late_requests;
pub(crate) mod machine;
pub(crate) mod pauses;
pub(crate) mod probe;
pub(crate) mod probe_from_seconds;
pub(crate) mod request_list;
pub(crate) mod request_samples;
pub(crate) mod responses;
pub(crate) mod segment;
pub(crate) mod server;
pub(crate) mod stalls;
pub(crate) mod thread_use;

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};
use tenbin_engine::{ErrorClass, Ledger, Operation, Role, Setup, Spread, StageSums};

use crate::histogram::packed::PackedHistogram;
use crate::slice::compact::Compact;
use crate::slice::machine::{MachineUse, WireUse};
use crate::slice::pauses::Pause;
use crate::slice::probe::Probed;
use crate::slice::request_list::RecordedRequests;
use crate::slice::request_samples::{CacheUse, RecordedSamples, SearchUse};
use crate::slice::responses::Responses;
use crate::slice::segment::Segment;
use crate::slice::server::ServerUse;

/// Which slice it is, and its load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceHead {
    /// Index in the run, from 0.
    pub index: u32,
    /// Index of the slice's block, from 0. A block is an ABBA quad for two targets, a Williams
    /// square for more targets, and a single round for one target.
    pub block: u32,
    /// Index of the slice's round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Configured connections, over all threads.
    pub connections: usize,
    /// Whether the load is a closed loop; otherwise an open loop.
    pub closed_loop: bool,
    /// Start of the window, seconds after the start of the run.
    pub start: f64,
    /// Number of times that each connection was opened in the window; `None` for once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopen: Option<u32>,
    /// The offered rate, for a probe of a maximum-rate search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<RateProbe>,
    /// Whether this is a probe of another load after the rounds, with other connections than the
    /// plan's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limit_probe: bool,
    /// Whether this is the continuous stretch of the workload on the target after the rounds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sustained: bool,
}

/// Data of a slice that is known when the window opens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceStart {
    /// Which slice it is, and its load.
    #[serde(flatten)]
    pub head: SliceHead,
    /// Names of the workload's operations, in the order of the workload.
    pub operations: Vec<String>,
    /// Role of each operation. An operation without an entry is a request, as in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "only_requests")]
    pub roles: Vec<Role>,
    /// Names of the target's hosts, in the order of the host figures in samples; empty with only
    /// one host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Number of generator threads that report samples.
    pub threads: usize,
    /// Number of agents that send the load, which share the threads in turn; 0 without agents.
    #[serde(default, skip_serializing_if = "is_default")]
    pub agents: usize,
    /// Planned length of the window, seconds.
    pub planned_seconds: f64,
}

/// A slice of a maximum-rate search, with a fixed offered rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateProbe {
    /// Offered rate, operations per second, above 0.
    pub rate: f64,
    /// Whether the probe is the longer probe at the end, which confirms the maximum rate.
    pub proof: bool,
}

impl SliceStart {
    /// Whether the results are kept second by second: for a probe of a maximum-rate search and for
    /// a continuous stretch. Such a slice has no histograms in `slices.bin`.
    pub(crate) fn is_by_second(&self) -> bool {
        self.head.probe.is_some() || self.head.sustained
    }

    /// The operations by name, with their roles.
    pub(crate) fn operations_by_role(&self) -> impl Iterator<Item = (&str, Role)> {
        let roles = self.roles.iter().copied();
        let roles = roles.chain(std::iter::repeat(Role::Request));
        self.operations.iter().map(String::as_str).zip(roles)
    }
}

/// Whether files omit the value: 0 or `false`.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn only_requests(roles: &[Role]) -> bool {
    roles.iter().all(Role::is_plain_request)
}

/// Data of a slice that is known only at its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceEnd {
    /// Actual length of the window, seconds.
    pub seconds: f64,
    /// Whether the slice ended early.
    pub cut_short: bool,
    /// Resource use of the target over the slice, if observed.
    pub server: Option<Compact<ServerUse>>,
    /// Memory allocations of Tenbin's process during the window, if counted: generator threads and
    /// the thread that writes the record. Unknown in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<Allocated>,
    /// Resource use of the load generator's machine; unknown in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Compact<MachineUse>>,
    /// TCP statistics of the connections; unknown without TCP, outside Linux, and in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Compact<WireUse>>,
    /// Request samples, if requests are drawn from patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singles: Option<Box<RecordedSamples>>,
    /// The slowest and the failed requests; absent without such requests, and in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Box<RecordedRequests>>,
    /// Comparison of the responses with the expected responses, if expected responses were learned;
    /// unknown in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// Times of server stages in the target's response headers, if the plan requests them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageSums>,
    /// Expected and reported hits in the target's caches, if the plan describes a cache or reads
    /// cache counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheUse>,
    /// Memory and index figures that the search server reported; unknown for other servers, and in
    /// runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Compact<SearchUse>>,
    /// Spread of the work over the connections; unknown with fewer than two long-lived connections,
    /// and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// The part of the request sequence that the slice sent, if the sequence matters. Unknown in
    /// runs of older versions, which restarted the sequence in each slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Box<Segment>>,
    /// Largest possible difference between the starts of the slice on two agents, nanoseconds;
    /// unknown without agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_skew_ns: Option<u64>,
    /// Observed processes of any target whose end was noticed in the slice; absent in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedProcess>,
}

/// An observed process of a target that ended during the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndedProcess {
    /// Name of the target.
    pub target: String,
    /// Name in the process table. The program chooses this text: escape it before display.
    pub name: String,
    /// Process id.
    pub pid: i32,
    /// When the end was noticed, seconds after the start of the run. The process ended after the
    /// reading before, about a second earlier, or in the pause before the slice.
    pub at: f64,
}

/// The machine of one agent during a slice, and the agent's distance. Unknown figures are `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentUse {
    /// Busy share of the CPU time of all cores, 0 to 1, with interrupts and steal time.
    pub cpu_busy: Option<f64>,
    /// Cores that other programs used; unknown if a target may run on the agent's machine.
    pub others_cores: Option<f64>,
    /// Shortest round trip from the coordinator to the agent through the NATS server before the
    /// slice, nanoseconds.
    pub round_trip_ns: Option<u64>,
    /// Shortest round trip from the agent to the target, which the kernel measured on the TCP
    /// connections of the slice, nanoseconds.
    pub min_rtt_ns: Option<u64>,
}

/// The part of a slice that one agent sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPart {
    /// Correct operations.
    pub ok: u64,
    /// Share of the load that the agent was given: of the connections in a closed loop, of the
    /// arrivals in an open loop; 0 to 1.
    pub share: f64,
    /// Times of the correct operations that count as work: service times in a closed loop, response
    /// times in an open loop. Empty for a probe, without `slices.bin`, and in runs of older versions.
    pub times: PackedHistogram,
    /// Resource use of the agent's load generator threads.
    pub client: ClientUse,
    /// The agent's machine and distance.
    pub machine: AgentUse,
}

/// One uninterrupted measurement of one workload on one target. A slice has the fields of its head.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slice {
    /// Which slice it is, and its load.
    pub head: SliceHead,
    /// What was known at its end.
    pub end: SliceEnd,
    /// Results second by second, for a probe of a maximum-rate search and a continuous stretch.
    pub probed: Option<Probed>,
    /// Figures by operation, in the order of the workload.
    pub ops: Vec<OpFigures>,
    /// Counters of connection events.
    pub ledger: Ledger,
    /// Set-up times of connections.
    pub setup: SetupFigures,
    /// Figures by host over all operations, in the order of the route's hosts; empty with only one
    /// host.
    pub hosts: Vec<HostFigures>,
    /// Resource use of the load generator.
    pub client: ClientUse,
    /// The part of each agent, in the order of their numbers; empty without agents.
    pub agents: Vec<AgentPart>,
    /// Failed operations that count as work, by second of the window, from 0, and class. Seconds
    /// and classes without a failure are absent. The sum is [`Slice::failed`].
    pub failed_in: BTreeMap<u64, BTreeMap<ErrorClass, u64>>,
    /// Open loop: requests due by the end of the window and not yet sent.
    pub backlog: u64,
    /// Open loop: requests due in the window that the load generator sent late although a connection
    /// was free, by delay. Bucket i counts delays from 2^(16+i) ns to below 2^(17+i) ns. Without
    /// trailing zeros; empty if no request was sent late, and in runs of older versions.
    pub late: Vec<u64>,
    /// The longest pause that ended in the window or the drain; `None` without a pause of at least
    /// a millisecond, and in runs of older versions.
    pub pause: Option<Pause>,
}

impl Deref for Slice {
    type Target = SliceHead;

    fn deref(&self) -> &SliceHead {
        &self.head
    }
}

impl DerefMut for Slice {
    fn deref_mut(&mut self) -> &mut SliceHead {
        &mut self.head
    }
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

    /// Resource use of the target, if observed.
    pub fn server(&self) -> Option<ServerUse> {
        self.end.server.as_ref().map(Compact::get)
    }

    /// TCP statistics of the connections, if known.
    pub fn wire(&self) -> Option<WireUse> {
        self.end.wire.as_ref().map(Compact::get)
    }

    /// Resource use of the load generator's machine, if known.
    pub fn machine(&self) -> Option<MachineUse> {
        self.end.machine.as_ref().map(Compact::get)
    }

    /// Successful operations per second. `None` for a window of 0 s, and for a window in which no
    /// operation ended: such a window is too short, so its throughput is unknown and not 0.
    /// `docs/run-directory.md` defines what counts.
    pub fn throughput(&self) -> Option<f64> {
        self.per_second(self.ok(), self.failed())
    }

    /// Correct responses per second, including responses to sub-requests, for comparison with the
    /// request rate. `None` for a window of 0 s, and for a window in which no request ended.
    pub fn response_rate(&self) -> Option<f64> {
        let failed = self.requests().map(OpFigures::failed_count).sum();
        self.per_second(self.requests().map(|op| op.counts.ok).sum(), failed)
    }

    /// Successful operations per second of `op`, an operation of this slice.
    pub fn throughput_of(&self, op: &OpFigures) -> Option<f64> {
        self.per_second(op.counts.ok, op.failed_count())
    }

    fn per_second(&self, ok: u64, failed: u64) -> Option<f64> {
        (self.end.seconds > 0.0 && ok + failed > 0).then(|| ok as f64 / self.end.seconds)
    }

    /// Number of requests that the load generator sent at least `nanos` nanoseconds late although a
    /// connection was free. `nanos` is rounded down to a power of 2.
    pub fn sent_late(&self, nanos: u64) -> u64 {
        late_requests::count(&self.late, nanos)
    }

    /// Number of successful operations that count as work.
    pub fn ok(&self) -> u64 {
        self.work().map(|op| op.counts.ok).sum()
    }

    /// Number of failed operations that count as work. A failed sub-request counts only through its
    /// transaction.
    pub fn failed(&self) -> u64 {
        self.work().map(OpFigures::failed_count).sum()
    }

    /// Whether any operation or sub-request failed, and no operation that counts as work succeeded.
    pub fn gave_nothing(&self) -> bool {
        self.ok() == 0 && self.ops.iter().any(|op| op.failed_count() > 0)
    }
}

/// The figures of one operation in a second or a slice.
pub type OpFigures = Operation<PackedHistogram>;

/// Set-up times of connections in a second or a slice, nanoseconds, by step.
pub type SetupFigures = Setup<PackedHistogram>;

/// The figures of one host in a second or a slice, over all operations.
pub type HostFigures = tenbin_engine::HostFigures<PackedHistogram>;

/// Resource use of the load generator during a slice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClientUse {
    /// CPU seconds of all generator threads.
    pub cpu_seconds: f64,
    /// Share of one core that the busiest generator thread used, 0 to 1.
    pub busiest_thread: f64,
    /// The generator thread with the largest sum of running time and waiting time for a core.
    /// `None` if the kernel does not report waiting times, and in runs of older versions.
    pub readiest_thread: Option<ThreadTurn>,
}

/// Running time and waiting time of a generator thread in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ThreadTurn {
    /// Share of the window for which the thread ran, 0 to 1.
    pub used: f64,
    /// Share of the window for which the thread was ready to run and waited for a core, 0 to 1.
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
