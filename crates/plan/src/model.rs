//! What an experiment is, once every default is filled in and every mistake refused.

use std::time::Duration;

use crate::comparing::{Comparing, Until};
use crate::relaunch::Relaunch;
use crate::searched::Corpus;
use crate::target::Target;
use crate::workload::Workload;

/// targets × workloads × loads × rounds: the whole question.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Short name, used for the run directory (`runs/<date>-<name>`).
    pub name: String,
    /// Seed of every random choice: start arm, keys, content, arrivals.
    pub seed: u64,
    /// Generator threads.
    pub threads: usize,
    /// How slices follow each other.
    pub rounds: Rounds,
    /// The systems under test, in the order given; a twin of the baseline is the
    /// last.
    pub targets: Vec<Target>,
    /// The operations sent to every target.
    pub workloads: Vec<Workload>,
    /// How targets are held against each other.
    pub comparing: Comparing,
    /// The pages that are searched, if the plan makes any.
    pub corpus: Option<Corpus>,
}

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
    /// When targets are started again during the run; see [`Plan::relaunch`].
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
