//! Multipart uploads: CreateMultipartUpload, UploadPart in parallel, CompleteMultipartUpload.

use std::collections::VecDeque;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use slab::Slab;
use smallvec::SmallVec;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, ResponseHead, Role, Transaction,
};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::content::{checksum, number};
use crate::s3::context::WorkerContext;
use crate::s3::messages::listing::text_of;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::objects::uploads::Uploads;
use crate::s3::place::MOST_OBJECTS;
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::{Body, Header, RequestSpec};
use crate::s3::signing::sigv4::UNSIGNED_PAYLOAD;
use crate::s3::signing::uri::push_encoded;
use crate::text::{hex, push_decimal};

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Multipart::new(setting))
}

// Indices of the titles of the operation.
const MULTIPART: usize = 0;
const CREATE: usize = 1;
const PART: usize = 2;
const COMPLETE: usize = 3;
const ABORT: usize = 4;

/// Root element of the response to a completion.
const COMPLETED: &str = "CompleteMultipartUploadResult";

/// Value of [`Exchange::note`] if the response to a part has no ETag, or another checksum than the
/// part.
const WRONG: u64 = 1;

/// Longest upload id and ETag that are accepted from a server, bytes.
const LONGEST_ID: usize = 1024;
const LONGEST_ETAG: usize = 128;

/// An ETag as received, with quotes; ETags of usual length need no allocation.
type Etag = SmallVec<[u8; 40]>;

/// Uploads objects in parts: several parts of one object in parallel, and as many objects in
/// parallel as needed to use all connections. [`Exchange::tag`] is a [`Tag`].
pub(crate) struct Multipart {
    walk: Walk,
    uploads: Slab<Upload>,
    /// Uploads with a request to send, in the order of sending.
    ready: VecDeque<usize>,
    /// Maximum number of concurrent uploads.
    most: usize,
    parts_at_once: u64,
    exhausted: bool,
    open: Arc<Uploads>,
    finished: VecDeque<Transaction>,
    /// Headers of the CreateMultipartUpload request that announce the checksum.
    announced: &'static [Header<'static>],
    checksum: Option<&'static str>,
    /// XML element with the checksum in the list of parts.
    element: Option<&'static str>,
    query: Vec<u8>,
}

struct Upload {
    object: u64,
    /// Number of the content: the object and its generation.
    number: u64,
    /// Index of the upload in [`Multipart::open`].
    noted: usize,
    /// Percent-encoded upload id; empty until the server has sent it.
    id: Vec<u8>,
    state: State,
    /// Number of parts of the object; `sent` is the number of parts sent.
    parts: u64,
    sent: u64,
    /// Requests in flight.
    out: u64,
    etags: Vec<Etag>,
    /// Body of the completion.
    body: Vec<u8>,
    /// Start of the upload, nanoseconds: a value of [`Moment::nanos`].
    started: u64,
    /// Bytes of correctly stored parts.
    moved: u64,
    /// Whether the upload is in the queue of uploads with a request to send.
    queued: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Sending,
    Completing,
    /// A request failed: the upload is aborted when all responses have been received.
    Failed,
    Aborting,
}

impl Upload {
    /// The operation to send next for this upload, if any.
    fn due(&self, parts_at_once: u64) -> Option<usize> {
        let idle = self.out == 0;
        match self.state {
            State::Sending if self.id.is_empty() => None,
            State::Sending if self.sent < self.parts => (self.out < parts_at_once).then_some(PART),
            State::Sending => idle.then_some(COMPLETE),
            State::Failed => (idle && !self.id.is_empty()).then_some(ABORT),
            State::Completing | State::Aborting => None,
        }
    }
}

impl Multipart {
    /// Uploads the objects of the workload in a cycle; in a mix, uploads new objects, numbered
    /// after the objects of the workload.
    pub(crate) fn new(setting: &mut Setting<'_>) -> Self {
        let (worker, workers) = (setting.worker, setting.workers);
        let objects = setting.work.objects;
        let share = match setting.work.mix.single() {
            Some(_) => Share::shared(worker, workers, objects),
            None => Share::beyond(objects, worker, workers, MOST_OBJECTS),
        };
        Self::of(Walk::round(share).making(setting.marks), setting)
    }

