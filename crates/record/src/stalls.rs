//! Long waits for a core.

use serde::{Deserialize, Serialize};

/// Long waits of threads of the target and of the load generator for a core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// How many there were.
    pub count: u64,
    /// How long they took, nanoseconds. Of threads that waited at the same time the longest counts.
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
