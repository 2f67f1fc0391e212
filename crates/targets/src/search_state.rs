//! Memory and index statistics of a search server, as reported by the server.

use std::time::Duration;

use serde_json::Value;

use crate::probe::fetch;
use crate::running::Running;

/// Time limit of the request for statistics.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Path of the statistics: heap, garbage collections, segments and merges of all nodes.
const PAGE: &str = "/_nodes/stats/jvm,indices/segments,merge";

/// Statistics of OpenSearch, summed over the nodes of the cluster. Counters count since each node's
/// start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchState {
    /// Number of nodes in the response.
    pub nodes: u64,
    /// Heap in use, bytes.
    pub heap_used_bytes: u64,
    /// Maximum heap size, bytes.
    pub heap_max_bytes: u64,
    /// Number of garbage collections, all collectors together.
    pub collections: u64,
    /// Duration of all garbage collections, milliseconds.
    pub collection_ms: u64,
    /// Number of segments in all shards, including replicas.
    pub segments: u64,
    /// Number of segment merges.
    pub merges: u64,
    /// Duration of all merges, milliseconds.
    pub merge_ms: u64,
}

/// Requests the statistics from the first host that responds.
///
/// # Errors
/// Why no statistics are available, in one clause.
pub fn search_state(target: &Running) -> Result<SearchState, String> {
    let mut why = "it has no host".to_owned();
    for (host, endpoint) in target.route.endpoints() {
        let url = host.url.join(PAGE).map_err(|error| error.to_string())?;
        match fetch(&url, &endpoint, TIMEOUT) {
            Ok(body) => {
                let state = serde_json::from_slice(&body).ok().and_then(|v| read(&v));
                return state.ok_or_else(|| format!("{PAGE} of {} is not OpenSearch's", host.name));
            }
            Err(error) => why = format!("host {}: {error}", host.name),
        }
    }
    Err(why)
}

/// Parses the statistics; `None` unless every node reports every figure, because a partial sum
/// would mislead.
fn read(body: &Value) -> Option<SearchState> {
    let mut sum = SearchState::default();
    for node in body.get("nodes")?.as_object()?.values() {
        let number = |at: &str| node.pointer(at)?.as_u64();
        sum.nodes += 1;
        sum.heap_used_bytes += number("/jvm/mem/heap_used_in_bytes")?;
        sum.heap_max_bytes += number("/jvm/mem/heap_max_in_bytes")?;
        for collector in node.pointer("/jvm/gc/collectors")?.as_object()?.values() {
            sum.collections += collector.get("collection_count")?.as_u64()?;
            sum.collection_ms += collector.get("collection_time_in_millis")?.as_u64()?;
        }
        sum.segments += number("/indices/segments/count")?;
        sum.merges += number("/indices/merges/total")?;
        sum.merge_ms += number("/indices/merges/total_time_in_millis")?;
    }
    (sum.nodes > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nodes_are_summed_and_a_missing_part_makes_the_sum_unknown() {
        let node = |heap: u64| {
            json!({
                "jvm": {
                    "mem": {"heap_used_in_bytes": heap, "heap_max_in_bytes": 1000},
                    "gc": {"collectors": {
                        "young": {"collection_count": 3, "collection_time_in_millis": 40},
                        "old": {"collection_count": 1, "collection_time_in_millis": 2}
                    }}
                },
                "indices": {
                    "segments": {"count": 5},
                    "merges": {"total": 2, "total_time_in_millis": 7}
                }
            })
        };
        let two = json!({"nodes": {"a": node(100), "b": node(300)}});
        let expected = SearchState {
            nodes: 2,
            heap_used_bytes: 400,
            heap_max_bytes: 2000,
            collections: 8,
            collection_ms: 84,
            segments: 10,
            merges: 4,
            merge_ms: 14,
        };
        assert_eq!(read(&two), Some(expected));
        let part = json!({"nodes": {"a": node(100), "b": {"jvm": {}}}});
        assert_eq!(read(&part), None);
        assert_eq!(read(&json!({"nodes": {}})), None);
    }
}
