//! ListObjectsV2 of the files inside a ZIP archive, as in MinIO.

use slab::Slab;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::{ListForm, S3Operation};

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::listing::{Page, Reader};
use crate::s3::objects::archives::{self, Archives};
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::setup::archive_loader::EXTRACT;
use crate::s3::signing::request_writer::RequestSpec;
use crate::s3::signing::uri::canonical_query;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(ZipList::new(setting))
}

/// An unfinished listing.
struct Rest {
    archive: u64,
    /// Number of keys on earlier pages.
    before: u64,
    /// Continuation token; empty for the first page.
    token: String,
}

/// Lists archives one after the other. Each page counts as one operation. [`Exchange::tag`] is the
/// index of the request in `out`.
struct ZipList {
    archives: Archives,
    walk: Walk,
    rests: Vec<Rest>,
    out: Slab<(Rest, Reader)>,
}

impl ZipList {
    fn new(setting: &Setting<'_>) -> Self {
        let archives = Archives::of(setting.work);
        let share = Share::shared(setting.worker, setting.workers, archives.count());
        Self {
            archives,
            walk: Walk::round(share),
            rests: Vec::new(),
            out: Slab::new(),
        }
    }

    fn query(context: &WorkerContext, rest: &Rest) -> Vec<u8> {
        let page = context.work.page.to_string();
        let prefix = format!(
            "{}{}/",
            context.place.prefix,
            archives::name(rest.archive, "zip")
        );
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"list-type", b"2"),
            (b"max-keys", page.as_bytes()),
            (b"prefix", prefix.as_bytes()),
        ];
        if !rest.token.is_empty() {
            pairs.push((b"continuation-token", rest.token.as_bytes()));
        }
        canonical_query(pairs)
    }

    fn fault(&self, rest: &Rest, page: &Page) -> Option<Judgement> {
        let failed = |class, text: &str| Some(Judgement::Failed(class, text.to_owned()));
        let objects = self.archives.objects(rest.archive);
        let (keys, expected) = (rest.before + page.keys, objects.end - objects.start);
        match page.more {
            _ if !page.whole => failed(ErrorClass::Wrong, "not a listing"),
            _ if keys > expected => failed(ErrorClass::Wrong, "more keys than expected"),
            false if keys < expected => failed(ErrorClass::Short, "fewer keys than expected"),
            true if page.marker.is_empty() || page.keys == 0 => {
                failed(ErrorClass::Wrong, "no marker for the next page")
            }
            _ => None,
        }
    }
}

impl Action for ZipList {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::ZipList.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let beginning = |archive| Rest {
            archive,
            before: 0,
            token: String::new(),
        };
        let rest = self.rests.pop();
        let Some(rest) = rest.or_else(|| self.walk.next().map(beginning)) else {
            return Next::Exhausted;
        };
        let bucket = self.archives.bucket(rest.archive);
        let query = Self::query(context, &rest);
        let headers = [EXTRACT];
        let spec = RequestSpec {
            query: &query,
            headers: &headers,
            ..RequestSpec::plain("GET", bucket, &context.place.buckets[bucket].path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        exchange.tag = self.out.insert((rest, Reader::new(ListForm::V2))) as u64;
        Next::Ready
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        match head.status {
            200 => BodyUse::Inspect,
            _ => context.refusals.head(exchange, head),
        }
    }

    fn body(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        _offset: u64,
        part: &[u8],
    ) {
        if context.refusals.body(exchange, part) {
            return;
        }
        if let Some((_, page)) = self.out.get_mut(exchange.tag as usize) {
            page.read(part);
        }
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let Some((rest, mut page)) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if status != 200 {
            return context.refusals.failed(exchange);
        }
        let page = page.finish();
        if let Some(fault) = self.fault(&rest, &page) {
            return fault;
        }
        if page.more {
            self.rests.push(Rest {
                archive: rest.archive,
                before: rest.before + page.keys,
                token: page.marker,
            });
        }
        Judgement::Correct
    }

    fn lost(&mut self, _context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        self.out.try_remove(exchange.tag as usize);
    }
}
