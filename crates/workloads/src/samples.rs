//! Request samples, figures per pattern and cache forecasts of a workload, in addition to what the
//! engine counts.

/// Request samples and figures per pattern of one slice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SliceSamples {
    /// The slowest requests, slowest first; includes requests without a response.
    pub slowest: Vec<RequestSample>,
    /// The fastest requests with a response, fastest first.
    pub fastest: Vec<RequestSample>,
    /// Results of each pattern that was sent, by position; empty if there are too many patterns.
    pub patterns: Vec<PatternCounts>,
    /// Forecast of cache hits.
    pub forecast: Option<CacheForecast>,
}

/// One request sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestSample {
    /// Method and path.
    pub request: String,
    /// The host, by its position in the route.
    pub host: usize,
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Whether the response was correct.
    pub correct: bool,
    /// Service time or response time, as published, nanoseconds.
    pub nanos: u64,
}

/// Results of one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternCounts {
    /// Position of the pattern.
    pub pattern: u32,
    /// Correct responses.
    pub ok: u64,
    /// Failures.
    pub failed: u64,
    /// Sum of the published times of correct responses, nanoseconds.
    pub sum_nanos: u64,
    /// Shortest published time of a correct response; meaningless without a correct response.
    pub min_nanos: u64,
    /// Longest published time of a correct response.
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
    /// Hit ratio; `None` without lookups.
    pub fn share(&self) -> Option<f64> {
        (self.lookups > 0).then(|| self.hits as f64 / self.lookups as f64)
    }
}

/// The patterns of a workload and their hits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedPatterns {
    /// Method and path of each pattern; if there are too many patterns for figures, only those
    /// whose hits were counted.
    pub labels: Vec<String>,
    /// Hits on each host, in route order; empty if hits were not counted.
    pub hosts: Vec<HostHits>,
}

/// Hits that one host reported outside the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostHits {
    /// Position of the host in the route.
    pub host: usize,
    /// Hits before the first slice.
    pub before: Vec<PatternHits>,
    /// Hits of some of the same patterns after load; `None` if they were not counted again.
    pub after: Option<Vec<PatternHits>>,
}

/// Hits of one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternHits {
    /// Position of the pattern.
    pub pattern: u32,
    /// Number of hits; `None` if the response reported no number.
    pub hits: Option<u64>,
    /// Bytes of the response body; `None` without a correct response.
    pub bytes: Option<u64>,
}
