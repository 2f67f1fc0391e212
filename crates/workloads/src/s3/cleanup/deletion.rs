//! Deletes, after a run, the objects that Tenbin stored. A sweep then lists the objects that are
//! left.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::s3::cleanup::remaining::Remaining;
use crate::s3::messages::batch::{self, Batch};
use crate::s3::messages::judging::Refusals;
use crate::s3::place::{ObjectPath, Place};
use crate::s3::signing::request_writer::{Body, RequestSpec, RequestWriter};

/// Maximum number of keys per request, the limit of S3.
const BATCH: usize = 1000;

/// Maximum number of attempts per request.
const TRIES: u32 = 3;

/// Number of consecutive failures after which no further requests are sent.
const HOPELESS: u32 = 32;

/// A request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Job {
    /// Objects of one bucket, in one request.
    Batch(usize, Vec<u64>),
    /// One object, if the server does not support batches.
    Object(u64),
}

/// A job in flight, with the body of its request.
struct Out {
    job: Job,
    tries: u32,
    batch: Option<Batch>,
}

/// Objects that could not be removed.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    pub(crate) objects: AtomicU64,
    /// Set while the objects that a sweep has left are unknown.
    pub(crate) unknown: AtomicBool,
    /// Result of the listing after the deletions.
    pub(crate) remaining: Remaining,
}

/// A worker that deletes objects, on any number of connections. [`Exchange::tag`] is the index of
/// the job in `out`.
pub(crate) struct Deletion {
    place: Arc<Place>,
    writer: RequestWriter,
    path: ObjectPath,
    jobs: VecDeque<(Job, u32)>,
    out: Vec<Option<Out>>,
    failures_in_a_row: u32,
    remains: Arc<Remains>,
    refusals: Refusals,
}

impl Deletion {
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        objects: &[u64],
        remains: Arc<Remains>,
    ) -> Self {
        remains
            .objects
            .store(objects.len() as u64, Ordering::Release);
        Self {
            path: place.object_path(),
            jobs: batches(&place, objects),
            place,
            writer,
            out: Vec::new(),
            failures_in_a_row: 0,
            remains,
            refusals: Refusals::default(),
        }
    }

    /// Number of requests if the server supports batches.
    pub(crate) fn requests(&self) -> u64 {
        self.jobs.len() as u64
    }

    fn next_job(&mut self) -> Result<(Job, u32), Next> {
        if let Some(job) = self.jobs.pop_front() {
            return Ok(job);
        }
        if self.out.iter().any(Option::is_some) {
            Err(Next::Wait)
        } else {
            Err(Next::Exhausted)
        }
    }

    fn begin(&self, job: Job, tries_before: u32) -> Out {
        let batch = match &job {
            Job::Batch(_, objects) => Some(Batch::of_objects(&self.place, objects)),
            Job::Object(_) => None,
        };
        Out {
            job,
            tries: tries_before + 1,
            batch,
        }
    }

    fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, out: &Out) {
        let md5 = out.batch.as_ref().map(|batch| batch.md5.as_bytes());
        let headers: Vec<_> = md5.map(|md5| ("content-md5", md5)).into_iter().collect();
        let spec = match &out.job {
            Job::Batch(bucket, _) => RequestSpec {
                query: b"delete=",
                headers: &headers,
                body: out.batch.as_ref().map(|batch| Body {
                    length: batch.body.len() as u64,
                    hash: &batch.hash,
                }),
                ..RequestSpec::plain("POST", *bucket, &self.place.buckets[*bucket].path)
            },
            Job::Object(object) => {
                let bucket = self.place.bucket_of(*object);
                RequestSpec::plain("DELETE", bucket, self.path.of(bucket, *object))
            }
        };
        self.writer.write(exchange, unix_seconds, &spec);
    }

    fn take(&mut self, exchange: &Exchange) -> Option<Out> {
        self.out
            .get_mut(usize::try_from(exchange.tag).ok()?)?
            .take()
    }

    fn removed(&mut self, job: &Job) {
        self.failures_in_a_row = 0;
        match job {
            Job::Batch(_, objects) => self.fewer(objects.len() as u64),
            Job::Object(_) => self.fewer(1),
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

    /// Whether the response to a batch is complete and names no object that still exists.
    fn all_gone(&self, exchange: &Exchange, requested: usize) -> bool {
        batch::all_gone(self.refusals.caught(exchange), requested)
    }
}

/// Batches of up to [`BATCH`] objects of one bucket.
fn batches(place: &Place, objects: &[u64]) -> VecDeque<(Job, u32)> {
    let mut jobs = VecDeque::new();
    for bucket in 0..place.buckets.len() {
        let of_bucket = objects.iter().copied();
        let of_bucket: Vec<u64> = of_bucket
            .filter(|&object| place.bucket_of(object) == bucket)
            .collect();
        let batches = of_bucket.chunks(BATCH);
        jobs.extend(batches.map(|batch| (Job::Batch(bucket, batch.to_vec()), 0)));
    }
    jobs
}

impl Workload for Deletion {
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
        exchange.bodyless_response = false;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        usize::try_from(exchange.tag)
            .ok()
            .and_then(|slot| self.out.get(slot)?.as_ref())
            .and_then(|out| out.batch.as_ref())
            .map_or(&[], |batch| &batch.body)
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
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
            (Job::Batch(_, objects), 200) => self.all_gone(exchange, objects.len()),
            // 404: another client has deleted the object.
            (Job::Object(_), 200 | 204 | 404) => true,
            _ => false,
        };
        if gone {
            self.removed(&out.job);
            self.refusals.release(exchange);
            return Judgement::Correct;
        }
        // After a complete or partial refusal, the objects of a batch are deleted one by one.
        if let Job::Batch(_, objects) = out.job {
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
