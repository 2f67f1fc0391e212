//! The measured worker that draws and sends patterns.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, RequestOutcome, ResponseHead, Workload,
};

use super::super::checks::Checker;
use super::super::error_message::ErrorMessages;
use super::figures::Figures;
use super::host_order::HostOrder;
use super::requests::Requests;
use super::sampler::Sampler;
use crate::responses::{KEPT_BYTES, Lengths, ResponseComparison, shown};
use crate::sequence::Cursor;

/// Results of a worker at the end of a slice, and the state for the next slice.
pub(super) struct Log {
    pub(super) figures: Figures,
    /// Requests drawn, by host.
    pub(super) drawn: Vec<u64>,
    pub(super) order: HostOrder,
    pub(super) course: WorkerState,
    /// Comparison of the responses; `None` if responses are not compared.
    pub(super) responses: Option<ResponseComparison>,
}

/// State that a worker keeps between slices: its position and the known response lengths.
#[derive(Default)]
pub(super) struct WorkerState {
    pub(super) sampler: Sampler,
    pub(super) cursor: Cursor,
    /// By request: the length of the first response that the worker received.
    pub(super) lengths: Lengths,
}

/// The measured worker of one thread; writes its log when dropped.
pub(super) struct Worker {
    book: Arc<Requests>,
    course: WorkerState,
    figures: Figures,
    drawn: Vec<u64>,
    order: HostOrder,
    error_messages: ErrorMessages,
    checker: Checker,
    log: Arc<Mutex<Option<Log>>>,
}

impl Worker {
    pub(super) fn new(
        book: Arc<Requests>,
        course: WorkerState,
        figures: Figures,
        order: HostOrder,
        (error_messages, checker): (ErrorMessages, Checker),
        log: Arc<Mutex<Option<Log>>>,
    ) -> Self {
        Self {
            drawn: vec![0; book.hosts()],
            book,
            course,
            figures,
            order,
            error_messages,
            checker,
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
            order: std::mem::take(&mut self.order),
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
        let WorkerState {
            sampler, cursor, ..
        } = &mut self.course;
        if cursor.is_through() {
            return Next::Exhausted;
        }
        let pattern = sampler.next(exchange.host);
        cursor.send(u64::from(pattern));
        self.drawn[exchange.host] += 1;
        self.order.push(exchange.host);
        self.book.write(pattern, exchange);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.book.body(exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        if !self.book.is_expected(exchange, head.status) {
            return self.error_messages.head(&self.book.success, exchange, head);
        }
        let bodies = &mut self.error_messages.bodies;
        let is_other = |length| self.course.lengths.is_unexpected(exchange.tag, length);
        let is_unexpected = !exchange.bodyless_response && head.length.is_some_and(is_other);
        if is_unexpected {
            bodies.catch_up_to(KEPT_BYTES, exchange);
        }
        // The content of an expected redirect or error is not that of a success.
        let checked = if self.book.success.holds(head.status) {
            self.checker.head(bodies, exchange, head)
        } else {
            BodyUse::Discard
        };
        if is_unexpected {
            BodyUse::Inspect
        } else {
            checked
        }
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.error_messages.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if !self.book.is_expected(exchange, status) {
            return self.error_messages.failed(exchange);
        }
        let ErrorMessages { bodies, secrets } = &mut self.error_messages;
        let is_success = self.book.success.holds(status);
        let checked = if is_success {
            self.checker
                .judge(bodies, exchange, (status, length), secrets)
        } else {
            None
        };
        if let Some(failed) = checked {
            bodies.release(exchange);
            return failed;
        }
        let lengths = &mut self.course.lengths;
        if exchange.bodyless_response {
            self.error_messages.release(exchange);
            return Judgement::Correct;
        }
        if lengths.is_unexpected(exchange.tag, length) {
            let example = shown(self.error_messages.bodies.caught(exchange));
            let example = if self.error_messages.secrets.are_not_in(&example) {
                example
            } else {
                String::new()
            };
            self.error_messages.release(exchange);
            return lengths.unexpected(exchange.tag, (status, length), example);
        }
        lengths.came(exchange.tag, length);
        if self.error_messages.bodies.is_caught(exchange) {
            self.error_messages.release(exchange);
        }
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.error_messages.release(exchange);
    }

    fn server_time(&mut self) -> Option<u64> {
        self.checker.server_time()
    }

    fn follows(&self) -> bool {
        self.figures.wants_any()
    }

    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        self.figures
            .take(exchange.tag as u32, exchange.host, outcome);
    }
}
