//! Checks with a small object, before a run, whether the server refuses content with a wrong
//! checksum.

use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::Checksum;

use crate::s3::content::checksum;
use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::messages::judging::Refusals;
use crate::s3::objects::versions;
use crate::s3::signing::request_writer::{Body, Header, RequestSpec, RequestWriter};
use crate::shared::held;
use crate::text::hex;

/// Content of the object.
const CONTENT: &[u8] = b"Tenbin checks with this object whether a wrong checksum is refused.\n";
/// The content whose checksum is sent instead.
const OTHER_CONTENT: &[u8] = b"This is the content of no object.\n";

/// What the check has sent and found so far.
#[derive(Debug, Default)]
pub(crate) struct ChecksumReport {
    /// Whether the check has started.
    pub(crate) is_begun: bool,
    /// Whether the server has acknowledged the object, whose checksum is wrong.
    pub(crate) is_ignored: bool,
    /// Whether the object may be on the server.
    pub(crate) is_left: bool,
    /// Whether the deletion after the run was sent.
    pub(crate) is_deleted_again: bool,
    /// The version of the object, if the bucket keeps versions.
    version: Option<Vec<u8>>,
}

/// The request that is next or in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChecksumStep {
    /// PUT of the object with a wrong checksum.
    Store,
    /// DELETE of the object, unless it was refused.
    Delete,
    /// No further request.
    Done,
}

/// A worker that stores the object with a wrong checksum and deletes it. Its responses never end the
/// run: if the PUT is neither acknowledged nor refused, nothing is known.
pub(crate) struct ChecksumCheck {
    step: ChecksumStep,
    /// Encoded path of the object.
    path: Vec<u8>,
    /// Header and value of the wrong checksum.
    header: &'static str,
    wrong: String,
    /// SHA-256 of the content, hexadecimal.
    hash: [u8; 64],
    extra_headers: Arc<ExtraHeaders>,
    report: Arc<Mutex<ChecksumReport>>,
    writer: RequestWriter,
    refusals: Refusals,
    query: Vec<u8>,
    version: Option<Vec<u8>>,
    in_flight: bool,
}

impl ChecksumCheck {
    /// Begins with `step`. `path` is the encoded path of the object, and `header` the header of
    /// `checksum`. `writer` must be restricted to one host.
    pub(crate) fn new(
        step: ChecksumStep,
        path: Vec<u8>,
        (checksum, header): (Checksum, &'static str),
        extra_headers: &Arc<ExtraHeaders>,
        report: &Arc<Mutex<ChecksumReport>>,
        writer: RequestWriter,
    ) -> Self {
        Self {
            step,
            path,
            header,
            wrong: checksum::of(checksum, OTHER_CONTENT),
            hash: hex(&Sha256::digest(CONTENT).into()),
            extra_headers: Arc::clone(extra_headers),
            report: Arc::clone(report),
            writer,
            refusals: Refusals::default(),
            query: Vec::new(),
            version: None,
            in_flight: false,
        }
    }

    fn write(&mut self, now: Moment, exchange: &mut Exchange) {
        self.query.clear();
        let headers: [Header<'_>; 1] = [(self.header, self.wrong.as_bytes())];
        let spec = match self.step {
            ChecksumStep::Store => {
                held(&self.report).is_left = true;
                RequestSpec {
                    extra_headers: &self.extra_headers.store,
                    headers: &headers,
                    body: Some(Body {
                        length: CONTENT.len() as u64,
                        hash: &self.hash,
                    }),
                    ..RequestSpec::plain("PUT", 0, &self.path)
                }
            }
            ChecksumStep::Delete | ChecksumStep::Done => {
                if let Some(version) = &held(&self.report).version {
                    versions::write_query(&mut self.query, version);
                }
                RequestSpec {
                    query: &self.query,
                    ..RequestSpec::plain("DELETE", 0, &self.path)
                }
            }
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
    }
}

impl Workload for ChecksumCheck {
    fn operations(&self) -> &[&'static str] {
        &["check the checksum"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.step == ChecksumStep::Done {
            return Next::Exhausted;
        }
        if self.in_flight {
            return Next::Wait;
        }
        self.write(now, exchange);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_response = false;
        self.in_flight = true;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        match self.step {
            ChecksumStep::Store => CONTENT,
            ChecksumStep::Delete | ChecksumStep::Done => &[],
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
        let is_done = (200..300).contains(&status) && !self.refusals.is_error(exchange);
        self.refusals.release(exchange);
        let mut report = held(&self.report);
        self.step = match self.step {
            ChecksumStep::Store if is_done => {
                report.is_ignored = true;
                report.version = self.version.take();
                ChecksumStep::Delete
            }
            ChecksumStep::Store if (400..500).contains(&status) => {
                report.is_left = false;
                ChecksumStep::Done
            }
            ChecksumStep::Store => ChecksumStep::Delete,
            ChecksumStep::Delete | ChecksumStep::Done => {
                report.is_left = !is_done && status != 404;
                ChecksumStep::Done
            }
        };
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.in_flight = false;
        self.refusals.release(exchange);
        // A server may close the connection instead of a response to a wrong checksum.
        self.step = match self.step {
            ChecksumStep::Store => ChecksumStep::Delete,
            ChecksumStep::Delete | ChecksumStep::Done => ChecksumStep::Done,
        };
    }
}
