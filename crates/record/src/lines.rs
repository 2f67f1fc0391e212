//! The types of lines in `intervals.jsonl`, with the fields as stored.
//!
//! A newline commits a line. A `second` line commits a second, including the `operation` lines just
//! before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenbin_engine::{ErrorClass, Ledger, Role};

use crate::check::{Chain, CheckValue};
use crate::harmless::escape;
use crate::interval::Interval;
use crate::kind::{Kind, Step};
use crate::packed::PackedHistogram;
use crate::second_counts::{SecondCounts, SecondTimes};
use crate::server::ServerUse;
use crate::slice::{HostFigures, OpFigures, SetupFigures, SliceEnd, SliceStart, is_plain_request};
use crate::stalls::Stalls;
use crate::thread_use::ThreadUse;

/// Version of the lines.
pub(crate) const SCHEMA: &str = "tenbin.intervals/1";

/// First line of `intervals.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunLine {
    pub(crate) schema: String,
    /// Check value of `plan.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<CheckValue>,
    /// Start of the run, nanoseconds since 1970-01-01 UTC; differs from the start in
    /// `environment.json` if that file is from another run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) started_unix_ns: Option<u64>,
    /// Position of the header of `latency.hlog`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hlog: Option<ByteRange>,
}

/// The figures of one operation in one second.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperationLine {
    pub(crate) slice: u32,
    pub(crate) target: String,
    pub(crate) workload: String,
    pub(crate) operation: String,
    #[serde(default, skip_serializing_if = "is_plain_request")]
    pub(crate) role: Role,
    second: u64,
    start_ns: u64,
    end_ns: u64,
    drain: bool,
    ok: u64,
    sent: u64,
    received: u64,
    payload: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered: Option<u64>,
    errors: BTreeMap<String, u64>,
    statuses: BTreeMap<u16, u64>,
    failures: BTreeMap<String, u64>,
    censored: u64,
    service: Option<Quantiles>,
    response: Option<Quantiles>,
    lag: Option<Quantiles>,
    #[serde(default)]
    first_byte: Option<Quantiles>,
    failed: Option<Quantiles>,
    pub(crate) hlog: ByteRange,
}

/// Summary of a histogram, for people; `latency.hlog` has the histogram.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mean_ns: Option<u64>,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

/// Position of a line's histograms in `latency.hlog` or `slices.bin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByteRange {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Check value of the range; missing in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) h: Option<CheckValue>,
}

/// Position of the histograms of a slice in `slices.bin`, a part of its `end` line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TotalsPart {
    #[serde(flatten)]
    pub(crate) range: ByteRange,
    /// Length of each histogram in bytes, 0 if empty: by operation, in the order of
    /// [`crate::totals::Totals`].
    pub(crate) operations: Vec<[u32; Kind::ALL.len()]>,
    #[serde(default, skip_serializing_if = "are_empty")]
    pub(crate) setup: [u32; Step::ALL.len()],
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) agents: Vec<u32>,
}

fn are_empty(lengths: &[u32; Step::ALL.len()]) -> bool {
    lengths.iter().all(|length| *length == 0)
}

/// Connections, hosts and resource use in one second; commits the `operation` lines just before.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SecondLine {
    pub(crate) slice: u32,
    pub(crate) target: String,
    pub(crate) workload: String,
    pub(crate) second: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) drain: bool,
    #[serde(with = "LedgerFields")]
    ledger: Ledger,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) setup: Option<SetupPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<HostPart>,
    pub(crate) threads: Vec<ThreadUse>,
    server: Option<ServerUse>,
    /// Waits of threads for a core. Only for a probe; omitted if not observed, and in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stalls: Option<Stalls>,
}

/// Set-up times of connections in one second.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct SetupPart {
    connect: Option<Quantiles>,
    tls: Option<Quantiles>,
    first_byte: Option<Quantiles>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<Quantiles>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Quantiles>,
    pub(crate) hlog: ByteRange,
}

/// The figures of one host in one second.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HostPart {
    pub(crate) host: String,
    ok: u64,
    errors: BTreeMap<String, u64>,
    pub(crate) service: Option<Quantiles>,
    pub(crate) hlog: ByteRange,
}

/// Last line of a slice.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EndLine {
    pub(crate) slice: u32,
    /// Position of the slice's histograms in `slices.bin`; missing for a probe, and in runs of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) totals: Option<TotalsPart>,
    #[serde(flatten)]
    pub(crate) end: SliceEnd,
}

