//! GetObject, complete or a range.

use std::io::Write as _;

use slab::Slab;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::{ByteRange, Checksum, S3Operation};

use crate::range::is_range;
use crate::rng::Rng;
use crate::s3::action::{Action, Setting};
use crate::s3::content::checksum;
use crate::s3::content::number;
use crate::s3::context::WorkerContext;
use crate::s3::objects::generations::Found;
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::{Header, RequestSpec};

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Get::new(setting))
}

/// The range of a complete object.
const WHOLE: ByteRange = ByteRange::Fixed {
    first: 0,
    last: u64::MAX - 1,
};

/// Value of [`Exchange::note`] if the response differs from the stored content.
pub(super) const WRONG: u64 = 1;

/// The requested part of an object. [`Exchange::tag`] is the index in [`Get::parts`] if
/// [`Get::noted`] is set, otherwise the number of the object or version.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Number of the object or version.
    thing: u64,
    first: u64,
    length: u64,
    /// The oldest generation (number of overwrites) whose content is a correct response.
    certain: u64,
    /// The generation that the response matches so far.
    seen: u64,
}

impl Part {
    /// The complete content of an object that is never overwritten.
    fn whole(context: &WorkerContext, thing: u64) -> Self {
        Self {
            thing,
            first: 0,
            length: context.content.size(thing),
            certain: 0,
            seen: 0,
        }
    }
}

/// Reads objects.
pub(crate) struct Get {
    chooser: Chooser,
    /// Draws random offsets of ranges.
    rng: Rng,
    /// Requests in flight, if `noted` is set.
    parts: Slab<Part>,
    /// Whether a request needs more state than the number of the object: a range or generations.
    noted: bool,
    /// Header of the requested checksum, if any.
    checksum: Option<&'static str>,
    range: Vec<u8>,
}

impl Get {
    fn new(setting: &mut Setting<'_>) -> Self {
        let worker = setting.worker as u64;
        let whole = setting.work.range.is_none();
        let checksum = setting.work.checksum;
        Self {
            chooser: if setting.work.rewrite {
                Chooser::of_own(setting)
            } else {
                Chooser::of_things(setting)
            },
            rng: Rng::new(setting.seed, &[setting.name, worker, 1]),
            parts: Slab::new(),
            noted: !whole || setting.work.rewrite,
            checksum: checksum::header(checksum).filter(|_| whole && checksum != Checksum::Md5),
            range: Vec::with_capacity(64),
        }
    }

    fn part(&mut self, context: &WorkerContext, thing: u64) -> Part {
        let size = context.content.size(thing);
        let (first, length) = match context.work.range.unwrap_or(WHOLE) {
            ByteRange::Random { length } => {
                let length = length.min(size);
                (self.rng.below(size - length + 1), length)
            }
            ByteRange::Fixed { first, last } => (first, (last + 1).min(size).saturating_sub(first)),
        };
        let generations = context.generations.as_ref();
        let certain = generations.map_or(0, |all| all.certain(thing));
        Part {
            thing,
            first,
            length,
            certain,
            seen: certain,
        }
    }

