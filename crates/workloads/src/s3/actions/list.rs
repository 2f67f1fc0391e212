//! ListObjects, ListObjectsV2 and ListObjectVersions, page by page.

use slab::Slab;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next};
use tenbin_plan::{DataSet, ListForm, S3Operation, S3Work};

use crate::s3::action::{Action, ActionKind, Layout, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::listing::{self, Page};
use crate::s3::signing::request_writer::RequestSpec;
use crate::s3::signing::uri::canonical_query;

pub(crate) const KIND: ActionKind = ActionKind {
    operation: S3Operation::List,
    layout: Layout::Objects,
    probe: None,
    make: |setting| Box::new(List::new(setting)),
};

/// One request of a listing. One operation is one page.
struct Asked {
    bucket: usize,
    /// Keys met on earlier pages of this listing.
    before: u64,
    /// The last of them.
    last: String,
    /// What this page was asked for with.
    marker: String,
    version: String,
    page: listing::Reader,
}

/// Where a listing goes on.
struct Rest {
    bucket: usize,
    before: u64,
    last: String,
    /// What the page before gave to go on with.
    from: Page,
}

/// Lists what is below the prefix of the workload, again and again. Pages of one
/// listing follow each other; several listings go on at once, one for a connection.
/// [`Exchange::tag`] is the place of the request.
struct List {
    out: Slab<Asked>,
    rests: Vec<Rest>,
    /// The bucket whose listing begins next.
    bucket: usize,
    /// Keys that a whole listing of each bucket has.
    expected: Vec<Expected>,
    /// Whether a page that is not the last has to be full, and keys have to ascend.
    full: bool,
    ascend: bool,
    query: Vec<u8>,
}

/// How many keys a whole listing has; none where it is not known.
#[derive(Debug, Clone, Copy)]
struct Expected {
    least: Option<u64>,
    most: Option<u64>,
}

/// Whether objects are laid out one by one, and all stay there while they are listed.
fn all_stay(work: &S3Work) -> bool {
    use S3Operation::{Delete, DeleteBatch, ZipGet, ZipList};
    let has = |operation| work.mix.has(operation);
    // In a mix, DELETE takes what PUT has made.
    let some_go = has(DeleteBatch) || work.versions > 0 && has(Delete);
    let in_archives = has(ZipGet) || has(ZipList);
    !some_go && !in_archives
}

impl List {
    fn new(setting: &Setting<'_>) -> Self {
        let buckets = setting.place.buckets.len();
        let objects = setting.work.objects;
        let ours = setting.work.data != DataSet::Existing;
        let counted = ours && setting.work.listing.delimiter.is_none();
        let alone = setting.work.mix.single().is_some();
        let (least, most) = (
            counted && (alone || all_stay(setting.work)),
            counted && alone,
        );
        let of_each = match setting.work.listing.form {
            ListForm::Versions => u64::from(setting.work.versions.max(1)),
            ListForm::V1 | ListForm::V2 => 1,
        };
        let expected = (0..buckets as u64).map(|bucket| {
            let several = buckets as u64;
            let strangers = setting.place.strangers.get(bucket as usize).copied();
            let share =
                objects / several + u64::from(bucket < objects % several) + strangers.unwrap_or(0);
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
            full: most && setting.work.listing.form != ListForm::Versions,
            ascend: ours,
            query: Vec::with_capacity(512),
        }
    }

    fn write_query(&mut self, context: &WorkerContext, from: Option<&Page>) {
        let listing = &context.work.listing;
        let page = listing.page.to_string();
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"max-keys", page.as_bytes()),
            (b"prefix", context.place.common_prefix().as_bytes()),
        ];
        if let Some(delimiter) = &listing.delimiter {
            pairs.push((b"delimiter", delimiter.as_bytes()));
        }
        let go_on = from.map(|page| (page.marker.as_bytes(), page.version.as_bytes()));
        match (listing.form, go_on) {
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

    fn fault(&self, context: &WorkerContext, asked: &mut Asked, page: &Page) -> Option<Judgement> {
        let wrong = |text: &str| Some(Judgement::Failed(ErrorClass::Wrong, text.to_owned()));
        if !page.whole {
            return wrong("not a listing");
        }
        let keys = asked.before + page.keys;
        let versions = context.work.listing.form == ListForm::Versions;
        let mut names = listing::Keys {
            prefix: context.place.common_prefix(),
            last: &mut asked.last,
            // Delete markers may stand behind all versions.
            ascend: self.ascend && !(versions && asked.page.marks_deletions()),
            again: versions,
        };
        if let Some(fault) = names.fault(asked.page.bytes()) {
            return wrong(fault);
        }
        let Expected { least, most } = self.expected[asked.bucket];
        let on_page = u64::from(context.work.listing.page);
        match page {
            _ if page.keys > on_page => wrong("more keys than were asked for"),
            _ if !page.more && least.is_some_and(|least| keys < least) => Some(Judgement::Failed(
                ErrorClass::Short,
                "fewer keys than there are".to_owned(),
            )),
            _ if most.is_some_and(|most| keys > most) => wrong("more keys than there are"),
            // A full last page may promise more, and the next be empty; but not again.
            _ if page.more && page.keys == 0 => wrong("a page without keys that is not the last"),
            _ if page.more && page.marker.is_empty() => wrong("no word where the listing goes on"),
            _ if page.more && page.keys < on_page && self.full => {
                wrong("a page that is not the last and not full")
            }
            _ if page.more && page.marker == asked.marker && page.version == asked.version => {
                wrong("the listing does not go on")
            }
            _ => None,
        }
    }
}

impl Action for List {
    fn operations(&self) -> &'static [&'static str] {
        &["LIST"]
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let (bucket, before, last, from) = match self.rests.pop() {
            Some(rest) => (rest.bucket, rest.before, rest.last, Some(rest.from)),
            None => {
                let bucket = self.bucket;
                self.bucket = (bucket + 1) % self.expected.len();
                (bucket, 0, String::new(), None)
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
        exchange.tag = self.out.insert(Asked {
            bucket,
            before,
            last,
            marker,
            version,
            page: listing::Reader::new(context.work.listing.form),
        }) as u64;
        Next::Ready
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &AnswerHead<'_>,
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
        if let Some(asked) = self.out.get_mut(exchange.tag as usize) {
            asked.page.read(part);
        }
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let Some(mut asked) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if status != 200 {
            return context.refusals.failed(exchange);
        }
        let page = asked.page.finish();
        if let Some(fault) = self.fault(context, &mut asked, &page) {
            return fault;
        }
        if page.more {
            self.rests.push(Rest {
                bucket: asked.bucket,
                before: asked.before + page.keys,
                last: asked.last,
                from: page,
            });
        }
        Judgement::Correct
    }

    fn lost(&mut self, _desk: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
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
