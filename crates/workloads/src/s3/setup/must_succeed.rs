//! Work that must not fail: the first failure ends the work, with the reason in one sentence.

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment, Next, Transaction, Workload};

use crate::delegate::delegate;
use crate::s3::messages::judging::reason;

/// A worker that ends at its first failure.
pub(crate) struct MustSucceed<W> {
    worker: W,
    /// Start of the error message, for example `an object cannot be put`.
    complaint: &'static str,
    given_up: bool,
    /// The error message; `None` before the first failure.
    why: Option<String>,
}

impl<W: Workload> MustSucceed<W> {
    pub(crate) fn new(worker: W, complaint: &'static str) -> Self {
        Self {
            worker,
            complaint,
            given_up: false,
            why: None,
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<W: Workload> Workload for MustSucceed<W> {
    delegate!(self.worker: operations role own_connections payload payload_file head body);
    delegate!(self.worker: server_time follows completed loss unprepared gives_up);
    delegate!(self.worker: slice_over);

    fn transaction(&mut self) -> Option<Transaction> {
        let mut whole = self.worker.transaction()?;
        if let (Judgement::Failed(_, text), Some(why)) = (&mut whole.outcome, &self.why) {
            text.clone_from(why);
        }
        Some(whole)
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.given_up {
            Next::Exhausted
        } else {
            self.worker.next(now, exchange)
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        match self.worker.judge(exchange, status, length) {
            Judgement::Failed(class, code) => {
                self.given_up = true;
                let code = (!code.is_empty()).then_some(code.as_str());
                let why = match (class, code) {
                    (ErrorClass::Wrong | ErrorClass::Short, Some(sentence)) => sentence.to_owned(),
                    _ => reason(status, code),
                };
                let why = format!("{}: {why}", self.complaint);
                self.why = Some(why.clone());
                Judgement::Failed(class, why)
            }
            correct => correct,
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.given_up = true;
        self.worker.lost(exchange, class);
    }
}
