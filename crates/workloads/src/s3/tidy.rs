//! Afterwards: removes the objects that Tenbin put, and the bucket if it made it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha2::{Digest, Sha256};
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};

use super::place::{ObjectPath, Place};
use super::refusal::Refusals;
use super::scribe::{Ask, Body, Scribe};
use crate::text::hex;

/// Keys in one request, at most: S3 takes no more.
const BATCH: usize = 1000;

/// How often one thing is tried.
const TRIES: u32 = 3;

/// Failures in a row after which the server is believed to be beyond it.
const HOPELESS: u32 = 32;

/// Of the answer to a batch, kept, bytes: room for a thousand keys and more.
const KEPT_ANSWER: usize = 1 << 20;

/// One thing to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Job {
    /// Objects, in one request.
    Batch(Vec<u64>),
    /// One object, where the server knows no batches.
    Object(u64),
    /// The bucket, when all else is gone.
    Bucket,
}

/// A job that is out, with the body sent for it.
struct Out {
    job: Job,
    tries: u32,
    body: Vec<u8>,
}

/// What could not be removed, so far.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    pub(crate) objects: AtomicU64,
    /// 1 while a bucket that Tenbin made is still there.
    pub(crate) buckets: AtomicU64,
}

/// Removes objects, then the bucket. One worker, on as many connections as there
/// are; [`Exchange::tag`] is the place of its job in `out`.
pub(crate) struct Tidy {
    place: Arc<Place>,
    scribe: Scribe,
    path: ObjectPath,
    jobs: VecDeque<(Job, u32)>,
    bucket: bool,
    out: Vec<Option<Out>>,
    failures_in_a_row: u32,
    remains: Arc<Remains>,
    refusals: Refusals,
}

impl Tidy {
    pub(crate) fn new(
        place: Arc<Place>,
        scribe: Scribe,
        objects: &[u64],
        bucket: bool,
        remains: Arc<Remains>,
    ) -> Self {
        remains
            .objects
            .store(objects.len() as u64, Ordering::Release);
        remains.buckets.store(u64::from(bucket), Ordering::Release);
        Self {
            path: place.object_path(),
            place,
            scribe,
            jobs: objects
                .chunks(BATCH)
                .map(|batch| (Job::Batch(batch.to_vec()), 0))
                .collect(),
            bucket,
            out: Vec::new(),
            failures_in_a_row: 0,
            remains,
            refusals: Refusals::keeping(KEPT_ANSWER),
        }
    }

    /// Requests that a server which knows batches will need.
    pub(crate) fn requests(&self) -> u64 {
        self.jobs.len() as u64 + u64::from(self.bucket)
    }

    fn next_job(&mut self) -> Result<(Job, u32), Next> {
        if let Some(job) = self.jobs.pop_front() {
            return Ok(job);
        }
        if self.out.iter().any(Option::is_some) {
            return Err(Next::Wait);
        }
        if std::mem::take(&mut self.bucket) {
            return Ok((Job::Bucket, 0));
        }
        Err(Next::Exhausted)
    }

    fn begin(&self, job: Job, tries_before: u32) -> Out {
        let body = match &job {
            Job::Batch(objects) => batch(&self.place, objects),
            Job::Object(_) | Job::Bucket => Vec::new(),
        };
        Out {
            job,
            tries: tries_before + 1,
            body,
        }
    }

    fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, out: &Out) {
        let hash;
        let md5;
        let ask = match &out.job {
            Job::Batch(_) => {
                hash = hex(&Sha256::digest(&out.body).into());
                md5 = STANDARD.encode(Md5::digest(&out.body));
                Ask {
                    method: "POST",
                    path: &self.place.bucket_path,
                    query: "delete=",
                    body: Some(Body {
                        length: out.body.len() as u64,
                        hash: &hash,
                        md5: Some(&md5),
                    }),
                }
            }
            Job::Object(object) => delete(self.path.of(*object)),
            Job::Bucket => delete(&self.place.bucket_path),
        };
        self.scribe.write(exchange, unix_seconds, &ask);
    }

    fn take(&mut self, exchange: &Exchange) -> Option<Out> {
        self.out
            .get_mut(usize::try_from(exchange.tag).ok()?)?
            .take()
    }

    fn removed(&mut self, job: &Job) {
        self.failures_in_a_row = 0;
        match job {
            Job::Batch(objects) => self.fewer(objects.len() as u64),
            Job::Object(_) => self.fewer(1),
            Job::Bucket => self.remains.buckets.store(0, Ordering::Release),
        }
    }

    fn fewer(&self, objects: u64) {
        self.remains.objects.fetch_sub(objects, Ordering::AcqRel);
    }

    fn failed(&mut self) {
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= HOPELESS {
            self.jobs.clear();
        }
    }

    /// Whether the answer to a batch is whole and names nothing that is still there.
    fn all_gone(&self, exchange: &Exchange) -> bool {
        let answer = self.refusals.caught(exchange);
        answer.len() < KEPT_ANSWER
            && !answer
                .windows(b"<Error".len())
                .any(|window| window == b"<Error")
    }
}

fn delete(path: &[u8]) -> Ask<'_> {
    Ask {
        method: "DELETE",
        path,
        query: "",
        body: None,
    }
}

/// `Quiet`: the answer names only what could not be deleted.
fn batch(place: &Place, objects: &[u64]) -> Vec<u8> {
    let mut xml = String::from(
        "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>",
    );
    for &object in objects {
        xml.push_str("<Object><Key>");
        xml.push_str(&quick_xml::escape::escape(place.key(object)));
        xml.push_str("</Key></Object>");
    }
    xml.push_str("</Delete>");
    xml.into_bytes()
}

impl Workload for Tidy {
    fn operations(&self) -> &[&'static str] {
        &["tidy"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let (job, tries) = match self.next_job() {
            Ok(job) => job,
            Err(rest) => return rest,
        };
        let out = self.begin(job, tries);
        self.write(exchange, now.unix_seconds, &out);
        let slot = self
            .out
            .iter()
            .position(Option::is_none)
            .unwrap_or_else(|| {
                self.out.push(None);
                self.out.len() - 1
            });
        self.out[slot] = Some(out);
        self.refusals.release(exchange);
        exchange.tag = slot as u64;
        exchange.op = 0;
        exchange.bodyless_answer = false;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        usize::try_from(exchange.tag)
            .ok()
            .and_then(|slot| self.out.get(slot)?.as_ref())
            .map_or(&[], |out| &out.body)
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let Some(out) = self.take(exchange) else {
            return Judgement::Correct;
        };
        let gone = match (&out.job, status) {
            (Job::Batch(_), 200) => self.all_gone(exchange),
            // 404: somebody else was faster, and it is gone all the same.
            (Job::Object(_) | Job::Bucket, 200 | 204 | 404) => true,
            _ => false,
        };
        if gone {
            self.removed(&out.job);
            self.refusals.release(exchange);
            return Judgement::Correct;
        }
        // A batch that was refused, in whole or in part, is gone through one by one.
        if let Job::Batch(objects) = out.job {
            self.jobs
                .extend(objects.into_iter().map(|object| (Job::Object(object), 0)));
        }
        self.failed();
        self.refusals.failed(exchange)
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.refusals.release(exchange);
        let Some(out) = self.take(exchange) else {
            return;
        };
        if out.tries < TRIES {
            self.jobs.push_back((out.job, out.tries));
        }
        self.failed();
    }
}
