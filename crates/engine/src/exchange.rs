//! The seam between the engine and a workload: one request and its answer.

use std::os::fd::BorrowedFd;

use serde::{Deserialize, Serialize};

use crate::error::ErrorClass;

/// A request and the workload's own note about it. One lives in every connection
/// and is reused, so that preparing the next request allocates nothing.
#[derive(Debug, Default)]
pub struct Exchange {
    /// Request line, headers and the blank line, as sent.
    pub head: Vec<u8>,
    /// Which of [`Workload::operations`] this is.
    pub op: usize,
    /// Which host of the route it goes to, from 0: set by the engine, and the same
    /// for as long as the exchange lives.
    pub host: usize,
    /// Whether an answer may carry a body (it may not after HEAD).
    pub bodyless_answer: bool,
    /// Nanoseconds that it may take, where that is not as the load says; 0 where it is.
    pub patience: u64,
    /// Bytes of content that it is about, where that is not the longer of the two bodies:
    /// a small blob is shorter than the document that asks for it. Stays until it is set
    /// again.
    pub content: Option<u64>,
    /// The workload's own note, for example the number of the object.
    pub tag: u64,
    /// A second note, for example how far the answer has been verified, or a
    /// fault seen in its body.
    pub note: u64,
    /// A third note: the running checksum of the response's body, where the workload
    /// computes one.
    pub sum: u64,
}

/// The time, as far as a workload may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds since the slice began.
    pub nanos: u64,
    /// Seconds since 1970-01-01 UTC.
    pub unix_seconds: u64,
}

/// Whether there is another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The exchange holds a new request.
    Ready,
    /// The exchange's `head` from last time is right again, untouched.
    Same,
    /// Nothing to send until an answer that is still out has been judged.
    /// The connection rests; it is asked again after the next judgement.
    Wait,
    /// Nothing to send until then, [`Moment::nanos`], or until an answer that is still out
    /// has been judged, whichever comes first.
    Rest(u64),
    /// There is nothing left to send: the slice ends when all answers are in.
    Exhausted,
}

/// Bytes in a file that nobody changes.
#[derive(Debug, Clone, Copy)]
pub struct InFile<'a> {
    /// The file.
    pub file: BorrowedFd<'a>,
    /// Where the bytes begin in it.
    pub offset: u64,
}

/// Status line and headers of an answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerHead<'a> {
    /// Status code.
    pub status: u16,
    /// `Content-Length`, if there was one.
    pub length: Option<u64>,
    /// Status line and headers as received, up to and with the blank line.
    pub bytes: &'a [u8],
}

impl<'a> AnswerHead<'a> {
    /// The first header of that name (any case), if there is one. Scans the
    /// head; not for the path of every request.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.bytes.split(|&b| b == b'\n').skip(1).find_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            line[..colon]
                .eq_ignore_ascii_case(name.as_bytes())
                .then(|| line[colon + 1..].trim_ascii())
        })
    }
}

/// What the engine does with the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyUse {
    /// Count its bytes and drop them.
    Discard,
    /// Hand every part to [`Workload::body`].
    Inspect,
}

/// What the workload says of a complete answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// As it should be.
    Correct,
    /// Not a success; the text (empty is allowed) goes into the error table,
    /// for example an S3 error code. It is server-supplied: treat as hostile.
    Failed(ErrorClass, String),
}

/// How one request went, for a workload that follows single requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Status of its answer; `None` if no complete one came.
    pub status: Option<u16>,
    /// The workload judged it correct.
    pub correct: bool,
    /// The time that is published, nanoseconds: from its write in a closed loop, from
    /// its intended start in an open one.
    pub nanos: u64,
}

/// What an operation is to the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One request that is one piece of work.
    #[default]
    Request,
    /// One request that is a step of something larger: it has figures of its own and
    /// is no throughput.
    Step,
    /// Something made of several requests: it is throughput, and its time is from the
    /// start of the first of them to the end of the last.
    Whole,
    /// One request that checks what work has done. It is sent on connections of its own,
    /// beside the load ([`Workload::own_connections`]), and is no throughput.
    Poll,
    /// When work took effect, as requests of [`Role::Poll`] found: it has times, and its
    /// failures are work without effect. It is no throughput.
    Effect,
}

impl Role {
    /// Whether it is a piece of work: what throughput and failures are counted in.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Whole)
    }

    /// Whether it goes over the wire by itself.
    pub fn is_request(self) -> bool {
        matches!(self, Self::Request | Self::Step)
    }
}

