//! Measured work with retries, as in client libraries: an operation is timed from the start of its
//! first attempt to the end of its last attempt, and every attempt is counted as a sub-request.
//!
//! Retries follow minio-go, the library of warp (<https://github.com/minio/minio-go>, `retry.go`):
//! after statuses 408, 429, 500, 502, 503 and 504 and broken connections. Each retry follows a
//! random wait of up to 200 ms, 400 ms, 800 ms and, from the fourth retry on, 1 s; `Retry-After`
//! can lengthen the wait.

use std::collections::VecDeque;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Loss, Moment, Next, RequestOutcome,
    ResponseHead, Role, Transaction, Workload,
};

use super::backoff::{BackOff, is_temporary, is_temporary_loss, requested_wait};
use super::ledger::{Ledger, Over};
use crate::delegate::delegate;
use crate::intern::interned;
use crate::rng::Rng;
use crate::s3::messages::judging::code;

/// Upper bounds of the random waits before a retry: 200 ms, doubling up to 1 s.
const BACK_OFF: BackOff = BackOff {
    first: 200_000_000,
    most: 1_000_000_000,
};

/// A worker that retries refused requests; the time of an operation includes its retries.
pub(crate) struct Retrying<W> {
    worker: W,
    /// Maximum number of retries per request.
    most: u32,
    /// Maximum number of requests in flight or waiting for a retry.
    users: usize,
    ledger: Ledger,
    rng: Rng,
    names: Vec<&'static str>,
    /// By operation of the inner worker: index of the operation that counts its attempts, if any.
    attempts: Vec<Option<usize>>,
    transactions: VecDeque<Transaction>,
    exhausted: bool,
    /// Time from the start of the first to the start of the last attempt, nanoseconds, of the
    /// request that ended last; `None` if the attempt that ended last is repeated.
    before_last: Option<u64>,
}

impl<W: Workload> Retrying<W> {
    /// A worker with `users` simulated users. A user waits for its request, retries included,
    /// before it sends the next one.
    pub(crate) fn new(worker: W, most: u32, users: usize, rng: Rng) -> Self {
        let inner = worker.operations();
        let mut names = inner.to_vec();
        let mut attempts = Vec::new();
        for (op, name) in inner.iter().enumerate() {
            let is_counted = worker.role(op) == Role::Request;
            attempts.push(is_counted.then(|| {
                names.push(interned(&format!("{name} attempt")));
                names.len() - 1
            }));
        }
        Self {
            worker,
            most,
            users: users.max(1),
            ledger: Ledger::default(),
            rng,
            names,
            attempts,
            transactions: VecDeque::new(),
            exhausted: false,
            before_last: None,
        }
    }

    /// Sets the operation under which the attempt of this exchange is counted.
    fn name_attempt(&self, exchange: &mut Exchange) {
        exchange.op = self.attempts[exchange.op].unwrap_or(exchange.op);
    }

    fn retries(&self, exchange: &Exchange) -> bool {
        self.ledger.of(exchange).refusals < self.most
    }

    /// Keeps the refused request of this exchange for a retry.
    fn put_off(&mut self, exchange: &Exchange) {
        self.before_last = None;
        let sent = self.ledger.of(exchange);
        let wait = BACK_OFF.wait(sent.refusals, &mut self.rng);
        let wait = wait.max(sent.requested_wait.unwrap_or(0));
        self.ledger.park(exchange, wait);
    }

    /// Ends the operation of this exchange.
    fn close(&mut self, exchange: &mut Exchange) -> Over {
        let over = self.ledger.close(exchange);
        exchange.op = over.op;
        self.before_last = Some(over.last_started - over.started);
        over
    }

    /// Reports the operation as a transaction, after its last attempt.
    fn conclude(&mut self, over: Over, payload: u64, outcome: &Judgement) {
        if self.attempts[over.op].is_some() {
            self.transactions.push_back(Transaction {
                op: over.op,
                started: over.started,
                payload,
                ended: None,
                outcome: outcome.clone(),
            });
        }
    }

