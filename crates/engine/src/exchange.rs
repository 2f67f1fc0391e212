//! The interface between the engine and a workload: one request and its response.

use std::os::fd::BorrowedFd;

use serde::{Deserialize, Serialize};

use crate::error::ErrorClass;

/// A request and the workload's notes about it. Every slot has one and reuses it, so that
/// preparing the next request allocates nothing.
#[derive(Debug, Default)]
pub struct Exchange {
    /// Request line, headers and the blank line, as sent.
    pub head: Vec<u8>,
    /// Index of the operation in [`Workload::operations`].
    pub op: usize,
    /// Index of the route's host that the request goes to. Set by the engine; constant for the
    /// lifetime of the exchange.
    pub host: usize,
    /// Whether the response has no body whatever its headers say, as after HEAD.
    pub bodyless_response: bool,
    /// Timeout of this request, nanoseconds; 0 for the timeout of the load.
    pub timeout: u64,
    /// Bytes of content, if different from the length of the longer of the two bodies (request and
    /// response): for example, a small blob is shorter than the JSON document that requests it. The
    /// value remains until the workload sets another.
    pub content: Option<u64>,
    /// A note of the workload, for example the number of the object.
    pub tag: u64,
    /// A second note, for example how many bytes of the response have been verified, or an error
    /// found in the body.
    pub note: u64,
    /// A third note: the running checksum of the response body, where the workload computes one.
    pub sum: u64,
}

/// The current time, as a workload may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds since the start of the slice.
    pub nanos: u64,
    /// Seconds since 1970-01-01 UTC.
    pub unix_seconds: u64,
}

/// What the workload returns when it is asked for the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The exchange holds a new request.
    Ready,
    /// The exchange's `head` holds the previous request, which is to be sent again unchanged.
    Same,
    /// No request until a response in flight has been judged. The connection idles, and the
    /// scheduler calls [`Workload::next`] again after the next judgement.
    Wait,
    /// No request until this time ([`Moment::nanos`]), or until a response in flight has been
    /// judged, whichever comes first.
    Rest(u64),
    /// No more requests: the slice ends when all responses have arrived.
    Exhausted,
}

/// Bytes in a file that does not change.
#[derive(Debug, Clone, Copy)]
pub struct InFile<'a> {
    /// The file.
    pub file: BorrowedFd<'a>,
    /// Offset of the bytes in the file.
    pub offset: u64,
}

/// Status line and headers of a response.
#[derive(Debug, Clone, Copy)]
pub struct ResponseHead<'a> {
    /// Status code.
    pub status: u16,
    /// `Content-Length`, if present.
    pub length: Option<u64>,
    /// Status line and headers as received, including the blank line.
    pub bytes: &'a [u8],
}

impl<'a> ResponseHead<'a> {
    /// The first header with this name, in any case. Scans the head: too slow to call for every
    /// request.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.bytes.split(|&b| b == b'\n').skip(1).find_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            line[..colon]
                .eq_ignore_ascii_case(name.as_bytes())
                .then(|| line[colon + 1..].trim_ascii())
        })
    }
}

/// What the engine does with the body of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyUse {
    /// Count its bytes and drop them.
    Discard,
    /// Pass every part to [`Workload::body`].
    Inspect,
}

/// The workload's judgement of a complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The response is correct.
    Correct,
    /// The response is a failure. The text (may be empty) goes into the error table, for example
    /// an S3 error code. It comes from the server: treat it as hostile.
    Failed(ErrorClass, String),
}

/// The outcome of one request, for a workload that records single requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestOutcome {
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Whether the workload judged the response correct.
    pub correct: bool,
    /// The published time, nanoseconds: from the write in a closed loop, from the intended start
    /// in an open loop.
    pub nanos: u64,
}

/// How an operation counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One request that counts as one unit of throughput.
    #[default]
    Request,
    /// A sub-request: one request of a transaction. It has its own figures and does not count as
    /// throughput.
    Step,
    /// A transaction of several requests. It counts as throughput; its time is from the start of
    /// its first request to the end of its last.
    #[serde(rename = "whole")]
    Transaction,
    /// A request that polls for the effect of other operations. It is sent on separate
    /// connections ([`Workload::own_connections`]) and does not count as throughput.
    Poll,
    /// The time until an operation took effect, as requests of [`Role::Poll`] found it. A failure
    /// is an operation without effect. Does not count as throughput.
    Effect,
}

