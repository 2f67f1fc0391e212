//! The seam between the engine and a workload: one request and its answer.

use std::os::fd::BorrowedFd;

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
    /// The workload's own note, for example the number of the object.
    pub tag: u64,
    /// A second note, for example how far the answer has been verified, or a
    /// fault seen in its body.
    pub note: u64,
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

/// What to send and what counts as a correct answer. Each generator thread owns
/// one instance; nothing is shared between them.
pub trait Workload: Send {
    /// Names of the operations, for example `["GET"]`; [`Exchange::op`] indexes it.
    fn operations(&self) -> &[&'static str];

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

    /// The exchange ended without a complete answer (connection refused or
    /// reset, timeout, garbage): it may or may not have taken effect.
    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (exchange, class);
    }
}
