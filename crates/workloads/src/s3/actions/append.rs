//! PutObject with an offset: appends to an existing object, as in S3 Express One Zone.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_engine::{BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::content::checksum;
use crate::s3::context::WorkerContext;
use crate::s3::objects::appended::Lengths;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::read_back::{Outcome, Written};
use crate::s3::signing::request_writer::{Body, Header, RequestSpec};
use crate::s3::signing::sigv4::UNSIGNED_PAYLOAD;
use crate::text::push_decimal;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Append::new(setting))
}

/// Value of [`Exchange::note`] if the object has an unexpected length.
const WRONG: u64 = 1;

/// Appends the content of each object to the object, in a cycle over all objects, with one request
/// per object at a time. [`Exchange::tag`] is the number of the object.
struct Append {
    /// Objects that the cycle has not reached yet.
    walk: Walk,
    /// Objects without a request in flight, the longest idle first.
    idle: VecDeque<u64>,
    out: usize,
    lengths: Arc<Lengths>,
    offset: Vec<u8>,
    checksum: Option<&'static str>,
}

impl Append {
    fn new(setting: &Setting<'_>) -> Self {
        let share = Share::of(setting.worker, setting.workers, setting.work.objects);
        Self {
            walk: Walk::once(share),
            idle: VecDeque::new(),
            out: 0,
            lengths: Arc::clone(setting.lengths),
            offset: Vec::with_capacity(20),
            checksum: checksum::header(setting.work.checksum),
        }
    }

    /// The next object to append to, and the number of appends to it so far; `None` if every object
    /// has a request in flight or cannot grow any more.
    fn choose(&mut self) -> Option<(u64, u32)> {
        loop {
            let object = self.walk.next().or_else(|| self.idle.pop_front())?;
            if let Some(appends) = self.lengths.appends(object) {
                return Some((object, appends));
            }
        }
    }
}

/// Length of an object after this number of appends, bytes.
fn length(context: &WorkerContext, object: u64, appends: u32) -> u64 {
    context.content.size(object) * (u64::from(appends) + 1)
}

fn record(context: &mut WorkerContext, object: u64, outcome: Outcome) {
    let recorder = &mut context.recorder;
    recorder.end(Written::Append, object, None, object, outcome);
}

impl Action for Append {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Append.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some((object, appends)) = self.choose() else {
            return match self.out {
                0 => Next::Exhausted,
                _ => Next::Wait,
            };
        };
        self.out += 1;
        exchange.tag = object;
        context
            .recorder
            .begin(Written::Append, object, None, object);
        self.offset.clear();
        push_decimal(&mut self.offset, length(context, object, appends));
        let bucket = context.place.bucket_of(object);
        let sum = context.content.checksum(object).unwrap_or_default();
        let headers: [Header<'_>; 2] = [
            ("x-amz-write-offset-bytes", &self.offset),
            (self.checksum.unwrap_or_default(), sum.as_bytes()),
        ];
        let hash = context.content.hash(object);
        let spec = RequestSpec {
            headers: &headers[..1 + usize::from(self.checksum.is_some())],
            body: Some(Body {
                length: context.content.size(object),
                hash: hash.map_or(UNSIGNED_PAYLOAD, <[u8; 64]>::as_slice),
            }),
            ..RequestSpec::plain("PUT", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    fn payload<'a>(&'a self, context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        context.content.body(exchange.tag)
    }

    fn payload_file<'a>(
        &'a self,
        context: &'a WorkerContext,
        exchange: &Exchange,
    ) -> Option<InFile<'a>> {
        context.content.body_in_file(exchange.tag)
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        if head.status == 200 {
            // A server that does not know the header has replaced the object, and the response has no
            // length (Amazon S3 API reference, "PutObject").
            let object = exchange.tag;
            let appends = self.lengths.appends(object).unwrap_or(0);
            let mut expected = Vec::with_capacity(20);
            push_decimal(&mut expected, length(context, object, appends + 1));
            if head.header("x-amz-object-size") != Some(expected.as_slice()) {
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
        self.out -= 1;
        let object = exchange.tag;
        match status {
            200 if exchange.note == WRONG => {
                self.lengths.unknown(object);
                record(context, object, Outcome::Unknown);
                Judgement::Failed(
                    ErrorClass::Wrong,
                    "the length of the object is not its former length plus the appended part"
                        .to_owned(),
                )
            }
            200 if !context.refusals.is_error(exchange) => {
                self.lengths.appended(object);
                let appends = self.lengths.appends(object).unwrap_or(0);
                record(context, object, Outcome::Stored { appends });
                self.idle.push_back(object);
                Judgement::Correct
            }
            _ => {
                self.idle.push_back(object);
                record(context, object, Outcome::of_failure(status));
                context.refusals.failed(exchange)
            }
        }
    }

    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        record(context, exchange.tag, Outcome::Unknown);
        self.out -= 1;
        self.lengths.unknown(exchange.tag);
    }
}
