//! The first question to a server: is the bucket there, and may we use it?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::{S3Operation, S3Work};

use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::messages::listing::text_of;
use crate::s3::messages::refusal::{Refusals, reason, says_not_known};
use crate::s3::place::Place;
use crate::s3::signing::request_writer::{Body, Header, RequestSpec, RequestWriter};
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
    /// PUT of its versioning.
    KeepVersions,
    /// Its versioning, where Tenbin did not make it.
    DoesItKeep,
    /// Its object lock.
    DoesItLock,
    /// None: all is known.
    Done,
}

/// What a workload needs of its buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// That they are there.
    Objects,
    /// That they keep versions of objects.
    Versions,
    /// That their objects can be locked, which keeps versions too.
    Locks,
}

impl Keeping {
    pub(crate) fn of(work: &S3Work) -> Self {
        let locks = [S3Operation::Retain, S3Operation::LegalHold];
        match work.versions {
            _ if locks.iter().any(|&operation| work.mix.has(operation)) => Self::Locks,
            0 => Self::Objects,
            _ => Self::Versions,
        }
    }
}

/// Finds out whether the buckets can be used, one after the other, and makes those
/// that are missing.
pub(crate) struct Check {
    bucket: usize,
    question: Question,
    /// Whether its answer is still to come.
    asked: bool,
    place: Arc<Place>,
    writer: RequestWriter,
    /// Body of the request that makes the bucket, and its hash.
    making: (Vec<u8>, [u8; 64]),
    made: Arc<[AtomicBool]>,
    /// Whether a bucket that is missing is made.
    may_make: bool,
    keeping: Keeping,
    versioning: Document,
    refusals: Refusals,
}