impl Role {
    /// Whether the operation counts in throughput and failures.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Transaction)
    }

    /// Whether the operation is a single request.
    pub fn is_request(self) -> bool {
        matches!(self, Self::Request | Self::Step)
    }
}

/// An operation of [`Role::Transaction`] or [`Role::Effect`] that ended with the response judged last,
/// or with the exchange lost last.
///
/// - It is counted by the rules of a request: a correct one counts as throughput if it ends
///   inside the window, and its time is recorded if it starts inside the window.
/// - Its time starts with the call of [`Workload::next`] that prepared its first request. In an
///   open loop that call may come later than the intended start of the request: the lag is part
///   of the request's response time and not of the transaction's.
/// - A count (`--requests`) and a rate limit the requests, not the transactions.
/// - A transaction that still has requests to send when the slice ends counts neither as done nor
///   as failed, because nothing more is sent. If one of its requests is lost in the drain, the
///   workload may report it as failed.
/// - A failed sub-request counts as a failure only through its transaction, which the workload
///   reports once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Index of the operation in [`Workload::operations`].
    pub op: usize,
    /// [`Moment::nanos`] of the call of [`Workload::next`] that started it.
    pub started: u64,
    /// Body bytes moved, over all its requests.
    pub payload: u64,
    /// [`Moment::nanos`] of its end, if that was before the response that reported it.
    pub ended: Option<u64>,
    /// The outcome.
    pub outcome: Judgement,
}

/// Prepares requests and judges responses. Each generator thread owns one instance; instances
/// share nothing.
pub trait Workload: Send {
    /// Names of the operations, for example `["GET"]`. [`Exchange::op`] is an index into this
    /// list.
    fn operations(&self) -> &[&'static str];

    /// How the operation with this index in [`Workload::operations`] counts.
    fn role(&self, op: usize) -> Role {
        let _ = op;
        Role::Request
    }

    /// The next operation of [`Role::Transaction`] or [`Role::Effect`] that ended with the last call of
    /// [`Workload::judge`] or [`Workload::lost`]. If the workload has such operations, the
    /// scheduler calls this after each judgement and each loss until the result is `None`.
    fn transaction(&mut self) -> Option<Transaction> {
        None
    }

    /// Number of connections that this instance has in addition to those of the load; `None` for
    /// an instance that sends its share of the load. Called once. An instance with its own
    /// connections checks what the others do: its closed loop ends with the window and has one
    /// request in flight on each connection, without rate, count or think time. Its connections
    /// are not counted.
    fn own_connections(&self) -> Option<usize> {
        None
    }

    /// Prepares the next request in `exchange`. Called once for each request, on the hot path: no
    /// allocation, no I/O.
    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next;

    /// The body to send with `exchange`. Must not change until the exchange is judged.
    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let _ = exchange;
        &[]
    }

    /// Where the bytes of [`Workload::payload`] lie in a file, if they do: a large body is then
    /// sent without a copy.
    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        let _ = exchange;
        None
    }

    /// The head of the response has arrived. Returns what to do with the body.
    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let _ = (exchange, head);
        BodyUse::Discard
    }

    /// A part of the body, in order, `offset` bytes after its start. Called only after
    /// [`BodyUse::Inspect`].
    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let _ = (exchange, offset, part);
    }

    /// The response is complete, with `length` bytes of body.
    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement;

    /// Whether the engine calls [`Workload::completed`]. Called once, at the start of a slice.
    fn follows(&self) -> bool {
        false
    }

    /// The outcome of a request that was due in the measured window, after it was judged or lost.
    /// Called on the hot path: no allocation, no I/O.
    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        let _ = (exchange, outcome);
    }

    /// The failure class and text of an exchange that is about to be [`Workload::lost`], where
    /// the workload knows better than `class`: a partial response may contain the cause.
    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<(ErrorClass, &'static str)> {
        let _ = (exchange, class);
        None
    }

    /// The exchange ended without a complete response (connection refused or reset, timeout,
    /// malformed response): the request may or may not have taken effect.
    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (exchange, class);
    }

    /// A request failed before it was prepared: no connection could be opened for it, or no
    /// connection was free before the timeout.
    fn unprepared(&mut self, class: ErrorClass) {
        let _ = class;
    }

    /// Whether to send nothing more after a failure that [`Workload::lost`] or
    /// [`Workload::unprepared`] just reported. Without a connection [`Workload::next`] is not
    /// called, so it cannot end the slice.
    fn gives_up(&self) -> bool {
        false
    }

    /// The slice has ended for this instance: no further calls follow.
    fn slice_over(&mut self) {}
}
