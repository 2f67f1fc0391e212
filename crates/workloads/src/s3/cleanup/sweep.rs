//! Cleanup after a run: lists the objects below the prefix of the workload, which belongs to this
//! run alone, deletes these objects, lists again and reports what is left. A server can acknowledge
//! a DELETE and keep the object, so only a listing shows what is deleted.
//!
//! If objects were already deleted by number, only these objects are deleted again: see
//! [`Sweep::only`]. If numbers do not identify all objects, everything below the prefix of the
//! workload is deleted. In buckets that Tenbin created, other workloads of the run leave versions
//! of deleted objects, so a sweep of versions deletes everything below the prefix of the run.
//!
//! Finally, the buckets that Tenbin created are deleted if they are empty.

mod listed;
mod requests;
mod responses;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use slab::Slab;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::s3::cleanup::deletion::Remains;
use crate::s3::cleanup::remaining::{MadeBucket, OfBucket};
use crate::s3::messages::document::Document;
use crate::s3::messages::judging::Refusals;
use crate::s3::place::Place;
use crate::s3::setup::progress::Progress;
use crate::s3::signing::request_writer::RequestWriter;
use listed::Item;

/// Kinds of entries that a sweep deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SweepScope {
    /// Objects.
    Objects,
    /// Versions of objects, and delete markers.
    Versions,
    /// Versions and delete markers, some of which may have a legal hold or a retention.
    Locked,
}

/// Maximum number of passes of listing and deleting.
const ROUNDS: u32 = 3;

/// Maximum number of attempts of a request without a response.
const TRIES: u32 = 3;

/// Maximum number of objects per bucket that are deleted one by one, to give the server time; a
/// larger number is deleted in batches.
const ONE_BY_ONE: u64 = 1000;

/// Number of consecutive failures after which a pass of listing and deleting ends.
const HOPELESS: u32 = 32;

/// Bytes kept of a response: a page of a thousand of the longest keys.
const KEPT_RESPONSE: usize = 16 << 20;

#[derive(Debug, Clone)]
enum Job {
    /// Lists a page of a bucket: the page after these markers, or the first page without markers.
    List(usize, Option<(String, String)>),
    /// Releases a legal hold.
    Release(usize, Item),
    /// Deletes several objects in one request.
    Batch(usize, Vec<Item>),
    /// Deletes one object: after a refused batch, or if requests are sent one at a time.
    One(usize, Item),
    /// Lists a bucket to check that the bucket is empty, because some servers delete buckets that
    /// are not empty.
    IsEmpty(usize),
    /// Deletes a bucket.
    Bucket(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Release,
    Delete(u32),
    /// Lists the objects that still exist.
    Look,
    Buckets,
}

struct Out {
    job: Job,
    tries: u32,
    body: Option<Document>,
}

/// A worker that removes everything below the prefix, on any number of connections.
/// [`Exchange::tag`] is the index of the job in `out`.
pub(crate) struct Sweep {
    place: Arc<Place>,
    writer: RequestWriter,
    scope: SweepScope,
    /// The only objects that may be deleted, ascending; `None` for all.
    only: Option<Arc<[u64]>>,
    pass: Pass,
    /// By bucket: number of objects listed in this pass.
    met: Vec<u64>,
    /// By bucket: total size of the objects listed in this pass, bytes.
    met_bytes: Vec<u64>,
    /// Result for each bucket.
    report: Vec<OfBucket>,
    /// By reason: number of failed requests in the last pass that deletes. Counts the deletions of
    /// single objects, and the batch, if any, whose failure ended that pass.
    refused: BTreeMap<String, u64>,
    /// Status of the last deletion that was acknowledged.
    acknowledged: Option<u16>,
    /// Why a listing of this pass failed.
    unlisted: Option<String>,
    /// By bucket: progress of the listing in this pass.
    progress: Vec<Progress>,
    /// Whether every listing of this pass is complete.
    listed: bool,
    jobs: VecDeque<(Job, u32)>,
    /// Buckets that Tenbin created.
    buckets: Vec<usize>,
    /// By bucket: the prefix of keys that may be deleted.
    prefixes: Vec<String>,
    out: Slab<Out>,
    failures_in_a_row: u32,
    remains: Arc<Remains>,
    responses: Refusals,
    query: Vec<u8>,
}

impl Sweep {
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        scope: SweepScope,
        buckets: Vec<usize>,
        remains: Arc<Remains>,
    ) -> Self {
        remains.unknown.store(true, Ordering::Release);
        let versions = scope != SweepScope::Objects;
        let prefix = |bucket| {
            if versions && buckets.contains(&bucket) {
                of_run(&place).to_owned()
            } else {
                place.prefix.clone()
            }
        };
        let of_bucket = |bucket| OfBucket {
            made: buckets
                .contains(&bucket)
                .then(|| MadeBucket::Left("the server could not be reached".to_owned())),
            ..OfBucket::default()
        };
        let report: Vec<OfBucket> = (0..place.buckets.len()).map(of_bucket).collect();
        remains.remaining.set(report.clone());
        let mut sweep = Self {
            prefixes: (0..place.buckets.len()).map(prefix).collect(),
            place,
            writer,
            scope,
            pass: match scope {
                SweepScope::Locked => Pass::Release,
                SweepScope::Objects | SweepScope::Versions => Pass::Delete(1),
            },
            only: None,
            met: vec![0; report.len()],
            met_bytes: vec![0; report.len()],
            report,
            refused: BTreeMap::new(),
            acknowledged: None,
            unlisted: None,
            progress: Vec::new(),
            listed: true,
            jobs: VecDeque::new(),
            buckets,
            out: Slab::new(),
            failures_in_a_row: 0,
            remains,
            responses: Refusals::keeping(KEPT_RESPONSE),
            query: Vec::with_capacity(512),
        };
        sweep.begin(sweep.pass);
        sweep
    }