/// Slices that count for nothing, because an agent was lost. Their lines stay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VoidLine {
    /// Number of the first slice that is void.
    pub(crate) first: u32,
    /// Number of the next slice. All slices from `first` that began before this line are void.
    pub(crate) next: u32,
    /// Why the slices are void; one sentence.
    pub(crate) reason: String,
}

impl VoidLine {
    pub(crate) fn has(&self, slice: u32) -> bool {
        (self.first..self.next).contains(&slice)
    }
}

/// Last line of a complete run: every planned slice was measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CompleteLine {
    #[serde(default, skip_serializing_if = "Ended::is_planned")]
    pub(crate) ended: Ended,
}

/// Why a complete run ended when it did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The fixed number of planned rounds was measured.
    #[default]
    Planned,
    /// The figures reached the precision that the plan sets.
    Precise,
    /// The maximum number of rounds was measured before the figures reached the precision that the
    /// plan sets.
    MostRounds,
}

impl Ended {
    fn is_planned(&self) -> bool {
        *self == Self::Planned
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ledger")]
struct LedgerFields {
    opened: u64,
    #[serde(default)]
    #[serde(rename = "standing")]
    already_open: u64,
    reused: u64,
    closed_by_client: u64,
    closed_by_server: u64,
    refused: u64,
    reset: u64,
    #[serde(default)]
    resent_refused: u64,
    #[serde(default)]
    resent_goaway: u64,
    #[serde(default)]
    resent_closed: u64,
    #[serde(default)]
    streams_allowed: Option<u64>,
    connect_nanos: u64,
    #[serde(default)]
    unrecorded_nanos: u64,
    #[serde(default)]
    outside_nanos: u64,
    #[serde(default)]
    turnaround_nanos: u64,
}

/// A type of line, identified by the value of the `kind` field.
pub(crate) trait Line: Serialize {
    const KIND: &'static str;
}

impl Line for RunLine {
    const KIND: &'static str = "run";
}
impl Line for SliceStart {
    const KIND: &'static str = "begin";
}
impl Line for OperationLine {
    const KIND: &'static str = "operation";
}
impl Line for SecondLine {
    const KIND: &'static str = "second";
}
impl Line for EndLine {
    const KIND: &'static str = "end";
}
impl Line for VoidLine {
    const KIND: &'static str = "void";
}
impl Line for CompleteLine {
    const KIND: &'static str = "complete";
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    line: &'a T,
}

/// Appends `line`, its check value and a newline to `text`.
pub(crate) fn push<T: Line>(text: &mut Vec<u8>, chain: &mut Chain, line: &T) {
    let tagged = Tagged {
        kind: T::KIND,
        line,
    };
    let start = text.len();
    serde_json::to_writer(&mut *text, &tagged).expect("plain data becomes JSON");
    escape(text, start);
    chain.end_line(text, start);
}

impl OperationLine {
    /// The counts of the operation in this second, which is `length` nanoseconds long.
    pub(crate) fn counts(&self, length: u64) -> SecondCounts {
        SecondCounts {
            slice: self.slice,
            operation: self.operation.clone(),
            second: self.second,
            length: length as f64 / 1e9,
            ok: self.ok,
            payload: self.payload,
            failed: self.errors.values().sum(),
            service: self.service.map(|times| SecondTimes {
                min_ns: times.min_ns,
                mean_ns: times.mean_ns,
                p50_ns: times.p50_ns,
                p99_ns: times.p99_ns,
                max_ns: times.max_ns,
            }),
        }
    }

    pub(crate) fn new(
        slice: &SliceStart,
        interval: &Interval,
        op: &OpFigures,
        hlog: ByteRange,
    ) -> Self {
        Self {
            slice: slice.index,
            target: slice.target.clone(),
            workload: slice.workload.clone(),
            operation: op.name.clone(),
            role: op.role,
            second: interval.second,
            start_ns: interval.start,
            end_ns: interval.end,
            drain: interval.drain,
            ok: op.ok,
            sent: op.sent,
            received: op.received,
            payload: op.payload,
            answered: op.answered,
            errors: by_name(&op.errors),
            statuses: op.statuses.clone(),
            failures: op.failures.clone(),
            censored: op.censored,
            service: Quantiles::of(&op.service),
            response: Quantiles::of(&op.response),
            lag: Quantiles::of(&op.lag),
            first_byte: Quantiles::of(&op.first_byte),
            failed: Quantiles::of(&op.failed),
            hlog,
        }
    }

    /// Summary of the histogram of this kind.
    pub(crate) fn quantiles(&self, kind: Kind) -> Option<Quantiles> {
        match kind {
            Kind::Service => self.service,
            Kind::Response => self.response,
            Kind::Lag => self.lag,
            Kind::FirstByte => self.first_byte,
            Kind::Failed => self.failed,
        }
    }

    /// The figures without the histograms. `Err` names an unknown error class.
    pub(crate) fn figures(&self) -> Result<OpFigures, String> {
        let mut figures = OpFigures::of(&self.operation, self.role);
        figures.ok = self.ok;
        figures.sent = self.sent;
        figures.received = self.received;
        figures.payload = self.payload;
        figures.answered = self.answered;
        figures.statuses.clone_from(&self.statuses);
        figures.failures.clone_from(&self.failures);
        figures.censored = self.censored;
        figures.errors = by_class(&self.errors)?;
        Ok(figures)
    }
}

impl SetupPart {
    pub(crate) fn new(setup: &SetupFigures, hlog: ByteRange) -> Self {
        Self {
            connect: Quantiles::of(&setup.connect),
            tls: Quantiles::of(&setup.tls),
            first_byte: Quantiles::of(&setup.first_byte),
            response: Quantiles::of(&setup.response),
            total: Quantiles::of(&setup.total),
            hlog,
        }
    }

    /// Summary of the histogram of this kind.
    pub(crate) fn quantiles(&self, step: Step) -> Option<Quantiles> {
        match step {
            Step::Connect => self.connect,
            Step::Tls => self.tls,
            Step::FirstByte => self.first_byte,
            Step::Response => self.response,
            Step::Total => self.total,
        }
    }
}

impl HostPart {
    pub(crate) fn new(host: &HostFigures, hlog: ByteRange) -> Self {
        Self {
            host: host.name.clone(),
            ok: host.ok,
            errors: by_name(&host.errors),
            service: Quantiles::of(&host.service),
            hlog,
        }
    }

    /// The figures without the histogram. `Err` names an unknown error class.
    pub(crate) fn figures(&self) -> Result<HostFigures, String> {
        let mut figures = HostFigures::new(&self.host);
        figures.ok = self.ok;
        figures.errors = by_class(&self.errors)?;
        Ok(figures)
    }
}

fn by_name(errors: &BTreeMap<ErrorClass, u64>) -> BTreeMap<String, u64> {
    errors
        .iter()
        .map(|(class, count)| (class.name().to_owned(), *count))
        .collect()
}

/// `Err` names an unknown class.
fn by_class(errors: &BTreeMap<String, u64>) -> Result<BTreeMap<ErrorClass, u64>, String> {
    errors
        .iter()
        .map(|(name, count)| {
            let class = ErrorClass::from_name(name).ok_or_else(|| name.clone())?;
            Ok((class, *count))
        })
        .collect()
}

impl Quantiles {
    fn of(histogram: &PackedHistogram) -> Option<Self> {
        let quantile = |q| histogram.value_at_quantile(q);
        (!histogram.is_empty()).then(|| Self {
            count: histogram.len(),
            min_ns: Some(histogram.min()),
            mean_ns: Some(histogram.mean() as u64),
            p50_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p99_ns: quantile(0.99),
            max_ns: histogram.max(),
        })
    }
}

impl SecondLine {
    pub(crate) fn new(
        slice: &SliceStart,
        interval: &Interval,
        setup: Option<SetupPart>,
        hosts: Vec<HostPart>,
        server: Option<ServerUse>,
    ) -> Self {
        Self {
            slice: slice.index,
            target: slice.target.clone(),
            workload: slice.workload.clone(),
            second: interval.second,
            start_ns: interval.start,
            end_ns: interval.end,
            drain: interval.drain,
            ledger: interval.ledger,
            setup,
            hosts,
            threads: interval.threads.clone(),
            server,
            stalls: interval.stalls,
        }
    }

    /// Positions of the histograms of connection set-up and of the hosts.
    pub(crate) fn hlogs(&self) -> impl Iterator<Item = ByteRange> {
        let setup = self.setup.iter().map(|part| part.hlog);
        setup.chain(self.hosts.iter().map(|part| part.hlog))
    }

    /// The second as an interval with these figures.
    pub(crate) fn interval(
        &self,
        ops: Vec<OpFigures>,
        setup: SetupFigures,
        hosts: Vec<HostFigures>,
    ) -> Interval {
        Interval {
            second: self.second,
            start: self.start_ns,
            end: self.end_ns,
            drain: self.drain,
            ops,
            ledger: self.ledger,
            setup,
            hosts,
            agents: Vec::new(),
            threads: self.threads.clone(),
            stalls: self.stalls,
        }
    }
}
