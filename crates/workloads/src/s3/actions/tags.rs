//! PutObjectTagging, GetObjectTagging and DeleteObjectTagging.

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment};
use tenbin_plan::{DataSet, S3Operation};

use super::each::{Each, OneRequest};
use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::document::Document;
use crate::s3::messages::tagging;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;

pub(super) fn put(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::new(setting), PutTags::new(setting)))
}

pub(super) fn get(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::new(setting), GetTags::new(setting)))
}

pub(super) fn delete(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::new(setting), DeleteTags))
}

/// Sets the tags of every object, repeatedly.
struct PutTags(Document);

impl PutTags {
    fn new(setting: &Setting<'_>) -> Self {
        Self(tagging::document(&tagging::of(setting.work)))
    }
}

impl OneRequest for PutTags {
    const OPERATION: S3Operation = S3Operation::PutTags;

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let headers = [self.0.md5_header()];
        let more = RequestSpec {
            headers: &headers,
            body: Some(self.0.announced()),
            ..RequestSpec::plain("PUT", 0, b"")
        };
        write_tags_request(more, context, now, exchange);
    }

    fn payload(&self) -> &[u8] {
        &self.0.body
    }
}

/// Reads the tags of objects and compares them with the tags that were set.
struct GetTags {
    /// The tags that every object has, in ascending order.
    tags: Vec<(String, String)>,
    /// Whether another operation of the workload removes tags.
    may_be_none: bool,
    /// Whether the objects existed before the run, with unknown tags.
    may_be_others: bool,
}

impl GetTags {
    fn new(setting: &Setting<'_>) -> Self {
        let mut tags = tagging::of(setting.work);
        tags.sort();
        Self {
            tags,
            may_be_none: setting.work.mix.has(S3Operation::DeleteTags),
            may_be_others: setting.work.data == DataSet::Existing,
        }
    }

    fn judge_tags(&self, response: &[u8]) -> Judgement {
        let wrong = |text: &str| Judgement::Failed(ErrorClass::Wrong, text.to_owned());
        match tagging::in_response(response) {
            None => wrong("not a list of tags"),
            Some(tags) if tags == self.tags => Judgement::Correct,
            Some(tags) if tags.is_empty() && self.may_be_none => Judgement::Correct,
            Some(_) if self.may_be_others => Judgement::Correct,
            Some(_) => wrong("the tags differ from those that were set"),
        }
    }
}

impl OneRequest for GetTags {
    const OPERATION: S3Operation = S3Operation::GetTags;
    // Ten tags of the largest length, escaped.
    const KEPT_RESPONSE: Option<usize> = Some(64 << 10);

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        write_tags_request(RequestSpec::plain("GET", 0, b""), context, now, exchange);
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
        let judgement = self.judge_tags(context.refusals.caught(exchange));
        context.refusals.release(exchange);
        judgement
    }
}

/// Removes the tags of objects, whether they have tags or not.
struct DeleteTags;

impl OneRequest for DeleteTags {
    const OPERATION: S3Operation = S3Operation::DeleteTags;

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        write_tags_request(RequestSpec::plain("DELETE", 0, b""), context, now, exchange);
    }
}

/// Writes a tagging request with method, headers and body of `spec`; [`Exchange::tag`] is the
/// number of the object.
fn write_tags_request(
    spec: RequestSpec<'_>,
    context: &mut WorkerContext,
    now: Moment,
    exchange: &mut Exchange,
) {
    let object = exchange.tag;
    let bucket = context.place.bucket_of(object);
    let spec = RequestSpec {
        bucket,
        path: context.path.of(bucket, object),
        query: b"tagging=",
        ..spec
    };
    context.writer.write(exchange, now.unix_seconds, &spec);
}
