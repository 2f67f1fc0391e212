//! Checks before a run whether the buckets exist and can be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::S3Work;
use tenbin_plan::s3::Feature;

use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::messages::judging::{Refusals, reason, says_not_known};
use crate::s3::messages::listing::text_of;
use crate::s3::place::Place;
use crate::s3::setup::hosts::domain_advice;
use crate::s3::signing::request_writer::{Body, Header, RequestSpec, RequestWriter};
use crate::text::hex;

/// The request that is next or in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckStep {
    /// HEAD of the bucket.
    Head,
    /// GET of the bucket's location: unlike an error response to HEAD, an error response has a body
    /// with the reason.
    Location,
    /// PUT of the bucket.
    Make,
    /// PUT of the bucket's versioning configuration.
    EnableVersioning,
    /// GET of the bucket's versioning configuration, if Tenbin did not create the bucket.
    GetVersioning,
    /// GET of the bucket's object lock configuration.
    GetObjectLock,
    /// No further request.
    Done,
}

/// Requirements of a workload on its buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// The buckets exist.
    Objects,
    /// The buckets keep versions of objects.
    Versions,
    /// The objects in the buckets can be locked; locks require versions.
    Locks,
}

impl Requirement {
    pub(crate) fn of(work: &S3Work) -> Self {
        match work.versions {
            _ if work.mix.any(Feature::Locks) => Self::Locks,
            0 => Self::Objects,
            _ => Self::Versions,
        }
    }
}

/// Checks the buckets one after the other, and creates missing buckets.
pub(crate) struct Check {
    bucket: usize,
    question: CheckStep,
    /// Whether a request is in flight.
    in_flight: bool,
    place: Arc<Place>,
    writer: RequestWriter,
    /// Body of the request that creates the bucket, and its hash.
    making: (Vec<u8>, [u8; 64]),
    made: Arc<[AtomicBool]>,
    /// Whether a missing bucket may be created.
    may_make: bool,
    keeping: Requirement,
    versioning: Document,
    refusals: Refusals,
}

impl Check {
    /// Checks all buckets of `place`. `made` is set for a bucket as soon as Tenbin may have created
    /// the bucket.
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        region: &str,
        keeping: Requirement,
        made: Arc<[AtomicBool]>,
        may_make: bool,
    ) -> Self {
        let making = location(region);
        let hash = hex(&Sha256::digest(&making).into());
        Self {
            bucket: 0,
            question: CheckStep::Head,
            in_flight: false,
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
                Some(code) => format!("the server does not support {what} ({status} {code})"),
                None => format!("the server does not support {what} ({status})"),
            },
            None => {
                let advice = domain_advice(&self.place.buckets[self.bucket]);
                format!("{}{advice}", reason(status, code.as_deref()))
            }
        };
        self.fault(exchange, &why)
    }

    /// Creates the bucket, or reports that it is missing.
    fn missing(&mut self, exchange: &mut Exchange) -> Judgement {
        if self.may_make {
            self.then(CheckStep::Make, exchange)
        } else {
            self.fault(
                exchange,
                "the bucket does not exist, and data = \"existing\" creates none",
            )
        }
    }

    /// The feature that a server lacks if it does not know the current request.
    fn lacks(&self) -> Option<&'static str> {
        match (self.question, self.keeping) {
            (CheckStep::EnableVersioning | CheckStep::GetVersioning, _) => {
                Some("bucket versioning")
            }
            (CheckStep::GetObjectLock, _) | (CheckStep::Make, Requirement::Locks) => {
                Some("object lock")
            }
            _ => None,
        }
    }

    fn fault(&mut self, exchange: &mut Exchange, why: &str) -> Judgement {
        let doing = match self.question {
            CheckStep::Make => "made",
            _ => "used",
        };
        self.question = CheckStep::Done;
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

    fn then(&mut self, question: CheckStep, exchange: &mut Exchange) -> Judgement {
        self.question = question;
        if question == CheckStep::Done && self.bucket + 1 < self.place.buckets.len() {
            self.bucket += 1;
            self.question = CheckStep::Head;
        }
        self.refusals.release(exchange);
        Judgement::Correct
    }

    /// Continues after the bucket was found or created.
    fn there(&mut self, exchange: &mut Exchange, made: bool) -> Judgement {
        let question = match self.keeping {
            Requirement::Objects => CheckStep::Done,
            Requirement::Versions if made => CheckStep::EnableVersioning,
            Requirement::Versions => CheckStep::GetVersioning,
            Requirement::Locks => CheckStep::GetObjectLock,
        };
        self.then(question, exchange)
    }

    /// Whether the response says that a feature is enabled.
    fn says_enabled(&self, exchange: &Exchange, element: &str) -> bool {
        let response = self.refusals.caught(exchange);
        text_of(response, element).as_deref() == Some("Enabled")
    }

    /// Reports that the bucket does not meet the requirements of the workload.
    fn keeps_nothing(&mut self, exchange: &mut Exchange) -> Judgement {
        let made = self.made[self.bucket].load(Ordering::Acquire);
        let why = match self.question {
            CheckStep::GetObjectLock if made => "the server does not support object lock",
            CheckStep::GetObjectLock => {
                "its objects cannot be locked; name a bucket with object lock, or a bucket that \
                does not exist yet"
            }
            _ => {
                "it keeps no versions; enable its versioning, or name a bucket that does not exist \
                yet"
            }
        };
        self.fault(exchange, why)
    }

    fn code_is(&self, exchange: &Exchange, code: &str) -> bool {
        self.refusals.code(exchange).as_deref() == Some(code)
    }
}

