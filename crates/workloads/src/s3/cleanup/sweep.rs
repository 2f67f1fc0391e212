//! After a run: lists what is below the prefix of the workload, which is this run's own,
//! and deletes it, then lists once more and reports what is left. A server may acknowledge
//! DELETE and keep the object, so only a listing tells what is gone.
//!
//! Of numbered objects that were deleted before, only those are touched: see
//! [`Sweep::only`]. Where numbers do not say what there is, everything below the prefix
//! goes; in buckets that Tenbin made, other workloads of the run have left versions of what
//! they deleted: there everything of the run goes.
//!
//! Last are the buckets that Tenbin made, if they are empty.

mod listed;
mod requests;
mod responses;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use slab::Slab;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};

use crate::s3::cleanup::deletion::Remains;
use crate::s3::cleanup::remaining::{MadeBucket, OfBucket};
use crate::s3::messages::document::Document;
use crate::s3::messages::refusal::Refusals;
use crate::s3::place::Place;
use crate::s3::setup::progress::Progress;
use crate::s3::signing::request_writer::RequestWriter;
use listed::Item;

/// What a sweep has to deal with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SweepScope {
    /// Objects.
    Objects,
    /// Versions of objects, and delete markers.
    Versions,
    /// The same, where some may be held or retained.
    Locked,
}

/// How often everything is listed and what is there deleted.
const ROUNDS: u32 = 3;

/// How often a request without an answer is sent.
const TRIES: u32 = 3;

/// Objects that one request each deletes, at most, where the server is to be given time:
/// more go in batches.
const ONE_BY_ONE: u64 = 1000;

/// Failures in a row after which the server is believed to be beyond it.
const HOPELESS: u32 = 32;

/// Of an answer, kept, bytes: a page of a thousand of the longest keys.
const KEPT_ANSWER: usize = 16 << 20;

#[derive(Debug, Clone)]
enum Job {
    /// A page of a listing: where it goes on.
    List(usize, Option<(String, String)>),
    /// Lets go what is held.
    Release(usize, Item),
    /// Many in one request.
    Batch(usize, Vec<Item>),
    /// One, where the server knows no batches.
    One(usize, Item),
    /// Whether anything at all is in a bucket: not every server refuses to delete one that
    /// is not empty.
    IsEmpty(usize),
    /// A bucket.
    Bucket(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Release,
    Delete(u32),
    /// What is left?
    Look,
    Buckets,
}

struct Out {
    job: Job,
    tries: u32,
    body: Option<Document>,
}

/// Removes what is below the prefix. One worker, on as many connections as there are;
/// [`Exchange::tag`] is the place of its job in `out`.
pub(crate) struct Sweep {
    place: Arc<Place>,
    writer: RequestWriter,
    scope: SweepScope,
    /// The only objects that are touched, ascending; everything without.
    only: Option<Arc<[u64]>>,
    pass: Pass,
    /// By bucket: met in this pass.
    met: Vec<u64>,
    /// By bucket: bytes of what was met in this pass.
    met_bytes: Vec<u64>,
    /// What becomes of each bucket.
    report: Vec<OfBucket>,
    /// Deletions of single objects that failed in this pass, by reason.
    refused: BTreeMap<String, u64>,
    /// Status of the last deletion that was acknowledged.
    acknowledged: Option<u16>,
    /// Why a listing of this pass failed.
    unlisted: Option<String>,
    /// By bucket: how far the listing of this pass has come.
    progress: Vec<Progress>,
    /// Whether every listing of this pass has come to its end.
    listed: bool,
    jobs: VecDeque<(Job, u32)>,
    /// Those that Tenbin made.
    buckets: Vec<usize>,
    /// By bucket: what keys begin with that may be deleted.
    prefixes: Vec<String>,
    out: Slab<Out>,
    failures_in_a_row: u32,
    remains: Arc<Remains>,
    /// That it is not known what remains.
    unknown: Arc<AtomicBool>,
    answers: Refusals,
    query: Vec<u8>,
}

impl Sweep {
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        scope: SweepScope,
        buckets: Vec<usize>,
        remains: Arc<Remains>,
        unknown: Arc<AtomicBool>,
    ) -> Self {
        unknown.store(true, Ordering::Release);
        let versions = scope != SweepScope::Objects;
        let prefix = |bucket| match versions && buckets.contains(&bucket) {
            true => of_run(&place).to_owned(),
            false => place.prefix.clone(),
        };
        let of_bucket = |bucket| OfBucket {
            made: buckets
                .contains(&bucket)
                .then(|| MadeBucket::Left("the server could not be asked".to_owned())),
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
            unknown,
            answers: Refusals::keeping(KEPT_ANSWER),
            query: Vec::with_capacity(512),
        };
        sweep.begin(sweep.pass);
        sweep
    }

