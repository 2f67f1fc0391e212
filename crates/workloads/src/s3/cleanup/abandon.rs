//! Afterwards: ends the uploads in parts that were begun and not completed.
//!
//! What is open is known by its id. Where the answer that would have told the id is
//! missing, the server is asked which uploads there are of that one key: not of all
//! keys below the prefix, since MinIO lists uploads of exact keys only.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use memchr::memmem;
use slab::Slab;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};

use crate::s3::messages::listing::text_of;
use crate::s3::messages::refusal::Refusals;
use crate::s3::objects::uploads::{Open, Uploads};
use crate::s3::place::{ObjectPath, Place};
use crate::s3::signing::request_writer::{RequestSpec, RequestWriter};
use crate::s3::signing::uri::{canonical_query, push_encoded};

/// A part whose answer was not waited for may be stored after its upload was aborted,
/// and then it is there again (Amazon S3 API reference, "AbortMultipartUpload"). So for
/// this long, nanoseconds, such uploads are aborted again and again; by so many requests
/// at most.
const LATE: u64 = 2_000_000_000;
const MOST_LOOKS: u32 = 10_000;

/// How often one thing is tried.
const TRIES: u32 = 3;

/// Failures in a row after which the server is believed to be beyond it.
const HOPELESS: u32 = 32;

/// Of a listing, kept, bytes: room for a thousand uploads of the longest key, escaped.
const KEPT_ANSWER: usize = 8 << 20;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Job {
    /// Abort the upload noted there.
    Abort { noted: usize, open: Open },
    /// Find the uploads of this object, from the markers on if there are any. Of some
    /// whose ids are not known, noted there.
    Find {
        object: u64,
        noted: Vec<usize>,
        from: Option<(String, String)>,
    },
}

/// Aborts uploads. One worker, on as many connections as there are; [`Exchange::tag`]
/// is the place of its job in `out`.
pub(crate) struct Abandon {
    place: Arc<Place>,
    writer: RequestWriter,
    path: ObjectPath,
    jobs: VecDeque<(Job, u32)>,
    out: Slab<(Job, u32)>,
    failures_in_a_row: u32,
    /// Until when there are second looks, as [`Moment::nanos`], from the first request on.
    until: Option<u64>,
    now: u64,
    looks: u32,
    open: Arc<Uploads>,
    refusals: Refusals,
}

impl Abandon {
    /// Aborts what is in `open`, and takes it out there.
    pub(crate) fn new(place: Arc<Place>, writer: RequestWriter, open: Arc<Uploads>) -> Self {
        Self {
            path: place.object_path(),
            jobs: jobs(&open),
            place,
            writer,
            out: Slab::new(),
            failures_in_a_row: 0,
            until: None,
            now: 0,
            looks: 0,
            open,
            refusals: Refusals::keeping(KEPT_ANSWER),
        }
    }

    /// Requests it takes at the least.
    pub(crate) fn requests(&self) -> u64 {
        self.jobs.len() as u64
    }

    fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, job: &Job) {
        let mut query = Vec::new();
        let spec = match job {
            Job::Abort { open, .. } => {
                query.extend_from_slice(b"uploadId=");
                query.extend_from_slice(open.id.as_deref().unwrap_or_default());
                let bucket = self.place.bucket_of(open.object);
                RequestSpec {
                    query: &query,
                    ..RequestSpec::plain("DELETE", bucket, self.path.of(bucket, open.object))
                }
            }
            Job::Find { object, from, .. } => {
                let key = self.place.key(*object);
                let mut pairs: Vec<(&[u8], &[u8])> =
                    vec![(b"uploads", b""), (b"prefix", key.as_bytes())];
                if let Some((key, id)) = from {
                    pairs.push((b"key-marker", key.as_bytes()));
                    pairs.push((b"upload-id-marker", id.as_bytes()));
                }
                query = canonical_query(pairs);
                let bucket = self.place.bucket_of(*object);
                RequestSpec {
                    query: &query,
                    ..RequestSpec::plain("GET", bucket, &self.place.buckets[bucket].path)
                }
            }
        };
        self.writer.write(exchange, unix_seconds, &spec);
    }

    /// Whether what is gone may come back, so that it is worth another look.
    fn may_return(&mut self) -> bool {
        self.looks += 1;
        self.looks <= MOST_LOOKS && self.until.is_some_and(|until| self.now < until)
    }

    /// It is not there, for now.
    fn gone(&mut self, noted: usize, open: Open) {
        match open.in_doubt && self.may_return() {
            true => self.jobs.push_back((Job::Abort { noted, open }, 0)),
            false => self.open.ended(noted),
        }
    }

    /// What a listing says of an object's uploads: each is to be aborted.
    fn found(&mut self, answer: &[u8], object: u64, noted: Vec<usize>) {
        let key = self.place.key(object);
        let ids = ids_of(answer, &key);
        let some = !ids.is_empty();
        for id in ids {
            let mut encoded = Vec::new();
            push_encoded(&mut encoded, id.as_bytes(), false);
            let id = Some(encoded);
            let open = Open {
                object,
                id,
                in_doubt: true,
            };
            let noted = self.open.add(open.clone());
            self.jobs.push_back((Job::Abort { noted, open }, 0));
        }
        let more = text_of(answer, "IsTruncated").as_deref() == Some("true");
        let markers = text_of(answer, "NextKeyMarker").zip(text_of(answer, "NextUploadIdMarker"));
        match markers.filter(|_| more && some) {
            Some(from) => {
                let from = Some(from);
                let job = Job::Find {
                    object,
                    noted,
                    from,
                };
                self.jobs.push_back((job, 0));
            }
            // Its beginning may take effect late as well.
            None if self.may_return() => {
                let from = None;
                let job = Job::Find {
                    object,
                    noted,
                    from,
                };
                self.jobs.push_back((job, 0));
            }
            None => self.ended(&noted),
        }
    }

    fn ended(&self, noted: &[usize]) {
        for &at in noted {
            self.open.ended(at);
        }
    }

    fn failed(&mut self, job: Job, tries: u32) {
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= HOPELESS {
            self.jobs.clear();
        } else if tries < TRIES {
            self.jobs.push_back((job, tries));
        }
    }
}

