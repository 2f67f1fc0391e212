//! What an experiment is, once every default is filled in and every mistake refused.

use crate::comparing::Comparing;
use crate::rounds::Rounds;
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