/// An operation of [`Role::Whole`] or [`Role::Effect`] that has come to its end with the answer judged
/// last, or with the exchange lost last.
///
/// - It is counted by the same rules as a request: a correct one is throughput if it
///   ends inside the window, and its time is kept if it began inside it.
/// - It is timed from the call of [`Workload::next`] that prepared its first request,
///   also in an open loop, where that call may come later than the request was due:
///   the lag of that request is in its own response time and not in this one.
/// - A count (`--requests`) and a rate bound the requests, not what they are part of.
/// - One that still has requests to send when the slice ends is not counted, neither
///   as done nor as failed, since nothing more is sent then; only if a request of it
///   is lost in the drain, the workload may report it as failed.
/// - A failed step counts as a failure of the work by the whole that it spoils, and
///   only by that: the workload reports such a whole, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Which of [`Workload::operations`] it is.
    pub op: usize,
    /// [`Moment::nanos`] of the call of [`Workload::next`] that began it.
    pub started: u64,
    /// Body bytes that it moved, over all its requests.
    pub payload: u64,
    /// [`Moment::nanos`] at which it ended, where that is before the answer that told of it.
    pub ended: Option<u64>,
    /// What came of it.
    pub outcome: Judgement,
}

/// What to send and what counts as a correct answer. Each generator thread owns
/// one instance; nothing is shared between them.
pub trait Workload: Send {
    /// Names of the operations, for example `["GET"]`; [`Exchange::op`] indexes it.
    fn operations(&self) -> &[&'static str];

    /// What the operation at that place in [`Workload::operations`] is to the work.
    fn role(&self, op: usize) -> Role {
        let _ = op;
        Role::Request
    }

    /// What has come to its end with the call of [`Workload::judge`] or
    /// [`Workload::lost`] just before. Asked after each of these, if any operation is
    /// of [`Role::Whole`] or [`Role::Effect`], until there is nothing more.
    fn whole(&mut self) -> Option<Whole> {
        None
    }

    /// How many connections it has beside those of the load; `None` for a workload that has
    /// its share of the load. Asked once. Such a workload checks what the others do: its
    /// closed loop ends with the window, has one request out on each connection, and neither
    /// rate, count nor think time; what happens to its connections is not counted.
    fn own_connections(&self) -> Option<usize> {
        None
    }

    /// Prepares the next request in `exchange`. Called once for each operation
    /// sent, on the path of the request: no allocation, no I/O.
    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next;

    /// The body to send with `exchange`, by reference. Must stay the same until
    /// the exchange is judged.
    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let _ = exchange;
        &[]
    }

    /// The bytes of [`Workload::payload`] as they lie in a file, if they do: so a
    /// large body can be sent without being copied.
    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        let _ = exchange;
        None
    }

    /// The head of the answer has come: what to do with the body?
    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let _ = (exchange, head);
        BodyUse::Discard
    }

    /// A part of the body, in order, `offset` bytes after its start. Only after
    /// [`BodyUse::Inspect`].
    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let _ = (exchange, offset, part);
    }

    /// The answer is complete, with `length` bytes of body.
    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement;

    /// Whether [`Workload::seen`] is to be called. Asked once, at the begin of a slice.
    fn follows(&self) -> bool {
        false
    }

    /// How a request went that was due in the measured window: after it was judged or
    /// lost. On the path of the request: no allocation, no I/O.
    fn seen(&mut self, exchange: &Exchange, seen: Seen) {
        let _ = (exchange, seen);
    }

    /// What an exchange counts as that is about to be [`Workload::lost`], where the workload
    /// knows better than `class`: an answer that began and broke off may say something.
    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<(ErrorClass, &'static str)> {
        let _ = (exchange, class);
        None
    }

    /// The exchange ended without a complete answer (connection refused or
    /// reset, timeout, garbage): it may or may not have taken effect.
    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (exchange, class);
    }

    /// A request failed before it was prepared: no connection could be opened for it, or none
    /// was free in time.
    fn unprepared(&mut self, class: ErrorClass) {
        let _ = class;
    }

    /// Whether nothing more is to be sent after a failure that was just reported, by
    /// [`Workload::lost`] or [`Workload::unprepared`]: without a connection,
    /// [`Workload::next`] is not called, and cannot say so.
    fn gives_up(&self) -> bool {
        false
    }

    /// The slice is over for this instance: nothing more is asked of it.
    fn slice_over(&mut self) {}
}
