//! How a run can fail or end.

use tenbin_engine::EngineError;
use tenbin_record::{Ended, RecordError};
use tenbin_targets::TargetError;
use tenbin_workloads::WorkloadError;
use thiserror::Error;

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum RunError {
    /// A target could not be brought up or reached.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A workload cannot be sent to a target.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A target refused what must work before anything is measured.
    #[error("target \"{target}\", workload \"{workload}\": {what} failed: {why}")]
    Preparation {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// What was being done.
        what: String,
        /// What came back.
        why: String,
    },
    /// The pages that are searched cannot be made.
    #[error(transparent)]
    Pages(#[from] tenbin_corpus::Error),
    /// The pages that are searched are not what the plan takes them for; one sentence.
    #[error("{0}")]
    NotThePages(String),
    /// Pages could not be loaded into a target, or are not there afterwards.
    #[error("target \"{target}\": {why}")]
    Load {
        /// Name of the target.
        target: String,
        /// Why not.
        why: String,
    },
    /// Nodes of a target are missing; one sentence.
    #[error("{0}")]
    Nodes(String),
    /// The data that is laid out before a run does not fit; one sentence.
    #[error("{0}")]
    NoSpace(String),
    /// The system does not let this process have as many sockets as are planned.
    #[error(
        "target \"{target}\", workload \"{workload}\": {connections} connections need about \
         {needed} open files at once, and this process may have {granted}; use fewer \
         connections, or raise the hard limit (ulimit -Hn)"
    )]
    Descriptors {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// Connections, over all hosts of the target.
        connections: u64,
        /// Open files that these and everything else need.
        needed: u64,
        /// Open files that the process may have.
        granted: u64,
    },
    /// The run directory could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The generator itself failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Stopped by the user before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// How the measuring ended.
#[derive(Debug)]
pub enum Ending {
    /// As planned.
    Complete(Ended),
    /// By the user.
    Interrupted,
    /// A target died or gave no correct answer any more; one sentence.
    TargetFailed(String),
    /// The run directory could not be written any more.
    RecordFailed(RecordError),
}
