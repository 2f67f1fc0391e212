//! Requests of `_bulk`, and the refusals in their responses.

use serde_json::json;
use tenbin_http::{Reply, excerpt};

use crate::error::Error;
use crate::groonga::Record;
use crate::json::Json;

/// HTTP status of an overloaded cluster.
const TOO_MANY: u64 = 429;
/// HTTP status of a request that is too large.
const TOO_LARGE: u64 = 413;
/// Type of the error of an index that takes no writes, for example because a disk is full.
const BLOCKED: &str = "cluster_block_exception";
/// Type of the error of an index that does not exist.
const NO_INDEX: &str = "index_not_found_exception";

/// Why a request failed: the status and the start of the response.
pub(super) fn error_text(what: &str, reply: &Reply) -> String {
    format!("{what}: status {}, {}", reply.status, reply.excerpt())
}

/// Body of a `_bulk` request.
pub(super) fn bulk(records: &[Record]) -> String {
    let mut lines = String::new();
    for record in records {
        let id = record.key().map(|key| match key {
            Json::Text(text) => text.clone(),
            other => other.to_string(),
        });
        let action = json!({"index": {"_id": id}});
        let columns = record.members().filter(|(name, _)| !name.starts_with('_'));
        let columns = columns.map(|(name, value)| (name.to_owned(), value.clone()));
        let document = Json::Map(columns.collect());
        lines.push_str(&format!("{action}\n{document}\n"));
    }
    lines
}

/// A batch that was not stored completely.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) why: Why,
    reason: String,
}

/// Why records were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The cluster is overloaded: the same batch may be accepted later.
    Overload,
    /// The request is too large.
    TooLarge,
    /// The index takes no writes, for example because a disk is full.
    Blocked,
    /// The index does not exist, and the cluster does not create it.
    NoIndex,
    /// The records contradict the mapping, or are invalid in another way.
    Records,
    /// The server has failed, or responded in an unexpected way.
    Server,
}

impl Why {
    fn of(status: u64, error: &str) -> Self {
        match status {
            _ if error.contains(BLOCKED) => Self::Blocked,
            _ if error.contains(NO_INDEX) => Self::NoIndex,
            TOO_MANY => Self::Overload,
            TOO_LARGE => Self::TooLarge,
            400..500 => Self::Records,
            _ => Self::Server,
        }
    }

    /// What to do before the next attempt; `None` if the same attempt can succeed.
    fn next(self, server: &str, index: &str) -> Option<String> {
        Some(match self {
            Self::Server => return None,
            Self::Overload => "the cluster stayed overloaded: resume with a smaller --batch or \
                               with --messages-per-second"
                .to_owned(),
            Self::TooLarge => "resume with a smaller --batch".to_owned(),
            Self::Blocked => format!(
                "free disk space on the nodes and lift the block (PUT {server}/{index}/_settings \
                 with {{\"index.blocks.read_only_allow_delete\": null}}) before you resume"
            ),
            Self::NoIndex => {
                "create the index first, or describe it with --mapping or --schema and \
                              load with --restart"
                    .to_owned()
            }
            Self::Records => format!(
                "correct the records or the mapping, delete the index (curl -X DELETE \
                 {server}/{index}), and load with --restart"
            ),
        })
    }
}

impl Refusal {
    pub(super) fn into_error(self, server: &str, index: &str) -> Error {
        match self.why.next(server, index) {
            Some(next) => Error::Rejected {
                server: server.to_owned(),
                reason: self.reason,
                next,
            },
            None => Error::server(server, self.reason),
        }
    }
}