    /// Limits the sweep to `objects`, which must be sorted in ascending order. The deletion of
    /// these objects was tried before, so the sweep has only one pass that deletes.
    pub(crate) fn only(self, objects: Arc<[u64]>) -> Self {
        Self {
            only: Some(objects),
            ..self
        }
    }

    /// Maximum number of passes that delete listed objects.
    fn rounds(&self) -> u32 {
        match self.only {
            Some(_) => 1,
            None => ROUNDS,
        }
    }

    /// Whether requests are sent one at a time, because a server can refuse or lose deletions under
    /// load.
    fn is_gentle(&self) -> bool {
        match self.pass {
            Pass::Delete(round) => round > 1 || self.only.is_some(),
            Pass::Release | Pass::Look | Pass::Buckets => false,
        }
    }

    fn begin(&mut self, pass: Pass) {
        self.pass = pass;
        self.failures_in_a_row = 0;
        match pass {
            Pass::Release | Pass::Delete(_) | Pass::Look => {
                if pass != Pass::Look {
                    self.refused.clear();
                }
                self.met.fill(0);
                self.met_bytes.fill(0);
                self.listed = true;
                let buckets = 0..self.place.buckets.len();
                self.progress = buckets.clone().map(|_| Progress::default()).collect();
                self.jobs
                    .extend(buckets.map(|bucket| (Job::List(bucket, None), 0)));
            }
            Pass::Buckets => {
                let buckets = std::mem::take(&mut self.buckets);
                self.jobs
                    .extend(buckets.into_iter().map(|bucket| (Job::IsEmpty(bucket), 0)));
            }
        }
    }

    /// Starts the next pass after all jobs of a pass; returns false after the last pass, or if the
    /// next pass has no jobs.
    fn advance(&mut self) -> bool {
        let hopeless = self.failures_in_a_row >= HOPELESS || !self.listed;
        let met: u64 = self.met.iter().sum();
        if self.pass == Pass::Delete(1) {
            let met = self.met.iter().zip(&self.met_bytes);
            for (bucket, (met, bytes)) in self.report.iter_mut().zip(met) {
                bucket.found = *met;
                bucket.found_bytes = *bytes;
            }
        }
        let next = match self.pass {
            Pass::Release => Pass::Delete(1),
            Pass::Delete(_) if met == 0 && self.listed => Pass::Buckets,
            Pass::Delete(round) if round < self.rounds() && !hopeless => Pass::Delete(round + 1),
            Pass::Delete(_) => Pass::Look,
            Pass::Look => Pass::Buckets,
            Pass::Buckets => {
                self.remains.remaining.set(self.report.clone());
                return false;
            }
        };
        if next == Pass::Buckets {
            self.settle_objects();
        }
        self.begin(next);
        !self.jobs.is_empty()
    }

