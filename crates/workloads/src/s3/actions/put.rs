//! PutObject.

use smallvec::SmallVec;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::content::checksum;
use crate::s3::content::chunked;
use crate::s3::content::{Content, Framing, number, object_of};
use crate::s3::context::WorkerContext;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::objects::versions::{self, Given};
use crate::s3::place::MOST_OBJECTS;
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::{Body, Header, RequestSpec};
use crate::s3::signing::sigv4::{STREAMING_PAYLOAD, TRAILER_PAYLOAD, UNSIGNED_PAYLOAD};
use crate::s3::slots::Slots;
use crate::text::push_decimal;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Put::new(setting))
}

/// Value of [`Exchange::note`] if the response has a wrong checksum or version.
const WRONG: u64 = 1;

/// How the body of a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodySource {
    /// The prepared body, by reference.
    Prepared,
    /// The prepared body with its checksum as a trailer, by reference.
    Trailer,
    /// A body generated for the request.
    Made,
    /// Chunks that are signed for the request.
    Chunks,
}

impl BodySource {
    fn of(content: &Content) -> Self {
        match content.framing() {
            _ if content.is_made() => Self::Made,
            Framing::None => Self::Prepared,
            Framing::Trailer => Self::Trailer,
            Framing::Signed => Self::Chunks,
        }
    }
}

/// A request in flight.
#[derive(Debug, Default)]
struct PutInFlight {
    /// One number that identifies the object and its generation, or the version.
    number: u64,
    /// The body, if it was generated or framed for this request.
    body: Vec<u8>,
}

/// Stores objects, or versions of objects, one after the other. [`Exchange::tag`] is the index of
/// the request in `out` while the request is in flight, and [`PutInFlight::number`] afterwards.
pub(crate) struct Put {
    walk: Walk,
    versions: Versions,
    body_source: BodySource,
    out: Slots<PutInFlight>,
    /// Versions named in responses.
    given: Given,
    /// Header of the checksum, if any.
    checksum: Option<&'static str>,
    /// Buffer for `x-amz-decoded-content-length`, the length of the content in a framed body.
    length: Vec<u8>,
}

/// Use of the version that a response names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Versions {
    /// Objects have no versions.
    None,
    /// Check that the response names a new version.
    Seen,
    /// Keep the version for reads.
    Kept,
    /// Pass the version to deletions.
    Fresh,
}

impl Put {
    /// Stores the objects of the workload in a cycle. In a mix without `rewrite`, stores new
    /// objects with higher numbers, so that objects for reads stay unchanged.
    pub(crate) fn new(setting: &mut Setting<'_>) -> Self {
        let (worker, workers) = (setting.worker, setting.workers);
        let objects = setting.work.objects;
        let alone = setting.work.mix.single().is_some() || setting.work.rewrite;
        let versions = setting.work.versions > 0;
        let share = if alone {
            Share::shared(worker, workers, versions::things(setting.work))
        } else {
            Share::beyond(objects, worker, workers, MOST_OBJECTS)
        };
        let versions = match (versions, alone) {
            (false, _) => Versions::None,
            (true, true) => Versions::Seen,
            (true, false) => Versions::Fresh,
        };
        Self::with(Walk::round(share), versions, setting)
    }

    /// Stores the objects of `walk`, or their versions if the bucket keeps versions.
    pub(crate) fn of(walk: Walk, setting: &mut Setting<'_>) -> Self {
        let versions = match setting.work.versions {
            0 => Versions::None,
            _ => Versions::Kept,
        };
        Self::with(walk, versions, setting)
    }

    fn with(walk: Walk, versions: Versions, setting: &mut Setting<'_>) -> Self {
        Self {
            // Objects with versions are not recorded: cleanup finds versions by prefix.
            walk: match versions {
                Versions::None => walk.making(setting.marks),
                _ => walk,
            },
            versions,
            body_source: BodySource::of(setting.content),
            out: Slots::default(),
            given: Given::default(),
            checksum: checksum::header(setting.work.checksum),
            length: Vec::with_capacity(20),
        }
    }

