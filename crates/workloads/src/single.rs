//! What a workload can tell of single requests, beside what the engine counts.

/// What is known of a slice's single requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SinglesSeen {
    /// The slowest, the slowest first; those that no answer came to are among them.
    pub slowest: Vec<SingleSeen>,
    /// The fastest that were answered, the fastest first.
    pub fastest: Vec<SingleSeen>,
    /// What came of each pattern that was sent at all, by its position; empty when
    /// there are too many.
    pub patterns: Vec<PatternSeen>,
    /// What a cache would have done.
    pub forecast: Option<CacheForecast>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleSeen {
    /// Method and path.
    pub request: String,
    /// The host it went to, by its position in the route.
    pub host: usize,
    /// Status of its answer; `None` if no complete one came.
    pub status: Option<u16>,
    /// It was judged correct.
    pub correct: bool,
    /// The published time, nanoseconds.
    pub nanos: u64,
}

/// What came of one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternSeen {
    /// Its position.
    pub pattern: u32,
    /// Correct answers.
    pub ok: u64,
    /// Failures.
    pub failed: u64,
    /// Sum of the published times of correct answers, nanoseconds.
    pub sum_nanos: u64,
    /// The shortest of them; of no meaning without any.
    pub min_nanos: u64,
    /// The longest of them.
    pub max_nanos: u64,
}

/// What a cache that forgets the least recently used answer does with a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheForecast {
    /// Requests whose answers it would have.
    pub hits: u64,
    /// Requests whose answers could be in it.
    pub lookups: u64,
}

impl CacheForecast {
    /// Share of the hits; `None` if nothing was looked for.
    pub fn share(&self) -> Option<f64> {
        (self.lookups > 0).then(|| self.hits as f64 / self.lookups as f64)
    }
}

/// The patterns that were drawn from, and what they find.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedPatterns {
    /// Method and path of each; of so many that they have no figures, only those that
    /// were asked for hits.
    pub labels: Vec<String>,
    /// What each host found, in the order of the route; empty if they were not asked.
    pub hosts: Vec<HostAsked>,
}

/// What one host found when it was asked apart from the measuring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostAsked {
    /// Its position in the route.
    pub host: usize,
    /// Before anything was measured.
    pub before: Vec<PatternAsked>,
    /// Once there had been load, some of the same patterns; `None` if nothing was asked
    /// again.
    pub after: Option<Vec<PatternAsked>>,
}

/// One pattern and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternAsked {
    /// Its position.
    pub pattern: u32,
    /// The number of hits; `None` if the answer told none.
    pub hits: Option<u64>,
    /// Bytes of the answer's body; `None` if there was no correct one.
    pub bytes: Option<u64>,
}
