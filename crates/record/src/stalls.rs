//! Long waits for a core.

use serde::{Deserialize, Serialize};

/// Long waits for a core, of threads of the target and the load generator.
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
