//! HeadObject.

use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, ResponseHead};
use tenbin_plan::S3Operation;

use super::each::{Each, OneRequest};
use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::of_things(setting), Stat))
}

/// Value of [`Exchange::note`] if the response has a wrong size or no size.
const WRONG: u64 = 1;

/// Sends HEAD for objects, or versions of objects.
struct Stat;

impl OneRequest for Stat {
    const OPERATION: S3Operation = S3Operation::Stat;

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let object = context.object_of(exchange.tag);
        let bucket = context.place.bucket_of(object);
        context.write_version(exchange.tag);
        exchange.bodyless_response = true;
        let spec = RequestSpec {
            query: &context.query,
            extra_headers: &context.extra_headers.read,
            ..RequestSpec::plain("HEAD", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        let size = context.content.size(exchange.tag);
        if head.status == 200 && head.length != Some(size) {
            exchange.note = WRONG;
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
        match status {
            200 if exchange.note == WRONG => Judgement::Failed(
                ErrorClass::Wrong,
                "the response has another size, or no size".to_owned(),
            ),
            200 => Judgement::Correct,
            _ => context.refusals.failed(exchange),
        }
    }
}