    /// The same for these objects alone, ascending, whose deletion has been tried before:
    /// it is tried once more.
    pub(crate) fn only(self, objects: Arc<[u64]>) -> Self {
        Self {
            only: Some(objects),
            ..self
        }
    }

    /// Deletions of everything that a listing names, at most.
    fn rounds(&self) -> u32 {
        match self.only {
            Some(_) => 1,
            None => ROUNDS,
        }
    }

    /// Whether one request is sent at a time: a server that refuses or forgets deletions
    /// under load may do them then.
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

    /// After all jobs of a pass: what is next; false if nothing is.
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

    /// Notes what the last listing found.
    fn settle_objects(&mut self) {
        let met: u64 = self.met.iter().sum();
        self.unknown.store(!self.listed, Ordering::Release);
        self.remains.objects.store(met, Ordering::Release);
        let why = self.why_left();
        let met = self.met.iter().zip(&self.met_bytes);
        for (bucket, (met, bytes)) in self.report.iter_mut().zip(met) {
            bucket.left_bytes = *bytes;
            bucket.left = self.listed.then_some(*met);
            bucket.reason = match self.listed {
                true => why.clone().filter(|_| *met > 0),
                false => self.unlisted.clone(),
            };
        }
        self.remains.remaining.set(self.report.clone());
    }

    /// Why objects are left although their deletion was tried, if that is known.
    fn why_left(&self) -> Option<String> {
        let most = self.refused.iter().max_by_key(|(_, count)| **count);
        let refused = most.map(|(why, _)| format!("DELETE failed: {why}"));
        refused.or_else(|| {
            let status = self.acknowledged?;
            Some(format!(
                "the server answered DELETE with {status} and kept the objects"
            ))
        })
    }
}

/// What all keys of a run begin with, whatever the workload.
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
        self.answers.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = false;
        self.write(exchange, now.unix_seconds, &out);
        exchange.tag = self.out.insert(out) as u64;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        let out = self.out.get(exchange.tag as usize);
        let body = out.and_then(|out| out.body.as_ref());
        body.map_or(&[], |body| &body.body)
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.answers.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.answers.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let Some(out) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if self.settle(exchange, &out.job, status) {
            self.failures_in_a_row = 0;
            self.answers.release(exchange);
            return Judgement::Correct;
        }
        let why = match self.answers.code(exchange) {
            Some(code) => format!("{status} {code}"),
            None if status == 200 => "the response is not a whole listing".to_owned(),
            None => format!("status {status}"),
        };
        // A server that is busy answers a listing a moment later.
        if matches!(out.job, Job::List(..)) && is_busy(status) && out.tries < TRIES {
            self.failures_in_a_row += 1;
            self.jobs.push_back((out.job, out.tries));
            return self.answers.failed(exchange);
        }
        self.failed(&out.job, why);
        // A batch that was refused, in whole or in part, is gone through one by one.
        if let Job::Batch(bucket, items) = out.job
            && self.failures_in_a_row < HOPELESS
        {
            let items = items.into_iter();
            self.jobs
                .extend(items.map(|item| (Job::One(bucket, item), 0)));
        }
        self.answers.failed(exchange)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.answers.release(exchange);
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

/// Whether a status says that the same request may succeed later.
fn is_busy(status: u16) -> bool {
    status == 429 || (500..600).contains(&status) && status != 501
}
