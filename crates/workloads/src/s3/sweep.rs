//! Afterwards, where numbers do not say what there is: removes everything below the
//! prefix of the workload, which is this run's own, as listings name it; then the
//! buckets that Tenbin made. In those, other workloads of the run have left versions of
//! what they deleted: there everything of the run goes.

use std::collections::VecDeque;
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
    /// A bucket.
    Bucket(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Release,
    Delete(u32),
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
    pass: Pass,
    /// Met in this pass.
    met: u64,
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
        remains
            .buckets
            .store(buckets.len() as u64, Ordering::Release);
        unknown.store(true, Ordering::Release);
        let prefix = |bucket| match buckets.contains(&bucket) {
            true => of_run(&place).to_owned(),
            false => place.prefix.clone(),
        };
        let mut sweep = Self {
            prefixes: (0..place.buckets.len()).map(prefix).collect(),
            place,
            scribe,
            litter,
            pass: match litter {
                Litter::Locked => Pass::Release,
                Litter::Objects | Litter::Versions => Pass::Delete(1),
            },
            met: 0,
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

    fn begin(&mut self, pass: Pass) {
        self.pass = pass;
        match pass {
            Pass::Release | Pass::Delete(_) => {
                self.met = 0;
                self.listed = true;
                let buckets = 0..self.place.buckets.len();
                self.progress = buckets.clone().map(|_| Progress::default()).collect();
                self.jobs
                    .extend(buckets.map(|bucket| (Job::List(bucket, None), 0)));
            }
            Pass::Buckets => {
                let buckets = std::mem::take(&mut self.buckets);
                self.jobs
                    .extend(buckets.into_iter().map(|bucket| (Job::Bucket(bucket), 0)));
            }
        }
    }

    /// After all jobs of a pass: what is next; false if nothing is.
    fn advance(&mut self) -> bool {
        let hopeless = self.failures_in_a_row >= HOPELESS || !self.listed;
        let next = match self.pass {
            Pass::Release => Pass::Delete(1),
            Pass::Delete(round) if self.met > 0 && round < ROUNDS && !hopeless => {
                Pass::Delete(round + 1)
            }
            Pass::Delete(_) => {
                self.unknown.store(!self.listed, Ordering::Release);
                self.remains.objects.store(self.met, Ordering::Release);
                Pass::Buckets
            }
            Pass::Buckets => return false,
        };
        self.begin(next);
        !self.jobs.is_empty()
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
            Job::List(..) | Job::One(..) | Job::Bucket(_) => None,
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

    /// A page of a listing; false if it is none.
    fn read(&mut self, bucket: usize, from: Option<&(String, String)>, answer: &[u8]) -> bool {
        let mut reader = Reader::new(self.form());
        reader.read(answer);
        let page = reader.finish();
        if !page.whole {
            return false;
        }
        let items: Vec<Item> = items(answer)
            .into_iter()
            // Whatever else a server says: nothing outside is touched.
            .filter(|item| item.key.starts_with(&self.prefixes[bucket]))
            .collect();
        self.met += items.len() as u64;
        if page.more {
            let next = (page.marker, page.version);
            let names = items.iter().map(|item| match &item.version {
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
            _ if items.is_empty() => {}
            _ => self.jobs.push_back((Job::Batch(bucket, items), 0)),
        }
        true
    }

    fn failed(&mut self, job: &Job) {
        if matches!(job, Job::List(..)) {
            self.listed = false;
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= HOPELESS {
            self.jobs.clear();
        }
    }

    /// Whether the answer is the one that was wanted.
    fn settle(&mut self, exchange: &Exchange, job: &Job, status: u16) -> bool {
        match job {
            Job::List(bucket, from) => {
                if status != 200 {
                    return false;
                }
                let answer = self.answers.caught(exchange).to_vec();
                self.read(*bucket, from.as_ref(), &answer)
            }
            Job::Batch(_, items) => {
                status == 200 && batch::all_gone(self.answers.caught(exchange), items.len())
            }
            // What was never held cannot be let go; deleting will show what matters.
            Job::Release(..) => true,
            // 404: somebody else was faster, and it is gone all the same.
            Job::One(..) => matches!(status, 200 | 204 | 404),
            Job::Bucket(_) => {
                let gone = matches!(status, 200 | 204 | 404);
                if gone {
                    self.remains.buckets.fetch_sub(1, Ordering::AcqRel);
                }
                gone
            }
        }
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
fn items(page: &[u8]) -> Vec<Item> {
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
    each.filter_map(|(&(start, marker), end)| {
        let element = &page[start..end];
        Some(Item {
            key: text_of(element, "Key")?,
            version: text_of(element, "VersionId").filter(|id| !id.is_empty()),
            marker,
        })
    })
    .collect()
}

impl Workload for Sweep {
    fn operations(&self) -> &[&'static str] {
        &["sweep"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
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
        self.failed(&out.job);
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

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.answers.release(exchange);
        let Some(out) = self.out.try_remove(exchange.tag as usize) else {
            return;
        };
        if out.tries < TRIES {
            self.failures_in_a_row += 1;
            self.jobs.push_back((out.job, out.tries));
        } else {
            self.failed(&out.job);
        }
    }
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
        };
        assert_eq!(
            items(page),
            [
                item("a", Some("2"), true),
                item("a&b", Some("1"), false),
                item("c", None, false)
            ]
        );
    }
}
