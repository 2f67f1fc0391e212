//! Extracts terms from OpenSearch.

use serde_json::json;

use super::{PAGE, Source, Wanted, as_term, words};
use crate::error::Error;
use crate::escape::query_component;
use crate::json::Json;
use crate::opensearch::{index_of, query};
use tenbin_http::{Client, Reply};

const JSON: &str = "application/json";
/// How long the cluster keeps the scroll context between two requests.
const KEEP: &str = "5m";

struct OpenSearch<'a> {
    server: &'a Client,
    wanted: &'a Wanted,
    /// Id of the scroll context.
    scroll: Option<String>,
}

pub(super) fn open<'a>(server: &'a Client, wanted: &'a Wanted) -> Box<dyn Source + 'a> {
    Box::new(OpenSearch {
        server,
        wanted,
        scroll: None,
    })
}

impl OpenSearch<'_> {
    fn index(&self) -> String {
        query_component(&index_of(&self.wanted.table))
    }

    fn failed(&self, reason: String) -> Error {
        Error::server(self.server.url(), reason)
    }
}

impl Source for OpenSearch<'_> {
    fn next(&mut self) -> Result<Vec<String>, Error> {
        let (path, body) = match &self.scroll {
            None => (
                format!("/{}/_search?scroll={KEEP}", self.index()),
                json!({"size": PAGE, "_source": [self.wanted.column], "sort": ["_doc"]}),
            ),
            Some(scroll) => (
                "/_search/scroll".to_owned(),
                json!({"scroll": KEEP, "scroll_id": scroll}),
            ),
        };
        // A response whose values are all empty is not the end: continue with the next records.
        let reply = self.server.post(&path, JSON, body.to_string().as_bytes())?;
        let page = Page::of(&reply, &self.wanted.column).map_err(|why| self.failed(why))?;
        self.scroll = page.scroll.or(self.scroll.take());
        match page.terms {
            terms if terms.is_empty() && page.records > 0 => self.next(),
            terms => Ok(terms),
        }
    }

    fn hits(&self, term: &str, columns: &str) -> Result<Result<u64, String>, Error> {
        let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
        let body = json!({"query": query(&columns, term)}).to_string();
        let path = format!("/{}/_count", self.index());
        let reply = self.server.post(&path, JSON, body.as_bytes())?;
        if reply.status == 400 {
            return Ok(Err(format!("status 400: {}", reply.excerpt())));
        }
        let count = successful_body(&reply).and_then(|body| {
            let count = body.get("count").and_then(Json::as_u64);
            count.ok_or_else(|| format!("the response has no count: {}", reply.excerpt()))
        });
        let count = count.map_err(|reason| self.failed(format!("query {term:?}: {reason}")));
        count.map(Ok)
    }
}

impl Drop for OpenSearch<'_> {
    fn drop(&mut self) {
        if let Some(scroll) = &self.scroll {
            // Clusters limit the number of scroll contexts, and this context would expire only
            // after `KEEP`.
            let body = json!({"scroll_id": scroll}).to_string();
            let _ = self.server.delete("/_search/scroll", JSON, body.as_bytes());
        }
    }
}

/// One response of the scrolled search.
struct Page {
    scroll: Option<String>,
    records: usize,
    terms: Vec<String>,
}

impl Page {
    fn of(reply: &Reply, column: &str) -> Result<Self, String> {
        let body = successful_body(reply)?;
        let hits = body.get("hits").and_then(|hits| hits.get("hits"));
        let records = hits
            .and_then(Json::as_list)
            .ok_or_else(|| format!("the response is not a search result: {}", reply.excerpt()))?;
        let value = |record: &Json| words(record.get("_source").and_then(|it| it.get(column)));
        let scroll = body.get("_scroll_id").and_then(Json::as_text);
        Ok(Self {
            scroll: scroll.map(str::to_owned),
            records: records.len(),
            terms: records.iter().flat_map(value).filter_map(as_term).collect(),
        })
    }
}

/// The body of a response, if the status is 2xx and no shard failed.
fn successful_body(reply: &Reply) -> Result<Json, String> {
    let wrong = || format!("status {}: {}", reply.status, reply.excerpt());
    let parsed = Json::parse(&reply.body).ok().filter(|_| reply.is_success());
    let body = parsed.ok_or_else(wrong)?;
    let failed = body.get("_shards").and_then(|shards| shards.get("failed"));
    match failed.and_then(Json::as_u64) {
        Some(failed) if failed > 0 => Err(format!("{failed} shards failed: {}", reply.excerpt())),
        _ => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(status: u16, body: &str) -> Result<Page, String> {
        let body = body.as_bytes().to_vec();
        Page::of(&Reply { status, body }, "title")
    }

    #[test]
    fn a_page_of_an_index() {
        let page = page(
            200,
            r#"{"_scroll_id":"abc","_shards":{"total":3,"failed":0},"hits":{"total":{"value":3},
                "hits":[{"_id":"1","_source":{"title":"a\nb"}},{"_id":"2","_source":{}},
                {"_id":"3","_source":{"title":["c","d"]}}]}}"#,
        )
        .unwrap();
        assert_eq!(page.terms, ["a b", "c", "d"]);
        assert_eq!((page.records, page.scroll.as_deref()), (3, Some("abc")));
    }

    #[test]
    fn results_of_a_part_of_the_shards_are_errors() {
        let part = r#"{"_shards":{"total":3,"failed":1},"hits":{"hits":[]}}"#;
        let gone = r#"{"error":{"type":"index_not_found_exception"},"status":404}"#;
        for (status, body, expected) in [
            (200, part, "1 shards failed"),
            (404, gone, "status 404"),
            (200, "<html>", "status 200"),
            (200, "{}", "not a search result"),
        ] {
            let why = page(status, body).err().unwrap();
            assert!(why.contains(expected), "{why}");
        }
    }
}