/// Checks that every record of a batch was stored.
pub(super) fn judge(reply: &Reply, records: &[Record]) -> Result<(), Refusal> {
    if !reply.is_success() {
        let body = String::from_utf8_lossy(&reply.body);
        let why = match Why::of(u64::from(reply.status), &body) {
            // For example a login that is not accepted.
            Why::Records if reply.status != 400 => Why::Server,
            why => why,
        };
        return Err(Refusal {
            why,
            reason: error_text("_bulk", reply),
        });
    }
    let unexpected = |reason: String| Refusal {
        why: Why::Server,
        reason,
    };
    let Ok(body) = Json::parse(&reply.body) else {
        return Err(unexpected(error_text("_bulk", reply)));
    };
    let items = body
        .get("items")
        .and_then(Json::as_list)
        .unwrap_or_default();
    if items.len() != records.len() {
        return Err(unexpected(format!(
            "_bulk: the response has {1} results for {0} records",
            records.len(),
            items.len()
        )));
    }
    let mut first: Option<(u64, String)> = None;
    let mut failures = 0;
    let mut worst = Why::Overload;
    for (item, record) in items.iter().zip(records) {
        let item = item.get("index").unwrap_or(item);
        let status = item.get("status").and_then(Json::as_u64).unwrap_or(0);
        if (200..300).contains(&status) {
            continue;
        }
        failures += 1;
        let error = item.get("error").map_or(String::new(), Json::to_string);
        let why = Why::of(status, &error);
        // The first record that another attempt does not store says what to do.
        if worst == Why::Overload && (failures == 1 || why != Why::Overload) {
            worst = why;
            first = Some((record.place.line, excerpt(&error)));
        }
    }
    match first {
        None => Ok(()),
        Some((line, error)) => {
            let all = records.len();
            let others = if failures < all {
                ", the others are stored"
            } else {
                ""
            };
            Err(Refusal {
                why: worst,
                reason: format!(
                    "{failures} of {all} records of a batch were refused{others}; the one on line \
                     {line}: {error}"
                ),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::groonga::{Item, Script};
    use super::*;

    fn records(text: &str) -> Vec<Record> {
        Script::new("test", text.as_bytes())
            .map(|item| match item.unwrap() {
                Item::Record(record) => record,
                Item::Command(command) => panic!("{command}"),
            })
            .collect()
    }

    #[test]
    fn records_become_lines() {
        let records =
            records("load --table Pages\n[\n[\"_key\",\"title\",\"c\"],\n[5,\"町\\n\",[\"a\"]]\n]");
        assert_eq!(
            bulk(&records),
            "{\"index\":{\"_id\":\"5\"}}\n{\"title\":\"町\\n\",\"c\":[\"a\"]}\n"
        );
    }

    #[test]
    fn a_batch_with_refused_records_fails_and_says_what_to_do() {
        let records = records("load --table T\n[\n{\"_key\":1},\n{\"_key\":2}\n]");
        let judged = |status: u16, body: &str| {
            let body = body.as_bytes().to_vec();
            judge(&Reply { status, body }, &records)
        };
        let why = |status: u16, body: &str| judged(status, body).unwrap_err().why;
        let taken = r#"{"index":{"status":201}}"#;
        let busy = r#"{"index":{"status":429,"error":"full"}}"#;
        let bad = r#"{"index":{"status":400,"error":{"type":"mapper_parsing_exception"}}}"#;
        let full = r#"{"index":{"status":429,"error":{"type":"cluster_block_exception","reason":
            "index [t] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage"}}}"#;
        let both = |a: &str, b: &str| format!(r#"{{"errors":true,"items":[{a},{b}]}}"#);
        assert_eq!(judged(200, &both(taken, taken)), Ok(()));
        assert_eq!(why(200, &both(taken, busy)), Why::Overload);
        assert_eq!(why(200, &both(taken, full)), Why::Blocked);
        let missing = r#"{"index":{"status":404,"error":{"type":"index_not_found_exception"}}}"#;
        assert_eq!(why(200, &both(missing, missing)), Why::NoIndex);
        assert_eq!(why(413, ""), Why::TooLarge);
        assert_eq!(why(429, "busy"), Why::Overload);
        assert_eq!(why(403, BLOCKED), Why::Blocked);
        for (status, body) in [
            (200, "{}"),
            (401, ""),
            (500, &both(taken, taken)),
            (200, "no json"),
        ] {
            assert_eq!(why(status, body), Why::Server, "{body}");
        }
        let mixed = judged(200, &both(busy, bad)).unwrap_err();
        assert_eq!(
            mixed.into_error("http://h", "t").to_string(),
            "http://h: 2 of 2 records of a batch were refused; the one on line 4: {\"type\":\"mapper_parsing_exception\"}; correct the records or the mapping, \
             delete the index (curl -X DELETE http://h/t), and load with --restart"
        );
        let server = judged(500, "down").unwrap_err();
        assert!(matches!(server.into_error("h", "t"), Error::Server { .. }));
    }
}
