//! Aborts, after a slice, the multipart uploads that were created but not completed.
//!
//! Open uploads are aborted by id. If the response with the id was lost, all uploads of the key are
//! listed. Uploads are not listed by prefix, because MinIO lists only uploads of exact keys.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use memchr::memmem;
use slab::Slab;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::s3::messages::judging::Refusals;
use crate::s3::messages::listing::text_of;
use crate::s3::objects::uploads::{Open, Uploads};
use crate::s3::place::{ObjectPath, Place};
use crate::s3::signing::request_writer::{RequestSpec, RequestWriter};
use crate::s3::signing::uri::{canonical_query, push_encoded};

/// Time, nanoseconds, during which uploads with a lost response are aborted repeatedly;
/// [`MOST_LOOKS`] is the maximum number of repetitions, summed over all uploads. A part whose
/// response was lost can be stored after its upload was aborted, and the upload then exists again
/// (Amazon S3 API reference, "AbortMultipartUpload").
const LATE: u64 = 2_000_000_000;
const MOST_LOOKS: u32 = 10_000;

/// Maximum number of attempts per request.
const TRIES: u32 = 3;

/// Number of consecutive failures after which no further requests are sent.
const HOPELESS: u32 = 32;

/// Bytes kept of a listing: a thousand uploads with the longest key, escaped.
const KEPT_RESPONSE: usize = 8 << 20;

/// A request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Job {
    /// Abort the upload with this index.
    Abort { noted: usize, open: Open },
    /// List the uploads of this object, starting at the markers `from`, to abort the open uploads
    /// with the indices `noted`, whose ids are unknown.
    Find {
        object: u64,
        noted: Vec<usize>,
        from: Option<(String, String)>,
    },
}

/// A worker that aborts uploads, on any number of connections. [`Exchange::tag`] is the index of
/// the job in `out`.
pub(crate) struct AbortUploads {
    place: Arc<Place>,
    writer: RequestWriter,
    path: ObjectPath,
    jobs: VecDeque<(Job, u32)>,
    out: Slab<(Job, u32)>,
    failures_in_a_row: u32,
    /// End of the repeated aborts, nanoseconds: a value of [`Moment::nanos`]. Set at the first
    /// request.
    until: Option<u64>,
    now: u64,
    looks: u32,
    open: Arc<Uploads>,
    refusals: Refusals,
}

impl AbortUploads {
    /// Aborts the uploads in `open`, and removes aborted uploads from `open`.
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
            refusals: Refusals::keeping(KEPT_RESPONSE),
        }
    }

    /// Lower bound of the number of requests.
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

    /// Whether an upload must be checked again, because a late request can create it again.
    fn may_return(&mut self) -> bool {
        self.looks += 1;
        self.looks <= MOST_LOOKS && self.until.is_some_and(|until| self.now < until)
    }

    /// Handles an upload that does not exist at the moment.
    fn gone(&mut self, noted: usize, open: Open) {
        if open.in_doubt && self.may_return() {
            self.jobs.push_back((Job::Abort { noted, open }, 0))
        } else {
            self.open.ended(noted)
        }
    }

    /// Evaluates the listing of an object's uploads, and schedules an abort of each upload.
    fn found(&mut self, response: &[u8], object: u64, noted: Vec<usize>) {
        let key = self.place.key(object);
        let ids = ids_of(response, &key);
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
        let more = text_of(response, "IsTruncated").as_deref() == Some("true");
        let markers =
            text_of(response, "NextKeyMarker").zip(text_of(response, "NextUploadIdMarker"));
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
            // The creation of the upload can also take effect late.
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

/// One abort per upload with a known id, and one listing per object that has uploads with unknown
/// ids.
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

/// Ids of the uploads of exactly this key: a listing by prefix also contains longer keys.
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

impl Workload for AbortUploads {
    fn operations(&self) -> &[&'static str] {
        &["abort"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let Some((job, tries)) = self.jobs.pop_front() else {
            return if self.out.is_empty() {
                Next::Exhausted
            } else {
                Next::Wait
            };
        };
        self.now = now.nanos;
        self.until.get_or_insert(now.nanos + LATE);
        self.write(exchange, now.unix_seconds, &job);
        self.refusals.release(exchange);
        exchange.tag = self.out.insert((job, tries + 1)) as u64;
        exchange.op = 0;
        exchange.bodyless_response = false;
        Next::Ready
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
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
        let response = self.refusals.caught(exchange);
        let is_list = memmem::find(response, b"</ListMultipartUploadsResult>").is_some();
        let response = response.to_vec();
        match (job, status) {
            // 404: the upload was completed after all, or another client ended it.
            (Job::Abort { noted, open }, 200 | 204 | 404) => self.gone(noted, open),
            (Job::Find { object, noted, .. }, 200) if is_list => {
                self.found(&response, object, noted);
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
