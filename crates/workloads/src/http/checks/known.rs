//! Errors that known servers report in responses with a success status.

use std::fmt;

use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::error_message::words;

/// Bytes at the start of a response of Groonga that contain the return code.
pub(super) const GROONGA_HEAD: usize = 4096;

/// A format in which responses report errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownErrors {
    /// OpenSearch and Elasticsearch: one search, count, or update or deletion by query.
    Search,
    /// OpenSearch and Elasticsearch: several searches.
    MultiSearch,
    /// OpenSearch and Elasticsearch: several writes.
    Bulk,
    /// OpenSearch and Elasticsearch: several documents.
    MultiGet,
    /// Groonga and Droonga.
    Groonga,
    /// GraphQL.
    GraphQl,
}

impl KnownErrors {
    /// The format of the responses to a request; `None` if unknown.
    pub(super) fn of(method: &str, path: &str, body: &[u8]) -> Option<Self> {
        let path = path.split('?').next().unwrap_or(path);
        if path.contains("/d/") {
            return Some(Self::Groonga);
        }
        let mut segments = path.split('/').rev().take(2);
        let by_name = segments.find_map(|segment| match segment {
            "_search" | "_count" | "_async_search" | "_update_by_query" | "_delete_by_query"
            | "_reindex" => Some(Self::Search),
            "_msearch" => Some(Self::MultiSearch),
            "_bulk" => Some(Self::Bulk),
            "_mget" => Some(Self::MultiGet),
            _ => None,
        });
        let is_graphql = || {
            path.trim_end_matches('/').ends_with("/graphql")
                || method == "POST" && has_graphql_query(body)
        };
        by_name.or_else(|| is_graphql().then_some(Self::GraphQl))
    }

    /// Name of the format in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Search => "OpenSearch _search",
            Self::MultiSearch => "OpenSearch _msearch",
            Self::Bulk => "OpenSearch _bulk",
            Self::MultiGet => "OpenSearch _mget",
            Self::Groonga => "Groonga",
            Self::GraphQl => "GraphQL",
        }
    }

    /// The error that a response reports; `None` if the response reports none, or is not in the
    /// format.
    pub(super) fn find(self, body: &[u8]) -> Option<String> {
        match self {
            Self::Search => {
                let search: Search = serde_json::from_slice(body).ok()?;
                Some(search.fault()?.describe(body))
            }
            Self::MultiSearch => {
                let several: MultiSearch = serde_json::from_slice(body).ok()?;
                let Parts { all, failed } = several.responses;
                (failed > 0).then(|| {
                    let what = format!("{failed} of {all} searches failed");
                    explained(what, first_reason(body, &["/responses"]))
                })
            }
            Self::MultiGet => {
                let several: MultiGet = serde_json::from_slice(body).ok()?;
                let Parts { all, failed } = several.docs;
                (failed > 0).then(|| {
                    let what = format!("{failed} of {all} documents failed");
                    explained(what, first_reason(body, &["/docs"]))
                })
            }
            Self::Bulk => {
                let bulk: Bulk = serde_json::from_slice(body).ok()?;
                bulk.errors
                    .then(|| explained("some writes failed".to_owned(), bulk_reason(body)))
            }
            Self::Groonga => {
                let code = groonga_code(&body[..body.len().min(GROONGA_HEAD)])?;
                (code != 0).then(|| explained(format!("return code {code}"), words(body)))
            }
            Self::GraphQl => {
                let response: GraphQl<'_> = serde_json::from_slice(body).ok()?;
                let errors = response.errors?.get();
                let is_empty = matches!(errors, "null" | "[]" | "[ ]");
                (!is_empty).then(|| {
                    let reason = first_text(errors, "/0/message");
                    explained("errors".to_owned(), reason)
                })
            }
        }
    }
}

fn explained(what: String, reason: Option<String>) -> String {
    match reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what,
    }
}

