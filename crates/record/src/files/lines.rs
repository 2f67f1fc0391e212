//! The types of lines in `intervals.jsonl`, with the fields as stored.
//!
//! A newline commits a line. A `second` line commits a second, including the `operation` lines just
//! before.

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tenbin_engine::{Ledger, Operation, Setup};

use crate::files::check_values::{Chain, CheckValue};
use crate::files::harmless_text::escape;
use crate::histogram::packed::PackedHistogram;
use crate::seconds::counts::{SecondCounts, SecondTimes};
use crate::seconds::second::Interval;
use crate::slice::server::ServerUse;
use crate::slice::stalls::Stalls;
use crate::slice::thread_use::ThreadUse;
use crate::slice::{
    AgentUse, HostFigures, OpFigures, SetupFigures, SliceEnd, SliceHead, SliceStart,
};

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
#[derive(Debug, Serialize)]
pub(crate) struct OperationLine {
    pub(crate) slice: u32,
    pub(crate) target: String,
    pub(crate) workload: String,
    second: u64,
    start_ns: u64,
    end_ns: u64,
    drain: bool,
    #[serde(flatten)]
    pub(crate) figures: Operation<Option<Quantiles>>,
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
    /// [`crate::files::slice_histograms::Totals`].
    pub(crate) operations: Vec<Vec<u32>>,
    #[serde(default, skip_serializing_if = "are_empty")]
    pub(crate) setup: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) agents: Vec<u32>,
}

fn are_empty(lengths: &[u32]) -> bool {
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
    #[serde(flatten)]
    pub(crate) steps: Setup<Option<Quantiles>>,
    pub(crate) hlog: ByteRange,
}

/// The figures of one host in one second.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HostPart {
    #[serde(flatten)]
    pub(crate) figures: tenbin_engine::HostFigures<Option<Quantiles>>,
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
    /// What each agent reported, in the order of their numbers; empty without agents, and in runs
    /// of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) agents: Vec<AgentUse>,
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
    /// plan sets, or before the gate could tell.
    MostRounds,
    /// The gate could tell.
    Decided,
    /// The time of the gate was over before the gate could tell.
    Budget,
}

impl Ended {
    fn is_planned(&self) -> bool {
        *self == Self::Planned
    }
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
    pub(crate) fn new(
        slice: &SliceHead,
        interval: &Interval,
        op: &OpFigures,
        hlog: ByteRange,
    ) -> Self {
        let times = op.times.as_ref().map(Quantiles::of);
        Self {
            slice: slice.index,
            target: slice.target.clone(),
            workload: slice.workload.clone(),
            second: interval.second,
            start_ns: interval.start,
            end_ns: interval.end,
            drain: interval.drain,
            figures: op.clone().with_times(times),
            hlog,
        }
    }

    /// The counts of the operation in this second, which is `length` nanoseconds long.
    pub(crate) fn counts(&self, length: u64) -> SecondCounts {
        let figures = &self.figures;
        SecondCounts {
            slice: self.slice,
            operation: figures.name.clone(),
            second: self.second,
            length: length as f64 / 1e9,
            ok: figures.counts.ok,
            payload: figures.counts.payload,
            failed: figures.failed_count(),
            service: figures.times.service.map(|times| SecondTimes {
                min_ns: times.min_ns,
                mean_ns: times.mean_ns,
                p50_ns: times.p50_ns,
                p99_ns: times.p99_ns,
                max_ns: times.max_ns,
            }),
        }
    }
}

/// The figures that every version has written: a line without one of them is damaged.
const FIRST_FIGURES: [&str; 9] = [
    "operation", "ok", "sent", "received", "payload", "errors", "statuses", "failures", "censored",
];

impl<'de> Deserialize<'de> for OperationLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;

        impl<'de> Visitor<'de> for Map {
            type Value = OperationLine;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the figures of an operation in a second")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OperationLine, A::Error> {
                let mut figures = Operation::new("");
                let mut missing = FIRST_FIGURES.to_vec();
                let (mut slice, mut target, mut workload, mut hlog) = (None, None, None, None);
                let (mut second, mut start_ns, mut end_ns, mut drain) = (None, None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    missing.retain(|name| *name != key);
                    match key.as_str() {
                        "slice" => slice = Some(map.next_value()?),
                        "target" => target = Some(map.next_value()?),
                        "workload" => workload = Some(map.next_value()?),
                        "second" => second = Some(map.next_value()?),
                        "start_ns" => start_ns = Some(map.next_value()?),
                        "end_ns" => end_ns = Some(map.next_value()?),
                        "drain" => drain = Some(map.next_value()?),
                        "hlog" => hlog = Some(map.next_value()?),
                        key if figures.read_entry(key, &mut map)? => {}
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                if let Some(name) = missing.first() {
                    return Err(A::Error::missing_field(name));
                }
                let missing = |name| move || A::Error::missing_field(name);
                Ok(OperationLine {
                    slice: slice.ok_or_else(missing("slice"))?,
                    target: target.ok_or_else(missing("target"))?,
                    workload: workload.ok_or_else(missing("workload"))?,
                    second: second.ok_or_else(missing("second"))?,
                    start_ns: start_ns.ok_or_else(missing("start_ns"))?,
                    end_ns: end_ns.ok_or_else(missing("end_ns"))?,
                    drain: drain.ok_or_else(missing("drain"))?,
                    figures,
                    hlog: hlog.ok_or_else(missing("hlog"))?,
                })
            }
        }

        deserializer.deserialize_map(Map)
    }
}

impl SetupPart {
    pub(crate) fn new(setup: &SetupFigures, hlog: ByteRange) -> Self {
        let steps = setup.as_ref().map(Quantiles::of);
        Self { steps, hlog }
    }
}

impl HostPart {
    pub(crate) fn new(host: &HostFigures, hlog: ByteRange) -> Self {
        let service = Quantiles::of(&host.service);
        let figures = host.clone().with_service(service);
        Self { figures, hlog }
    }
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
        slice: &SliceHead,
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
