//! ListObjects, ListObjectsV2 and ListObjectVersions, page by page.

use slab::Slab;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::{DataSet, ListForm, S3Operation, S3Work};

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::listing::{self, Page};
use crate::s3::signing::request_writer::RequestSpec;
use crate::s3::signing::uri::canonical_query;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(List::new(setting))
}

/// Most empty pages in a row that announce another page.
const MOST_EMPTY: u32 = 1_000;

/// A request for one page of a listing; each page counts as one operation.
struct PageRequest {
    bucket: usize,
    /// Number of keys on earlier pages of this listing.
    before: u64,
    /// The last key on earlier pages.
    last: String,
    /// The marker in the request.
    marker: String,
    version: String,
    /// Number of empty pages directly before this page.
    empty: u32,
    page: listing::Reader,
}

impl PageRequest {
    /// Number of empty pages in a row up to this page, which was received.
    fn empty_after(&self, page: &Page) -> u32 {
        match page.keys {
            0 => self.empty.saturating_add(1),
            _ => 0,
        }
    }
}

/// An unfinished listing.
struct Rest {
    bucket: usize,
    before: u64,
    last: String,
    /// Number of empty pages in a row up to the previous page.
    empty: u32,
    /// The previous page, with the markers for the next page.
    from: Page,
}

/// Repeatedly lists the objects below the prefix of the workload. The pages of one listing are
/// requested one after the other; several listings run concurrently, one per connection.
/// [`Exchange::tag`] is the index of the request in `out`.
struct List {
    out: Slab<PageRequest>,
    rests: Vec<Rest>,
    /// The bucket of the next listing.
    bucket: usize,
    /// By bucket: bounds of the number of keys in a complete listing.
    expected: Vec<Expected>,
    /// Whether keys must ascend.
    ascend: bool,
    query: Vec<u8>,
}

/// Bounds of the number of keys in a complete listing; `None` if unknown.
#[derive(Debug, Clone, Copy)]
struct Expected {
    least: Option<u64>,
    most: Option<u64>,
}

/// Whether every object of the workload has its own key and is not deleted while objects are
/// listed.
fn all_stay(work: &S3Work) -> bool {
    use S3Operation::{Delete, DeleteBatch, ZipGet, ZipList};
    let has = |operation| work.mix.has(operation);
    // In a mix, DELETE deletes only objects that PUT has created.
    let some_go = has(DeleteBatch) || work.versions > 0 && has(Delete);
    let in_archives = has(ZipGet) || has(ZipList);
    !some_go && !in_archives
}

impl List {
    fn new(setting: &Setting<'_>) -> Self {
        let buckets = setting.place.buckets.len();
        let objects = setting.work.objects;
        let ours = setting.work.data != DataSet::Existing;
        let counted = ours && setting.work.delimiter.is_none();
        let alone = setting.work.mix.single().is_some();
        let (least, most) = (
            counted && (alone || all_stay(setting.work)),
            counted && alone,
        );
        let of_each = match setting.work.list {
            ListForm::Versions => u64::from(setting.work.versions.max(1)),
            ListForm::V1 | ListForm::V2 => 1,
        };
        let expected = (0..buckets as u64).map(|bucket| {
            let several = buckets as u64;
            let foreign_keys = setting.place.foreign_keys.get(bucket as usize).copied();
            let share = objects / several
                + u64::from(bucket < objects % several)
                + foreign_keys.unwrap_or(0);
            Expected {
                least: least.then_some(share * of_each),
                most: most.then_some(share * of_each),
            }
        });
        Self {
            out: Slab::new(),
            rests: Vec::new(),
            bucket: setting.worker % buckets,
            expected: expected.collect(),
            ascend: ours,
            query: Vec::with_capacity(512),
        }
    }