/// Aborts, and one search for each object of which an id is missing.
fn jobs(open: &Uploads) -> VecDeque<(Job, u32)> {
    let mut nameless: Vec<(u64, usize)> = Vec::new();
    let mut jobs = VecDeque::new();
    for (noted, open) in open.list() {
        match open.id {
            Some(_) => jobs.push_back((Job::Abort { noted, open }, 0)),
            None => nameless.push((open.object, noted)),
        }
    }
    let objects: BTreeSet<u64> = nameless.iter().map(|&(object, _)| object).collect();
    nameless.sort_unstable();
    for object in objects {
        let from = nameless.partition_point(|&(other, _)| other < object);
        let own = nameless[from..]
            .iter()
            .take_while(|&&(other, _)| other == object);
        let noted = own.map(|&(_, noted)| noted).collect();
        let from = None;
        let job = Job::Find {
            object,
            noted,
            from,
        };
        jobs.push_back((job, 0));
    }
    jobs
}

/// Ids of uploads of exactly this key: a prefix is the beginning of other keys, too.
fn ids_of(xml: &[u8], key: &str) -> Vec<String> {
    const OPEN: &[u8] = b"<Upload>";
    memmem::find_iter(xml, OPEN)
        .filter_map(|at| {
            let rest = &xml[at + OPEN.len()..];
            let upload = &rest[..memmem::find(rest, b"</Upload>")?];
            let own = text_of(upload, "Key")? == key;
            text_of(upload, "UploadId").filter(|_| own)
        })
        .collect()
}

impl Workload for Abandon {
    fn operations(&self) -> &[&'static str] {
        &["abort"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let Some((job, tries)) = self.jobs.pop_front() else {
            return match self.out.is_empty() {
                true => Next::Exhausted,
                false => Next::Wait,
            };
        };
        self.now = now.nanos;
        self.until.get_or_insert(now.nanos + LATE);
        self.write(exchange, now.unix_seconds, &job);
        self.refusals.release(exchange);
        exchange.tag = self.out.insert((job, tries + 1)) as u64;
        exchange.op = 0;
        exchange.bodyless_answer = false;
        Next::Ready
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let Some((job, tries)) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        let answer = self.refusals.caught(exchange);
        let is_list = memmem::find(answer, b"</ListMultipartUploadsResult>").is_some();
        let answer = answer.to_vec();
        match (job, status) {
            // 404: it has been completed after all, or somebody else was faster.
            (Job::Abort { noted, open }, 200 | 204 | 404) => self.gone(noted, open),
            (Job::Find { object, noted, .. }, 200) if is_list => {
                self.found(&answer, object, noted);
            }
            (Job::Find { noted, .. }, 404) => self.ended(&noted),
            (job, _) => {
                self.failed(job, tries);
                return self.refusals.failed(exchange);
            }
        }
        self.failures_in_a_row = 0;
        self.refusals.release(exchange);
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.refusals.release(exchange);
        if let Some((job, tries)) = self.out.try_remove(exchange.tag as usize) {
            self.failed(job, tries);
        }
    }
}
