//! The measured work: one operation on object after object, or several by shares.

use std::collections::VecDeque;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, Role, Whole,
    Workload,
};

use super::action::Action;
use super::desk::Desk;
use super::insisting::Persistent;
use super::refusal::is_slow_down;
use crate::rng::Rng;
use crate::sequence::AtWork;

/// An operation of a mix, with the sum of its share and of those before it, as a part
/// of all.
pub(crate) struct Part {
    pub(crate) action: Box<dyn Action>,
    pub(crate) up_to: f64,
}

/// Sends operations on object after object.
pub(crate) struct Worker {
    parts: Vec<Part>,
    desk: Desk,
    /// Which operation is next.
    rng: Rng,
    /// Names of all operations, and the part that each is of with its place in it.
    names: Vec<&'static str>,
    owners: Vec<(usize, usize)>,
    /// The first name of each part.
    bases: Vec<usize>,
    /// Where it is in the sequence of its requests, if these matter.
    course: Option<AtWork>,
    retries: Retries,
}

/// Operations that were told to slow down and are to be tried again.
struct Retries {
    most: u32,
    /// Which part, which tag, and how often it has been tried.
    waiting: VecDeque<(usize, u64, u32)>,
    /// The same for those that are out again, by the tag that they have while they are.
    out: Vec<(usize, u64, u32)>,
    /// Requests that are out, of whatever kind.
    flying: usize,
    /// Whether the last that failed is to be tried again.
    again: bool,
}

impl Worker {
    pub(crate) fn new(parts: Vec<Part>, desk: Desk, rng: Rng) -> Self {
        let most = desk.work.retries;
        let mut worker = Self {
            names: Vec::new(),
            owners: Vec::new(),
            bases: Vec::new(),
            course: None,
            retries: Retries {
                most,
                waiting: VecDeque::new(),
                out: Vec::new(),
                flying: 0,
                again: false,
            },
            parts,
            desk,
            rng,
        };
        for (at, part) in worker.parts.iter().enumerate() {
            worker.bases.push(worker.names.len());
            for (op, name) in part.action.operations().iter().enumerate() {
                // The names of later tries stand last, and only where there are any.
                if most == 0 && name.ends_with(AGAIN) {
                    break;
                }
                worker.names.push(name);
                worker.owners.push((at, op));
            }
        }
        worker
    }

    /// The same on its course.
    pub(crate) fn on(self, course: Option<AtWork>) -> Self {
        Self { course, ..self }
    }

