//! The figures of one slice, merged over threads and seconds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenbin_engine::{ErrorClass, Ledger, Role, Spread, StageSums};

use crate::machine::{MachineUse, WireUse};
use crate::packed::PackedHistogram;
use crate::pause::Pause;
use crate::probed::Probed;
use crate::responses::Responses;
use crate::sequence::Segment;
use crate::server::ServerUse;
use crate::single::{CacheUse, SearchUse, Singles};

/// What is known of a slice when its measured window opens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceStart {
    /// Position in the run, from 0.
    pub index: u32,
    /// Pairing block it belongs to, from 0; see [`Slice::block`].
    pub block: u32,
    /// Round it belongs to, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Names of the workload's operations, in its order.
    pub operations: Vec<String>,
    /// What each of them is to the work; one that is missing here is a request, as
    /// all were before there was anything else.
    #[serde(default, skip_serializing_if = "only_requests")]
    pub roles: Vec<Role>,
    /// Names of the target's hosts, in the order in which samples have their
    /// figures; empty when there is but one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Generator threads that are going to hand out samples.
    pub threads: usize,
    /// Connections asked for, over all threads.
    pub connections: usize,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Length of the measured window as planned, seconds.
    pub planned_seconds: f64,
    /// Start of the measured window, seconds after the run began.
    pub start: f64,
    /// How often each connection was opened in its window, if more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopen: Option<u32>,
    /// What it was offered, if it belongs to the search for a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<RateProbe>,
}

/// What a slice was offered by the search for the highest rate that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateProbe {
    /// Operations a second, above 0.
    pub rate: f64,
    /// It is the longer one at the end, which proves what was found.
    pub proof: bool,
}

impl SliceStart {
    /// The operations by name, and what each is to the work.
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

/// What is known only when a slice is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceEnd {
    /// Length of the measured window, seconds, as it really was.
    pub seconds: f64,
    /// The slice ended before its time.
    pub cut_short: bool,
    /// What the target used over the whole slice, if it is observed.
    pub server: Option<ServerUse>,
    /// What Tenbin's process allocated while the window was open, if it counts;
    /// unknown in runs of versions that did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<Allocated>,
    /// What the generator's machine did; unknown in runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
    /// What TCP says of the connections; unknown without TCP, outside Linux, and in
    /// runs of versions that did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireUse>,
    /// What was seen of single requests, where these are drawn from patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singles: Option<Singles>,
    /// What was seen of the responses, where the expected ones are learnt; unknown in runs of
    /// versions that did not compare them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// What the target told of its own stages, where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageSums>,
    /// What the target's caches were expected to do and did, where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheUse>,
    /// What the search server reported of its memory and index; unknown for other servers, and in
    /// runs of versions that did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// How evenly its connections were served; unknown with fewer than two that lasted, and in
    /// runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Which part of the sequence of requests was sent, where that matters; unknown in
    /// runs of versions that began it anew in each slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
}

