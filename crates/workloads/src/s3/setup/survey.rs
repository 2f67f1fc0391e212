//! Lists existing objects below a prefix before a run, if a data set may already exist.

use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::ListForm;

use crate::s3::messages::judging::{Refusals, reason};
use crate::s3::messages::listing::{Reader, text_of};
use crate::s3::objects::catalogue::{Catalogue, Item};
use crate::s3::place::Place;
use crate::s3::setup::progress::Progress;
use crate::s3::signing::request_writer::{RequestSpec, RequestWriter};
use crate::s3::signing::uri::canonical_query;

/// Lists buckets one after the other with ListObjectsV2, page by page.
pub(crate) struct Survey {
    place: Arc<Place>,
    writer: RequestWriter,
    prefix: String,
    bucket: usize,
    /// Continuation token of the previous page; empty for the first page of a bucket.
    token: String,
    progress: Progress,
    /// Whether a request is in flight.
    in_flight: bool,
    page: Reader,
    found: Arc<Mutex<Catalogue>>,
    /// Whether a listing without objects is a failure.
    must_find: bool,
    done: bool,
    refusals: Refusals,
}

impl Survey {
    /// Lists all buckets of `place`, below `prefix`.
    pub(crate) fn new(
        place: Arc<Place>,
        writer: RequestWriter,
        prefix: &str,
        must_find: bool,
        found: Arc<Mutex<Catalogue>>,
    ) -> Self {
        Self {
            place,
            writer,
            prefix: prefix.to_owned(),
            bucket: 0,
            token: String::new(),
            progress: Progress::default(),
            in_flight: false,
            page: Reader::new(ListForm::V2),
            found,
            must_find,
            done: false,
            refusals: Refusals::default(),
        }
    }

    /// Records a page and selects the next request.
    fn take(&mut self) -> Judgement {
        let items = items(self.page.bytes());
        let page = self.page.finish();
        if !page.whole || page.more && page.marker.is_empty() {
            return failed("the response is not a listing");
        }
        if page.more && page.marker == self.token {
            return failed("the listing does not advance: the next page has the same token");
        }
        let keys = items.iter().map(|item| item.key.as_str());
        if page.more && !self.progress.makes_progress(keys) {
            return failed("the listing does not end and returns no new keys");
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let room = items.iter().all(|item| found.add(self.bucket, item));
        let nothing = found.len() == 0;
        drop(found);
        self.token = page.marker;
        if !page.more {
            self.token.clear();
            self.progress = Progress::default();
            self.bucket += 1;
        }
        self.done = !room || self.bucket == self.place.buckets.len();
        if self.done && nothing && self.must_find {
            failed(&format!(
                "there are no objects {}; name the prefix of existing objects, or let Tenbin create \
            objects with data = \"keep\"",
                if self.prefix.is_empty() {
                    "at all".to_owned()
                } else {
                    format!("below {:?}", self.prefix)
                }
            ))
        } else {
            Judgement::Correct
        }
    }
}

fn failed(why: &str) -> Judgement {
    Judgement::Failed(ErrorClass::Wrong, why.to_owned())
}

/// The objects on a page.
fn items(xml: &[u8]) -> Vec<Item> {
    const OPEN: &[u8] = b"<Contents>";
    memmem::find_iter(xml, OPEN)
        .filter_map(|at| {
            let rest = &xml[at + OPEN.len()..];
            let entry = &rest[..memmem::find(rest, b"</Contents>")?];
            Some(Item {
                key: text_of(entry, "Key")?,
                size: text_of(entry, "Size")?.trim().parse().ok()?,
                parts: text_of(entry, "ETag").map_or(0, |etag| parts_of(&etag)),
            })
        })
        .collect()
}

/// Number of parts of an object: the number at the end of its ETag, on Amazon S3 and compatible
/// servers.
fn parts_of(etag: &str) -> u64 {
    let parts = etag.trim_matches('"').rsplit_once('-');
    parts.and_then(|(_, parts)| parts.parse().ok()).unwrap_or(0)
}

impl Workload for Survey {
    fn operations(&self) -> &[&'static str] {
        &["survey"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.done {
            return Next::Exhausted;
        }
        if self.in_flight {
            return Next::Wait;
        }
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"list-type", b"2"),
            (b"max-keys", b"1000"),
            (b"prefix", self.prefix.as_bytes()),
        ];
        if !self.token.is_empty() {
            pairs.push((b"continuation-token", self.token.as_bytes()));
        }
        let spec = RequestSpec {
            query: &canonical_query(pairs),
            ..RequestSpec::plain("GET", self.bucket, &self.place.buckets[self.bucket].path)
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
        self.refusals.release(exchange);
        self.page = Reader::new(ListForm::V2);
        exchange.op = 0;
        exchange.bodyless_response = false;
        self.in_flight = true;
        Next::Ready
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        match head.status {
            200 => BodyUse::Inspect,
            _ => self.refusals.head(exchange, head),
        }
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        if !self.refusals.body(exchange, part) {
            self.page.read(part);
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.in_flight = false;
        let judgement = match status {
            200 => self.take(),
            _ => failed(&reason(status, self.refusals.code(exchange).as_deref())),
        };
        self.refusals.release(exchange);
        self.done |= judgement != Judgement::Correct;
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.refusals.release(exchange);
        self.in_flight = false;
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_as_a_server_writes_them() {
        let xml = "<ListBucketResult><Contents><Key>a&amp;b</Key><ETag>&#34;ab-3&#34;</ETag>\
                   <Size>7</Size></Contents><Contents><Key>c</Key><ETag>\"abc\"</ETag>\
                   <Size>0</Size></Contents><Contents><Key>no size</Key></Contents>\
                   <Contents><Key>cut</Key>";
        let item = |key: &str, size, parts| Item {
            key: key.to_owned(),
            size,
            parts,
        };
        assert_eq!(items(xml.as_bytes()), [item("a&b", 7, 3), item("c", 0, 0)]);
    }

    #[test]
    fn only_a_number_behind_a_dash_is_a_number_of_parts() {
        for (etag, parts) in [
            ("\"d41d8cd9-12\"", 12),
            ("\"d41d8cd9\"", 0),
            ("\"a-b\"", 0),
            ("", 0),
        ] {
            assert_eq!(parts_of(etag), parts, "{etag}");
        }
    }
}
