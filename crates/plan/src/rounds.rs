//! How slices follow each other.

use std::time::Duration;

use crate::comparing::Until;
use crate::relaunch::Relaunch;

/// How slices follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// Rounds: one slice of every target each. Two targets pair two rounds into
    /// one ABBA quad, so the count is even for them. The fewest when the run may
    /// end by precision.
    pub count: u32,
    /// The rounds that the plan asks for, where `count` is more: whole blocks.
    pub asked: Option<u32>,
    /// When the run may end, if not after `count` rounds.
    pub until: Option<Until>,
    /// Length of the measured window of one slice.
    pub slice: Duration,
    /// Rest between two slices.
    pub gap: Duration,
    /// Unmeasured work before the first slice of each workload on each target.
    pub warmup: Duration,
    /// When targets are started again during the run; see [`Plan::relaunch`](crate::Plan::relaunch).
    pub relaunch: Relaunch,
    /// Unmeasured head of every slice, from when its connections are open.
    pub lead: Duration,
}

impl Rounds {
    /// The most rounds there can be: `count` unless the run may end by precision.
    pub fn most(&self) -> u32 {
        self.until.map_or(self.count, |until| until.most)
    }
}
