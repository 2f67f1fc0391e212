//! The lines of `intervals.jsonl`, field by field as they stand in the file.
//!
//! A line is committed by its newline, and a second by its `second` line, which
//! comes after the `operation` lines it belongs to.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use tenbin_engine::{ErrorClass, Ledger};

use crate::fold::{Interval, ThreadUse};
use crate::histogram::quantile_ns;
use crate::slice::{OpFigures, ServerUse, SliceEnd, SliceStart};

/// Version of the lines.
pub(crate) const SCHEMA: &str = "tenbin.intervals/1";

/// First line of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunLine {
    pub(crate) schema: String,
}

/// What one operation did in one second.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperationLine {
    slice: u32,
    target: String,
    workload: String,
    pub(crate) operation: String,
    second: u64,
    start_ns: u64,
    end_ns: u64,
    drain: bool,
    ok: u64,
    sent: u64,
    received: u64,
    payload: u64,
    errors: BTreeMap<String, u64>,
    statuses: BTreeMap<u16, u64>,
    failures: BTreeMap<String, u64>,
    censored: u64,
    pub(crate) service: Option<Quantiles>,
    pub(crate) response: Option<Quantiles>,
    pub(crate) lag: Option<Quantiles>,
    pub(crate) failed: Option<Quantiles>,
    pub(crate) hlog: ByteRange,
}

/// What a histogram holds, to look at; the histogram itself is in `latency.hlog`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) count: u64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

/// Where a line's histograms stand in `latency.hlog`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ByteRange {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// What both sides used in one second; commits the operation lines before it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SecondLine {
    slice: u32,
    target: String,
    workload: String,
    pub(crate) second: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) drain: bool,
    #[serde(with = "LedgerFields")]
    ledger: Ledger,
    pub(crate) threads: Vec<ThreadUse>,
    server: Option<ServerUse>,
}

/// The slice is over.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EndLine {
    pub(crate) slice: u32,
    #[serde(flatten)]
    pub(crate) end: SliceEnd,
}

/// Every slice of the plan has been measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CompleteLine {}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ledger")]
struct LedgerFields {
    opened: u64,
    reused: u64,
    closed_by_client: u64,
    closed_by_server: u64,
    refused: u64,
    reset: u64,
    connect_nanos: u64,
}

/// A kind of line: the word in its `kind` field.
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
impl Line for CompleteLine {
    const KIND: &'static str = "complete";
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    line: &'a T,
}

/// Appends `line` and its newline to `text`.
pub(crate) fn push<T: Line>(text: &mut Vec<u8>, line: &T) {
    let tagged = Tagged {
        kind: T::KIND,
        line,
    };
    serde_json::to_writer(&mut *text, &tagged).expect("plain data becomes JSON");
    text.push(b'\n');
}

impl OperationLine {
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
            second: interval.second,
            start_ns: interval.start,
            end_ns: interval.end,
            drain: interval.drain,
            ok: op.ok,
            sent: op.sent,
            received: op.received,
            payload: op.payload,
            errors: op
                .errors
                .iter()
                .map(|(class, count)| (class.name().to_owned(), *count))
                .collect(),
            statuses: op.statuses.clone(),
            failures: op.failures.clone(),
            censored: op.censored,
            service: Quantiles::of(&op.service),
            response: Quantiles::of(&op.response),
            lag: Quantiles::of(&op.lag),
            failed: Quantiles::of(&op.failed),
            hlog,
        }
    }

    /// The figures, all but the histograms. `Err` names an unknown error class.
    pub(crate) fn figures(&self) -> Result<OpFigures, String> {
        let mut figures = OpFigures::new(&self.operation);
        figures.ok = self.ok;
        figures.sent = self.sent;
        figures.received = self.received;
        figures.payload = self.payload;
        figures.statuses.clone_from(&self.statuses);
        figures.failures.clone_from(&self.failures);
        figures.censored = self.censored;
        for (name, count) in &self.errors {
            let class = ErrorClass::from_name(name).ok_or_else(|| name.clone())?;
            figures.errors.insert(class, *count);
        }
        Ok(figures)
    }
}

impl Quantiles {
    fn of(histogram: &Histogram<u64>) -> Option<Self> {
        Some(Self {
            count: histogram.len(),
            p50_ns: quantile_ns(histogram, 0.5)?,
            p90_ns: quantile_ns(histogram, 0.9)?,
            p99_ns: quantile_ns(histogram, 0.99)?,
            max_ns: histogram.max(),
        })
    }
}

impl SecondLine {
    pub(crate) fn new(slice: &SliceStart, interval: &Interval, server: Option<ServerUse>) -> Self {
        Self {
            slice: slice.index,
            target: slice.target.clone(),
            workload: slice.workload.clone(),
            second: interval.second,
            start_ns: interval.start,
            end_ns: interval.end,
            drain: interval.drain,
            ledger: interval.ledger,
            threads: interval.threads.clone(),
            server,
        }
    }

    /// The second with these figures for its operations.
    pub(crate) fn interval(&self, ops: Vec<OpFigures>) -> Interval {
        Interval {
            second: self.second,
            start: self.start_ns,
            end: self.end_ns,
            drain: self.drain,
            ops,
            ledger: self.ledger,
            threads: self.threads.clone(),
        }
    }
}
