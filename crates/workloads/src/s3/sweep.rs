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

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use slab::Slab;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::ListForm;

use super::actions::lock::{BYPASS, hold};
use super::batch::{self, Batch};
use super::document::Document;
use super::listing::{Reader, text_of};
use super::place::Place;
use super::progress::Progress;
use super::refusal::Refusals;
use super::residue::{MadeBucket, OfBucket};
use super::scribe::{Ask, Scribe};
use super::tidy::Remains;
use super::uri::{canonical_query, push_encoded};
use super::versions;

/// What a sweep has to deal with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Litter {
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

/// An object, or a version of one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    key: String,
    version: Option<String>,
    /// A delete marker holds nothing that could be locked.
    marker: bool,
    /// Bytes, as the listing says.
    size: u64,
}

/// The entries of a page.
#[derive(Debug, PartialEq, Eq)]
struct Entries {
    items: Vec<Item>,
    /// Entries whose key cannot be read: nobody knows whose they are.
    unreadable: usize,
}

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
    scribe: Scribe,
    litter: Litter,
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
        scribe: Scribe,
        litter: Litter,
        buckets: Vec<usize>,
        remains: Arc<Remains>,
        unknown: Arc<AtomicBool>,
    ) -> Self {
        unknown.store(true, Ordering::Release);
        let versions = litter != Litter::Objects;
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
        remains.residue.set(report.clone());
        let mut sweep = Self {
            prefixes: (0..place.buckets.len()).map(prefix).collect(),
            place,
            scribe,
            litter,
            pass: match litter {
                Litter::Locked => Pass::Release,
                Litter::Objects | Litter::Versions => Pass::Delete(1),
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
                self.remains.residue.set(self.report.clone());
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
        self.remains.residue.set(self.report.clone());
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

    fn form(&self) -> ListForm {
        match self.litter {
            Litter::Objects => ListForm::V2,
            Litter::Versions | Litter::Locked => ListForm::Versions,
        }
    }

    fn body(job: &Job) -> Option<Document> {
        match job {
            Job::Batch(_, items) => Some(Batch::of_keys(
                items
                    .iter()
                    .map(|item| (item.key.clone(), item.version.clone())),
            )),
            Job::Release(..) => Some(hold("OFF")),
            Job::List(..) | Job::One(..) | Job::IsEmpty(_) | Job::Bucket(_) => None,
        }
    }

    fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, out: &Out) {
        let path;
        let bypass = [BYPASS];
        let bypass = match self.litter {
            Litter::Locked => &bypass[..],
            Litter::Objects | Litter::Versions => &[],
        };
        let md5 = out.body.as_ref().map(Document::md5_header);
        let with_md5: Vec<_> = md5.into_iter().chain(bypass.iter().copied()).collect();
        let announced = out.body.as_ref().map(Document::announced);
        let ask = match &out.job {
            Job::List(bucket, from) => {
                self.query = self.list_query(*bucket, from.as_ref());
                Ask {
                    query: &self.query,
                    ..Ask::plain("GET", *bucket, &self.place.buckets[*bucket].path)
                }
            }
            Job::IsEmpty(bucket) => {
                self.query = self.any_query();
                Ask {
                    query: &self.query,
                    ..Ask::plain("GET", *bucket, &self.place.buckets[*bucket].path)
                }
            }
            Job::Batch(bucket, _) => Ask {
                query: b"delete=",
                headers: &with_md5,
                body: announced,
                ..Ask::plain("POST", *bucket, &self.place.buckets[*bucket].path)
            },
            Job::Release(bucket, item) => {
                path = self.path_of(*bucket, item);
                let version = item.version.as_deref().unwrap_or_default();
                self.query = canonical_query([
                    (&b"legal-hold"[..], &b""[..]),
                    (b"versionId", version.as_bytes()),
                ]);
                Ask {
                    query: &self.query,
                    headers: &with_md5[..1],
                    body: announced,
                    ..Ask::plain("PUT", *bucket, &path)
                }
            }
            Job::One(bucket, item) => {
                path = self.path_of(*bucket, item);
                self.query.clear();
                if let Some(version) = &item.version {
                    versions::write_query(&mut self.query, version.as_bytes());
                }
                Ask {
                    query: &self.query,
                    headers: bypass,
                    ..Ask::plain("DELETE", *bucket, &path)
                }
            }
            Job::Bucket(bucket) => Ask::plain("DELETE", *bucket, &self.place.buckets[*bucket].path),
        };
        self.scribe.write(exchange, unix_seconds, &ask);
    }

    /// Encoded.
    fn path_of(&self, bucket: usize, item: &Item) -> Vec<u8> {
        let mut path = self.place.buckets[bucket].path.clone();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        push_encoded(&mut path, item.key.as_bytes(), true);
        path
    }

    fn list_query(&self, bucket: usize, from: Option<&(String, String)>) -> Vec<u8> {
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"max-keys", b"1000"),
            (b"prefix", self.prefixes[bucket].as_bytes()),
        ];
        match self.form() {
            ListForm::Versions => pairs.push((b"versions", b"")),
            ListForm::V1 | ListForm::V2 => pairs.push((b"list-type", b"2")),
        }
        if let Some((marker, version)) = from {
            match self.form() {
                ListForm::Versions => {
                    pairs.push((b"key-marker", marker.as_bytes()));
                    pairs.push((b"version-id-marker", version.as_bytes()));
                }
                ListForm::V1 | ListForm::V2 => {
                    pairs.push((b"continuation-token", marker.as_bytes()));
                }
            }
        }
        canonical_query(pairs)
    }

    /// Asks for anything that is in a bucket.
    fn any_query(&self) -> Vec<u8> {
        let form: (&[u8], &[u8]) = match self.form() {
            ListForm::Versions => (b"versions", b""),
            ListForm::V1 | ListForm::V2 => (b"list-type", b"2"),
        };
        canonical_query([(&b"max-keys"[..], &b"1"[..]), (b"prefix", b""), form])
    }

    /// Whether a key may be deleted. Whatever else a server says: nothing outside is
    /// touched.
    fn is_ours(&self, bucket: usize, item: &Item) -> bool {
        let is_named = || match &self.only {
            Some(only) => {
                let object = self.place.object_of(bucket, &item.key);
                object.is_some_and(|object| only.binary_search(&object).is_ok())
            }
            None => true,
        };
        item.key.starts_with(&self.prefixes[bucket]) && is_named()
    }

    /// A page of a listing; false if it is none.
    fn read(&mut self, bucket: usize, from: Option<&(String, String)>, answer: &[u8]) -> bool {
        let mut reader = Reader::new(self.form());
        reader.read(answer);
        let page = reader.finish();
        if !page.whole {
            return false;
        }
        let Entries {
            items: listed,
            unreadable,
        } = entries(answer);
        if unreadable > 0 {
            self.listed = false;
            self.unlisted = Some(format!(
                "{unreadable} keys of a page of the listing cannot be read"
            ));
        }
        let items: Vec<Item> = listed
            .iter()
            .filter(|item| self.is_ours(bucket, item))
            .cloned()
            .collect();
        self.met[bucket] += items.len() as u64;
        self.met_bytes[bucket] += items.iter().map(|item| item.size).sum::<u64>();
        if page.more {
            let next = (page.marker, page.version);
            let names = listed.iter().map(|item| match &item.version {
                Some(version) => format!("{}\n{version}", item.key),
                None => item.key.clone(),
            });
            let names: Vec<String> = names.collect();
            let goes_on = self.progress[bucket].goes_on(names.iter().map(String::as_str));
            if next.0.is_empty() || from == Some(&next) || !goes_on {
                return false;
            }
            self.jobs.push_back((Job::List(bucket, Some(next)), 0));
        }
        match self.pass {
            Pass::Release => {
                let held = items.into_iter().filter(|item| !item.marker);
                self.jobs
                    .extend(held.map(|item| (Job::Release(bucket, item), 0)));
            }
            Pass::Look => {}
            _ if items.is_empty() => {}
            // One by one, a server is given the time that it may need, and says of each why
            // it is not deleted.
            Pass::Delete(_) if self.is_gentle() && self.met[bucket] <= ONE_BY_ONE => {
                let each = items.into_iter().map(|item| (Job::One(bucket, item), 0));
                self.jobs.extend(each);
            }
            _ => self.jobs.push_back((Job::Batch(bucket, items), 0)),
        }
        true
    }

    fn failed(&mut self, job: &Job, why: String) {
        match job {
            Job::List(..) => {
                self.listed = false;
                self.unlisted = Some(why);
            }
            Job::One(..) => *self.refused.entry(why).or_default() += 1,
            // Nobody goes through it one by one any more.
            Job::Batch(..) if self.failures_in_a_row + 1 >= HOPELESS => {
                *self.refused.entry(why).or_default() += 1;
            }
            Job::IsEmpty(bucket) => {
                self.keep_bucket(*bucket, format!("it could not be listed: {why}"));
            }
            Job::Bucket(bucket) => {
                self.keep_bucket(*bucket, format!("DELETE failed: {why}"));
            }
            Job::Batch(..) | Job::Release(..) => {}
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= HOPELESS {
            self.jobs.clear();
        }
    }

    fn keep_bucket(&mut self, bucket: usize, why: String) {
        self.report[bucket].made = Some(MadeBucket::Left(why));
    }

    /// Whether the answer is the one that was wanted.
    fn settle(&mut self, exchange: &Exchange, job: &Job, status: u16) -> bool {
        match job {
            Job::List(bucket, _) | Job::IsEmpty(bucket)
                if status == 404
                    && self.answers.code(exchange).as_deref() == Some("NoSuchBucket") =>
            {
                // Whoever deleted it: nothing is left in it.
                self.buckets.retain(|own| own != bucket);
                if let Some(made) = &mut self.report[*bucket].made {
                    *made = MadeBucket::Gone;
                }
                true
            }
            Job::List(bucket, from) => {
                if status != 200 {
                    return false;
                }
                let answer = self.answers.caught(exchange).to_vec();
                self.read(*bucket, from.as_ref(), &answer)
            }
            Job::Batch(_, items) => {
                let gone =
                    status == 200 && batch::all_gone(self.answers.caught(exchange), items.len());
                self.acknowledged = gone.then_some(status).or(self.acknowledged);
                gone
            }
            // What was never held cannot be let go; deleting will show what matters.
            Job::Release(..) => true,
            // 404: somebody else was faster, and it is gone all the same.
            Job::One(..) => {
                let gone = matches!(status, 200 | 204 | 404);
                self.acknowledged = gone.then_some(status).or(self.acknowledged);
                gone
            }
            Job::IsEmpty(bucket) => self.look_into(*bucket, exchange, status),
            Job::Bucket(bucket) => {
                let gone = matches!(status, 200 | 204 | 404);
                if gone {
                    self.report[*bucket].made = Some(match status {
                        404 => MadeBucket::Gone,
                        _ => MadeBucket::Deleted,
                    });
                }
                gone
            }
        }
    }

    /// Whether the answer tells if a bucket is empty; if it is, the bucket is next.
    fn look_into(&mut self, bucket: usize, exchange: &Exchange, status: u16) -> bool {
        let mut reader = Reader::new(self.form());
        reader.read(self.answers.caught(exchange));
        let page = reader.finish();
        if status != 200 || !page.whole {
            return false;
        }
        match page.keys == 0 && !page.more {
            true => self.jobs.push_back((Job::Bucket(bucket), 0)),
            false => self.keep_bucket(bucket, "it is not empty".to_owned()),
        }
        true
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

/// What a page names, in order.
fn entries(page: &[u8]) -> Entries {
    let starts = |tag: &'static [u8]| memmem::find_iter(page, tag);
    let mut starts: Vec<(usize, bool)> = starts(b"<Contents>")
        .chain(starts(b"<Version>"))
        .map(|at| (at, false))
        .chain(starts(b"<DeleteMarker>").map(|at| (at, true)))
        .collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(at, _)| *at);
    let ends = ends.chain([page.len()]);
    let each = starts.iter().zip(ends);
    let items: Vec<Item> = each
        .filter_map(|(&(start, marker), end)| {
            let element = &page[start..end];
            let size = text_of(element, "Size").and_then(|size| size.trim().parse().ok());
            Some(Item {
                key: text_of(element, "Key")?,
                version: text_of(element, "VersionId").filter(|id| !id.is_empty()),
                marker,
                size: size.unwrap_or(0),
            })
        })
        .collect();
    Entries {
        unreadable: starts.len() - items.len(),
        items,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_element_by_element() {
        let page = b"<ListVersionsResult><KeyMarker>x</KeyMarker>\
            <DeleteMarker><Key>a</Key><VersionId>2</VersionId></DeleteMarker>\
            <Version><VersionId>1</VersionId><Key>a&amp;b</Key></Version>\
            <Version><Key>c</Key></Version></ListVersionsResult>";
        let item = |key: &str, version: Option<&str>, marker| Item {
            key: key.to_owned(),
            version: version.map(ToOwned::to_owned),
            marker,
            size: 0,
        };
        let read = entries(page);
        assert_eq!(
            read.items,
            [
                item("a", Some("2"), true),
                item("a&b", Some("1"), false),
                item("c", None, false)
            ]
        );
        assert_eq!(read.unreadable, 0);
    }

    #[test]
    fn a_key_that_cannot_be_read_is_counted() {
        let page = b"<ListBucketResult><Contents><Key>a&nosuch;b</Key><Size>5</Size></Contents>\
            <Contents><Key>c</Key><Size>12</Size></Contents></ListBucketResult>";
        let read = entries(page);
        assert_eq!((read.items.len(), read.unreadable), (1, 1));
        assert_eq!(read.items[0].size, 12);
    }
}
