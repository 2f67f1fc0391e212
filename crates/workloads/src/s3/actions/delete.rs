//! DeleteObject.

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment, Next};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::selection::Chooser;
use crate::s3::objects::versions;
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::RequestSpec;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Delete::new(setting))
}

/// Deletes every object, or every version of each object, once; in a mix, deletes the objects that
/// PUT has created in the mix. [`Exchange::tag`] is the number of the object or version.
struct Delete {
    chooser: Chooser,
}

impl Delete {
    fn new(setting: &Setting<'_>) -> Self {
        Self {
            chooser: Chooser::each_once(setting),
        }
    }

    fn spec(context: &mut WorkerContext, now: Moment, exchange: &mut Exchange, object: u64) {
        let bucket = context.place.bucket_of(object);
        let spec = RequestSpec {
            query: &context.query,
            ..RequestSpec::plain("DELETE", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }
}

/// The oldest object that PUT has created; writes its version into the context's query.
fn fresh(context: &mut WorkerContext) -> Option<u64> {
    if context.work.versions == 0 {
        return context.fresh.pop_front();
    }
    let (object, id) = context.fresh_versions.pop_front()?;
    versions::write_query(&mut context.query, &id);
    Some(object)
}

impl Action for Delete {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Delete.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let thing = if context.mixed {
            fresh(context)
        } else {
            self.chooser.next()
        };
        match thing {
            Some(thing) => exchange.tag = thing,
            None if context.mixed => return Next::Wait,
            None => return Next::Exhausted,
        }
        if !context.mixed {
            context.write_version(exchange.tag);
        }
        // In a mix, PUT creates additional objects, numbered after the objects with versions.
        let object = if context.mixed {
            exchange.tag
        } else {
            context.object_of(exchange.tag)
        };
        record(context, exchange.tag, None);
        Self::spec(context, now, exchange, object);
        Next::Ready
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let judgement = context.refusals.judge_done(exchange, status);
        let outcome = match judgement {
            Judgement::Correct => Outcome::Gone,
            Judgement::Failed(..) => Outcome::of_failure(status),
        };
        record(context, exchange.tag, Some(outcome));
        judgement
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        record(context, exchange.tag, Some(Outcome::Unknown));
    }
}

/// Records the start or the outcome of the deletion of `thing`.
fn record(context: &mut WorkerContext, thing: u64, outcome: Option<Outcome>) {
    if context.mixed && context.work.versions > 0 {
        // The version is no longer known when the response arrives.
        return;
    }
    let object = if context.mixed {
        thing
    } else {
        context.object_of(thing)
    };
    let version = context.ids.of(thing).filter(|_| !context.mixed);
    let recorder = &mut context.recorder;
    match outcome {
        None => recorder.begin(Written::Delete, object, version, 0),
        Some(outcome) => recorder.end(Written::Delete, object, version, 0, outcome),
    }
}
