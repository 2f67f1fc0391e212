//! The interface between the engine and a workload: one request and its response.

use std::os::fd::BorrowedFd;

use serde::{Deserialize, Serialize};

use crate::error::ErrorClass;

/// A request, with the workload's notes about the request. A slot (place for one request in flight
/// on a connection) reuses one exchange for all its requests, so that preparing a request allocates
/// no memory.
#[derive(Debug, Default)]
pub struct Exchange {
    /// Request line, headers and the blank line, as sent.
    pub head: Vec<u8>,
    /// Index of the operation in [`Workload::operations`].
    pub op: usize,
    /// Index of the host that receives the request, in the order of the route. Set by the engine;
    /// constant for the lifetime of the exchange.
    pub host: usize,
    /// Whether the response has no body regardless of `Content-Length`, as after HEAD.
    pub bodyless_response: bool,
    /// Timeout of this request, nanoseconds; 0 uses the timeout of the load.
    pub timeout: u64,
    /// Bytes that this request adds to the throughput in bytes per second; `None` adds the request
    /// body or the response body, whichever is longer. Set, for example, for a blob smaller than
    /// the JSON document that requests the blob. Stays set for later requests of the exchange until
    /// the workload changes the value.
    pub content: Option<u64>,
    /// How often the workload has sent this request before in other exchanges, because it retries
    /// refused requests.
    pub repeats: u32,
    /// First note of the workload, for example the number of the object.
    pub tag: u64,
    /// Second note of the workload, for example how many bytes of the response have been verified,
    /// or an error found in the body.
    pub note: u64,
    /// Third note of the workload, for example the running checksum of the response body.
    pub sum: u64,
}

/// The current time, as passed to a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds since the origin of the slice.
    pub nanos: u64,
    /// Seconds since 1970-01-01 UTC.
    pub unix_seconds: u64,
}

/// The workload's reply to [`Workload::next`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The exchange holds a new request.
    Ready,
    /// Send the previous request again, unchanged: `head` of the exchange still holds its bytes.
    Same,
    /// No request until a request in flight has ended. The connection idles until then, and the
    /// scheduler calls [`Workload::next`] again.
    Wait,
    /// No request until this time ([`Moment::nanos`]) or until a request in flight has ended,
    /// whichever comes first.
    Rest(u64),
    /// No more requests: the slice ends when all responses have arrived.
    Exhausted,
}

/// The position of a request body in a file whose content does not change.
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
    /// The value of the first header with this name, ignoring case. Scans the whole head: too slow
    /// to call for every request.
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
    /// Count the bytes of the body and drop them.
    Discard,
    /// Pass every part of the body to [`Workload::body`].
    Inspect,
}

/// The workload's judgement of a complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The response is correct.
    Correct,
    /// The response is a failure. The text goes into the error table and can be empty; an example
    /// is an S3 error code. The text comes from the server: treat it as hostile.
    Failed(ErrorClass, String),
}

/// The outcome of one request, for a workload that records individual requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestOutcome {
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Whether the workload judged the response correct.
    pub correct: bool,
    /// The latency that reports show, nanoseconds: service time in a closed loop, response time in
    /// an open loop.
    pub nanos: u64,
}

/// Role of an operation in the workload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A request that is a complete operation.
    #[default]
    Request,
    /// A sub-request of a transaction: reported with its own figures, not counted towards
    /// throughput.
    Step,
    /// A transaction of several requests, timed from the start of the first request to the end of
    /// the last.
    #[serde(rename = "whole")]
    Transaction,
    /// A request on a separate connection that checks the effect of operations; not counted towards
    /// throughput.
    Poll,
    /// The time until an operation took effect, as observed by the polls; not counted towards
    /// throughput.
    Effect,
}

impl Role {
    /// Whether the operation counts in throughput and failures.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Transaction)
    }

    /// Whether the operation is a request of its own, neither a part of a transaction nor a poll.
    pub fn is_plain_request(&self) -> bool {
        *self == Self::Request
    }

    /// Whether the operation is a single request.
    pub fn is_request(self) -> bool {
        matches!(self, Self::Request | Self::Step)
    }
}

