//! Results that the engine does not count: request samples, results per pattern, search hits and
//! cache forecasts.

/// Request samples, results per pattern and cache forecast of one slice.
#[derive(Debug, Clone, PartialEq, Default)]
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

/// One of the slowest or fastest requests of a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestSample {
    /// Method and path.
    pub request: String,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Simulated hits of a least-recently-used cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
