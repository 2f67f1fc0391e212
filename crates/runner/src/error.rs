//! Errors and end states of a run.

use tenbin_engine::EngineError;
use tenbin_record::{Ended, RecordError};
use tenbin_targets::TargetError;
use tenbin_workloads::WorkloadError;
use thiserror::Error;

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum RunError {
    /// A target could not be started or reached.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A workload cannot run on a target.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A target refused a request of the preparation.
    #[error("target \"{target}\", workload \"{workload}\": {what} failed: {why}")]
    Preparation {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// The step that failed.
        what: String,
        /// The reason.
        why: String,
    },
    /// The pages for the full-text search cannot be created.
    #[error(transparent)]
    Pages(#[from] tenbin_corpus::Error),
    /// The pages do not match the plan; one sentence.
    #[error("{0}")]
    NotThePages(String),
    /// Pages could not be loaded into a target, or are missing afterwards.
    #[error("target \"{target}\": {why}")]
    Load {
        /// Name of the target.
        target: String,
        /// The reason.
        why: String,
    },
    /// Nodes of a target are missing; one sentence.
    #[error("{0}")]
    Nodes(String),
    /// The data that the run loads before measuring does not fit; one sentence.
    #[error("{0}")]
    NoSpace(String),
    /// The limit on open files is too low for the planned connections.
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
        /// Open files that the connections and everything else need.
        needed: u64,
        /// The limit on open files.
        granted: u64,
    },
    /// The run directory could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The load generator itself failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Stopped by the user before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// How the measured part of a run ended.
#[derive(Debug)]
pub enum Ending {
    /// As planned.
    Complete(Ended),
    /// Stopped by the user.
    Interrupted,
    /// A target exited or stopped giving correct responses; one sentence.
    TargetFailed(String),
    /// Writing the run directory failed during the run.
    RecordFailed(RecordError),
}