/// A transaction or effect ([`Role::Transaction`], [`Role::Effect`]) that ended when its last
/// request was judged or lost.
///
/// - A transaction counts by the rules of a request: a correct transaction counts as throughput if
///   it ends inside the window, and its time is recorded if it starts inside the window.
/// - The time of a transaction starts with the call of [`Workload::next`] that prepared its first
///   request. In an open loop, the call can be later than the request's intended start. This lag is
///   part of the request's response time, but not of the transaction's time.
/// - `--requests` and `--rate` apply to requests, not to transactions.
/// - A transaction that still has requests to send when the slice ends counts neither as correct
///   nor as failed, because the engine sends nothing more. If a request of the transaction is lost
///   in the drain, the workload can report the transaction as failed.
/// - A failed sub-request does not count as a failure of the load; the workload reports the
///   transaction as failed, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Index of the operation in [`Workload::operations`].
    pub op: usize,
    /// [`Moment::nanos`] of the call of [`Workload::next`] that started the transaction.
    pub started: u64,
    /// Bytes of content that the requests of the transaction sent or received, summed.
    pub payload: u64,
    /// Time of the end ([`Moment::nanos`]), if earlier than the response that reported the end;
    /// `None` if the transaction ended with that response.
    pub ended: Option<u64>,
    /// The workload's judgement of the transaction.
    pub outcome: Judgement,
}

/// How a request without a complete response counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// As a failure of this class with this text.
    Failed(ErrorClass, &'static str),
    /// As a correct response: the server's way to give the response that was expected.
    Expected,
}

/// Prepares requests and judges responses. Each generator thread owns one instance; the instances
/// share no state.
pub trait Workload: Send {
    /// Names of the operations, for example `["GET"]`. [`Exchange::op`] is an index into this
    /// list.
    fn operations(&self) -> &[&'static str];

    /// The role of the operation with this index in [`Workload::operations`].
    fn role(&self, op: usize) -> Role {
        let _ = op;
        Role::Request
    }

    /// The next transaction or effect that ended with the last call of [`Workload::judge`] or
    /// [`Workload::lost`]. After every `judge` and `lost`, the scheduler calls this method until
    /// the result is `None`. Not called for a workload without [`Role::Transaction`] and
    /// [`Role::Effect`].
    fn transaction(&mut self) -> Option<Transaction> {
        None
    }

    /// Number of connections that this instance uses in addition to the connections of the load;
    /// `None` for an instance that sends a share of the load. Called once. An instance with
    /// separate connections observes the effects of the load. The instance runs a closed loop until
    /// the window ends, with one request in flight per connection and without rate, count or think
    /// time. Connection figures exclude these connections.
    fn own_connections(&self) -> Option<usize> {
        None
    }

    /// Prepares the next request in `exchange`. Called for each request on the hot path: must not
    /// allocate memory or do I/O.
    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next;

    /// The body to send with `exchange`. Must not change until the exchange is judged.
    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let _ = exchange;
        &[]
    }

    /// Position of the bytes of [`Workload::payload`] in a file, if a file holds them. The kernel
    /// can then send a large body without a copy.
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

    /// The time that the body of the response judged last states for its whole request, nanoseconds.
    /// Called after a correct judgement if the plan reads server stages.
    fn server_time(&mut self) -> Option<u64> {
        None
    }

    /// Whether the workload wants [`Workload::completed`] calls. Called once, at the start of a
    /// slice.
    fn follows(&self) -> bool {
        false
    }

    /// Receives the outcome of a request that was due in the measured window, after the request was
    /// judged or lost. Called on the hot path: must not allocate memory or do I/O.
    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        let _ = (exchange, outcome);
    }

    /// How a request without a complete response counts, if the workload knows better than `class`:
    /// a partial response can contain the cause. Called just before [`Workload::lost`].
    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        let _ = (exchange, class);
        None
    }

    /// The exchange ended without a complete response (connection refused or reset, timeout,
    /// malformed response): whether the request took effect is unknown.
    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (exchange, class);
    }

    /// A request failed before it was prepared: no connection could be opened for it, or no
    /// connection was free before the timeout.
    fn unprepared(&mut self, class: ErrorClass) {
        let _ = class;
    }

    /// Whether to stop sending after a failure that [`Workload::lost`] or [`Workload::unprepared`]
    /// just reported. Needed because without an open connection [`Workload::next`] is not called
    /// and cannot return [`Next::Exhausted`].
    fn gives_up(&self) -> bool {
        false
    }

    /// The slice has ended for this instance: no further calls follow.
    fn slice_over(&mut self) {}
}
