//! DeleteObjects: many objects in one request.

use slab::Slab;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::batch::{self, Batch};
use crate::s3::objects::selection::Chooser;
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::{Body, RequestSpec};

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(DeleteBatch::new(setting))
}

/// Deletes every object, or every version of each object, once, in batches. Each request counts as
/// one operation. [`Exchange::tag`] is the index of the request in `out`.
struct DeleteBatch {
    chooser: Chooser,
    /// By bucket: objects that wait until a batch is full.
    waiting: Vec<Vec<u64>>,
    out: Slab<Out>,
}

/// A request in flight.
struct Out {
    batch: Batch,
    /// The objects, or versions of objects, in the request.
    things: Vec<u64>,
}

impl DeleteBatch {
    fn new(setting: &Setting<'_>) -> Self {
        Self {
            chooser: Chooser::each_once(setting),
            waiting: vec![Vec::new(); setting.place.buckets.len()],
            out: Slab::new(),
        }
    }

    /// A bucket with a full batch of waiting objects or, after the last object, with any waiting
    /// object.
    fn gather(&mut self, context: &WorkerContext) -> Option<usize> {
        let most = context.work.batch as usize;
        while let Some(thing) = self.chooser.next() {
            let bucket = context.place.bucket_of(context.object_of(thing));
            self.waiting[bucket].push(thing);
            if self.waiting[bucket].len() == most {
                return Some(bucket);
            }
        }
        self.waiting.iter().position(|rest| !rest.is_empty())
    }
}

impl Action for DeleteBatch {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::DeleteBatch.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(bucket) = self.gather(context) else {
            return Next::Exhausted;
        };
        let things = std::mem::take(&mut self.waiting[bucket]);
        record(context, &things, None);
        let batch = Batch::of_keys(things.iter().map(|&thing| {
            let id = context.ids.of(thing);
            let id = id.map(|id| String::from_utf8_lossy(id).into_owned());
            (context.place.key(context.object_of(thing)), id)
        }));
        let headers = [("content-md5", batch.md5.as_bytes())];
        let spec = RequestSpec {
            query: b"delete=",
            headers: &headers,
            body: Some(Body {
                length: batch.body.len() as u64,
                hash: &batch.hash,
            }),
            ..RequestSpec::plain("POST", bucket, &context.place.buckets[bucket].path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        let out = Out { batch, things };
        exchange.tag = self.out.insert(out) as u64;
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        self.out
            .get(exchange.tag as usize)
            .map_or(&[], |out| &out.batch.body)
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        _head: &ResponseHead<'_>,
    ) -> BodyUse {
        context.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let requested = self.out.try_remove(exchange.tag as usize);
        let things = requested.map_or_else(Vec::new, |out| out.things);
        if status == 200 && batch::all_gone(context.refusals.caught(exchange), things.len()) {
            record(context, &things, Some(Outcome::Gone));
            context.refusals.release(exchange);
            return Judgement::Correct;
        }
        record(context, &things, Some(Outcome::Unknown));
        context.refusals.not_done(exchange, status, batch::RESULT)
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        if let Some(out) = self.out.try_remove(exchange.tag as usize) {
            record(context, &out.things, Some(Outcome::Unknown));
        }
    }
}

/// Records the start or the outcome of the deletion of these things.
fn record(context: &mut WorkerContext, things: &[u64], outcome: Option<Outcome>) {
    for &thing in things {
        let object = context.object_of(thing);
        let version = context.ids.of(thing);
        let recorder = &mut context.recorder;
        match outcome {
            None => recorder.begin(Written::DeleteBatch, object, version, 0),
            Some(outcome) => recorder.end(Written::DeleteBatch, object, version, 0, outcome),
        }
    }
}
