//! GetObject with `partNumber`, of objects that were stored by multipart upload.

use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use super::get::{WRONG, judge_content};
use crate::rng::Rng;
use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;
use crate::text::push_decimal;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(GetPart::new(setting))
}

/// Reads random parts of objects. [`Exchange::tag`] is the number of the object (lower 32 bits) and
/// the index of the part (upper 32 bits).
struct GetPart {
    chooser: Chooser,
    /// Draws random parts.
    rng: Rng,
    query: Vec<u8>,
}

impl GetPart {
    fn new(setting: &mut Setting<'_>) -> Self {
        let worker = setting.worker as u64;
        Self {
            chooser: Chooser::new(setting),
            rng: Rng::new(setting.seed, &[setting.name, worker, 3]),
            query: Vec::with_capacity(32),
        }
    }

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let (object, part) = unpack(exchange.tag);
        let bucket = context.place.bucket_of(object);
        self.query.clear();
        self.query.extend_from_slice(b"partNumber=");
        push_decimal(&mut self.query, part + 1);
        let spec = RequestSpec {
            query: &self.query,
            extra_headers: &context.extra_headers.read,
            ..RequestSpec::plain("GET", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }
}

fn pack(object: u64, part: u64) -> u64 {
    part << 32 | object
}

fn unpack(tag: u64) -> (u64, u64) {
    (tag & 0xffff_ffff, tag >> 32)
}

impl Action for GetPart {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::GetPart.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(object) = self.chooser.next() else {
            return Next::Exhausted;
        };
        let part = self.rng.below(context.content.parts(object));
        exchange.tag = pack(object, part);
        self.spec(context, now, exchange);
        Next::Ready
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        match (head.status, context.work.verify) {
            (200 | 206, true) => BodyUse::Inspect,
            (200 | 206, false) => BodyUse::Discard,
            _ => context.refusals.head(exchange, head),
        }
    }

    fn body(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        offset: u64,
        part: &[u8],
    ) {
        if context.refusals.body(exchange, part) {
            return;
        }
        let (object, number) = unpack(exchange.tag);
        let from = context.content.start_of(number) as u64 + offset;
        if !context.content.matches(object, from, part) {
            exchange.note = WRONG;
        }
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        // A server may respond with 200 if it does not treat a part as a range.
        if !matches!(status, 200 | 206) {
            return context.refusals.failed(exchange);
        }
        let (object, number) = unpack(exchange.tag);
        let size = context.content.part(object, number).len() as u64;
        let parts = context.content.parts(object);
        if length == context.content.size(object) && parts > 1 {
            let ignored = "the part number was ignored".to_owned();
            return Judgement::Failed(ErrorClass::Wrong, ignored);
        }
        judge_content(exchange, length, size)
    }
}