/// One uninterrupted measured stretch of one workload on one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slice {
    /// Position in the run, from 0.
    pub index: u32,
    /// Pairing block it belongs to, from 0: an ABBA quad for two targets, a
    /// Williams square for more, a single round for one.
    pub block: u32,
    /// Round it belongs to, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Start of the measured window, seconds after the run began.
    pub start: f64,
    /// Length of the measured window, seconds, as it really was.
    pub seconds: f64,
    /// Connections asked for.
    pub connections: usize,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// How often each connection was opened in its window, if more than once.
    pub reopen: Option<u32>,
    /// How evenly its connections were served, if that is known.
    pub spread: Option<Spread>,
    /// What it was offered, if it belongs to the search for a rate.
    pub probe: Option<RateProbe>,
    /// What it shows second by second, if it belongs to the search for a rate.
    pub probed: Option<Probed>,
    /// Figures by operation, in the workload's order.
    pub ops: Vec<OpFigures>,
    /// What happened to connections.
    pub ledger: Ledger,
    /// How long opening connections took.
    pub setup: SetupFigures,
    /// Figures by host over all operations, in the order of the route; empty when
    /// there is but one host.
    pub hosts: Vec<HostFigures>,
    /// What the generator used.
    pub client: ClientUse,
    /// What the target used, if it is observed.
    pub server: Option<ServerUse>,
    /// What the generator's machine did, if that is known.
    pub machine: Option<MachineUse>,
    /// What TCP says of the connections, if it was asked.
    pub wire: Option<WireUse>,
    /// What was seen of single requests, if they are drawn from patterns.
    pub singles: Option<Singles>,
    /// What was seen of the responses, where the expected ones are learnt.
    pub responses: Option<Responses>,
    /// What the target told of its own stages, if that was asked for.
    pub stages: Option<StageSums>,
    /// What the target's caches were expected to do and did, if that was asked for.
    pub cache: Option<CacheUse>,
    /// What the search server reported of its memory and index, if that is known.
    pub search: Option<SearchUse>,
    /// Which part of the sequence of requests was sent, where that matters.
    pub segment: Option<Segment>,
    /// Open loop: arrivals due at the end of the window and not yet written.
    pub backlog: u64,
    /// The longest pause that ended in the window or the drain; `None` without one of a
    /// millisecond or more, and in runs of versions that did not look.
    pub pause: Option<Pause>,
    /// The slice ended before its time: interrupted, killed, or the target died.
    pub cut_short: bool,
}

impl Slice {
    /// What the slice got done: requests that are work of their own, and what is made
    /// of several. A step of something larger is not among them.
    pub fn work(&self) -> impl Iterator<Item = &OpFigures> + Clone {
        self.ops.iter().filter(|op| op.role.is_work())
    }

    /// What went over the wire: requests that are work of their own, and steps of
    /// something larger. That larger thing is not among them.
    pub fn requests(&self) -> impl Iterator<Item = &OpFigures> + Clone {
        self.ops.iter().filter(|op| op.role.is_request())
    }

    /// Work done a second over all operations; `None` for an empty window,
    /// and for one in which no work came to an end: that is too short to
    /// tell, and not 0. What counts is defined in `docs/run-directory.md`.
    pub fn throughput(&self) -> Option<f64> {
        self.per_second(self.ok(), self.failed())
    }

    /// Correctly answered requests a second, steps among them: what stands beside a
    /// rate at which requests are issued. `None` as in [`Slice::throughput`].
    pub fn answer_rate(&self) -> Option<f64> {
        let failed = self.requests().map(OpFigures::failed_count).sum();
        self.per_second(self.requests().map(|op| op.ok).sum(), failed)
    }

    /// Correct ones a second, of one of its operations.
    pub fn throughput_of(&self, op: &OpFigures) -> Option<f64> {
        self.per_second(op.ok, op.failed_count())
    }

    fn per_second(&self, ok: u64, failed: u64) -> Option<f64> {
        (self.seconds > 0.0 && ok + failed > 0).then(|| ok as f64 / self.seconds)
    }

    /// Work done.
    pub fn ok(&self) -> u64 {
        self.work().map(|op| op.ok).sum()
    }

    /// Work that failed. A failed step counts by the whole that it spoiled.
    pub fn failed(&self) -> u64 {
        self.work().map(OpFigures::failed_count).sum()
    }

    /// Whether something failed, be it a step, and no work was done.
    pub fn gave_nothing(&self) -> bool {
        self.ok() == 0 && self.ops.iter().any(|op| op.failed_count() > 0)
    }
}