    /// Which part is next, by shares.
    fn pick(&mut self) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let drawn = self.rng.unit();
        let last = self.parts.len() - 1;
        let mut parts = self.parts.iter();
        parts.position(|part| drawn < part.up_to).unwrap_or(last)
    }

    fn ask(&mut self, at: usize, now: Moment, exchange: &mut Exchange) -> Next {
        self.desk.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = false;
        let next = self.parts[at].action.next(&mut self.desk, now, exchange);
        exchange.op += self.bases[at];
        next
    }

    /// One that was told to slow down, once more.
    fn retry(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        let Some((at, tag, tries)) = self.retries.waiting.pop_front() else {
            return false;
        };
        self.desk.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = false;
        let action = &mut self.parts[at].action;
        if !action.again(&mut self.desk, now, exchange, tag) {
            return false;
        }
        exchange.op += self.bases[at] + 1;
        self.retries.out.push((at, exchange.tag, tries));
        true
    }

    /// After the judgement of an exchange that had that tag while it was out.
    fn settle(&mut self, exchange: &Exchange, sent_as: u64, status: u16, judgement: &Judgement) {
        let (at, op) = self.owners[exchange.op];
        let tries = match op {
            0 => 0,
            _ => self.take_tries(at, sent_as),
        };
        self.retries.flying = self.retries.flying.saturating_sub(1);
        let mut names = self.parts[at].action.operations().iter();
        let has_again = names.any(|name| name.ends_with(AGAIN));
        self.retries.again =
            has_again && tries < self.retries.most && says_slow_down(status, judgement);
        if self.retries.again {
            let tag = exchange.tag;
            self.retries.waiting.push_back((at, tag, tries + 1));
        }
    }

    /// What is next, whether tried again or not.
    fn any(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        while !self.retries.waiting.is_empty() {
            if self.retry(now, exchange) {
                return Next::Ready;
            }
        }
        if self.course.as_ref().is_some_and(AtWork::is_through) {
            return Next::Exhausted;
        }
        let next = self.another(now, exchange);
        if let (Next::Ready | Next::Same, Some(course)) = (next, &mut self.course) {
            course.send(exchange.op as u64);
        }
        next
    }

    /// What is next of the operations that have not been tried yet.
    fn another(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let picked = self.pick();
        let next = self.ask(picked, now, exchange);
        if next != Next::Wait || self.parts.len() == 1 {
            return next;
        }
        // What is next has nothing to do yet: whatever has, goes before it.
        for at in (0..self.parts.len()).filter(|&at| at != picked) {
            let next = self.ask(at, now, exchange);
            if next != Next::Wait {
                return next;
            }
        }
        Next::Wait
    }

    fn take_tries(&mut self, at: usize, tag: u64) -> u32 {
        let mut out = self.retries.out.iter();
        match out.position(|&(part, own, _)| part == at && own == tag) {
            Some(found) => self.retries.out.swap_remove(found).2,
            None => self.retries.most,
        }
    }

    /// Calls an action with an exchange whose operation counts from 0 within it.
    fn within<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut dyn Action, &mut Desk, &mut Exchange) -> T,
    ) -> T {
        let (at, op) = self.owners[exchange.op];
        let outside = std::mem::replace(&mut exchange.op, op);
        let result = call(&mut *self.parts[at].action, &mut self.desk, exchange);
        exchange.op = outside;
        result
    }
}

impl Persistent for Worker {
    fn tries_again(&self) -> bool {
        self.retries.again
    }
}

/// Whether an answer asks for less work: by its status where it has no code, as an
/// answer to HEAD has none.
fn says_slow_down(status: u16, judgement: &Judgement) -> bool {
    match judgement {
        Judgement::Failed(ErrorClass::Status, code) => {
            matches!(status, 429 | 503) || is_slow_down(code)
        }
        _ => false,
    }
}

/// How the names of later tries end.
const AGAIN: &str = " again";

impl Workload for Worker {
    fn operations(&self) -> &[&'static str] {
        &self.names
    }

    fn role(&self, op: usize) -> Role {
        let (at, op) = self.owners[op];
        self.parts[at].action.role(op)
    }

    fn whole(&mut self) -> Option<Whole> {
        for (at, part) in self.parts.iter_mut().enumerate() {
            if let Some(mut whole) = part.action.whole() {
                whole.op += self.bases[at];
                return Some(whole);
            }
        }
        None
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let next = self.any(now, exchange);
        match next {
            Next::Ready | Next::Same => self.retries.flying += 1,
            // What is out may have to be tried again.
            Next::Exhausted if self.retries.most > 0 && self.retries.flying > 0 => {
                return Next::Wait;
            }
            Next::Exhausted | Next::Wait | Next::Rest(_) => {}
        }
        next
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let (at, _) = self.owners[exchange.op];
        self.parts[at].action.payload(&self.desk, exchange)
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        let (at, _) = self.owners[exchange.op];
        self.parts[at].action.payload_file(&self.desk, exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        self.within(exchange, |action, desk, exchange| {
            action.head(desk, exchange, head)
        })
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        self.within(exchange, |action, desk, exchange| {
            action.body(desk, exchange, offset, part);
        });
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let sent_as = exchange.tag;
        let judgement = self.within(exchange, |action, desk, exchange| {
            action.judge(desk, exchange, status, length)
        });
        self.settle(exchange, sent_as, status, &judgement);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let sent_as = exchange.tag;
        self.within(exchange, |action, desk, exchange| {
            action.lost(desk, exchange, class);
        });
        self.desk.refusals.release(exchange);
        self.retries.flying = self.retries.flying.saturating_sub(1);
        let (at, op) = self.owners[exchange.op];
        if op > 0 {
            self.take_tries(at, sent_as);
        }
    }
}
