//! What is known of a slice's single requests, where these are drawn from patterns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Single requests of a slice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Singles {
    /// The slowest that were due in its window, the slowest first; those that no answer
    /// came to are among them.
    pub slowest: Vec<SingleRequest>,
    /// The fastest that were answered, the fastest first.
    pub fastest: Vec<SingleRequest>,
    /// What came of each pattern that was sent; empty where there are too many.
    pub patterns: Vec<PatternCount>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SingleRequest {
    /// Method and path, as the file of patterns has them.
    pub request: String,
    /// Name of the host it went to, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Status of its answer; none if no complete one came.
    pub status: Option<u16>,
    /// It was judged correct.
    pub correct: bool,
    /// The published time, nanoseconds: service time in a closed loop, response time in
    /// an open one.
    pub ns: u64,
}

/// What came of one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternCount {
    /// Its position among those of the workload, from 0.
    pub pattern: u32,
    /// Correct answers to requests that were due in the window.
    pub ok: u64,
    /// Failures of such requests.
    pub failed: u64,
    /// Sum of the published times of correct answers, nanoseconds.
    pub sum_ns: u64,
    /// The shortest of them; of no meaning without any.
    pub min_ns: u64,
    /// The longest of them; of no meaning without any.
    pub max_ns: u64,
}

/// What the caches of a target's hosts did while a slice was driven, its lead and its
/// drain included, and what they were expected to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheUse {
    /// Requests that were expected to find their answer in the cache.
    pub forecast_hits: u64,
    /// Requests whose answers could be there.
    pub forecast_lookups: u64,
    /// Hits by the target's own count; unknown where it was not asked, or began to
    /// count anew.
    pub hits: Option<u64>,
    /// Lookups by the target's own count.
    pub lookups: Option<u64>,
}

impl CacheUse {
    /// Share of hits that was expected; `None` if nothing was looked for.
    pub fn forecast(&self) -> Option<f64> {
        share(self.forecast_hits, self.forecast_lookups)
    }

    /// Share of hits by the target's own count; `None` if that is unknown.
    pub fn observed(&self) -> Option<f64> {
        share(self.hits?, self.lookups?)
    }

    /// Over both; what one of them does not know is unknown.
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
/// summed over the nodes of its cluster. A figure that was not reported is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchUse {
    /// Heap in use at the end of the slice, or more if it was more at its begin, bytes.
    pub heap_used_bytes: Option<u64>,
    /// What the heap can have, bytes.
    pub heap_max_bytes: Option<u64>,
    /// Garbage collections in the slice, its lead and drain included.
    pub collections: Option<u64>,
    /// What these took, milliseconds.
    pub collection_ms: Option<u64>,
    /// Segments of all shards at the begin, replicas among them.
    pub segments_before: Option<u64>,
    /// Segments of all shards at the end.
    pub segments: Option<u64>,
    /// Merges of segments that ended in the slice, its lead and drain included.
    pub merges: Option<u64>,
    /// What these took, milliseconds.
    pub merge_ms: Option<u64>,
}

impl SearchUse {
    /// This and then that: sums of what was counted, the larger of the two heaps, and the
    /// segments at both ends.
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