    /// Uploads the objects of `walk`.
    pub(crate) fn of(walk: Walk, setting: &mut Setting<'_>) -> Self {
        let checksum = setting.work.checksum;
        let most_parts = setting.content.most_parts();
        let parts_at_once = u64::from(setting.work.parts_at_once).clamp(1, most_parts);
        Self {
            walk,
            uploads: Slab::new(),
            ready: VecDeque::new(),
            most: setting.connections.div_ceil(parts_at_once as usize).max(1),
            parts_at_once,
            exhausted: false,
            open: setting.marks.uploads(setting.worker),
            finished: VecDeque::new(),
            announced: checksum::announced(checksum),
            checksum: checksum::header(checksum),
            element: checksum::element(checksum),
            query: Vec::with_capacity(256),
        }
    }

    /// The next request: upload and operation.
    fn choose(&mut self, now: Moment, context: &mut WorkerContext) -> Result<(usize, usize), Next> {
        if let Some(&slot) = self.ready.front()
            && let Some(step) = self.uploads[slot].due(self.parts_at_once)
        {
            return Ok((slot, step));
        }
        if self.uploads.len() < self.most && !self.exhausted {
            match self.walk.next() {
                Some(object) => return Ok((self.begin(object, now, context), CREATE)),
                None => self.exhausted = true,
            }
        }
        Err(if self.uploads.is_empty() {
            Next::Exhausted
        } else {
            Next::Wait
        })
    }

    fn begin(&mut self, object: u64, now: Moment, context: &mut WorkerContext) -> usize {
        let generation = context.recorder.generation(self.walk.turns());
        let parts = context.content.parts(object);
        self.uploads.insert(Upload {
            object,
            number: number(object, generation),
            noted: self.open.begin(object),
            id: Vec::new(),
            state: State::Sending,
            parts,
            sent: 0,
            out: 0,
            etags: vec![Etag::new(); parts as usize],
            body: Vec::new(),
            started: now.nanos,
            moved: 0,
            queued: false,
        })
    }

    /// Puts an upload into the queue if the upload has a request to send; otherwise removes the
    /// upload from the queue.
    fn queue(&mut self, slot: usize) {
        let upload = &mut self.uploads[slot];
        let due = upload.due(self.parts_at_once).is_some();
        if due && !upload.queued {
            self.ready.push_back(slot);
        } else if !due && upload.queued {
            self.ready.retain(|&other| other != slot);
        }
        upload.queued = due;
    }

