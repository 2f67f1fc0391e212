//! Checks with a small object, before a run, whether all hosts of a target serve the same objects,
//! and whether a server finds the bucket in the host name.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha2::{Digest, Sha256};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::messages::judging::{Refusals, reason};
use crate::s3::objects::versions;
use crate::s3::place::Bucket;
use crate::s3::setup::access::is_listing;
use crate::s3::signing::request_writer::{Body, Header, RequestSpec, RequestWriter};
use crate::text::hex;

/// Content of the object.
const CONTENT: &[u8] = b"Tenbin checks with this object that all hosts have the same storage.\n";

/// Longest wait until a host returns an object that another host has stored, nanoseconds.
const MOST_NANOS: u64 = 5_000_000_000;
/// Pause before the object is requested again, nanoseconds.
const PAUSE_NANOS: u64 = 250_000_000;

/// What one worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostStep {
    /// PUT of the object on the first host.
    Store,
    /// GET of the object.
    Read,
    /// DELETE of the object on the first host; fails if an earlier step has found a fault.
    Finish,
    /// A listing of the bucket, instead of GET and DELETE where no object may be stored.
    List,
    /// A listing of the bucket on the first host; fails as `Finish` does.
    FinishList,
}

/// What the steps have found so far.
#[derive(Debug, Default)]
pub(crate) struct HostReport {
    /// The version of the object, if the bucket keeps versions.
    version: Option<Vec<u8>>,
    /// The first fault, in one sentence.
    fault: Option<String>,
}

/// What all steps of a check have in common.
#[derive(Clone)]
pub(crate) struct HostSubject {
    pub(crate) bucket: String,
    /// Encoded path of the bucket.
    pub(crate) bucket_path: Vec<u8>,
    /// Encoded path of the object.
    pub(crate) path: Vec<u8>,
    /// Names of the hosts, in the order of the target.
    pub(crate) hosts: Vec<String>,
    /// What to add to an error if the bucket is in the host name.
    pub(crate) advice: String,
    pub(crate) extra_headers: Arc<ExtraHeaders>,
    pub(crate) report: Arc<Mutex<HostReport>>,
}

impl HostSubject {
    fn first(&self) -> &str {
        self.hosts.first().map_or("", String::as_str)
    }

    fn report(&self) -> MutexGuard<'_, HostReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to do if the server does not find the bucket in the host name; empty with the bucket in the
/// path.
pub(crate) fn domain_advice(bucket: &Bucket) -> String {
    match bucket.hosts.first() {
        Some(host) if !bucket.in_host.is_empty() => format!(
            "; the bucket is named in the host name ({host}): leave out --virtual-host \
             (style = \"virtual\"), or set the domain of the server"
        ),
        _ => String::new(),
    }
}

/// A worker that does one step.
pub(crate) struct HostCheck {
    step: HostStep,
    /// Index of the host that the step is for.
    host: usize,
    subject: HostSubject,
    writer: RequestWriter,
    /// SHA-256 of the content, hexadecimal, and its MD5 in Base64.
    hashes: ([u8; 64], String),
    refusals: Refusals,
    query: Vec<u8>,
    in_flight: bool,
    done: bool,
    /// Time of the first request, and of the next, nanoseconds.
    started: Option<u64>,
    due: u64,
    last: u64,
    version: Option<Vec<u8>>,
}

impl HostCheck {
    /// `writer` must be restricted to `host`.
    pub(crate) fn new(
        step: HostStep,
        host: usize,
        subject: HostSubject,
        writer: RequestWriter,
    ) -> Self {
        let hashes = (
            hex(&Sha256::digest(CONTENT).into()),
            STANDARD.encode(Md5::digest(CONTENT)),
        );
        Self {
            step,
            host,
            subject,
            writer,
            hashes,
            refusals: Refusals::default(),
            query: Vec::new(),
            in_flight: false,
            done: false,
            started: None,
            due: 0,
            last: 0,
            version: None,
        }
    }

