//! The keys of HTTP work as they were written.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::scalar::{At, Field, List};
use crate::secrets::Secrets;

/// The keys of a workload of kind `http`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as [[workload]]"
)]
pub struct HttpDraft {
    /// Request method.
    pub method: Field,
    /// Path and query.
    pub path: Field,
    /// `Name: value` lines.
    pub headers: Option<At<List>>,
    /// Request body.
    pub body: Field,
    /// What is kept out of everything that is printed: found while the draft is resolved.
    #[serde(skip)]
    pub secrets: Secrets,
    /// File that holds the request body.
    pub body_file: Field,
    /// Statuses that count as success.
    pub expect: Option<At<List>>,
    /// `size`, `headers` or `body`: what may differ between responses.
    pub may_differ: Option<At<List>>,
    /// File of requests to draw from.
    pub patterns: Field,
    /// What that file is written in.
    pub patterns_format: Field,
    /// `weighted`, `sequential`, `shuffled` or `zipf:1.1`.
    pub order: Field,
    /// How many of the slowest and of the fastest requests are kept.
    pub slowest: Field,
    /// How a response reports its number of hits.
    pub hits: Field,
    /// How far the numbers of hits of two targets may be apart.
    pub hits_tolerance: Field,
    /// A request for each target; the file then has search terms.
    pub by_target: Option<At<ByTargetDraft>>,
    /// Share of the requests that is to find its answer in the cache.
    pub cache_hit: Field,
    /// Answers that the cache of a host holds.
    pub cache_size: Field,
    /// Where the server tells what its cache has done.
    pub cache_counters: Field,
    /// Compare the content of every response.
    pub verify: Field,
}

/// The `by_target` of a workload: a request for a search term, by the name of a target or the
/// kind of server that it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ByTargetDraft(pub BTreeMap<String, At<TemplateDraft>>);

impl<'de> Deserialize<'de> for ByTargetDraft {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

/// One request of `by_target`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { path = \"/search?q={term}\" }"
)]
pub struct TemplateDraft {
    /// The tutorial's search in the words of this server, in place of the other keys.
    pub search: Field,
    /// Request method.
    pub method: Field,
    /// Path and query.
    pub path: Field,
    /// Request body.
    pub body: Field,
    /// How responses report their number of hits.
    pub hits: Field,
}