    fn spec(
        &mut self,
        context: &mut WorkerContext,
        now: Moment,
        exchange: &mut Exchange,
        step: usize,
    ) {
        let Tag { slot, part, .. } = Tag::of(exchange);
        let upload = &mut self.uploads[slot];
        let (object, number) = (upload.object, upload.number);
        let bucket = context.place.bucket_of(object);
        write_query(&mut self.query, step, part, &upload.id);
        let mut own: [Header<'_>; 1] = [("", b"")];
        let mut headers = &own[..0];
        let hash: [u8; 64];
        let mut body = None;
        let (method, extra_headers) = match step {
            CREATE => {
                headers = self.announced;
                ("POST", context.extra_headers.store.as_slice())
            }
            PART => {
                if let (Some(name), Some(sum)) =
                    (self.checksum, context.content.part_checksum(number, part))
                {
                    own = [(name, sum.as_bytes())];
                    headers = &own;
                }
                body = Some(Body {
                    length: context.content.part(number, part).len() as u64,
                    hash: context
                        .content
                        .part_hash(number, part)
                        .map_or(UNSIGNED_PAYLOAD, <[u8; 64]>::as_slice),
                });
                ("PUT", context.extra_headers.part.as_slice())
            }
            COMPLETE => {
                let sums = |part| context.content.part_checksum(number, part);
                upload.body = list_of_parts(&upload.etags, self.element, sums);
                hash = hex(&Sha256::digest(&upload.body).into());
                body = Some(Body {
                    length: upload.body.len() as u64,
                    hash: &hash,
                });
                ("POST", context.extra_headers.part.as_slice())
            }
            _ => ("DELETE", [].as_slice()),
        };
        let spec = RequestSpec {
            query: &self.query,
            extra_headers,
            headers,
            body,
            ..RequestSpec::plain(method, bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }

    /// Marks the upload as failed; reports the failure once.
    fn fail(&mut self, context: &mut WorkerContext, slot: usize, outcome: Judgement) {
        let upload = &mut self.uploads[slot];
        if matches!(upload.state, State::Sending | State::Completing) {
            // Without a completion, the object is as it was before.
            if upload.state == State::Completing {
                let (object, number) = (upload.object, upload.number);
                let recorder = &mut context.recorder;
                recorder.end(Written::Multipart, object, None, number, Outcome::Unknown);
            }
            upload.state = State::Failed;
            self.finished.push_back(Transaction {
                op: MULTIPART,
                started: upload.started,
                payload: upload.moved,
                ended: None,
                outcome,
            });
        }
    }

    /// Ends an upload. With `is_closed`, no upload is left on the server, and the upload is removed
    /// from [`Multipart::open`].
    fn end(&mut self, slot: usize, is_closed: bool) {
        let upload = self.uploads.remove(slot);
        if upload.queued {
            self.ready.retain(|&other| other != slot);
        }
        if is_closed {
            self.open.ended(upload.noted);
        }
    }

    fn created(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        slot: usize,
        status: u16,
    ) -> Judgement {
        let response = context.refusals.caught(exchange);
        let id = text_of(response, "UploadId").filter(|_| status == 200);
        if let Some(id) = id.filter(|id| (1..=LONGEST_ID).contains(&id.len())) {
            context.refusals.release(exchange);
            let upload = &mut self.uploads[slot];
            push_encoded(&mut upload.id, id.as_bytes(), false);
            self.open.named(upload.noted, &upload.id);
            return Judgement::Correct;
        }
        let failed = match status {
            200 => {
                context.refusals.release(exchange);
                Judgement::Failed(
                    ErrorClass::Wrong,
                    "the response has no upload id".to_owned(),
                )
            }
            _ => context.refusals.failed(exchange),
        };
        self.fail(context, slot, failed.clone());
        // A refusal leaves no upload on the server; other responses may leave an upload.
        self.end(slot, matches!(status, 300..500 | 503));
        failed
    }

    fn part_done(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        slot: usize,
        status: u16,
    ) -> Judgement {
        let part = Tag::of(exchange).part;
        let upload = &mut self.uploads[slot];
        let judgement = match status {
            200 if exchange.note == WRONG => Judgement::Failed(
                ErrorClass::Wrong,
                "the response to a part has no ETag, or another checksum than the part".to_owned(),
            ),
            200 => {
                upload.moved += context.content.part(upload.number, part).len() as u64;
                return Judgement::Correct;
            }
            _ => context.refusals.failed(exchange),
        };
        self.fail(context, slot, judgement.clone());
        judgement
    }

    fn completed(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        slot: usize,
        status: u16,
    ) -> Judgement {
        // If a completion fails late, the error is in a response with status 200
        // (Amazon S3 API reference, "CompleteMultipartUpload").
        let judgement = context.refusals.judge_whole(exchange, status, COMPLETED);
        if judgement != Judgement::Correct {
            self.fail(context, slot, judgement.clone());
            return judgement;
        }
        let upload = &self.uploads[slot];
        let (object, number) = (upload.object, upload.number);
        let recorder = &mut context.recorder;
        recorder.end(Written::Multipart, object, None, number, Outcome::STORED);
        self.finished.push_back(Transaction {
            op: MULTIPART,
            started: upload.started,
            payload: upload.moved,
            ended: None,
            outcome: Judgement::Correct,
        });
        self.end(slot, true);
        Judgement::Correct
    }

    fn aborted(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        slot: usize,
        status: u16,
    ) -> Judgement {
        // 404: the completion succeeded although its response was an error, or another client ended
        // the upload.
        let gone = matches!(status, 200 | 204 | 404);
        // Uploads in doubt are checked again after the slice.
        let for_good = gone && !self.open.is_in_doubt(self.uploads[slot].noted);
        self.end(slot, for_good);
        if gone {
            context.refusals.release(exchange);
            Judgement::Correct
        } else {
            context.refusals.failed(exchange)
        }
    }
}

/// Contents of [`Exchange::tag`]: index of the upload (32 bits), part (24 bits) and operation (8
/// bits).
struct Tag {
    slot: usize,
    /// Index of the part, from 0.
    part: u64,
    step: usize,
}

impl Tag {
    fn of(exchange: &Exchange) -> Self {
        Self {
            slot: (exchange.tag & 0xffff_ffff) as usize,
            part: exchange.tag >> 32 & 0xff_ffff,
            step: (exchange.tag >> 56) as usize,
        }
    }

    fn pack(&self) -> u64 {
        (self.step as u64) << 56 | self.part << 32 | self.slot as u64
    }
}

fn write_query(query: &mut Vec<u8>, step: usize, part: u64, id: &[u8]) {
    query.clear();
    match step {
        CREATE => return query.extend_from_slice(b"uploads="),
        PART => {
            query.extend_from_slice(b"partNumber=");
            push_decimal(query, part + 1);
            query.push(b'&');
        }
        _ => {}
    }
    query.extend_from_slice(b"uploadId=");
    query.extend_from_slice(id);
}

/// The body of a completion, with the ETags that the server sent.
fn list_of_parts<'a>(
    etags: &[Etag],
    element: Option<&str>,
    sum: impl Fn(u64) -> Option<&'a str>,
) -> Vec<u8> {
    let mut xml =
        String::from("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (part, etag) in (0..).zip(etags) {
        xml.push_str("<Part><PartNumber>");
        xml.push_str(&(part + 1).to_string());
        xml.push_str("</PartNumber><ETag>");
        xml.push_str(&quick_xml::escape::escape(String::from_utf8_lossy(etag)));
        xml.push_str("</ETag>");
        if let (Some(element), Some(sum)) = (element, sum(part)) {
            xml.push_str(&format!("<{element}>{sum}</{element}>"));
        }
        xml.push_str("</Part>");
    }
    xml.push_str("</CompleteMultipartUpload>");
    xml.into_bytes()
}

/// The ETag of a response, if the completion can contain it.
fn etag_of(head: &ResponseHead<'_>) -> Option<Etag> {
    let etag = head.header("etag")?;
    let fits = (1..=LONGEST_ETAG).contains(&etag.len()) && !etag.iter().any(u8::is_ascii_control);
    fits.then(|| Etag::from_slice(etag))
}

impl Action for Multipart {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Multipart.facts().titles
    }

    fn role(&self, op: usize) -> Role {
        match op {
            MULTIPART => Role::Transaction,
            _ => Role::Step,
        }
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let (slot, step) = match self.choose(now, context) {
            Ok(chosen) => chosen,
            Err(nothing) => return nothing,
        };
        let part = self.uploads[slot].sent;
        exchange.tag = Tag { slot, part, step }.pack();
        exchange.op = step;
        self.spec(context, now, exchange, step);
        let upload = &mut self.uploads[slot];
        upload.out += 1;
        match step {
            PART => upload.sent += 1,
            COMPLETE => {
                upload.state = State::Completing;
                let (object, number) = (upload.object, upload.number);
                let recorder = &mut context.recorder;
                recorder.begin(Written::Multipart, object, None, number);
            }
            ABORT => upload.state = State::Aborting,
            _ => {}
        }
        self.queue(slot);
        Next::Ready
    }

    fn payload<'a>(&'a self, context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let Tag { slot, part, step } = Tag::of(exchange);
        let Some(upload) = self.uploads.get(slot) else {
            return &[];
        };
        match step {
            PART => context.content.part(upload.number, part),
            COMPLETE => &upload.body,
            _ => &[],
        }
    }