/// Whether a body is a GraphQL request: a JSON object with a text `query` that has a selection.
fn has_graphql_query(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        query: &'a RawValue,
    }
    let Ok(request) = serde_json::from_slice::<Request<'_>>(body) else {
        return false;
    };
    let query = request.query.get();
    query.starts_with('"') && query.contains('{')
}

#[derive(Deserialize)]
struct MultiSearch {
    responses: Parts,
}

#[derive(Deserialize)]
struct MultiGet {
    docs: Parts,
}

#[derive(Deserialize)]
struct Bulk {
    #[serde(default)]
    errors: bool,
}

#[derive(Deserialize)]
struct GraphQl<'a> {
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
}

/// The parts of a response to a search that report errors.
#[derive(Deserialize)]
struct Search {
    #[serde(default)]
    timed_out: Option<bool>,
    #[serde(default, rename = "_shards")]
    shards: Option<Shards>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    failures: Option<Filled>,
    /// The search in the response of an asynchronous search.
    #[serde(default)]
    response: Option<Box<Search>>,
}

#[derive(Deserialize)]
struct Shards {
    #[serde(default)]
    total: u64,
    #[serde(default)]
    failed: u64,
}

/// Why a search failed.
enum Fault {
    Error,
    Status(u16),
    Shards(Shards),
    TimedOut,
    Failures,
}

impl Search {
    fn fault(self) -> Option<Fault> {
        if let Some(inner) = self.response
            && let Some(fault) = inner.fault()
        {
            return Some(fault);
        }
        if self.error.is_some() {
            return Some(Fault::Error);
        }
        if let Some(status) = self.status.filter(|status| *status >= 400) {
            return Some(Fault::Status(status));
        }
        if let Some(shards) = self.shards.filter(|shards| shards.failed > 0) {
            return Some(Fault::Shards(shards));
        }
        if self.timed_out == Some(true) {
            return Some(Fault::TimedOut);
        }
        self.failures
            .filter(|failures| failures.0)
            .map(|_| Fault::Failures)
    }
}

impl Fault {
    fn describe(&self, body: &[u8]) -> String {
        let reason = || first_reason(body, &["", "/_shards/failures", "/failures", "/response"]);
        match self {
            Self::Error => explained("the search failed".to_owned(), reason()),
            Self::Status(status) => explained(format!("status {status} in the body"), reason()),
            Self::Shards(Shards { total, failed }) => {
                explained(format!("{failed} of {total} shards failed"), reason())
            }
            Self::TimedOut => "timed_out: the result is partial".to_owned(),
            Self::Failures => explained("failures".to_owned(), reason()),
        }
    }
}

/// Whether a list has any element.
struct Filled(bool);

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Filled;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Filled, A::Error> {
                let mut is_filled = false;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    is_filled = true;
                }
                Ok(Filled(is_filled))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

