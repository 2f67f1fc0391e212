//! The measured work: PUT, GET and DELETE of objects.

use std::sync::Arc;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, Workload,
};
use tenbin_plan::S3Operation;

use super::content::Content;
use super::place::ObjectPath;
use super::refusal::{Refusals, reason};
use super::ring::Walk;
use super::scribe::{Ask, Body, Scribe};
use super::sigv4::UNSIGNED_PAYLOAD;
use crate::rng::Rng;

/// In [`Exchange::note`]: a byte of the body was not as it should be.
const WRONG: u64 = 1;

/// Which object is next.
pub(crate) enum Choice {
    /// One after the other.
    Walk(Walk),
    /// Any of so many.
    Random(Rng, u64),
}

impl Choice {
    fn next(&mut self) -> Option<u64> {
        match self {
            Self::Walk(walk) => walk.next(),
            Self::Random(rng, objects) => Some(rng.below(*objects)),
        }
    }
}

/// Sends one operation on object after object. [`Exchange::tag`] is the object.
pub(crate) struct ObjectWorker {
    pub(crate) operation: S3Operation,
    pub(crate) choice: Choice,
    pub(crate) scribe: Scribe,
    pub(crate) path: ObjectPath,
    pub(crate) content: Arc<Content>,
    /// Of GET: compare every byte.
    pub(crate) verify: bool,
    /// For stages that must succeed, which are PUTs: a failure ends the work, and
    /// says why in a sentence.
    pub(crate) give_up: bool,
    pub(crate) refusals: Refusals,
}

impl ObjectWorker {
    fn judge_status(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        match (self.operation, status) {
            (S3Operation::Put, 200) | (S3Operation::Delete, 200 | 204) => Judgement::Correct,
            (S3Operation::Get, 200) => judge_content(exchange, length, self.content.size()),
            _ => self.refusals.failed(exchange),
        }
    }

    fn stop(&mut self) {
        self.choice = Choice::Walk(Walk::none());
    }
}

fn judge_content(exchange: &Exchange, length: u64, size: u64) -> Judgement {
    if exchange.note == WRONG || length > size {
        Judgement::Failed(ErrorClass::Wrong, String::new())
    } else if length < size {
        Judgement::Failed(ErrorClass::Short, String::new())
    } else {
        Judgement::Correct
    }
}

/// The name of an operation, as figures carry it.
pub(crate) fn operation_names(operation: S3Operation) -> &'static [&'static str; 1] {
    match operation {
        S3Operation::Put => &["PUT"],
        S3Operation::Get => &["GET"],
        S3Operation::Delete => &["DELETE"],
    }
}

impl Workload for ObjectWorker {
    fn operations(&self) -> &[&'static str] {
        operation_names(self.operation)
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(object) = self.choice.next() else {
            return Next::Exhausted;
        };
        self.refusals.release(exchange);
        exchange.tag = object;
        exchange.op = 0;
        exchange.bodyless_answer = false;
        let body = (self.operation == S3Operation::Put).then(|| Body {
            length: self.content.size(),
            hash: self
                .content
                .hash(object)
                .map_or(UNSIGNED_PAYLOAD, <[u8; 64]>::as_slice),
            md5: None,
        });
        let ask = Ask {
            method: operation_names(self.operation)[0],
            path: self.path.of(object),
            query: "",
            body,
        };
        self.scribe.write(exchange, now.unix_seconds, &ask);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        match self.operation {
            S3Operation::Put => self.content.body(exchange.tag),
            S3Operation::Get | S3Operation::Delete => &[],
        }
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        match self.operation {
            S3Operation::Put => self.content.body_in_file(exchange.tag),
            S3Operation::Get | S3Operation::Delete => None,
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        if self.operation == S3Operation::Get && head.status == 200 && self.verify {
            return BodyUse::Inspect;
        }
        self.refusals.head(exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        if !self.refusals.body(exchange, part) && !self.content.matches(exchange.tag, offset, part)
        {
            exchange.note = WRONG;
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let judgement = self.judge_status(exchange, status, length);
        match judgement {
            Judgement::Failed(class, code) if self.give_up => {
                self.stop();
                let code = (!code.is_empty()).then_some(code.as_str());
                let why = reason(status, code);
                Judgement::Failed(class, format!("an object cannot be put: {why}"))
            }
            judgement => judgement,
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.refusals.release(exchange);
        if self.give_up {
            self.stop();
        }
    }
}