    fn payload_file<'a>(
        &'a self,
        context: &'a WorkerContext,
        exchange: &Exchange,
    ) -> Option<InFile<'a>> {
        let Tag { slot, part, step } = Tag::of(exchange);
        let upload = self.uploads.get(slot)?;
        match step {
            PART => context.content.part_in_file(upload.number, part),
            _ => None,
        }
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        if exchange.op != PART || head.status != 200 {
            context.refusals.catch(exchange);
            return BodyUse::Inspect;
        }
        let Tag { slot, part, .. } = Tag::of(exchange);
        let upload = &mut self.uploads[slot];
        let sent = context.content.part_checksum(upload.number, part);
        let contradicted = sent.is_some_and(|sent| {
            checksum::contradicted(
                context.work.checksum, sent, context.extra_headers.plain, head,
            )
        });
        match etag_of(head) {
            Some(etag) if !contradicted => upload.etags[part as usize] = etag,
            _ => exchange.note = WRONG,
        }
        BodyUse::Discard
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let slot = Tag::of(exchange).slot;
        self.uploads[slot].out -= 1;
        let judgement = match exchange.op {
            CREATE => self.created(context, exchange, slot, status),
            PART => self.part_done(context, exchange, slot, status),
            COMPLETE => self.completed(context, exchange, slot, status),
            _ => self.aborted(context, exchange, slot, status),
        };
        if self.uploads.contains(slot) {
            self.queue(slot);
        }
        judgement
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, class: ErrorClass) {
        context.refusals.release(exchange);
        let slot = Tag::of(exchange).slot;
        self.uploads[slot].out -= 1;
        self.open.doubt(self.uploads[slot].noted);
        self.fail(context, slot, Judgement::Failed(class, String::new()));
        match exchange.op {
            // The upload stays among the open uploads, since its state is unknown.
            CREATE | ABORT => self.end(slot, false),
            _ => self.queue(slot),
        }
    }

    fn transaction(&mut self) -> Option<Transaction> {
        self.finished.pop_front()
    }
}
