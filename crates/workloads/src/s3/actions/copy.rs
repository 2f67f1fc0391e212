//! CopyObject.

use slab::Slab;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::objects::selection::Chooser;
use crate::s3::place::MOST_OBJECTS;
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::RequestSpec;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Copy::new(setting))
}

/// Copies objects of the workload to new objects. The numbers of the copies follow the numbers of
/// the objects; after the last number, copies are overwritten from the first number on.
/// [`Exchange::tag`] is the index of the copy in `out`.
struct Copy {
    /// Source and copy of each request in flight.
    out: Slab<(u64, u64)>,
    sources: Chooser,
    targets: Walk,
    /// Path of the source, as in `x-amz-copy-source`.
    source: Vec<u8>,
}

impl Copy {
    fn new(setting: &mut Setting<'_>) -> Self {
        let objects = setting.work.objects;
        let end = (2 * objects).min(MOST_OBJECTS);
        let workers = setting.workers.min((end - objects).max(1) as usize);
        let share = Share::beyond(objects, setting.worker % workers, workers, end);
        Self {
            out: Slab::new(),
            sources: Chooser::new(setting),
            targets: Walk::round(share).making(setting.marks),
            source: Vec::with_capacity(256),
        }
    }
}

impl Action for Copy {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Copy.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let (Some(from), Some(to)) = (self.sources.next(), self.targets.next()) else {
            return Next::Exhausted;
        };
        exchange.tag = self.out.insert((from, to)) as u64;
        context.recorder.begin(Written::Copy, to, None, from);
        context.write_source(&mut self.source, from);
        let bucket = context.place.bucket_of(to);
        let headers = [("x-amz-copy-source", self.source.as_slice())];
        let spec = RequestSpec {
            extra_headers: &context.extra_headers.copy,
            headers: &headers,
            ..RequestSpec::plain("PUT", bucket, context.path.of(bucket, to))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        _head: &ResponseHead<'_>,
    ) -> BodyUse {
        // If a copy fails late, the error is in a response with status 200 (Amazon S3 API
        // reference, "CopyObject").
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
        let refusals = &mut context.refusals;
        let judgement = refusals.judge_whole(exchange, status, "CopyObjectResult");
        if let Some((from, to)) = self.out.try_remove(exchange.tag as usize) {
            let outcome = match judgement {
                Judgement::Correct => Outcome::STORED,
                Judgement::Failed(..) => Outcome::of_failure(status),
            };
            let recorder = &mut context.recorder;
            recorder.end(Written::Copy, to, None, from, outcome);
        }
        judgement
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        if let Some((from, to)) = self.out.try_remove(exchange.tag as usize) {
            let recorder = &mut context.recorder;
            recorder.end(Written::Copy, to, None, from, Outcome::Unknown);
        }
    }
}
