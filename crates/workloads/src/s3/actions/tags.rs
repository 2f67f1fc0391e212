//! PutObjectTagging, GetObjectTagging and DeleteObjectTagging.

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment};
use tenbin_plan::{DataSet, S3Operation};

use super::each::{Each, OneRequest};
use crate::s3::action::{ActionKind, Layout, Probe, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::document::Document;
use crate::s3::messages::refusal::Refusals;
use crate::s3::messages::tagging;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;

const WHAT: &str = "object tags";

pub(crate) const PUT: ActionKind = ActionKind {
    operation: S3Operation::PutTags,
    layout: Layout::Objects,
    probe: Probe::once(WHAT),
    make: |setting| Box::new(Each::new(Chooser::new(setting), PutTags::new(setting))),
};

pub(crate) const GET: ActionKind = ActionKind {
    operation: S3Operation::GetTags,
    layout: Layout::Objects,
    probe: Probe::once(WHAT),
    make: |setting| Box::new(Each::new(Chooser::new(setting), GetTags::new(setting))),
};

pub(crate) const DELETE: ActionKind = ActionKind {
    operation: S3Operation::DeleteTags,
    layout: Layout::Objects,
    probe: Probe::once(WHAT),
    make: |setting| Box::new(Each::new(Chooser::new(setting), DeleteTags)),
};

/// Of an answer, kept, bytes: ten tags of the greatest length, escaped.
const KEPT_ANSWER: usize = 64 << 10;

/// Gives every object its tags, again and again.
struct PutTags(Document);

impl PutTags {
    fn new(setting: &Setting<'_>) -> Self {
        Self(tagging::document(&tagging::of(setting.work)))
    }
}

impl OneRequest for PutTags {
    const NAMES: &'static [&'static str] = &["PUT tags"];

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let headers = [self.0.md5_header()];
        let more = RequestSpec {
            headers: &headers,
            body: Some(self.0.announced()),
            ..RequestSpec::plain("PUT", 0, b"")
        };
        ask_of_tags(more, context, now, exchange);
    }

    fn payload(&self) -> &[u8] {
        &self.0.body
    }
}

/// Asks objects for their tags and compares.
struct GetTags {
    /// What every object is tagged with, ascending.
    tags: Vec<(String, String)>,
    /// Whether something else takes them away meanwhile.
    may_be_none: bool,
    /// Whether the objects are somebody else's, with tags of their own.
    may_be_others: bool,
    answers: Refusals,
}

impl GetTags {
    fn new(setting: &Setting<'_>) -> Self {
        let mut tags = tagging::of(setting.work);
        tags.sort();
        Self {
            tags,
            may_be_none: setting.work.mix.has(S3Operation::DeleteTags),
            may_be_others: setting.work.data == DataSet::Existing,
            answers: Refusals::keeping(KEPT_ANSWER),
        }
    }

    fn judge_tags(&self, answer: &[u8]) -> Judgement {
        let wrong = |text: &str| Judgement::Failed(ErrorClass::Wrong, text.to_owned());
        match tagging::in_answer(answer) {
            None => wrong("not a list of tags"),
            Some(tags) if tags == self.tags => Judgement::Correct,
            Some(tags) if tags.is_empty() && self.may_be_none => Judgement::Correct,
            Some(_) if self.may_be_others => Judgement::Correct,
            Some(_) => wrong("other tags than were put"),
        }
    }
}

impl OneRequest for GetTags {
    const NAMES: &'static [&'static str] = &["GET tags"];

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        ask_of_tags(RequestSpec::plain("GET", 0, b""), context, now, exchange);
    }

    fn head(
        &mut self,
        _desk: &mut WorkerContext,
        exchange: &mut Exchange,
        _head: &AnswerHead<'_>,
    ) -> BodyUse {
        self.answers.catch(exchange);
        BodyUse::Inspect
    }

    fn body(
        &mut self,
        _desk: &mut WorkerContext,
        exchange: &mut Exchange,
        _offset: u64,
        part: &[u8],
    ) {
        self.answers.body(exchange, part);
    }

    fn judge(
        &mut self,
        _desk: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        if status != 200 {
            return self.answers.failed(exchange);
        }
        let judgement = self.judge_tags(self.answers.caught(exchange));
        self.answers.release(exchange);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange) {
        self.answers.release(exchange);
    }
}

/// Takes the tags from objects, whether they still have some or not.
struct DeleteTags;

impl OneRequest for DeleteTags {
    const NAMES: &'static [&'static str] = &["DELETE tags"];

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        ask_of_tags(RequestSpec::plain("DELETE", 0, b""), context, now, exchange);
    }
}

/// Writes a request about the tags of the object that is the exchange's tag; its
/// method, headers and body are those of `ask`.
fn ask_of_tags(
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