/// One operation's figures in one slice.
#[derive(Debug, Clone, PartialEq)]
pub struct OpFigures {
    /// Name of the operation, for example `GET`.
    pub name: String,
    /// What it is to the work.
    pub role: Role,
    /// Correct answers that came inside the window.
    pub ok: u64,
    /// Bytes written, heads included.
    pub sent: u64,
    /// Bytes read, heads included.
    pub received: u64,
    /// Body bytes of correct operations, either way.
    pub payload: u64,
    /// Body bytes of the answers alone; unknown in runs of versions that did not record
    /// them.
    pub answered: Option<u64>,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failure texts with their counts. Server-supplied: hostile until escaped.
    pub failures: BTreeMap<String, u64>,
    /// Operations still out when the drain ended.
    pub censored: u64,
    /// Write start to last byte of correct answers, nanoseconds.
    pub service: PackedHistogram,
    /// Intended start to last byte of correct answers, nanoseconds; equals
    /// `service` in a closed loop.
    pub response: PackedHistogram,
    /// Intended start to write start, nanoseconds; empty in a closed loop.
    pub lag: PackedHistogram,
    /// Write start to first byte of correct answers, nanoseconds; empty in runs
    /// of versions that did not record it.
    pub first_byte: PackedHistogram,
    /// Start to failure, nanoseconds.
    pub failed: PackedHistogram,
}

impl OpFigures {
    /// Nothing seen yet of requests of that name.
    pub fn new(name: &str) -> Self {
        Self::of(name, Role::Request)
    }

    /// Nothing seen yet.
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

/// How long opening connections took in one slice, nanoseconds, each step apart;
/// never part of the latency of an operation on a connection that stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SetupFigures {
    /// From the first step to an open socket.
    pub connect: PackedHistogram,
    /// TLS handshakes; empty without TLS.
    pub tls: PackedHistogram,
    /// Write start to first byte of the first answer on a connection.
    pub first_byte: PackedHistogram,
    /// Write start to last byte of the first response on a connection, of those that
    /// count as correct: a part of their operation's service times. Empty in runs of
    /// versions that did not record it.
    pub response: PackedHistogram,
    /// The same responses with the time that opening their connection took.
    pub total: PackedHistogram,
}

impl SetupFigures {
    /// Whether no step of any connection was timed.
    pub fn is_empty(&self) -> bool {
        let opening = [&self.connect, &self.tls];
        let responses = [&self.first_byte, &self.response, &self.total];
        let mut all = opening.into_iter().chain(responses);
        all.all(|histogram| histogram.is_empty())
    }
}

/// One host's figures in one slice, over all operations.
#[derive(Debug, Clone, PartialEq)]
pub struct HostFigures {
    /// Name of the host.
    pub name: String,
    /// Correct answers that came inside the window.
    pub ok: u64,
    /// Failures by class; absent classes are zero.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Write start to last byte of correct answers, nanoseconds.
    pub service: PackedHistogram,
}

impl HostFigures {
    /// Nothing seen yet.
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

/// What the generator itself used during a slice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClientUse {
    /// CPU seconds of all generator threads.
    pub cpu_seconds: f64,
    /// Share of a core that the busiest thread used, 0 to 1.
    pub busiest_thread: f64,
    /// The thread that was longest ready to run: on a core or waiting for one. `None` where the
    /// kernel does not say how long threads wait, and in runs of versions that did not look.
    pub readiest_thread: Option<ThreadTurn>,
    /// What Tenbin's whole process allocated while the window was open: the
    /// generator threads and the one that keeps the record. `None` where nobody
    /// counted.
    pub allocated: Option<Allocated>,
}

/// How a generator thread spent the window, as far as it had work to do.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ThreadTurn {
    /// Share of the window in which it ran, 0 to 1.
    pub used: f64,
    /// Share in which it was ready to run and waited for a core, 0 to 1.
    pub waited: f64,
}

/// Memory taken from the allocator, whether or not it was given back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocated {
    /// Bytes asked for; of an allocation that grew or shrank, its new size.
    pub bytes: u64,
    /// Allocations, those that only grew or shrank among them.
    pub count: u64,
}

impl Allocated {
    /// What was added since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(before.bytes),
            count: self.count.saturating_sub(before.count),
        }
    }
}