    /// What the worker does next if the inner worker has no request now.
    fn rest(&self, now: u64, next: Next) -> Next {
        match (self.ledger.next_due(), next) {
            (Some(due), Next::Rest(until)) => Next::Rest(due.min(until).max(now + 1)),
            // A request for another host may already be due.
            (Some(due), _) => Next::Rest(due.max(now + 1_000_000)),
            // A request in flight may still be refused.
            (None, Next::Exhausted) if self.ledger.out() > 0 => Next::Wait,
            (None, next) => next,
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<W: Workload> Workload for Retrying<W> {
    delegate!(self.worker: own_connections server_time follows unprepared gives_up);
    delegate!(self.worker: slice_over);

    fn operations(&self) -> &[&'static str] {
        &self.names
    }

    fn role(&self, op: usize) -> Role {
        match self.attempts.get(op) {
            Some(Some(_)) => Role::Transaction,
            Some(None) => self.worker.role(op),
            None => Role::Step,
        }
    }

    fn transaction(&mut self) -> Option<Transaction> {
        self.transactions
            .pop_front()
            .or_else(|| self.worker.transaction())
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        self.ledger.wake(now.nanos);
        if self.ledger.resume(exchange, now.nanos).is_some() {
            self.name_attempt(exchange);
            return Next::Ready;
        }
        let waiting = self.ledger.waiting();
        if waiting > 0 && waiting + self.ledger.out() >= self.users {
            return self.rest(now.nanos, Next::Wait);
        }
        if self.exhausted {
            return self.rest(now.nanos, Next::Exhausted);
        }
        let next = self.worker.next(now, exchange);
        match next {
            Next::Ready | Next::Same => {
                self.ledger.enter(exchange, now.nanos);
                self.name_attempt(exchange);
                return next;
            }
            Next::Exhausted => self.exhausted = true,
            Next::Wait | Next::Rest(_) => {}
        }
        self.rest(now.nanos, next)
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.worker.payload(&self.ledger.likeness(exchange))
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        self.worker.payload_file(&self.ledger.likeness(exchange))
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        if is_temporary(head.status) && self.retries(exchange) {
            self.ledger.refuse(exchange, requested_wait(head));
            return BodyUse::Inspect;
        }
        let worker = &mut self.worker;
        self.ledger
            .inside(exchange, |exchange| worker.head(exchange, head))
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        if self.ledger.of(exchange).again {
            self.ledger.body(exchange, part);
            return;
        }
        let worker = &mut self.worker;
        self.ledger
            .inside(exchange, |exchange| worker.body(exchange, offset, part));
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if self.ledger.of(exchange).again {
            let text = code(&self.ledger.of(exchange).body).unwrap_or_default();
            self.put_off(exchange);
            return Judgement::Failed(ErrorClass::Status, text);
        }
        let sent = self.payload(exchange).len() as u64;
        let over = self.close(exchange);
        let judgement = self.worker.judge(exchange, status, length);
        let payload = exchange.content.unwrap_or(sent.max(length));
        self.conclude(over, payload, &judgement);
        judgement
    }

    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        if let Some(before_last) = self.before_last {
            let nanos = before_last + outcome.nanos;
            let outcome = RequestOutcome { nanos, ..outcome };
            self.worker.completed(exchange, outcome);
        }
    }

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        // What is sent again is not what the worker expects.
        let again = is_temporary_loss(class) && self.retries(exchange);
        if again || self.ledger.of(exchange).again {
            return None;
        }
        self.worker.loss(&self.ledger.likeness(exchange), class)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let refused = self.ledger.of(exchange).again;
        if refused || (is_temporary_loss(class) && self.retries(exchange)) {
            if !refused {
                self.ledger.refuse(exchange, None);
            }
            self.put_off(exchange);
            return;
        }
        let over = self.close(exchange);
        self.worker.lost(exchange, class);
        self.conclude(over, 0, &Judgement::Failed(class, String::new()));
    }
}