/// The number of elements of a list, and of those that report an error.
struct Parts {
    all: u64,
    failed: u64,
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Parts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of responses")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parts, A::Error> {
                let mut parts = Parts { all: 0, failed: 0 };
                while let Some(part) = seq.next_element::<Search>()? {
                    parts.all += 1;
                    parts.failed += u64::from(part.fault().is_some());
                }
                Ok(parts)
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

/// The first error message in a response, at one of these places or in a list there.
fn first_reason(body: &[u8], places: &[&str]) -> Option<String> {
    let response: Value = serde_json::from_slice(body).ok()?;
    places
        .iter()
        .find_map(|place| match response.pointer(place)? {
            Value::Array(parts) => parts.iter().find_map(reason_in),
            part => reason_in(part),
        })
}

fn reason_in(part: &Value) -> Option<String> {
    const PLACES: [&str; 8] = [
        "/error/root_cause/0/reason",
        "/error/reason",
        "/error",
        "/reason/reason",
        "/reason",
        "/cause/reason",
        "/_shards/failures/0/reason/reason",
        "/_shards/failures/0/reason/type",
    ];
    let mut found = PLACES
        .iter()
        .filter_map(|place| part.pointer(place)?.as_str());
    found.next().map(printable)
}

fn bulk_reason(body: &[u8]) -> Option<String> {
    let response: Value = serde_json::from_slice(body).ok()?;
    let items = response.get("items")?.as_array()?;
    let actions = items.iter().filter_map(Value::as_object);
    let failed: Vec<&Value> = actions
        .flat_map(|item| item.values())
        .filter(|action| action.get("error").is_some())
        .collect();
    let reason = failed.first().and_then(|action| reason_in(action))?;
    Some(format!(
        "{} of {}, first {reason}",
        failed.len(),
        items.len()
    ))
}

fn first_text(json: &str, pointer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    Some(printable(value.pointer(pointer)?.as_str()?))
}

/// Characters of a message that are kept.
const KEPT_CHARS: usize = 120;

fn printable(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    printable.take(KEPT_CHARS).collect()
}

/// The return code at the start of a response of Groonga: `[[0, …` or
/// `{"header":{"return_code":0, …`.
fn groonga_code(start: &[u8]) -> Option<i64> {
    let rest = |text: &[u8]| {
        Some(
            start
                .trim_ascii_start()
                .strip_prefix(text)?
                .trim_ascii_start(),
        )
    };
    if let Some(header) = rest(b"[").and_then(|rest| rest.strip_prefix(b"[")) {
        return number(header.trim_ascii_start());
    }
    let header = rest(b"{")?.strip_prefix(b"\"header\"")?;
    const NAME: &[u8] = b"\"return_code\"";
    let at = memmem::find(header, NAME)?;
    let value = header[at + NAME.len()..].trim_ascii_start();
    number(value.strip_prefix(b":")?.trim_ascii_start())
}

/// The whole number at the start of a text, if another character follows.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let end = text
        .iter()
        .position(|byte| !(byte.is_ascii_digit() || *byte == b'-'))?;
    let follows = text[end..].trim_ascii_start().first();
    let is_element = matches!(follows, Some(b',' | b']' | b'}'));
    let digits = std::str::from_utf8(&text[..end]).ok()?;
    digits.parse().ok().filter(|_| is_element)
}

#[cfg(test)]
mod tests {
    use super::KnownErrors::{Bulk, GraphQl, Groonga, MultiGet, MultiSearch, Search};
    use super::*;

