//! The first question to a server: is the bucket there, and may we use it?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};

use super::place::Place;
use super::refusal::{Refusals, reason};
use super::scribe::{Ask, Body, Scribe};
use crate::text::hex;

/// The question that is next, or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// HEAD of the bucket.
    IsIt,
    /// Its location: an error after HEAD has no body to say why.
    WhyNot,
    /// PUT of the bucket.
    Make,
    /// None: all is known.
    Done,
}

/// Finds out whether the bucket can be used, and makes it if it is missing.
pub(crate) struct Check {
    question: Question,
    /// Whether its answer is still to come.
    asked: bool,
    place: Arc<Place>,
    scribe: Scribe,
    /// Body of the request that makes the bucket, and its hash.
    making: (Vec<u8>, [u8; 64]),
    made: Arc<AtomicBool>,
    refusals: Refusals,
}

impl Check {
    /// `made` becomes true as soon as the bucket may be of Tenbin's making.
    pub(crate) fn new(
        place: Arc<Place>,
        scribe: Scribe,
        region: &str,
        made: Arc<AtomicBool>,
    ) -> Self {
        let making = location(region);
        let hash = hex(&Sha256::digest(&making).into());
        Self {
            question: Question::IsIt,
            asked: false,
            place,
            scribe,
            making: (making, hash),
            made,
            refusals: Refusals::default(),
        }
    }

    fn failed(&mut self, exchange: &mut Exchange, status: u16) -> Judgement {
        let doing = match self.question {
            Question::Make => "made",
            _ => "used",
        };
        let why = reason(status, self.refusals.code(exchange).as_deref());
        self.question = Question::Done;
        self.refusals.release(exchange);
        Judgement::Failed(ErrorClass::Status, format!("it cannot be {doing}: {why}"))
    }

    fn then(&mut self, question: Question, exchange: &mut Exchange) -> Judgement {
        self.question = question;
        self.refusals.release(exchange);
        Judgement::Correct
    }

    fn code_is(&self, exchange: &Exchange, code: &str) -> bool {
        self.refusals.code(exchange).as_deref() == Some(code)
    }
}

/// What a bucket's request must say of its region: nothing in the first of them.
fn location(region: &str) -> Vec<u8> {
    if region.is_empty() || region == "us-east-1" {
        return Vec::new();
    }
    format!(
        "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
         <LocationConstraint>{}</LocationConstraint></CreateBucketConfiguration>",
        quick_xml::escape::escape(region)
    )
    .into_bytes()
}

impl Workload for Check {
    fn operations(&self) -> &[&'static str] {
        &["check"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.question == Question::Done {
            return Next::Exhausted;
        }
        if self.asked {
            return Next::Wait;
        }
        let (method, query, body) = match self.question {
            Question::IsIt => ("HEAD", "", None),
            Question::WhyNot => ("GET", "location=", None),
            Question::Make | Question::Done => (
                "PUT",
                "",
                Some(Body {
                    length: self.making.0.len() as u64,
                    hash: &self.making.1,
                    md5: None,
                }),
            ),
        };
        let ask = Ask {
            method,
            path: &self.place.bucket_path,
            query,
            body,
        };
        self.scribe.write(exchange, now.unix_seconds, &ask);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = self.question == Question::IsIt;
        self.asked = true;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        match self.question {
            Question::Make => &self.making.0,
            _ => &[],
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        self.refusals.head(exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.asked = false;
        match (self.question, status) {
            (Question::IsIt, 404) => self.then(Question::Make, exchange),
            (Question::IsIt | Question::WhyNot, 200..300) => self.then(Question::Done, exchange),
            (Question::IsIt, _) => self.then(Question::WhyNot, exchange),
            (Question::WhyNot, 404) if self.code_is(exchange, "NoSuchBucket") => {
                self.then(Question::Make, exchange)
            }
            (Question::Make, 200..300) => {
                self.made.store(true, Ordering::Release);
                self.then(Question::Done, exchange)
            }
            (Question::Make, 409) if self.code_is(exchange, "BucketAlreadyOwnedByYou") => {
                self.then(Question::Done, exchange)
            }
            _ => self.failed(exchange, status),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.asked = false;
        self.refusals.release(exchange);
        if self.question == Question::Make {
            self.made.store(true, Ordering::Release);
        }
        self.question = Question::Done;
    }
}