impl Check {
    /// `made` becomes true for a bucket as soon as it may be of Tenbin's making.
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        region: &str,
        keeping: Keeping,
        made: Arc<[AtomicBool]>,
        may_make: bool,
    ) -> Self {
        let making = location(region);
        let hash = hex(&Sha256::digest(&making).into());
        Self {
            bucket: 0,
            question: Question::IsIt,
            asked: false,
            place,
            writer,
            making: (making, hash),
            made,
            may_make,
            keeping,
            versioning: Document::new(format!(
                "<VersioningConfiguration xmlns=\"{NAMESPACE}\"><Status>Enabled</Status>\
                 </VersioningConfiguration>"
            )),
            refusals: Refusals::default(),
        }
    }

    fn failed(&mut self, exchange: &mut Exchange, status: u16) -> Judgement {
        let code = self.refusals.code(exchange);
        let why = match self
            .lacks()
            .filter(|_| says_not_known(status, code.as_deref()))
        {
            Some(what) => match code {
                Some(code) => format!("the server has no {what} ({status} {code})"),
                None => format!("the server has no {what} ({status})"),
            },
            None => reason(status, code.as_deref()),
        };
        self.fault(exchange, &why)
    }

    /// Makes the bucket, or refuses to.
    fn missing(&mut self, exchange: &mut Exchange) -> Judgement {
        match self.may_make {
            true => self.then(Question::Make, exchange),
            false => self.fault(
                exchange,
                "there is no such bucket, and data = \"existing\" makes none",
            ),
        }
    }

    /// What the server has not got if it does not know the question.
    fn lacks(&self) -> Option<&'static str> {
        match (self.question, self.keeping) {
            (Question::KeepVersions | Question::DoesItKeep, _) => Some("bucket versioning"),
            (Question::DoesItLock, _) | (Question::Make, Keeping::Locks) => Some("object lock"),
            _ => None,
        }
    }

    fn fault(&mut self, exchange: &mut Exchange, why: &str) -> Judgement {
        let doing = match self.question {
            Question::Make => "made",
            _ => "used",
        };
        self.question = Question::Done;
        self.refusals.release(exchange);
        let what = match self.place.buckets.len() {
            1 => "it",
            _ => &self.place.buckets[self.bucket].name,
        };
        Judgement::Failed(
            ErrorClass::Status,
            format!("{what} cannot be {doing}: {why}"),
        )
    }

    fn then(&mut self, question: Question, exchange: &mut Exchange) -> Judgement {
        self.question = question;
        if question == Question::Done && self.bucket + 1 < self.place.buckets.len() {
            self.bucket += 1;
            self.question = Question::IsIt;
        }
        self.refusals.release(exchange);
        Judgement::Correct
    }

    /// What follows when the bucket is there, of somebody's making or of Tenbin's.
    fn there(&mut self, exchange: &mut Exchange, made: bool) -> Judgement {
        let question = match self.keeping {
            Keeping::Objects => Question::Done,
            Keeping::Versions if made => Question::KeepVersions,
            Keeping::Versions => Question::DoesItKeep,
            Keeping::Locks => Question::DoesItLock,
        };
        self.then(question, exchange)
    }

    /// Whether the answer says that something is on.
    fn says_enabled(&self, exchange: &Exchange, element: &str) -> bool {
        let answer = self.refusals.caught(exchange);
        text_of(answer, element).as_deref() == Some("Enabled")
    }

    /// That of this bucket which the workload cannot do without is not there.
    fn keeps_nothing(&mut self, exchange: &mut Exchange) -> Judgement {
        let made = self.made[self.bucket].load(Ordering::Acquire);
        let why = match self.question {
            Question::DoesItLock if made => "the server has no object lock",
            Question::DoesItLock => {
                "its objects cannot be locked; name a bucket made with object lock, or one that \
                 is not there yet"
            }
            _ => {
                "it keeps no versions; turn its versioning on, or name a bucket that is not there \
                 yet"
            }
        };
        self.fault(exchange, why)
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
        let md5 = [self.versioning.md5_header()];
        let lock: [Header<'_>; 1] = [("x-amz-bucket-object-lock-enabled", b"true")];
        let headers: &[Header<'_>] = match (self.question, self.keeping) {
            (Question::KeepVersions, _) => &md5,
            (Question::Make, Keeping::Locks) => &lock,
            _ => &[],
        };
        let (method, query, body): (_, &[u8], _) = match self.question {
            Question::KeepVersions => ("PUT", b"versioning=", Some(self.versioning.announced())),
            Question::DoesItKeep => ("GET", b"versioning=", None),
            Question::DoesItLock => ("GET", b"object-lock=", None),
            Question::IsIt => ("HEAD", b"", None),
            Question::WhyNot => ("GET", b"location=", None),
            Question::Make | Question::Done => (
                "PUT",
                b"",
                Some(Body {
                    length: self.making.0.len() as u64,
                    hash: &self.making.1,
                }),
            ),
        };
        let spec = RequestSpec {
            query,
            headers,
            body,
            ..RequestSpec::plain(method, self.bucket, &self.place.buckets[self.bucket].path)
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = self.question == Question::IsIt;
        self.asked = true;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        match self.question {
            Question::Make => &self.making.0,
            Question::KeepVersions => &self.versioning.body,
            _ => &[],
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        if matches!(self.question, Question::DoesItKeep | Question::DoesItLock) {
            self.refusals.catch(exchange);
            return BodyUse::Inspect;
        }
        self.refusals.head(exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.asked = false;
        match (self.question, status) {
            (Question::IsIt, 404) => self.missing(exchange),
            (Question::IsIt | Question::WhyNot, 200..300) => self.there(exchange, false),
            (Question::KeepVersions, 200..300) => self.then(Question::Done, exchange),
            (Question::DoesItKeep, 200) if self.says_enabled(exchange, "Status") => {
                self.then(Question::Done, exchange)
            }
            (Question::DoesItLock, 200) if self.says_enabled(exchange, "ObjectLockEnabled") => {
                self.then(Question::Done, exchange)
            }
            (Question::DoesItKeep, 200) | (Question::DoesItLock, 200 | 404) => {
                self.keeps_nothing(exchange)
            }
            (Question::IsIt, _) => self.then(Question::WhyNot, exchange),
            (Question::WhyNot, 404) if self.code_is(exchange, "NoSuchBucket") => {
                self.missing(exchange)
            }
            (Question::Make, 200..300) => {
                self.made[self.bucket].store(true, Ordering::Release);
                self.there(exchange, true)
            }
            (Question::Make, 409) if self.code_is(exchange, "BucketAlreadyOwnedByYou") => {
                self.there(exchange, false)
            }
            _ => self.failed(exchange, status),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.asked = false;
        self.refusals.release(exchange);
        if self.question == Question::Make {
            self.made[self.bucket].store(true, Ordering::Release);
        }
        self.question = Question::Done;
    }
}