    fn begin(
        &mut self,
        context: &mut WorkerContext,
        now: Moment,
        exchange: &mut Exchange,
        thing: u64,
    ) {
        exchange.tag = if !self.noted {
            thing
        } else {
            let part = self.part(context, thing);
            self.parts.insert(part) as u64
        };
        self.spec(context, now, exchange);
    }

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let part = self.out(context, exchange);
        let object = context.object_of(part.thing);
        let bucket = context.place.bucket_of(object);
        context.write_version(part.thing);
        self.range.clear();
        if context.work.range.is_some() {
            let last = part.first + part.length.saturating_sub(1);
            // Writing into memory never fails.
            let _ = write!(self.range, "bytes={}-{last}", part.first);
        }
        let headers: [Header<'_>; 2] =
            [("range", &self.range), ("x-amz-checksum-mode", b"ENABLED")];
        let from = usize::from(self.range.is_empty());
        let to = 1 + usize::from(self.checksum.is_some());
        let spec = RequestSpec {
            query: &context.query,
            extra_headers: &context.extra_headers.read,
            headers: &headers[from..to],
            ..RequestSpec::plain("GET", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }

    /// The part that the request of this exchange reads.
    fn out(&self, context: &WorkerContext, exchange: &Exchange) -> Part {
        if self.noted {
            self.parts[exchange.tag as usize]
        } else {
            Part::whole(context, exchange.tag)
        }
    }

    fn done(&mut self, exchange: &mut Exchange) {
        if self.noted
            && let Some(part) = self.parts.try_remove(exchange.tag as usize)
        {
            exchange.tag = part.thing;
        }
    }

    /// Sets [`Part::seen`] to a generation, current or stale, that `fits` the response; if no
    /// generation fits, marks the response as wrong.
    fn recognise(
        &mut self,
        context: &WorkerContext,
        exchange: &mut Exchange,
        fits: impl Fn(&Part, u64) -> bool,
    ) {
        let requested = self.out(context, exchange);
        if fits(&requested, number(requested.thing, requested.seen)) {
            return;
        }
        let Some(generations) = &context.generations else {
            exchange.note = WRONG;
            return;
        };
        let (object, certain) = (requested.thing, requested.certain);
        let fits = |tried| fits(&requested, tried);
        match generations.find(&context.content, object, certain, fits) {
            Found::Right(found) | Found::Stale(found) => {
                self.parts[exchange.tag as usize].seen = found;
            }
            Found::Nothing => exchange.note = WRONG,
        }
    }
}

impl Action for Get {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Get.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(thing) = self.chooser.next() else {
            return Next::Exhausted;
        };
        self.begin(context, now, exchange, thing);
        Next::Ready
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        if !matches!(head.status, 200 | 206) {
            return context.refusals.head(exchange, head);
        }
        let requested = self.out(context, exchange);
        if head.status == 206 && context.work.range.is_some() {
            let size = context.content.size(requested.thing);
            if !is_range(head, requested.first, requested.length, size) {
                exchange.note = WRONG;
            }
        }
        if let Some(got) = self.checksum.and_then(|name| head.header(name)) {
            self.recognise(context, exchange, |_, number| {
                let put = context.content.checksum(number);
                put.is_none_or(|put| got == put.as_bytes())
            });
        }
        if context.work.verify {
            BodyUse::Inspect
        } else {
            BodyUse::Discard
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
        if exchange.note == WRONG {
            return;
        }
        self.recognise(context, exchange, |requested, tried| {
            let from = requested.first + offset;
            let so_far = number(requested.thing, requested.seen);
            context.content.matches(tried, from, part)
                && (tried == so_far || context.content.alike(tried, so_far, requested.first..from))
        });
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        let requested = self.out(context, exchange);
        self.done(exchange);
        let expected = match context.work.range {
            None => 200,
            Some(_) => 206,
        };
        match status {
            _ if status == expected => match judge_content(exchange, length, requested.length) {
                Judgement::Correct if requested.seen < requested.certain => {
                    Judgement::Failed(ErrorClass::Stale, String::new())
                }
                judgement => judgement,
            },
            // The server sent the complete object instead of the range.
            200 => Judgement::Failed(ErrorClass::Wrong, "the range was ignored".to_owned()),
            _ => context.refusals.failed(exchange),
        }
    }

    fn lost(&mut self, _context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        self.done(exchange);
    }
}

pub(super) fn judge_content(exchange: &Exchange, length: u64, size: u64) -> Judgement {
    if exchange.note == WRONG || length > size {
        Judgement::Failed(ErrorClass::Wrong, String::new())
    } else if length < size {
        Judgement::Failed(ErrorClass::Short, String::new())
    } else {
        Judgement::Correct
    }
}
