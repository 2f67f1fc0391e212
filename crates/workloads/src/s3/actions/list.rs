//! ListObjects, ListObjectsV2 and ListObjectVersions, page by page.

use slab::Slab;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next};
use tenbin_plan::{DataSet, ListForm, S3Operation};

use crate::s3::action::{Action, ActionKind, Layout, Setting};
use crate::s3::desk::Desk;
use crate::s3::listing::{self, Page};
use crate::s3::scribe::Ask;
use crate::s3::uri::canonical_query;

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
    page: listing::Reader,
}

/// Where a listing goes on.
struct Rest {
    bucket: usize,
    before: u64,
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
    /// Keys that a whole listing of each bucket has; none where it is not known.
    expected: Vec<Option<u64>>,
    query: Vec<u8>,
}

impl List {
    fn new(setting: &Setting<'_>) -> Self {
        let buckets = setting.place.buckets.len();
        let objects = setting.work.objects;
        let known = setting.work.mix.single().is_some()
            && setting.work.listing.delimiter.is_none()
            && setting.work.data != DataSet::Existing;
        let of_each = match setting.work.listing.form {
            ListForm::Versions => u64::from(setting.work.versions.max(1)),
            ListForm::V1 | ListForm::V2 => 1,
        };
        let expected = (0..buckets as u64).map(|bucket| {
            let several = buckets as u64;
            let strangers = setting.place.strangers.get(bucket as usize).copied();
            let share =
                objects / several + u64::from(bucket < objects % several) + strangers.unwrap_or(0);
            known.then_some(share * of_each)
        });
        Self {
            out: Slab::new(),
            rests: Vec::new(),
            bucket: setting.worker % buckets,
            expected: expected.collect(),
            query: Vec::with_capacity(512),
        }
    }

    fn write_query(&mut self, desk: &Desk, from: Option<&Page>) {
        let listing = &desk.work.listing;
        let page = listing.page.to_string();
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"max-keys", page.as_bytes()),
            (b"prefix", desk.place.common_prefix().as_bytes()),
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

    fn fault(&self, asked: &Asked, page: &Page) -> Option<Judgement> {
        let wrong = |text: &str| Some(Judgement::Failed(ErrorClass::Wrong, text.to_owned()));
        if !page.whole {
            return wrong("not a listing");
        }
        let keys = asked.before + page.keys;
        match self.expected[asked.bucket] {
            Some(expected) if !page.more && keys < expected => Some(Judgement::Failed(
                ErrorClass::Short,
                "fewer keys than there are".to_owned(),
            )),
            Some(expected) if keys > expected => wrong("more keys than there are"),
            // A full last page may promise more, and the next be empty; but not again.
            _ if page.more && page.keys == 0 => wrong("a page without keys that is not the last"),
            _ if page.more && page.marker.is_empty() => wrong("no word where the listing goes on"),
            _ => None,
        }
    }
}

impl Action for List {
    fn operations(&self) -> &'static [&'static str] {
        &["LIST"]
    }

    fn next(&mut self, desk: &mut Desk, now: Moment, exchange: &mut Exchange) -> Next {
        let (bucket, before, from) = match self.rests.pop() {
            Some(rest) => (rest.bucket, rest.before, Some(rest.from)),
            None => {
                let bucket = self.bucket;
                self.bucket = (bucket + 1) % self.expected.len();
                (bucket, 0, None)
            }
        };
        self.write_query(desk, from.as_ref());
        let ask = Ask {
            query: &self.query,
            ..Ask::plain("GET", bucket, &desk.place.buckets[bucket].path)
        };
        desk.scribe.write(exchange, now.unix_seconds, &ask);
        exchange.tag = self.out.insert(Asked {
            bucket,
            before,
            page: listing::Reader::new(desk.work.listing.form),
        }) as u64;
        Next::Ready
    }

    fn head(&mut self, desk: &mut Desk, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        match head.status {
            200 => BodyUse::Inspect,
            _ => desk.refusals.head(exchange, head),
        }
    }

    fn body(&mut self, desk: &mut Desk, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        if desk.refusals.body(exchange, part) {
            return;
        }
        if let Some(asked) = self.out.get_mut(exchange.tag as usize) {
            asked.page.read(part);
        }
    }

    fn judge(
        &mut self,
        desk: &mut Desk,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        let Some(mut asked) = self.out.try_remove(exchange.tag as usize) else {
            return Judgement::Correct;
        };
        if status != 200 {
            return desk.refusals.failed(exchange);
        }
        let page = asked.page.finish();
        if let Some(fault) = self.fault(&asked, &page) {
            return fault;
        }
        if page.more {
            self.rests.push(Rest {
                bucket: asked.bucket,
                before: asked.before + page.keys,
                from: page,
            });
        }
        Judgement::Correct
    }

    fn lost(&mut self, _desk: &mut Desk, exchange: &mut Exchange, _class: ErrorClass) {
        self.out.try_remove(exchange.tag as usize);
    }
}
