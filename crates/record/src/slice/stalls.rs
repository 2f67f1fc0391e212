//! Waits of threads for a core during a probe of a maximum-rate search.

use serde::{Deserialize, Serialize};

/// Waits of threads of the target and the load generator for a core. Waits shorter than a quarter
/// of the search's shortest latency limit do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// Number of waits.
    pub count: u64,
    /// Total duration, nanoseconds. Of simultaneous waits, only the longest counts.
    pub ns: u64,
}

impl std::ops::Add for Stalls {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            ns: self.ns + other.ns,
        }
    }
}
