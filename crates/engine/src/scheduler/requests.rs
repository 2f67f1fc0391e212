//! The life of a request, from its preparation to its response or failure.

use super::listing::RequestEnd;
use super::slot::SlotState;
use super::{NONE_OUT, Scheduler};
use crate::error::ErrorClass;
use crate::exchange::{
    BodyUse, InFile, Judgement, Loss, Moment, Next, RequestOutcome, ResponseHead,
};
use crate::order::Order;
use crate::tally::{Ended, Times};

/// A response, as the driver reports it.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSummary {
    /// Status code.
    pub status: u16,
    /// Body bytes of the response.
    pub length: u64,
    /// Bytes read for the response, including heads; with HTTP/2, the body only.
    pub received: u64,
    /// Bytes of the request that were written before the response arrived; `None` if the whole
    /// request was written, and with HTTP/2.
    pub cut_at: Option<u64>,
    /// Whether the server allows the connection to be used again.
    pub reusable: bool,
}

impl Scheduler<'_> {
    /// Head and body of the request on `slot`.
    #[inline]
    pub fn request(&self, slot: usize) -> (&[u8], &[u8]) {
        let exchange = &self.slots[slot].exchange;
        (&exchange.head, self.workload.payload(exchange))
    }

    /// The position of the request body on `slot` in a file, if a file holds the body.
    pub fn payload_file(&self, slot: usize) -> Option<InFile<'_>> {
        self.workload.payload_file(&self.slots[slot].exchange)
    }

    /// Whether the response on `slot` cannot have a body.
    #[inline]
    pub fn bodyless_response(&self, slot: usize) -> bool {
        self.slots[slot].exchange.bodyless_response
    }

    /// Whether a request is in flight on `slot`.
    #[inline]
    pub fn busy(&self, slot: usize) -> bool {
        self.slots[slot].state == SlotState::Busy
    }

    /// The driver starts to write the request on `slot`.
    #[inline]
    pub fn writing(&mut self, slot: usize, now: u64) {
        let entry = &mut self.slots[slot];
        // A returned request is still the same operation and keeps its first start. Its intended
        // start, set by `prepare`, decides whether the operation belongs to the window.
        if entry.started == 0 {
            entry.started = now;
        }
        entry.writes += 1;
        let link = &mut self.links[entry.link];
        entry.opens_connection = link.carried == 0;
        self.tally.ledger.reused += u64::from(!entry.opens_connection);
        link.carried += 1;
    }

    /// The first byte of the response on `slot` has arrived, but not the last.
    #[inline]
    pub fn first_byte(&mut self, slot: usize, now: u64) {
        let entry = &mut self.slots[slot];
        if entry.first_byte == 0 {
            entry.first_byte = now;
        }
    }

    /// The head of the response on `slot` has arrived.
    #[inline]
    pub fn head(&mut self, slot: usize, head: &ResponseHead<'_>) -> BodyUse {
        if let Some(stages) = &mut self.stages {
            stages.read(slot, head.bytes);
        }
        if let Some(requests) = &mut self.requests {
            requests.head(slot, head.bytes);
        }
        let entry = &mut self.slots[slot];
        entry.has_head = true;
        self.workload.head(&mut entry.exchange, head)
    }

    /// A part of the response body on `slot` has arrived.
    #[inline]
    pub fn body(&mut self, slot: usize, offset: u64, part: &[u8]) {
        self.workload
            .body(&mut self.slots[slot].exchange, offset, part);
    }

    /// The response on `slot` is complete.
    #[inline]
    pub fn answered(&mut self, slot: usize, now: u64, answer: ResponseSummary) -> Order {
        let ended = self.ended(slot, now, &answer);
        let entry = &mut self.slots[slot];
        let exchange = &mut entry.exchange;
        if entry.opens_connection {
            let took = ended.first_byte.saturating_sub(entry.started);
            self.links[entry.link].first_byte_nanos = Some(took);
            self.tally.setup.first_byte.record(took);
        }
        let opens_connection = entry.opens_connection.then_some(entry.link);
        let judgement = self.workload.judge(exchange, answer.status, answer.length);
        let correct = matches!(judgement, Judgement::Correct);
        let counts = match judgement {
            Judgement::Correct => {
                let end = RequestEnd::answered(&ended, answer.status);
                self.list_if_slow(slot, end);
                self.log(slot, end, ended.payload, None);
                self.tally.correct(&ended)
            }
            Judgement::Failed(class, text) => {
                let counts = self.tally.answered_wrong(&ended, class, &text);
                if counts {
                    let end = RequestEnd::answered(&ended, answer.status);
                    self.list(slot, end, Some((class, &text)));
                    self.log(slot, end, 0, Some((class, &text)));
                }
                counts
            }
        };
        if correct {
            self.count_stages(slot, &ended);
        }
        if let (true, true, Some(link)) = (correct, counts, opens_connection) {
            let service = now.saturating_sub(ended.times.started);
            let opened = self.links[link].opened;
            self.tally.first_response(opened, service);
        }
        if self.follows {
            self.follow(slot, Some(answer.status), correct, now);
        }
        if counts {
            self.tally.status(ended.op, answer.status);
            if correct {
                let service = ended.times.ended.saturating_sub(ended.times.started);
                self.links[self.slots[slot].link].answered(service);
            }
        } else if correct {
            let inside = self.tally.inside(ended.times.started, ended.times.ended);
            self.links[self.slots[slot].link].held(inside);
        }
        if self.has_transactions {
            self.count_transactions(now);
        }
        self.tally.paused(self.quiet_since, now);
        self.end(now);
        self.quiet_since = if self.in_flight > 0 { now } else { NONE_OUT };
        let is_young = now < self.links[self.slots[slot].link].reopen_at;
        if answer.reusable && self.schedule.keep_alive && is_young {
            return self.free(slot, now);
        }
        self.part(slot, now, answer.reusable)
    }

    /// The request on `slot`, whose response is complete.
    #[inline]
    fn ended(&self, slot: usize, now: u64, answer: &ResponseSummary) -> Ended {
        let entry = &self.slots[slot];
        let exchange = &entry.exchange;
        let first_byte = match entry.first_byte {
            0 => now,
            before => before,
        };
        let head_length = exchange.head.len() as u64;
        let body_sent = match answer.cut_at {
            None => self.workload.payload(exchange).len() as u64,
            Some(bytes) => bytes.saturating_sub(head_length),
        };
        Ended {
            op: exchange.op,
            host: exchange.host,
            times: Times {
                intended: entry.intended,
                started: entry.started,
                ended: now,
            },
            first_byte,
            sent: head_length + body_sent,
            received: answer.received,
            payload: exchange.content.unwrap_or(body_sent.max(answer.length)),
            answered: answer.length,
        }
    }

    /// Counts the stages that the server names in a correct response, if the request was due inside
    /// the window.
    #[inline]
    fn count_stages(&mut self, slot: usize, ended: &Ended) {
        let Some(stages) = &mut self.stages else {
            return;
        };
        if !self.tally.is_due_inside(ended.times.intended) {
            return;
        }
        if let Some(nanos) = self.workload.server_time() {
            stages.add_total(slot, nanos);
        }
        let service = ended.times.ended.saturating_sub(ended.times.started);
        stages.count(slot, ended.op, service);
    }

    /// Makes `slot`, whose request has ended, available. Returns the order for its next request, or
    /// [`Order::Rest`].
    #[inline]
    pub(super) fn free(&mut self, slot: usize, now: u64) -> Order {
        let entry = &mut self.slots[slot];
        if self.links[entry.link].closing {
            entry.state = SlotState::Off;
            return Order::Rest;
        }
        entry.state = SlotState::Idle;
        if self.dispatch.is_direct() && !self.waiting && !self.stopped && self.work_is_due(now) {
            return self.prepare(slot, now);
        }
        self.slots[slot].rested = now;
        let host = self.slots[slot].exchange.host;
        self.dispatch.rest(slot, host);
        Order::Rest
    }

    /// Updates the state after a request has ended, with or without success.
    #[inline]
    pub(super) fn end(&mut self, now: u64) {
        self.last_end = now;
        if self.in_flight == self.schedule.connections * self.schedule.depth {
            self.full_until = now;
        }
        self.in_flight -= 1;
        self.waiting = false;
        self.dispatch.begin_to_think(now);
    }

    /// Takes the next request from the workload, to be sent on `slot`, if the workload has one.
    #[inline]
    pub(super) fn prepare(&mut self, slot: usize, now: u64) -> Order {
        let moment = Moment {
            nanos: now,
            unix_seconds: self.unix_seconds(now),
        };
        let entry = &mut self.slots[slot];
        match self.workload.next(moment, &mut entry.exchange) {
            Next::Ready | Next::Same => {
                entry.state = SlotState::Busy;
                entry.started = 0;
                entry.first_byte = 0;
                entry.has_head = false;
                entry.writes = 0;
                entry.intended = now;
                if let Some(pacer) = &mut self.schedule.pacer {
                    entry.intended = self.due;
                    // From this time on, only this thread delayed the request.
                    let possible = self.due.max(entry.rested).max(self.full_until);
                    self.tally.sent_late(self.due, now.saturating_sub(possible));
                    pacer.take();
                    self.due = pacer.due();
                }
                // A request that cannot be written yet, for want of a stream or a connection, times
                // out like any other.
                let deadline = entry.deadline(self.schedule.timeout);
                self.next_deadline = self.next_deadline.min(deadline);
                self.issued += 1;
                let closed = self.window_closed || now >= self.schedule.close;
                self.unmeasured += u64::from(closed);
                self.in_flight += 1;
                // Keeps an earlier time: a failed request does not end the wait for a response.
                self.quiet_since = self.quiet_since.min(now);
                return Order::Send;
            }
            Next::Wait => (self.waiting, self.rested) = (true, u64::MAX),
            Next::Rest(until) => (self.waiting, self.rested) = (true, until),
            Next::Exhausted => self.exhausted = true,
        }
        let host = entry.exchange.host;
        self.dispatch.rest(slot, host);
        if self.exhausted && self.issued > 0 {
            self.close_for_all(now);
        }
        Order::Rest
    }

    /// Counts the request on `slot` as failed without a complete response, and reports the failure
    /// to the workload.
    pub(super) fn lose(&mut self, slot: usize, now: u64, class: ErrorClass, text: &str) {
        let entry = &mut self.slots[slot];
        entry.state = SlotState::Off;
        let times = Times {
            intended: entry.intended,
            // A request that was never written counts as started at its intended start.
            started: entry.started.max(entry.intended),
            ended: now,
        };
        let end = RequestEnd {
            op: entry.exchange.op,
            host: entry.exchange.host,
            times,
            first_byte: entry.first_byte,
            status: None,
        };
        let inside = self.tally.inside(times.started, times.ended);
        self.links[entry.link].held(inside);
        let sent = entry.exchange.head.len() as u64;
        let counted = self.workload.loss(&entry.exchange, class);
        self.workload.lost(&mut entry.exchange, class);
        self.exhausted |= self.workload.gives_up();
        let (class, text) = match counted {
            Some(Loss::Failed(class, text)) => (class, text),
            _ => (class, text),
        };
        let is_expected = counted == Some(Loss::Expected);
        if is_expected {
            self.list_if_slow(slot, end);
            self.log(slot, end, 0, None);
            self.tally.correct(&Ended {
                op: end.op,
                host: end.host,
                times,
                first_byte: end.first_byte,
                sent,
                received: 0,
                payload: 0,
                answered: 0,
            });
        } else if self.tally.failed(end.op, end.host, times, class, text) {
            self.list(slot, end, Some((class, text)));
            self.log(slot, end, 0, Some((class, text)));
        }
        if self.follows {
            self.follow(slot, None, is_expected, now);
        }
        if class == ErrorClass::Timeout && self.window_closed {
            self.tally.censored(end.op, times);
        }
        if self.has_transactions {
            self.count_transactions(now);
        }
        // A failure is not a response: the pause continues.
        self.tally.paused(self.quiet_since, now);
        self.end(now);
    }

    /// Reports the outcome of the request on `slot` to the workload, if the request was due in the
    /// window.
    fn follow(&mut self, slot: usize, status: Option<u16>, correct: bool, now: u64) {
        let entry = &self.slots[slot];
        if !self.tally.is_due_inside(entry.intended) {
            return;
        }
        let start = if self.closed_loop {
            entry.started.max(entry.intended)
        } else {
            entry.intended
        };
        let outcome = RequestOutcome {
            status,
            correct,
            nanos: now.saturating_sub(start),
        };
        self.workload.completed(&entry.exchange, outcome);
    }

    /// Counts the transactions that the last request ended.
    fn count_transactions(&mut self, now: u64) {
        while let Some(transaction) = self.workload.transaction() {
            self.tally
                .transaction(&transaction, now, self.window_closed);
        }
    }
}
