//! Long waits for a core.

use serde::{Deserialize, Serialize};

/// Long waits of threads of the target and of the load generator for a core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// Number of waits.
    pub count: u64,
    /// Total duration, nanoseconds. If threads waited at the same time, the longest wait counts.
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
