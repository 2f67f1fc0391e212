//! The measured workers: one operation, or a mix of operations by shares.

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, ResponseHead, Role,
    Transaction, Workload,
};

use crate::rng::Rng;
use crate::s3::action::Action;
use crate::s3::context::WorkerContext;
use crate::sequence::AtWork;

/// An operation of a mix; `up_to` is the cumulative share, 0 to 1, up to and including the
/// operation.
pub(crate) struct Part {
    pub(crate) action: Box<dyn Action>,
    pub(crate) up_to: f64,
}

/// The worker that sends and judges the operations of an S3 workload.
pub(crate) struct Worker {
    parts: Vec<Part>,
    context: WorkerContext,
    /// Selects the operation.
    rng: Rng,
    /// Names of all operations; `owners` are their part of the mix and their index within the part.
    names: Vec<&'static str>,
    owners: Vec<(usize, usize)>,
    /// Index of the first name of each part.
    bases: Vec<usize>,
    /// Position in the request sequence, if the sequence matters.
    course: Option<AtWork>,
}

impl Worker {
    pub(crate) fn new(parts: Vec<Part>, context: WorkerContext, rng: Rng) -> Self {
        let mut worker = Self {
            names: Vec::new(),
            owners: Vec::new(),
            bases: Vec::new(),
            course: None,
            parts,
            context,
            rng,
        };
        for (at, part) in worker.parts.iter().enumerate() {
            worker.bases.push(worker.names.len());
            for (op, name) in part.action.operations().iter().enumerate() {
                worker.names.push(name);
                worker.owners.push((at, op));
            }
        }
        worker
    }

    /// Sets the position in the request sequence.
    pub(crate) fn on(self, course: Option<AtWork>) -> Self {
        Self { course, ..self }
    }

    /// Selects the next part by the shares.
    fn pick(&mut self) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let drawn = self.rng.unit();
        let last = self.parts.len() - 1;
        let mut parts = self.parts.iter();
        parts.position(|part| drawn < part.up_to).unwrap_or(last)
    }

    fn spec(&mut self, at: usize, now: Moment, exchange: &mut Exchange) -> Next {
        self.context.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_response = false;
        let next = self.parts[at].action.next(&mut self.context, now, exchange);
        exchange.op += self.bases[at];
        next
    }

    /// The next request; [`Next::Exhausted`] if the request sequence has reached the end of the
    /// slice.
    fn any(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.course.as_ref().is_some_and(AtWork::is_through) {
            return Next::Exhausted;
        }
        let next = self.another(now, exchange);
        if let (Next::Ready | Next::Same, Some(course)) = (next, &mut self.course) {
            course.send(exchange.op as u64);
        }
        next
    }

    /// The next request, even if the request sequence has reached the end of the slice.
    fn another(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let picked = self.pick();
        let next = self.spec(picked, now, exchange);
        if next != Next::Wait || self.parts.len() == 1 {
            return next;
        }
        // The selected part has no request now: use another part.
        for at in (0..self.parts.len()).filter(|&at| at != picked) {
            let next = self.spec(at, now, exchange);
            if next != Next::Wait {
                return next;
            }
        }
        Next::Wait
    }

    /// Calls the action of the exchange. During the call, [`Exchange::op`] is the index within the
    /// action.
    fn within<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut dyn Action, &mut WorkerContext, &mut Exchange) -> T,
    ) -> T {
        let (at, op) = self.owners[exchange.op];
        let outside = std::mem::replace(&mut exchange.op, op);
        let result = call(&mut *self.parts[at].action, &mut self.context, exchange);
        exchange.op = outside;
        result
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[&'static str] {
        &self.names
    }

    fn role(&self, op: usize) -> Role {
        let (at, op) = self.owners[op];
        self.parts[at].action.role(op)
    }

    fn transaction(&mut self) -> Option<Transaction> {
        for (at, part) in self.parts.iter_mut().enumerate() {
            if let Some(mut whole) = part.action.transaction() {
                whole.op += self.bases[at];
                return Some(whole);
            }
        }
        None
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        self.any(now, exchange)
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let (at, _) = self.owners[exchange.op];
        self.parts[at].action.payload(&self.context, exchange)
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        let (at, _) = self.owners[exchange.op];
        self.parts[at].action.payload_file(&self.context, exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.within(exchange, |action, context, exchange| {
            action.head(context, exchange, head)
        })
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        self.within(exchange, |action, context, exchange| {
            action.body(context, exchange, offset, part);
        });
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        self.within(exchange, |action, context, exchange| {
            action.judge(context, exchange, status, length)
        })
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.within(exchange, |action, context, exchange| {
            action.lost(context, exchange, class);
        });
        self.context.refusals.release(exchange);
    }
}
