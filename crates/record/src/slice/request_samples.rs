//! Request samples, figures per request pattern, cache hits and search server figures of a slice.

use serde::{Deserialize, Serialize};

use crate::slice::compact::fields;

/// Request samples and figures per pattern of a slice whose requests are drawn from patterns, which
/// are lines with a method and a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedSamples {
    /// The slowest requests that were due in the window, slowest first, including requests without
    /// a response.
    pub slowest: Vec<RecordedSample>,
    /// The fastest requests that were due in the window and got a response, fastest first.
    pub fastest: Vec<RecordedSample>,
    /// Results of each pattern that was sent; empty with more than 10,000 patterns.
    pub patterns: Vec<RecordedPattern>,
}

/// One request sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSample {
    /// Method and path, as in the file of patterns.
    pub request: String,
    /// Number of requests that its thread of the load generator had completed before in the slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Name of the host, if the target has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Whether the response was correct.
    pub correct: bool,
    /// The latency that reports show, nanoseconds: service time in a closed loop, response time in
    /// an open loop.
    pub ns: u64,
}

/// Results of one request pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPattern {
    /// Position among the patterns of the workload, from 0.
    pub pattern: u32,
    /// Correct responses to requests that were due in the window.
    pub ok: u64,
    /// Failed requests that were due in the window.
    pub failed: u64,
    /// Sum of the latencies of correct responses, nanoseconds; see [`RecordedSample::ns`].
    pub sum_ns: u64,
    /// Shortest latency of a correct response, nanoseconds; meaningless without a correct response.
    pub min_ns: u64,
    /// Longest latency of a correct response, nanoseconds; meaningless without a correct response.
    pub max_ns: u64,
}

/// Expected and reported hits in the caches of a target's hosts during a slice, including the
/// settling time and the drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheUse {
    /// Requests that were expected to hit the cache.
    pub forecast_hits: u64,
    /// Requests with cacheable responses.
    pub forecast_lookups: u64,
    /// Hits that the target reported; unknown if the target was not queried or reset its counter.
    pub hits: Option<u64>,
    /// Lookups that the target reported, if known.
    pub lookups: Option<u64>,
}

impl CacheUse {
    /// Expected hit ratio; `None` without lookups.
    pub fn forecast(&self) -> Option<f64> {
        share(self.forecast_hits, self.forecast_lookups)
    }

    /// Hit ratio that the target reported; `None` if unknown.
    pub fn observed(&self) -> Option<f64> {
        share(self.hits?, self.lookups?)
    }

    /// Merges two slices; a value that is unknown in one of them is unknown.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| Some(one?.saturating_add(two?));
        Self {
            forecast_hits: self.forecast_hits + other.forecast_hits,
            forecast_lookups: self.forecast_lookups + other.forecast_lookups,
            hits: sum(self.hits, other.hits),
            lookups: sum(self.lookups, other.lookups),
        }
    }
}

/// Memory and index figures that a search server reported at the start and at the end of a slice,
/// summed over the nodes of its cluster. Figures that were not reported are `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SearchUse {
    /// Heap in use at the start or the end of the slice, whichever is larger, bytes.
    pub heap_used_bytes: Option<u64>,
    /// Maximum heap size, bytes.
    pub heap_max_bytes: Option<u64>,
    /// Garbage collections in the slice, including the settling time and the drain.
    pub collections: Option<u64>,
    /// Total duration of the garbage collections, milliseconds.
    pub collection_ms: Option<u64>,
    /// Index segments of all shards, including replicas, at the start of the slice.
    pub segments_before: Option<u64>,
    /// Index segments of all shards, including replicas, at the end of the slice.
    pub segments: Option<u64>,
    /// Segment merges that ended in the slice, including the settling time and the drain.
    pub merges: Option<u64>,
    /// Total duration of the segment merges, milliseconds.
    pub merge_ms: Option<u64>,
}

impl SearchUse {
    /// Merges two consecutive slices: adds counts, and takes the larger heap, the first slice's
    /// segments at the start and the second slice's segments at the end.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| Some(one?.saturating_add(two?));
        Self {
            heap_used_bytes: self.heap_used_bytes.max(next.heap_used_bytes),
            heap_max_bytes: self.heap_max_bytes.max(next.heap_max_bytes),
            collections: sum(self.collections, next.collections),
            collection_ms: sum(self.collection_ms, next.collection_ms),
            segments_before: self.segments_before,
            segments: next.segments,
            merges: sum(self.merges, next.merges),
            merge_ms: sum(self.merge_ms, next.merge_ms),
        }
    }
}

fields! {
    SearchUse {
        heap_used_bytes, heap_max_bytes, collections, collection_ms, segments_before, segments, merges,
        merge_ms,
    }
}

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_in_a_part_is_unknown_in_the_sum() {
        let known = CacheUse {
            forecast_hits: 50,
            forecast_lookups: 100,
            hits: Some(40),
            lookups: Some(100),
        };
        let unknown = CacheUse {
            hits: None,
            ..known
        };
        assert_eq!(known.and(known).observed(), Some(0.4));
        assert_eq!(known.and(unknown).observed(), None);
        assert_eq!(known.and(unknown).forecast(), Some(0.5));
        let nothing = CacheUse {
            forecast_lookups: 0,
            lookups: Some(0),
            ..known
        };
        assert_eq!((nothing.forecast(), nothing.observed()), (None, None));
    }
}