    fn write(&mut self, now: Moment, exchange: &mut Exchange) {
        let subject = &self.subject;
        self.query.clear();
        if self.step == HostStep::Finish
            && let Some(version) = &subject.report().version
        {
            versions::write_query(&mut self.query, version);
        }
        let md5: [Header<'_>; 1] = [("content-md5", self.hashes.1.as_bytes())];
        let body = Body {
            length: CONTENT.len() as u64,
            hash: &self.hashes.0,
        };
        let spec = match self.step {
            HostStep::Store => RequestSpec {
                extra_headers: &subject.extra_headers.store,
                headers: &md5,
                body: Some(body),
                ..RequestSpec::plain("PUT", 0, &subject.path)
            },
            HostStep::Read => RequestSpec {
                extra_headers: &subject.extra_headers.read,
                ..RequestSpec::plain("GET", 0, &subject.path)
            },
            HostStep::Finish => RequestSpec {
                query: &self.query,
                ..RequestSpec::plain("DELETE", 0, &subject.path)
            },
            HostStep::List | HostStep::FinishList => RequestSpec {
                query: b"list-type=2&max-keys=1",
                ..RequestSpec::plain("GET", 0, &subject.bucket_path)
            },
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
    }

    /// Whether the response may change soon: an object that another host has just stored.
    fn may_follow(&self, status: u16) -> bool {
        let started = self.started.unwrap_or_default();
        self.step == HostStep::Read
            && status == 404
            && self.last.saturating_sub(started) < MOST_NANOS
    }

    /// What the response shows, in one sentence; `None` if nothing is wrong.
    fn fault(&self, exchange: &Exchange, status: u16) -> Option<String> {
        let (body, code) = (self.refusals.caught(exchange), self.refusals.code(exchange));
        let subject = &self.subject;
        let (bucket, first) = (&subject.bucket, subject.first());
        let own = subject.hosts.get(self.host).map_or("", String::as_str);
        let is_right = match self.step {
            HostStep::Store => (200..300).contains(&status),
            HostStep::Read => status == 200 && body == CONTENT,
            HostStep::List | HostStep::FinishList => status == 200 && is_listing(body),
            // Keys may not allow DELETE, which is no reason to refuse the run.
            HostStep::Finish => true,
        };
        // Keys may allow PUT only, and an object of an archive class cannot be read at once.
        if is_right || (self.step == HostStep::Read && status == 403) {
            return None;
        }
        let why = match status {
            200 => "the response is not the requested document".to_owned(),
            _ => reason(status, code.as_deref()),
        };
        if self.host == 0 {
            let doing = match self.step {
                HostStep::Store => "an object cannot be stored in",
                HostStep::Read => "an object that was stored cannot be read from",
                _ => "no listing can be read of",
            };
            let advice = &subject.advice;
            return Some(format!("{doing} bucket {bucket}: {why}{advice}"));
        }
        const APART: &str = "the hosts do not share their storage: measure each as a separate \
                             target (--target NAME=URL)";
        match (status, code.as_deref()) {
            (404, Some("NoSuchBucket")) => Some(format!(
                "host {own} has no bucket {bucket}, which host {first} has; {APART}"
            )),
            (404, _) => Some(format!(
                "host {own} does not have an object that was stored on host {first}; {APART}"
            )),
            (200, _) => Some(format!(
                "host {own} returns another object than was stored on host {first}; {APART}"
            )),
            // Overload is no reason to refuse a run.
            (408 | 429 | 500.., _) => None,
            _ => Some(format!(
                "host {own} does not serve bucket {bucket}, which host {first} serves: {why}"
            )),
        }
    }
}

impl Workload for HostCheck {
    fn operations(&self) -> &[&'static str] {
        &["check hosts"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.done {
            return Next::Exhausted;
        }
        if self.in_flight {
            return Next::Wait;
        }
        if now.nanos < self.due {
            return Next::Rest(self.due);
        }
        self.started.get_or_insert(now.nanos);
        self.last = now.nanos;
        self.write(now, exchange);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_response = false;
        self.in_flight = true;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        match self.step {
            HostStep::Store => CONTENT,
            _ => &[],
        }
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.version = head.header("x-amz-version-id").map(<[u8]>::to_vec);
        self.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.in_flight = false;
        let fault = self.fault(exchange, status);
        self.refusals.release(exchange);
        if fault.is_some() && self.may_follow(status) {
            self.due = self.last.saturating_add(PAUSE_NANOS);
            return Judgement::Correct;
        }
        self.done = true;
        let mut report = self.subject.report();
        if self.step == HostStep::Store {
            report.version = self.version.take();
        }
        // Only the first and the last step end the run, so that the object is deleted before.
        let failed = match self.step {
            HostStep::Store => fault,
            HostStep::Finish | HostStep::FinishList => report.fault.take().or(fault),
            HostStep::Read | HostStep::List => {
                report.fault = report.fault.take().or(fault);
                None
            }
        };
        match failed {
            Some(why) => Judgement::Failed(ErrorClass::Wrong, why),
            None => Judgement::Correct,
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.in_flight = false;
        self.done = true;
        self.refusals.release(exchange);
    }
}