    /// The next object and its generation.
    fn next_number(&mut self, context: &mut WorkerContext) -> Result<u64, Next> {
        let Some(generations) = &context.generations else {
            let object = self.walk.next().ok_or(Next::Exhausted)?;
            let generation = match self.versions {
                Versions::None => context.recorder.generation(self.walk.turns()),
                _ => 0,
            };
            return Ok(number(object, generation));
        };
        for _ in 0..generations.share().count() {
            let object = self.walk.next().ok_or(Next::Exhausted)?;
            if let Some(number) = generations.begin(object) {
                return Ok(number);
            }
        }
        // A request for every object is in flight.
        Err(Next::Wait)
    }

    fn spec(
        &mut self,
        context: &mut WorkerContext,
        now: Moment,
        exchange: &mut Exchange,
        number: u64,
    ) {
        let object = self.object_of(context, object_of(number));
        let place = self.out.take();
        exchange.tag = place as u64;
        let put = &mut self.out[place];
        put.number = number;
        if self.versions == Versions::None {
            context.recorder.begin(Written::Put, object, None, number);
        }
        let content = &*context.content;
        let size = content.size(number);
        self.length.clear();
        push_decimal(&mut self.length, size);

        let hash_made;
        let (length, hash) = match self.body_source {
            BodySource::Prepared => {
                let hash = content.hash(number);
                (size, hash.map_or(UNSIGNED_PAYLOAD, <[u8; 64]>::as_slice))
            }
            BodySource::Made => {
                content.write(number, &mut put.body);
                hash_made = content.hash_made(&put.body);
                let hash = hash_made.as_ref();
                (size, hash.map_or(UNSIGNED_PAYLOAD, <[u8; 64]>::as_slice))
            }
            BodySource::Chunks => (chunked::signed_length(size), STREAMING_PAYLOAD),
            BodySource::Trailer => {
                let framed = content.framed(number).unwrap_or_default();
                (framed.len() as u64, TRAILER_PAYLOAD)
            }
        };
        let mut headers: SmallVec<[Header<'_>; 4]> = SmallVec::new();
        if matches!(self.body_source, BodySource::Chunks | BodySource::Trailer) {
            headers.push(("content-encoding", b"aws-chunked"));
            headers.push(("x-amz-decoded-content-length", &self.length));
        }
        if let Some(name) = self.checksum {
            let sum = content.checksum(number).unwrap_or_default();
            headers.push(match self.body_source {
                BodySource::Trailer => ("x-amz-trailer", name.as_bytes()),
                _ => (name, sum.as_bytes()),
            });
        }
        let bucket = context.place.bucket_of(object);
        let spec = RequestSpec {
            extra_headers: &context.extra_headers.store,
            headers: &headers,
            body: Some(Body { length, hash }),
            ..RequestSpec::plain("PUT", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        if let (BodySource::Chunks, Some(hashes)) = (self.body_source, content.chunk_hashes(number))
        {
            let writer = &mut context.writer;
            chunked::write_signed(&mut put.body, content.body(number), hashes, |hash| {
                writer.sign_chunk(hash)
            });
        }
    }

    fn put(&self, exchange: &Exchange) -> &PutInFlight {
        &self.out[exchange.tag as usize]
    }

    /// Ends the request of an exchange.
    fn done(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, outcome: Outcome) {
        let acknowledged = matches!(outcome, Outcome::Stored { .. });
        let place = exchange.tag as usize;
        exchange.tag = self.out[place].number;
        self.out.give_back(place);
        if let Some(generations) = &context.generations {
            generations.settle(exchange.tag, acknowledged);
        }
        if self.versions == Versions::None {
            let (number, object) = (exchange.tag, object_of(exchange.tag));
            let recorder = &mut context.recorder;
            recorder.end(Written::Put, object, None, number, outcome);
        }
    }

    fn object_of(&self, context: &WorkerContext, thing: u64) -> u64 {
        match self.versions {
            // Objects created by the mix are numbered after the objects with versions.
            Versions::Fresh => thing,
            _ => context.object_of(thing),
        }
    }

    /// Handles the version in a response; returns false if the bucket keeps versions and the
    /// version is missing or not new for the object.
    fn take_version(
        &mut self,
        context: &mut WorkerContext,
        thing: u64,
        head: &ResponseHead<'_>,
    ) -> bool {
        if self.versions == Versions::None {
            return true;
        }
        let Some(id) = versions::in_response(head) else {
            return false;
        };
        if !self.given.is_new(self.object_of(context, thing), id) {
            return false;
        }
        match self.versions {
            Versions::Kept => context.ids.note(thing, id),
            Versions::Fresh => context.fresh_versions.push_back((thing, id.into())),
            Versions::Seen => {
                let object = self.object_of(context, thing);
                let recorder = &mut context.recorder;
                recorder.begin(Written::Put, object, Some(id), thing);
                recorder.end(Written::Put, object, Some(id), thing, Outcome::STORED);
            }
            Versions::None => {}
        }
        true
    }

    /// Whether a checksum in the response shows that the server stored other content than was sent.
    fn contradicts(&self, context: &WorkerContext, number: u64, head: &ResponseHead<'_>) -> bool {
        context.content.checksum(number).is_some_and(|sent| {
            checksum::contradicted(
                context.work.checksum, sent, context.extra_headers.plain, head,
            )
        })
    }
}

/// Keeps the ETag of a response if the object is in the sample that is read back after the run.
fn note_etag(context: &mut WorkerContext, number: u64, head: &ResponseHead<'_>) {
    let object = object_of(number);
    if context.recorder.has(Written::Put, object)
        && let Some(etag) = checksum::md5_in_etag(head)
    {
        context.recorder.etag(Written::Put, object, number, etag);
    }
}

impl Action for Put {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Put.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        match self.next_number(context) {
            Ok(number) => {
                self.spec(context, now, exchange, number);
                Next::Ready
            }
            Err(rest) => rest,
        }
    }

    fn payload<'a>(&'a self, context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let put = self.put(exchange);
        match self.body_source {
            BodySource::Prepared => context.content.body(put.number),
            BodySource::Trailer => context.content.framed(put.number).unwrap_or_default(),
            BodySource::Made | BodySource::Chunks => &put.body,
        }
    }

    fn payload_file<'a>(
        &'a self,
        context: &'a WorkerContext,
        exchange: &Exchange,
    ) -> Option<InFile<'a>> {
        let as_it_is = self.body_source == BodySource::Prepared;
        as_it_is.then(|| context.content.body_in_file(self.put(exchange).number))?
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        let number = self.put(exchange).number;
        if head.status == 200 {
            let versioned = self.take_version(context, number, head);
            if self.versions == Versions::None {
                note_etag(context, number, head);
            }
            if !versioned || self.contradicts(context, number, head) {
                exchange.note = WRONG;
            }
        }
        context.refusals.head(exchange, head)
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let stored = status == 200 && !context.refusals.is_error(exchange);
        let outcome = match status {
            200 if exchange.note == WRONG => Outcome::Unknown,
            200 if stored => Outcome::STORED,
            _ => Outcome::of_failure(status),
        };
        self.done(context, exchange, outcome);
        match status {
            200 if exchange.note == WRONG => {
                let wrong = match self.versions {
                    Versions::None => "the server's checksum differs from that of the content",
                    _ => "the response names no version or an earlier one, or the checksum differs",
                };
                Judgement::Failed(ErrorClass::Wrong, wrong.to_owned())
            }
            200 if stored => {
                if context.mixed && !context.work.rewrite && self.versions == Versions::None {
                    context.fresh.push_back(object_of(exchange.tag));
                }
                Judgement::Correct
            }
            _ => context.refusals.failed(exchange),
        }
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        self.done(context, exchange, Outcome::Unknown);
    }
}
