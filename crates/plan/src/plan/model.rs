//! The resolved plan: every default is filled in, and mistakes have been refused.

use crate::draft::{Agents, Comparing, Corpus, Gate, Output, Rounds};
use crate::plan::workload::Workload;
use crate::target::Target;

/// A complete experiment: targets × workloads × loads × rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Short name, used for the run directory (`runs/<date>-<name>`).
    pub name: String,
    /// Seed of every random choice: order of targets, keys, content, arrivals.
    pub seed: u64,
    /// Load generator threads.
    pub threads: usize,
    /// Number and length of slices.
    pub rounds: Rounds,
    /// The systems under test, in the order given; a twin of the baseline is last.
    pub targets: Vec<Target>,
    /// The operations sent to every target.
    pub workloads: Vec<Workload>,
    /// How targets are compared.
    pub comparing: Comparing,
    /// What the run writes and serves in addition to its run directory.
    pub output: Output,
    /// The load machines; `None` if this machine sends the load.
    pub agents: Option<Agents>,
    /// The pages that search servers index, if the plan has a `[corpus]`.
    pub corpus: Option<Corpus>,
    /// Whether the candidate is as good as the base; `None` in a plan without a gate.
    pub gate: Option<Gate>,
}