    fn write_query(&mut self, context: &WorkerContext, from: Option<&Page>) {
        let work = &context.work;
        let page = work.page.to_string();
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"max-keys", page.as_bytes()),
            (b"prefix", context.place.common_prefix().as_bytes()),
        ];
        if let Some(delimiter) = &work.delimiter {
            pairs.push((b"delimiter", delimiter.as_bytes()));
        }
        let go_on = from.map(|page| (page.marker.as_bytes(), page.version.as_bytes()));
        match (work.list, go_on) {
            (ListForm::V2, None) => pairs.push((b"list-type", b"2")),
            (ListForm::V2, Some((token, _))) => {
                pairs.push((b"list-type", b"2"));
                pairs.push((b"continuation-token", token));
            }
            (ListForm::V1, Some((marker, _))) => pairs.push((b"marker", marker)),
            (ListForm::V1, None) => {}
            (ListForm::Versions, None) => pairs.push((b"versions", b"")),
            (ListForm::Versions, Some((key, version))) => {
                pairs.push((b"versions", b""));
                pairs.push((b"key-marker", key));
                pairs.push((b"version-id-marker", version));
            }
        }
        self.query = canonical_query(pairs);
    }

    fn fault(
        &self,
        context: &WorkerContext,
        request: &mut PageRequest,
        page: &Page,
    ) -> Option<Judgement> {
        let wrong = |text: &str| Some(Judgement::Failed(ErrorClass::Wrong, text.to_owned()));
        if !page.whole {
            return wrong("not a listing");
        }
        let keys = request.before + page.keys;
        let versions = context.work.list == ListForm::Versions;
        let mut names = listing::Keys {
            prefix: context.place.common_prefix(),
            last: &mut request.last,
            // A server can list delete markers after all versions, out of key order.
            ascend: self.ascend && !(versions && request.page.marks_deletions()),
            again: versions,
        };
        if let Some(fault) = names.fault(request.page.bytes()) {
            return wrong(fault);
        }
        let Expected { least, most } = self.expected[request.bucket];
        // A page may have fewer keys than requested, or none, although more follow (Amazon S3 API
        // reference, "ListObjectsV2": MaxKeys).
        let empty = request.empty_after(page);
        let on_page = u64::from(context.work.page);
        match page {
            _ if page.keys > on_page => wrong("more keys than requested"),
            _ if !page.more && least.is_some_and(|least| keys < least) => Some(Judgement::Failed(
                ErrorClass::Short,
                "fewer keys than expected".to_owned(),
            )),
            _ if most.is_some_and(|most| keys > most) => wrong("more keys than expected"),
            _ if page.more && empty > MOST_EMPTY => {
                wrong("a thousand empty pages in a row, each with another page to follow")
            }
            _ if page.more && page.marker.is_empty() => wrong("no marker for the next page"),
            _ if page.more && page.marker == request.marker && page.version == request.version => {
                wrong("the listing does not advance: the next page has the same marker")
            }
            _ => None,
        }
    }
}

impl Action for List {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::List.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let (bucket, before, last, empty, from) = match self.rests.pop() {
            Some(rest) => (
                rest.bucket,
                rest.before,
                rest.last,
                rest.empty,
                Some(rest.from),
            ),
            None => {
                let bucket = self.bucket;
                self.bucket = (bucket + 1) % self.expected.len();
                (bucket, 0, String::new(), 0, None)
            }
        };
        self.write_query(context, from.as_ref());
        let spec = RequestSpec {
            query: &self.query,
            ..RequestSpec::plain("GET", bucket, &context.place.buckets[bucket].path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        let (marker, version) = from
            .map(|page| (page.marker, page.version))
            .unwrap_or_default();
        exchange.tag = self.out.insert(PageRequest {
            bucket,
            before,
            last,
            marker,
            version,
            empty,
            page: listing::Reader::new(context.work.list),
        }) as u64;
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
        if let Some(request) = self.out.get_mut(exchange.tag as usize) {
            request.page.read(part);
        }
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let Some(mut request) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if status != 200 {
            return context.refusals.failed(exchange);
        }
        let page = request.page.finish();
        if let Some(fault) = self.fault(context, &mut request, &page) {
            return fault;
        }
        if page.more {
            self.rests.push(Rest {
                bucket: request.bucket,
                before: request.before + page.keys,
                empty: request.empty_after(&page),
                last: request.last,
                from: page,
            });
        }
        Judgement::Correct
    }

    fn lost(&mut self, _context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        self.out.try_remove(exchange.tag as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_for_sure_is_what_nothing_takes_away() {
        for (mix, versions, expected) in [
            ("list:50,put:50", 0, true),
            ("list:50,put:40,delete:10", 0, true),
            ("list:50,put:40,delete:10", 2, false),
            ("list:50,delete-batch:50", 0, false),
            ("list:50,zip-get:50", 0, false),
        ] {
            let mut work = S3Work::new(S3Operation::List, 1, 10);
            work.mix = mix.parse().unwrap();
            work.versions = versions;
            assert_eq!(all_stay(&work), expected, "{mix}");
        }
    }
}
