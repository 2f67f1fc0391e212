//! Cache hits and lookups of a target, as reported by the target's servers.

use std::time::Duration;

use serde_json::Value;
use tenbin_plan::{CacheCounters, Sentence, sentence};

use crate::probe::{FetchError, fetch};
use crate::route::ResolvedRoute;
use crate::running::Running;

/// Time limit of the request to one host.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Cache counters of a server, counted since the server started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheCount {
    /// Lookups that found an entry in the cache.
    pub hits: u64,
    /// All lookups, with or without a hit.
    pub lookups: u64,
}

impl CacheCount {
    /// Difference to the earlier reading `before`; `None` if the counters were reset in between.
    pub fn since(self, before: Self) -> Option<Self> {
        Some(Self {
            hits: self.hits.checked_sub(before.hits)?,
            lookups: self.lookups.checked_sub(before.lookups)?,
        })
    }
}

/// Requests `path` from every host of a target and adds up the counters. Accepts the formats of
/// Groonga's `status`, Droonga's `/statistics/cache` and OpenSearch's statistics.
///
/// # Errors
/// Names the host without counters, and the reason.
pub fn cache_count(target: &Running, path: &str) -> Result<CacheCount, Sentence> {
    let mut sum = CacheCount::default();
    let mut asked: Vec<&str> = Vec::new();
    for (host, endpoint) in target.route.endpoints() {
        // Several addresses can belong to one host: only the first address is used.
        if asked.contains(&host.name.as_str()) {
            continue;
        }
        asked.push(&host.name);
        let of_host = |why: Sentence| {
            sentence!(
                "of-path-of-host",
                "host {host}, {path}: {why}",
                host = host.name,
                path,
                why
            )
        };
        let url = host
            .url
            .join(path)
            .map_err(|error| of_host(Sentence::verbatim(error)))?;
        let body = fetch(&url, &endpoint, TIMEOUT)
            .map_err(|error: FetchError| of_host(error.sentence()))?;
        let count = read(&body).ok_or_else(|| {
            of_host(sentence!(
                "response-without-counters",
                "the response has no cache counters in the format of Groonga, Droonga or OpenSearch"
            ))
        })?;
        sum.hits = sum.hits.saturating_add(count.hits);
        sum.lookups = sum.lookups.saturating_add(count.lookups);
    }
    Ok(sum)
}

/// Time limit of one request of [`known_counters`], which sends up to three requests per address.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Finds out which kind of cache counters (Groonga, Droonga or OpenSearch) all servers at `urls`
/// report; `None` if no kind works for all servers. The requests do not change the counters.
pub fn known_counters(urls: &[String]) -> Option<CacheCounters> {
    let route = ResolvedRoute::to_urls(urls).ok()?;
    let known = [
        CacheCounters::Groonga,
        CacheCounters::Droonga,
        CacheCounters::OpenSearch,
    ];
    known.into_iter().find(|counters| {
        !route.hosts.is_empty()
            && route.endpoints().all(|(host, endpoint)| {
                let page = host.url.join(counters.path()).ok();
                let body = page.and_then(|page| fetch(&page, &endpoint, PROBE_TIMEOUT).ok());
                body.is_some_and(|body| read(&body).is_some())
            })
    })
}

fn read(text: &[u8]) -> Option<CacheCount> {
    let body: Value = serde_json::from_slice(text).ok()?;
    of_groonga(&body)
        .or_else(|| of_droonga(&body))
        .or_else(|| of_opensearch(&body))
}

/// Parses Groonga's `status`: `cache_hit_rate` is in percent; `n_queries` counts cache lookups
/// since the start of the server.
fn of_groonga(body: &Value) -> Option<CacheCount> {
    let versions = [body.pointer("/1"), body.pointer("/body"), Some(body)];
    let status = versions
        .into_iter()
        .flatten()
        .find(|status| status.get("n_queries").is_some())?;
    let lookups = status.get("n_queries")?.as_u64()?;
    let rate = status.get("cache_hit_rate")?.as_f64()?;
    let hits = (lookups as f64 * rate / 100.0).round();
    (0.0..=lookups as f64)
        .contains(&hits)
        .then_some(CacheCount {
            hits: hits as u64,
            lookups,
        })
}

fn of_droonga(body: &Value) -> Option<CacheCount> {
    Some(CacheCount {
        hits: body.get("nHits")?.as_u64()?,
        lookups: body.get("nGets")?.as_u64()?,
    })
}

/// Parses OpenSearch's statistics: `/_stats/request_cache` has one sum over all shards,
/// `/_nodes/stats` one sum per node. A search counts once per shard searched.
fn of_opensearch(body: &Value) -> Option<CacheCount> {
    let count = |cache: &Value| {
        let hits = cache.get("hit_count")?.as_u64()?;
        let misses = cache.get("miss_count")?.as_u64()?;
        Some(CacheCount {
            hits,
            lookups: hits.checked_add(misses)?,
        })
    };
    if let Some(cache) = body.pointer("/_all/total/request_cache") {
        return count(cache);
    }
    let nodes = body.get("nodes")?.as_object()?.values();
    let counts = nodes.map(|node| count(node.pointer("/indices/request_cache")?));
    let counts: Vec<CacheCount> = counts.collect::<Option<_>>()?;
    counts.into_iter().reduce(|one, two| CacheCount {
        hits: one.hits.saturating_add(two.hits),
        lookups: one.lookups.saturating_add(two.lookups),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> Option<(u64, u64)> {
        read(text.as_bytes()).map(|count| (count.hits, count.lookups))
    }

    #[test]
    fn the_formats_of_all_servers_are_read() {
        for (text, expected) in [
            (
                r#"[[0,1795174843.1,0.0003],{"uptime":227,"n_queries":6441,"cache_hit_rate":48.90544946436889,"version":"13.0.0"}]"#,
                Some((3150, 6441)),
            ),
            (
                r#"{"header":{"return_code":0},"body":{"n_queries":8,"cache_hit_rate":25.0}}"#,
                Some((2, 8)),
            ),
            (
                r#"[[0,1.0,0.1],{"n_queries":0,"cache_hit_rate":0.0}]"#,
                Some((0, 0)),
            ),
            (r#"{"nGets":10,"nHits":4,"hitRatio":40.0}"#, Some((4, 10))),
            (
                r#"{"_all":{"primaries":{},"total":{"request_cache":{"hit_count":3,"miss_count":7}}}}"#,
                Some((3, 10)),
            ),
            (
                r#"{"nodes":{"a":{"indices":{"request_cache":{"hit_count":1,"miss_count":2}}},
                    "b":{"indices":{"request_cache":{"hit_count":3,"miss_count":4}}}}}"#,
                Some((4, 10)),
            ),
            // The total is unknown if a node is missing from the sum.
            (
                r#"{"nodes":{"a":{"indices":{"request_cache":{"hit_count":1,"miss_count":2}}},"b":{}}}"#,
                None,
            ),
            (r#"{"nodes":{}}"#, None),
            (r#"[[0],{"n_queries":5,"cache_hit_rate":150.0}]"#, None),
            (r#"{"nGets":"x","nHits":1}"#, None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn a_restarted_server_has_no_difference() {
        let at = |hits, lookups| CacheCount { hits, lookups };
        assert_eq!(at(5, 10).since(at(2, 4)), Some(at(3, 6)));
        assert_eq!(at(1, 2).since(at(2, 4)), None);
    }
}