    /// Records the result of the last listing.
    fn settle_objects(&mut self) {
        let met: u64 = self.met.iter().sum();
        self.remains.unknown.store(!self.listed, Ordering::Release);
        self.remains.objects.store(met, Ordering::Release);
        let why = self.why_left();
        let met = self.met.iter().zip(&self.met_bytes);
        for (bucket, (met, bytes)) in self.report.iter_mut().zip(met) {
            bucket.left_bytes = *bytes;
            bucket.left = self.listed.then_some(*met);
            bucket.acknowledged =
                self.listed && *met > 0 && self.refused.is_empty() && self.acknowledged.is_some();
            bucket.reason = if self.listed {
                why.clone().filter(|_| *met > 0)
            } else {
                self.unlisted.clone()
            };
        }
        self.remains.remaining.set(self.report.clone());
    }

    /// Why objects are left after their deletion, if known.
    fn why_left(&self) -> Option<String> {
        let most = self.refused.iter().max_by_key(|(_, count)| **count);
        let refused = most.map(|(why, _)| format!("DELETE failed: {why}"));
        refused.or_else(|| {
            let status = self.acknowledged?;
            Some(format!(
                "the server responded to DELETE with {status} and kept the objects"
            ))
        })
    }
}

/// The common prefix of all keys of a run, over all workloads.
fn of_run(place: &Place) -> &str {
    let given = place.given_prefix.len();
    let own = place.prefix.get(given..).unwrap_or_default();
    match own.find('/') {
        Some(end) if own.starts_with("tenbin-") => &place.prefix[..given + end + 1],
        _ => &place.prefix,
    }
}

impl Workload for Sweep {
    fn operations(&self) -> &[&'static str] {
        &["sweep"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.is_gentle() && !self.out.is_empty() {
            return Next::Wait;
        }
        let (job, tries) = loop {
            if let Some(job) = self.jobs.pop_front() {
                break job;
            }
            if !self.out.is_empty() {
                return Next::Wait;
            }
            if !self.advance() && self.pass == Pass::Buckets {
                return Next::Exhausted;
            }
        };
        let out = Out {
            body: Self::body(&job),
            tries: tries + 1,
            job,
        };
        self.responses.release(exchange);
        exchange.op = 0;
        exchange.bodyless_response = false;
        self.write(exchange, now.unix_seconds, &out);
        exchange.tag = self.out.insert(out) as u64;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let out = self.out.get(exchange.tag as usize);
        let body = out.and_then(|out| out.body.as_ref());
        body.map_or(&[], |body| &body.body)
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        self.responses.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.responses.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let Some(out) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if self.settle(exchange, &out.job, status) {
            self.failures_in_a_row = 0;
            self.responses.release(exchange);
            return Judgement::Correct;
        }
        let why = match self.responses.code(exchange) {
            Some(code) => format!("{status} {code}"),
            None if status == 200 => "the response is not a complete listing".to_owned(),
            None => format!("status {status}"),
        };
        // A busy server may respond to a later listing.
        if matches!(out.job, Job::List(..)) && is_busy(status) && out.tries < TRIES {
            self.failures_in_a_row += 1;
            self.jobs.push_back((out.job, out.tries));
            return self.responses.failed(exchange);
        }
        self.failed(&out.job, why);
        // After a complete or partial refusal, the objects of a batch are deleted one by one.
        if let Job::Batch(bucket, items) = out.job
            && self.failures_in_a_row < HOPELESS
        {
            let items = items.into_iter();
            self.jobs
                .extend(items.map(|item| (Job::One(bucket, item), 0)));
        }
        self.responses.failed(exchange)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.responses.release(exchange);
        let Some(out) = self.out.try_remove(exchange.tag as usize) else {
            return;
        };
        if out.tries < TRIES {
            self.failures_in_a_row += 1;
            self.jobs.push_back((out.job, out.tries));
        } else {
            self.failed(&out.job, format!("no response ({})", class.name()));
        }
    }
}

/// Whether a request that got this status can succeed later.
fn is_busy(status: u16) -> bool {
    status == 429 || (500..600).contains(&status) && status != 501
}
