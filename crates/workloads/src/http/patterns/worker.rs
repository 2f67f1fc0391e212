//! One thread's share of the requests.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Seen, Workload,
};

use super::super::complaint::Complaints;
use super::book::Book;
use super::figures::Figures;
use super::sampler::Sampler;
use crate::responses::{KEPT_BYTES, Lengths, ResponsesSeen, shown};
use crate::sequence::Cursor;

/// What a worker has seen by the end of a slice, and what the next slice goes on with.
pub(super) struct Log {
    pub(super) figures: Figures,
    /// Requests drawn for each host.
    pub(super) drawn: Vec<u64>,
    pub(super) course: Course,
    /// What was seen of the responses, where they are compared.
    pub(super) responses: Option<ResponsesSeen>,
}

/// Where a worker is in its sequence.
#[derive(Default)]
pub(super) struct Course {
    pub(super) sampler: Sampler,
    pub(super) cursor: Cursor,
    /// How long the responses are that it got.
    pub(super) lengths: Lengths,
}

/// One thread's share of the requests. It writes its log when it is dropped.
pub(super) struct Worker {
    book: Arc<Book>,
    course: Course,
    figures: Figures,
    drawn: Vec<u64>,
    complaints: Complaints,
    log: Arc<Mutex<Option<Log>>>,
}

impl Worker {
    pub(super) fn new(
        book: Arc<Book>,
        course: Course,
        figures: Figures,
        complaints: Complaints,
        log: Arc<Mutex<Option<Log>>>,
    ) -> Self {
        Self {
            drawn: vec![0; book.hosts()],
            book,
            course,
            figures,
            complaints,
            log,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let log = Log {
            responses: self.course.lengths.take_seen(),
            figures: std::mem::take(&mut self.figures),
            drawn: std::mem::take(&mut self.drawn),
            course: std::mem::take(&mut self.course),
        };
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = Some(log);
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[&'static str] {
        self.book.operations()
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        let Course {
            sampler, cursor, ..
        } = &mut self.course;
        if cursor.is_through() {
            return Next::Exhausted;
        }
        let pattern = sampler.next(exchange.host);
        cursor.send(u64::from(pattern));
        self.drawn[exchange.host] += 1;
        self.book.write(pattern, exchange);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.book.body(exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let is_other = |length| self.course.lengths.is_unexpected(exchange.tag, length);
        if !exchange.bodyless_answer
            && self.book.success.holds(head.status)
            && head.length.is_some_and(is_other)
        {
            self.complaints.bodies.catch_up_to(KEPT_BYTES, exchange);
            return BodyUse::Inspect;
        }
        self.complaints.head(&self.book.success, exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.complaints.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if !self.book.success.holds(status) {
            return self.complaints.failed(exchange);
        }
        let lengths = &mut self.course.lengths;
        if exchange.bodyless_answer {
            return Judgement::Correct;
        }
        if lengths.is_unexpected(exchange.tag, length) {
            let example = shown(self.complaints.bodies.caught(exchange));
            let example = match self.complaints.secrets.are_not_in(&example) {
                true => example,
                false => String::new(),
            };
            self.complaints.release(exchange);
            return lengths.unexpected(exchange.tag, (status, length), example);
        }
        lengths.came(exchange.tag, length);
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.complaints.release(exchange);
    }

    fn follows(&self) -> bool {
        self.figures.wants_any()
    }

    fn seen(&mut self, exchange: &Exchange, seen: Seen) {
        self.figures.take(exchange.tag as u32, exchange.host, seen);
    }
}
