//! GetObjectAttributes.

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment};
use tenbin_plan::S3Operation;

use super::each::{Each, OneRequest};
use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::judging::element;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::new(setting), GetAttributes))
}

/// Reads ETag and size of objects, and compares the size.
struct GetAttributes;

impl OneRequest for GetAttributes {
    const OPERATION: S3Operation = S3Operation::GetAttributes;
    // An ETag and a size, with the names of their elements.
    const KEPT_RESPONSE: Option<usize> = Some(4 << 10);

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let object = exchange.tag;
        let bucket = context.place.bucket_of(object);
        let spec = RequestSpec {
            query: b"attributes=",
            headers: &[("x-amz-object-attributes", b"ETag,ObjectSize")],
            extra_headers: &context.extra_headers.read,
            ..RequestSpec::plain("GET", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        if status != 200 {
            return context.refusals.failed(exchange);
        }
        let response = context.refusals.caught(exchange);
        let size = element(response, "ObjectSize", |byte| byte.is_ascii_digit());
        context.refusals.release(exchange);
        match size.and_then(|size| size.parse::<u64>().ok()) {
            Some(size) if size == context.content.size(exchange.tag) => Judgement::Correct,
            _ => Judgement::Failed(
                ErrorClass::Wrong,
                "the response has another size, or no size".to_owned(),
            ),
        }
    }
}
