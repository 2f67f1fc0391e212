//! Unmeasured work with retries: refused requests are sent again until they succeed, with fewer
//! concurrent requests.

use std::sync::Arc;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Loss, Moment, Next, RequestOutcome,
    ResponseHead, Workload,
};

use super::backoff::{BackOff, is_temporary, is_temporary_loss, requested_wait};
use super::governor::{Governor, MOST_ATTEMPTS};
use super::ledger::{Ledger, Over};
use crate::delegate::delegate;
use crate::rng::Rng;

/// Text in the failure table for an attempt that is retried; a retried attempt does not count as a
/// failure of the stage.
pub const SENT_AGAIN: &str = "refused, and sent again";

/// Upper bounds of the random waits before a retry: 50 ms, doubling up to 2 s.
const BACK_OFF: BackOff = BackOff {
    first: 50_000_000,
    most: 2_000_000_000,
};

/// A worker that retries refused requests. Refused attempts count as failures with the text
/// [`SENT_AGAIN`].
pub struct Patient {
    worker: Box<dyn Workload>,
    governor: Arc<Governor>,
    ledger: Ledger,
    rng: Rng,
    exhausted: bool,
    /// Whether the attempt that ended last is repeated.
    is_repeated: bool,
}

impl Patient {
    /// A worker of a stage with retries; `index` identifies the worker within the stage.
    pub fn new(worker: Box<dyn Workload>, governor: Arc<Governor>, index: u64) -> Self {
        Self {
            worker,
            governor,
            ledger: Ledger::default(),
            rng: Rng::new(index, &[]),
            exhausted: false,
            is_repeated: false,
        }
    }

    /// A new request of the inner worker, if any.
    fn fresh(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.exhausted {
            return Next::Exhausted;
        }
        let next = self.worker.next(now, exchange);
        match next {
            Next::Ready | Next::Same => {
                self.ledger.enter(exchange, now.nanos);
            }
            Next::Exhausted => self.exhausted = true,
            Next::Wait | Next::Rest(_) => {}
        }
        next
    }

    /// Keeps the refused request of this exchange for a retry.
    fn put_off(&mut self, exchange: &Exchange) {
        self.is_repeated = true;
        let sent = self.ledger.of(exchange);
        let (mark, requested_wait, refusals) = (sent.mark, sent.requested_wait, sent.refusals);
        self.governor.refuse(mark, requested_wait);
        let wait = BACK_OFF.wait(refusals, &mut self.rng);
        self.ledger
            .park(exchange, wait.max(requested_wait.unwrap_or(0)));
    }

    /// Ends the request of this exchange.
    fn close(&mut self, exchange: &mut Exchange) -> Over {
        self.is_repeated = false;
        self.ledger.close(exchange)
    }

    /// The text of a failure; for a request that was retried, with the number of attempts or of
    /// consecutive refusals.
    fn with_attempts(&self, text: String, refusals: u32) -> String {
        let (in_a_row, seconds) = self.governor.in_a_row();
        match refusals + 1 {
            1 => text,
            MOST_ATTEMPTS.. => format!("{text}; the request was sent {} times", refusals + 1),
            _ if seconds > 0 => format!(
                "{text}; no request has succeeded for {seconds} s, and {in_a_row} were refused in a row"
            ),
            _ => text,
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl Workload for Patient {
    delegate!(self.worker: operations role transaction own_connections follows unprepared);
    delegate!(self.worker: server_time gives_up slice_over);

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        self.ledger.wake(now.nanos);
        let cut = match self.governor.admit(now.nanos) {
            Ok(cut) => cut,
            Err(later) => return Next::Rest(later),
        };
        if let Some(sent) = self.ledger.resume(exchange, now.nanos) {
            sent.mark = cut;
            return Next::Ready;
        }
        let next = self.fresh(now, exchange);
        if matches!(next, Next::Ready | Next::Same) {
            self.ledger.of_mut(exchange).mark = cut;
            return next;
        }
        self.governor.withdraw();
        match (self.ledger.next_due(), next) {
            (Some(due), Next::Rest(until)) => Next::Rest(due.min(until).max(now.nanos + 1)),
            // A request for another host may already be due.
            (Some(due), _) => Next::Rest(due.max(now.nanos + 1_000_000)),
            // A request in flight may still be refused.
            (None, Next::Exhausted) if self.ledger.out() > 0 => Next::Wait,
            (None, next) => next,
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.worker.payload(&self.ledger.likeness(exchange))
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        self.worker.payload_file(&self.ledger.likeness(exchange))
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let attempts = self.ledger.of(exchange).refusals + 1;
        if is_temporary(head.status) && self.governor.insists(attempts) {
            self.ledger.refuse(exchange, requested_wait(head));
            return BodyUse::Discard;
        }
        let worker = &mut self.worker;
        self.ledger
            .inside(exchange, |exchange| worker.head(exchange, head))
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let worker = &mut self.worker;
        self.ledger
            .inside(exchange, |exchange| worker.body(exchange, offset, part));
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if self.ledger.of(exchange).again {
            self.put_off(exchange);
            return Judgement::Failed(ErrorClass::Status, SENT_AGAIN.to_owned());
        }
        let refusals = self.close(exchange).refusals;
        match self.worker.judge(exchange, status, length) {
            Judgement::Failed(class, text) => {
                let text = self.with_attempts(text, refusals);
                self.governor.ended();
                Judgement::Failed(class, text)
            }
            correct => {
                self.governor.ended();
                correct
            }
        }
    }

    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        if !self.is_repeated {
            self.worker.completed(exchange, outcome);
        }
    }

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        let sent = self.ledger.of(exchange);
        if sent.again || (is_temporary_loss(class) && self.governor.insists(sent.refusals + 1)) {
            return Some(Loss::Failed(class, SENT_AGAIN));
        }
        self.worker.loss(&self.ledger.likeness(exchange), class)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let sent = self.ledger.of(exchange);
        let refused_already = sent.again;
        let again = is_temporary_loss(class) && self.governor.insists(sent.refusals + 1);
        if refused_already || again {
            if !refused_already {
                self.ledger.refuse(exchange, None);
            }
            self.put_off(exchange);
            return;
        }
        self.close(exchange);
        self.governor.ended();
        self.worker.lost(exchange, class);
    }
}
