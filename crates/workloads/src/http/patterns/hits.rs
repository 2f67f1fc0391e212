//! Asks every pattern once for its number of hits.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::HitSource;

use super::book::Book;

/// Of an answer that is longer, the number of hits is not known.
const LARGEST_ANSWER: usize = 64 << 20;

/// Asks one pattern after the other, unmeasured.
pub(super) struct Asker {
    book: Arc<Book>,
    source: HitSource,
    hits: Arc<Mutex<Vec<Option<u64>>>>,
    next: usize,
    count: usize,
    body: Vec<u8>,
    too_long: bool,
}

impl Asker {
    pub(super) fn new(
        book: Arc<Book>,
        source: HitSource,
        hits: Arc<Mutex<Vec<Option<u64>>>>,
        count: usize,
    ) -> Self {
        Self {
            book,
            source,
            hits,
            next: 0,
            count,
            body: Vec::new(),
            too_long: false,
        }
    }
}

impl Workload for Asker {
    fn operations(&self) -> &[&'static str] {
        &["ask"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.next == self.count {
            return Next::Exhausted;
        }
        self.book.write(self.next as u32, exchange);
        exchange.op = 0;
        self.next += 1;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.book.body(exchange)
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.body.clear();
        self.too_long = false;
        BodyUse::Inspect
    }

    fn body(&mut self, _exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        if self.body.len() + part.len() > LARGEST_ANSWER {
            self.too_long = true;
        } else {
            self.body.extend_from_slice(part);
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let fits = self.book.success.holds(status) && !self.too_long;
        let found = hits(&self.source, &self.body).filter(|_| fits);
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = hits.get_mut(exchange.tag as usize) {
            *known = found;
        }
        match found {
            Some(_) => Judgement::Correct,
            None => Judgement::Failed(
                ErrorClass::Wrong,
                format!("status {status} and no number of hits"),
            ),
        }
    }
}

/// The number of hits that an answer tells.
fn hits(source: &HitSource, body: &[u8]) -> Option<u64> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    match source {
        HitSource::Groonga => of_groonga(&answer),
        HitSource::OpenSearch => of_opensearch(&answer),
        HitSource::Pointer(pointer) => answer.pointer(pointer)?.as_u64(),
    }
}

/// Command versions 1 and 2: `[[0, start, elapsed], [[[hits], columns, …], …]]`;
/// command version 3: `{"header": {"return_code": 0, …}, "body": {"n_hits": hits, …}}`.
fn of_groonga(answer: &Value) -> Option<u64> {
    if let Some(header) = answer.get("header") {
        let worked = header.get("return_code")?.as_i64()? == 0;
        return answer.pointer("/body/n_hits")?.as_u64().filter(|_| worked);
    }
    let worked = answer.pointer("/0/0")?.as_i64()? == 0;
    answer.pointer("/1/0/0/0")?.as_u64().filter(|_| worked)
}

/// `hits.total`, unless it is only a bound ("relation": "gte", which all large numbers are
/// where the request does not say "track_total_hits": true), or shards are missing in it.
fn of_opensearch(answer: &Value) -> Option<u64> {
    let timed_out = answer.get("timed_out").and_then(Value::as_bool);
    let failed = answer.pointer("/_shards/failed").and_then(Value::as_u64);
    if timed_out == Some(true) || failed.is_some_and(|failed| failed > 0) {
        return None;
    }
    let total = answer.pointer("/hits/total")?;
    let exact = total
        .get("relation")
        .is_none_or(|relation| relation == "eq");
    let value = total.as_u64().or_else(|| total.get("value")?.as_u64());
    value.filter(|_| exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groonga_tells_its_hits_in_every_command_version() {
        let source = HitSource::Groonga;
        for (answer, expected) in [
            (
                r#"[[0,1795174616.66,6.05e-05],[[[5000],[["title","ShortText"]],["a"],["b"]]]]"#,
                Some(5000),
            ),
            (
                r#"{"header":{"return_code":0,"start_time":1.5},"body":{"n_hits":12,"records":[]}}"#,
                Some(12),
            ),
            (
                r#"[[-22,1795174616.678681,4.67e-05,"invalid name",[["execute","f.cpp",49]]]]"#,
                None,
            ),
            (
                r#"{"header":{"return_code":-22},"body":{"n_hits":12}}"#,
                None,
            ),
            ("<html>", None),
            ("[]", None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(hits(&source, answer.as_bytes()), expected, "{answer}");
        }
    }

    #[test]
    fn others_tell_them_elsewhere() {
        let new = br#"{"hits":{"total":{"value":7,"relation":"eq"},"hits":[]}}"#;
        let old = br#"{"hits":{"total":8,"hits":[]}}"#;
        assert_eq!(hits(&HitSource::OpenSearch, new), Some(7));
        assert_eq!(hits(&HitSource::OpenSearch, old), Some(8));
        for part in [
            r#"{"hits":{"total":{"value":10000,"relation":"gte"}}}"#,
            r#"{"timed_out":true,"hits":{"total":{"value":7,"relation":"eq"}}}"#,
            r#"{"_shards":{"total":3,"failed":1},"hits":{"total":{"value":7,"relation":"eq"}}}"#,
        ] {
            assert_eq!(
                hits(&HitSource::OpenSearch, part.as_bytes()),
                None,
                "{part}"
            );
        }
        let pointer = HitSource::Pointer("/response/numFound".to_owned());
        assert_eq!(hits(&pointer, br#"{"response":{"numFound":9}}"#), Some(9));
        assert_eq!(hits(&pointer, br#"{"response":{"numFound":-1}}"#), None);
        assert_eq!(hits(&pointer, new), None);
    }
}
