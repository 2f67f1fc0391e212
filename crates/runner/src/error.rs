//! Errors and end states of a run.

use tenbin_cluster::ClusterError;
use tenbin_engine::EngineError;
use tenbin_record::{Ended, RecordError};
use tenbin_targets::TargetError;
use tenbin_workloads::WorkloadError;
use thiserror::Error;

/// The reason why a run measured nothing.
#[derive(Debug, Error)]
pub enum RunError {
    /// A target could not be started or reached.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A workload cannot run on a target.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A target refused a request during preparation.
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
    /// A target gets no temporary keys.
    #[error("target \"{target}\": {issuer} issues no keys: {why}")]
    Keys {
        /// Name of the target.
        target: String,
        /// What should issue the keys: `AssumeRole`, `CreateSession` of a bucket.
        issuer: String,
        /// The reason.
        why: String,
    },
    /// The status of the first response does not count as success.
    #[error(
        "target \"{target}\", workload \"{workload}\": the first request failed: GET returned status \
         {status}, which does not count as success; correct the URL, or accept the status with \
         --expect {status}"
    )]
    Rejected {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// The status.
        status: u16,
    },
    /// The pages for the full-text search cannot be created.
    #[error(transparent)]
    Pages(#[from] tenbin_corpus::Error),
    /// The pages on disk do not match the plan; one sentence.
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
    /// The data to load before measuring does not fit in memory or on disk; one sentence.
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
        /// Open files needed in total.
        needed: u64,
        /// The limit on open files.
        granted: u64,
    },
    /// The run directory could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The agents cannot send the load; one sentence.
    #[error("{0}")]
    Agents(String),
    /// An agent was lost; the other agents can continue.
    #[error("{why}")]
    AgentLost {
        /// Name of the agent.
        agent: String,
        /// One sentence.
        why: String,
    },
    /// A target stopped answering; the run can go on when it answers again.
    #[error("{}", .0.why)]
    Outage(Outage),
    /// The load generator itself failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The user stopped the run before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// An outage that a slice without a correct response has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Outage {
    /// Index of the target in the plan.
    pub(crate) target: usize,
    /// The failure in one sentence.
    pub(crate) why: String,
    /// The most frequent failure.
    pub(crate) reason: String,
    /// End of the last slice with a correct response, seconds since the start of the run.
    pub(crate) last_correct: Option<f64>,
    /// Start of the slice without one.
    pub(crate) noticed: f64,
}

impl From<ClusterError> for RunError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Interrupted => Self::Interrupted,
            ClusterError::Lost { agent, why } => Self::AgentLost { agent, why },
            error => Self::Agents(error.to_string()),
        }
    }
}

/// How the measured part of a run ended.
#[derive(Debug)]
pub enum Ending {
    /// The run ended as planned.
    Complete(Ended),
    /// The user stopped the run.
    Interrupted,
    /// A target exited or stopped giving correct responses; one sentence.
    TargetFailed(String),
    /// Writing the run directory failed during the run.
    RecordFailed(RecordError),
}
