//! Results that the engine does not count: request samples, results per pattern, search hits and
//! cache forecasts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Request samples, results per pattern and cache forecast of one slice.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SliceSamples {
    /// The slowest requests, including requests without a response, slowest first.
    pub slowest: Vec<RequestSample>,
    /// The fastest requests with a response, fastest first.
    pub fastest: Vec<RequestSample>,
    /// Results of each pattern that was sent, in the order of the patterns; empty with more than
    /// [`MOST_COUNTED_PATTERNS`](tenbin_plan::patterns::MOST_COUNTED_PATTERNS) patterns.
    pub patterns: Vec<PatternCounts>,
    /// Simulated cache hits; `None` unless the plan describes a cache.
    pub forecast: Option<CacheForecast>,
}

impl SliceSamples {
    /// Merges the samples of two agents for the same slice, and keeps `most` of the slowest and of
    /// the fastest requests. A cache forecast needs the requests of all agents, so none is left.
    pub(crate) fn and(self, other: Self, most: usize) -> Self {
        let merged = |one: Vec<RequestSample>, other| {
            let mut all = one;
            all.extend::<Vec<RequestSample>>(other);
            all.sort_by_key(|sample| sample.nanos);
            all
        };
        let mut slowest = merged(self.slowest, other.slowest);
        slowest.reverse();
        slowest.truncate(most);
        let mut fastest = merged(self.fastest, other.fastest);
        fastest.truncate(most);
        let mut patterns: BTreeMap<u32, PatternCounts> = BTreeMap::new();
        for counts in self.patterns.into_iter().chain(other.patterns) {
            let known = patterns.entry(counts.pattern);
            known
                .and_modify(|known| *known = known.and(counts))
                .or_insert(counts);
        }
        Self {
            slowest,
            fastest,
            patterns: patterns.into_values().collect(),
            forecast: None,
        }
    }

    /// Whether all counts are so small that sums over a run cannot overflow.
    pub(crate) fn is_possible(&self) -> bool {
        let counts = self.patterns.iter().flat_map(|one| {
            let sum = one.sum_nanos >> 12;
            [one.ok, one.failed, sum]
        });
        counts.into_iter().all(|count| count < 1 << 48)
    }
}

/// One of the slowest or fastest requests of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSample {
    /// Method and path.
    pub request: String,
    /// Number of requests that its thread had completed before in the slice.
    #[serde(default)]
    pub number: u64,
    /// Index of the request's host among the target's hosts, from 0.
    pub host: usize,
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Whether the response was correct.
    pub correct: bool,
    /// Published latency, nanoseconds: service time in a closed loop, response time in an open
    /// loop.
    pub nanos: u64,
}

/// Results of one pattern in one slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternCounts {
    /// Position of the pattern among the workload's patterns, from 0.
    pub pattern: u32,
    /// Correct responses.
    pub ok: u64,
    /// Failed requests.
    pub failed: u64,
    /// Sum of the latencies of correct responses, nanoseconds. [`RequestSample::nanos`] defines
    /// the latency.
    pub sum_nanos: u64,
    /// Lowest latency of a correct response, nanoseconds; meaningless if `ok` is 0.
    pub min_nanos: u64,
    /// Highest latency of a correct response, nanoseconds.
    pub max_nanos: u64,
}

impl PatternCounts {
    fn and(self, other: Self) -> Self {
        // The lowest latency of a pattern without a correct response has no meaning.
        let lowest = [self, other].into_iter().filter(|one| one.ok > 0);
        Self {
            pattern: self.pattern,
            ok: self.ok + other.ok,
            failed: self.failed + other.failed,
            sum_nanos: self.sum_nanos + other.sum_nanos,
            min_nanos: lowest.map(|one| one.min_nanos).min().unwrap_or(0),
            max_nanos: self.max_nanos.max(other.max_nanos),
        }
    }
}

/// Simulated hits of a least-recently-used cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CacheForecast {
    /// Requests whose responses would be in the cache.
    pub hits: u64,
    /// Requests whose responses are cacheable.
    pub lookups: u64,
}

impl CacheForecast {
    /// Hit ratio, 0 to 1; `None` without lookups.
    pub fn share(&self) -> Option<f64> {
        (self.lookups > 0).then(|| self.hits as f64 / self.lookups as f64)
    }
}

/// The patterns of a workload and the search hits that hosts reported for the patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedPatterns {
    /// Method and path of each pattern. With more than
    /// [`MOST_COUNTED_PATTERNS`](tenbin_plan::patterns::MOST_COUNTED_PATTERNS) patterns, the list
    /// ends with the last pattern whose hits were counted.
    pub labels: Vec<String>,
    /// Search hits on each host, in the order of the target's hosts; empty if hits were not
    /// counted.
    pub hosts: Vec<HostHits>,
}

/// Search hits that one host reported outside the measured slices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostHits {
    /// Index of the host among the target's hosts, from 0.
    pub host: usize,
    /// Hits per pattern before the first slice.
    pub before: Vec<PatternHits>,
    /// Hits of a sample of these patterns after load; `None` if hits were not counted again.
    pub after: Option<Vec<PatternHits>>,
}

/// Search hits of one pattern, from one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternHits {
    /// Position of the pattern among the workload's patterns, from 0.
    pub pattern: u32,
    /// Number of search hits; `None` if the response reported no number.
    pub hits: Option<u64>,
    /// Length of the response body, bytes; `None` without a response with a success status.
    pub bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(nanos: u64) -> RequestSample {
        RequestSample {
            request: format!("GET /{nanos}"),
            number: 0,
            host: 0,
            status: Some(200),
            correct: true,
            nanos,
        }
    }

    fn counts(pattern: u32, ok: u64, min_nanos: u64) -> PatternCounts {
        PatternCounts {
            pattern,
            ok,
            failed: 1,
            sum_nanos: 10,
            min_nanos,
            max_nanos: 9,
        }
    }

    #[test]
    fn the_samples_of_two_agents_are_those_of_one() {
        let one = SliceSamples {
            slowest: vec![sample(9), sample(5)],
            fastest: vec![sample(1), sample(5)],
            patterns: vec![counts(0, 3, 4), counts(2, 0, 0)],
            forecast: Some(CacheForecast::default()),
        };
        let other = SliceSamples {
            slowest: vec![sample(8)],
            fastest: vec![sample(2)],
            patterns: vec![counts(2, 1, 7)],
            forecast: None,
        };
        let both = one.and(other, 2);
        assert_eq!(both.slowest, [sample(9), sample(8)]);
        assert_eq!(both.fastest, [sample(1), sample(2)]);
        assert_eq!(both.patterns.len(), 2);
        let second = both.patterns[1];
        assert_eq!((second.ok, second.failed, second.min_nanos), (1, 2, 7));
        assert_eq!(both.forecast, None);
    }
}