    #[test]
    fn formats_are_known_by_the_request() {
        for (method, path, body, expected) in [
            ("POST", "/wiki/_search?size=3", "{}", Some(Search)),
            ("POST", "/_search/scroll", "{}", Some(Search)),
            ("GET", "/wiki/_count", "", Some(Search)),
            ("POST", "/wiki/_msearch", "{}", Some(MultiSearch)),
            ("POST", "/_msearch/template", "{}", Some(MultiSearch)),
            ("POST", "/_bulk?refresh=true", "{}", Some(Bulk)),
            ("POST", "/wiki/_mget", "{}", Some(MultiGet)),
            ("GET", "/d/select?table=Pages", "", Some(Groonga)),
            ("GET", "/api/graphql?query={a}", "", Some(GraphQl)),
            (
                "POST",
                "/api",
                r#"{"query":"{ user { name } }"}"#,
                Some(GraphQl),
            ),
            ("POST", "/api", r#"{"query":"shoes"}"#, None),
            ("POST", "/api", r#"{"query":{"match_all":{}}}"#, None),
            ("GET", "/wiki/_doc/1", "", None),
            ("GET", "/search", "", None),
        ] {
            let known = KnownErrors::of(method, path, body.as_bytes());
            assert_eq!(known, expected, "{path} {body}");
        }
    }

    #[test]
    fn errors_are_found_in_every_format() {
        let shard = r#"{"took":1,"timed_out":false,"_shards":{"total":5,"successful":3,"skipped":0,
            "failed":2,"failures":[{"shard":0,"reason":{"type":"x","reason":"too many clauses"}}]},
            "hits":{"hits":[]}}"#;
        for (known, body, expected) in [
            (Search, shard, "2 of 5 shards failed: too many clauses"),
            (
                Search,
                r#"{"timed_out":true,"hits":{}}"#,
                "timed_out: the result is partial",
            ),
            (
                Search,
                r#"{"id":"x","response":{"_shards":{"total":2,"failed":1}}}"#,
                "1 of 2 shards failed",
            ),
            (
                Search,
                r#"{"deleted":3,"failures":[{"cause":{"reason":"version conflict"}}]}"#,
                "failures: version conflict",
            ),
            (
                MultiSearch,
                r#"{"took":1,"responses":[{"hits":{},"status":200},
                    {"error":{"type":"x","reason":"no such index [n]"},"status":404}]}"#,
                "1 of 2 searches failed: no such index [n]",
            ),
            (
                MultiSearch,
                r#"{"responses":[{"timed_out":true,"status":200},{"_shards":{"failed":1}}]}"#,
                "2 of 2 searches failed",
            ),
            (
                MultiGet,
                r#"{"docs":[{"_id":"1","found":true},{"error":{"reason":"no such index"}}]}"#,
                "1 of 2 documents failed: no such index",
            ),
            (
                Bulk,
                r#"{"errors":true,"items":[{"index":{"status":201}},
                    {"index":{"status":429,"error":{"reason":"rejected"}}}]}"#,
                "some writes failed: 1 of 2, first rejected",
            ),
            (
                Groonga,
                r#"[[-22,1.5,4.6e-05,"invalid name",[["f","g.cpp",4]]]]"#,
                "return code -22: invalid name",
            ),
            (
                Groonga,
                r#"{ "header": {"return_code": -63, "error": {"message": "bad query"}}}"#,
                "return code -63: bad query",
            ),
            (
                GraphQl,
                r#"{"data":{"user":null},"errors":[{"message":"not allowed"}]}"#,
                "errors: not allowed",
            ),
        ] {
            let found = known.find(body.as_bytes());
            assert_eq!(found.as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn correct_responses_and_other_formats_report_no_error() {
        for (known, body) in [
            (
                Search,
                r#"{"took":1,"timed_out":false,"_shards":{"total":5,"failed":0},"hits":{"hits":[
                    {"_source":{"error":"text","timed_out":true,"status":500}}]}}"#,
            ),
            (Search, r#"{"deleted":3,"failures":[]}"#),
            (Search, "took: 1\ntimed_out: true\n"),
            (Search, ""),
            (MultiSearch, r#"{"responses":[{"hits":{},"status":200}]}"#),
            (MultiSearch, r#"{"responses":[]}"#),
            (MultiGet, r#"{"docs":[{"_id":"1","found":false}]}"#),
            (
                Bulk,
                r#"{"errors":false,"items":[{"index":{"status":201}}]}"#,
            ),
            (
                Groonga,
                r#"[[0,1795174616.66,6.05e-05],[[[2],[["title","ShortText"]]]]]"#,
            ),
            (
                Groonga,
                r#"{"header":{"return_code":0},"body":{"n_hits":2}}"#,
            ),
            (Groonga, r#"[["a",-1],["b",2]]"#),
            (Groonga, "[[1.5,2]]"),
            (Groonga, "[[-22"),
            (Groonga, r#"{"body":{"return_code":-22}}"#),
            (GraphQl, r#"{"data":{"errors":[{"message":"a field"}]}}"#),
            (GraphQl, r#"{"data":{},"errors":[]}"#),
            (GraphQl, r#"{"data":{},"errors":null}"#),
            (GraphQl, "[]"),
        ] {
            assert_eq!(known.find(body.as_bytes()), None, "{known:?} {body}");
        }
    }
}