/// Body of the request that creates a bucket in a region: empty for the default region.
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
        if self.question == CheckStep::Done {
            return Next::Exhausted;
        }
        if self.in_flight {
            return Next::Wait;
        }
        let md5 = [self.versioning.md5_header()];
        let lock: [Header<'_>; 1] = [("x-amz-bucket-object-lock-enabled", b"true")];
        let headers: &[Header<'_>] = match (self.question, self.keeping) {
            (CheckStep::EnableVersioning, _) => &md5,
            (CheckStep::Make, Requirement::Locks) => &lock,
            _ => &[],
        };
        let (method, query, body): (_, &[u8], _) = match self.question {
            CheckStep::EnableVersioning => {
                ("PUT", b"versioning=", Some(self.versioning.announced()))
            }
            CheckStep::GetVersioning => ("GET", b"versioning=", None),
            CheckStep::GetObjectLock => ("GET", b"object-lock=", None),
            CheckStep::Head => ("HEAD", b"", None),
            CheckStep::Location => ("GET", b"location=", None),
            CheckStep::Make | CheckStep::Done => (
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
        exchange.bodyless_response = self.question == CheckStep::Head;
        self.in_flight = true;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        match self.question {
            CheckStep::Make => &self.making.0,
            CheckStep::EnableVersioning => &self.versioning.body,
            _ => &[],
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        if matches!(
            self.question,
            CheckStep::GetVersioning | CheckStep::GetObjectLock
        ) {
            self.refusals.catch(exchange);
            return BodyUse::Inspect;
        }
        self.refusals.head(exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.in_flight = false;
        match (self.question, status) {
            (CheckStep::Head, 404) => self.missing(exchange),
            (CheckStep::Head | CheckStep::Location, 200..300) => self.there(exchange, false),
            (CheckStep::EnableVersioning, 200..300) => self.then(CheckStep::Done, exchange),
            (CheckStep::GetVersioning, 200) if self.says_enabled(exchange, "Status") => {
                self.then(CheckStep::Done, exchange)
            }
            (CheckStep::GetObjectLock, 200) if self.says_enabled(exchange, "ObjectLockEnabled") => {
                self.then(CheckStep::Done, exchange)
            }
            (CheckStep::GetVersioning, 200) | (CheckStep::GetObjectLock, 200 | 404) => {
                self.keeps_nothing(exchange)
            }
            (CheckStep::Head, _) => self.then(CheckStep::Location, exchange),
            (CheckStep::Location, 404) if self.code_is(exchange, "NoSuchBucket") => {
                self.missing(exchange)
            }
            (CheckStep::Make, 200..300) => {
                self.made[self.bucket].store(true, Ordering::Release);
                self.there(exchange, true)
            }
            (CheckStep::Make, 409) if self.code_is(exchange, "BucketAlreadyOwnedByYou") => {
                self.there(exchange, false)
            }
            _ => self.failed(exchange, status),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.in_flight = false;
        self.refusals.release(exchange);
        if self.question == CheckStep::Make {
            self.made[self.bucket].store(true, Ordering::Release);
        }
        self.question = CheckStep::Done;
    }
}
