//! Checks before the first slice whether the server supports an operation.

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::s3::SupportProbe;

use crate::delegate::delegate;
use crate::s3::messages::judging::{reason, says_not_known};

/// A worker that sends the requests of a probe one after the other, and reports an unsupported
/// operation in one sentence.
pub(crate) struct Probing<W> {
    worker: W,
    probe: SupportProbe,
    sent: u32,
    out: bool,
}

impl<W: Workload> Probing<W> {
    pub(crate) fn new(worker: W, probe: SupportProbe) -> Self {
        Self {
            worker,
            probe,
            sent: 0,
            out: false,
        }
    }

    fn sentence(&self, class: ErrorClass, status: u16, code: &str) -> String {
        let what = self.probe.what;
        let given = (!code.is_empty()).then_some(code);
        match class {
            // The server has responded as if to another operation.
            ErrorClass::Wrong | ErrorClass::Short => {
                let why = given.unwrap_or("the response is that to another operation");
                format!("the server does not support {what}: {why}")
            }
            _ if says_not_known(status, given) => match given {
                Some(code) => format!("the server does not support {what} ({status} {code})"),
                None => format!("the server does not support {what} ({status})"),
            },
            _ => format!("{what} cannot be probed: {}", reason(status, given)),
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<W: Workload> Workload for Probing<W> {
    delegate!(self.worker: operations role transaction own_connections payload payload_file head);
    delegate!(self.worker: body server_time follows completed loss unprepared gives_up);
    delegate!(self.worker: slice_over);

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.out {
            return Next::Wait;
        }
        if self.sent == self.probe.requests {
            return Next::Exhausted;
        }
        let next = self.worker.next(now, exchange);
        if matches!(next, Next::Ready | Next::Same) {
            self.sent += 1;
            self.out = true;
        }
        next
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        self.out = false;
        match self.worker.judge(exchange, status, length) {
            Judgement::Failed(class, code) => {
                self.sent = self.probe.requests;
                Judgement::Failed(class, self.sentence(class, status, &code))
            }
            correct => correct,
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.out = false;
        self.sent = self.probe.requests;
        self.worker.lost(exchange, class);
    }
}
