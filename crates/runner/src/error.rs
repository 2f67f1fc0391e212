//! Errors and end states of a run.

use tenbin_cluster::ClusterError;
use tenbin_engine::EngineError;
use tenbin_plan::{Sentence, sentence};
use tenbin_record::{Ended, RecordError};
use tenbin_targets::TargetError;
use tenbin_workloads::WorkloadError;
use thiserror::Error;

/// Status of a response that rejects the method of the request.
const METHOD_NOT_ALLOWED: u16 = 405;

/// The reason why a run measured nothing.
#[derive(Debug, Error)]
#[error("{}", self.sentence())]
pub enum RunError {
    /// A target could not be started or reached.
    Target(#[from] TargetError),
    /// A workload cannot run on a target.
    Workload(#[from] WorkloadError),
    /// A target refused a request during preparation.
    Preparation {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// The step that failed.
        what: Sentence,
        /// The reason.
        why: Sentence,
    },
    /// A target gets no temporary keys.
    Keys {
        /// Name of the target.
        target: String,
        /// What should issue the keys: `AssumeRole`, `CreateSession` of a bucket.
        issuer: String,
        /// The reason.
        why: Sentence,
    },
    /// The status of the first response does not count as success.
    Rejected {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
        /// The status.
        status: u16,
    },
    /// The pages for the full-text search cannot be created.
    Pages(#[from] tenbin_corpus::Error),
    /// The pages on disk do not match the plan; one sentence.
    NotThePages(Sentence),
    /// Pages could not be loaded into a target, or are missing afterwards.
    Load {
        /// Name of the target.
        target: String,
        /// The reason.
        why: Sentence,
    },
    /// Nodes of a target are missing.
    Nodes {
        /// Name of the target.
        target: String,
        /// One sentence, with the name.
        why: Sentence,
    },
    /// The data to load before measuring does not fit in memory or on disk; one sentence.
    NoSpace(Sentence),
    /// The limit on open files is too low for the planned connections.
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
    Record(#[from] RecordError),
    /// The agents cannot send the load; one sentence.
    Agents(Sentence),
    /// The agents cannot send the load of a target.
    NotForAgents {
        /// Name of the target.
        target: String,
        /// One sentence, with the name.
        why: Sentence,
    },
    /// An agent was lost; the other agents can continue.
    AgentLost {
        /// Name of the agent.
        agent: String,
        /// One sentence.
        why: Sentence,
    },
    /// A target stopped responding; the run can go on when the target responds again.
    Outage(Outage),
    /// The load generator itself failed.
    Engine(#[from] EngineError),
    /// The user stopped the run before anything was measured.
    Interrupted,
}

impl RunError {
    /// Name of the target that failed or cannot be measured; `None` if the error is not about one
    /// target.
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::Target(error) => Some(error.target()),
            Self::Preparation { target, .. }
            | Self::Keys { target, .. }
            | Self::Rejected { target, .. }
            | Self::Load { target, .. }
            | Self::Nodes { target, .. }
            | Self::Descriptors { target, .. }
            | Self::NotForAgents { target, .. } => Some(target),
            Self::Outage(outage) => Some(&outage.name),
            Self::Workload(_)
            | Self::Pages(_)
            | Self::NotThePages(_)
            | Self::NoSpace(_)
            | Self::Record(_)
            | Self::Agents(_)
            | Self::AgentLost { .. }
            | Self::Engine(_)
            | Self::Interrupted => None,
        }
    }

    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Target(error) => error.sentence(),
            Self::Workload(error) => error.sentence(),
            Self::Preparation {
                target,
                workload,
                what,
                why,
            } => sentence!(
                "preparation-failed",
                "target \"{target}\", workload \"{workload}\": {what} failed: {why}",
                target,
                workload,
                what,
                why
            ),
            Self::Keys {
                target,
                issuer,
                why,
            } => sentence!(
                "no-temporary-keys",
                "target \"{target}\": {issuer} issues no keys: {why}",
                target,
                issuer,
                why
            ),
            Self::Rejected {
                target,
                workload,
                status,
            } => rejected(target, workload, *status),
            Self::Pages(error) => error.sentence(),
            Self::NotThePages(said) => said.clone(),
            Self::Load { target, why } => sentence!(
                "of-target-reason",
                "target \"{target}\": {reason}",
                target,
                reason = why
            ),
            Self::Nodes { why, .. } | Self::NotForAgents { why, .. } => why.clone(),
            Self::NoSpace(said) => said.clone(),
            Self::Descriptors {
                target,
                workload,
                connections,
                needed,
                granted,
            } => sentence!(
                "few-descriptors",
                "target \"{target}\", workload \"{workload}\": {connections} connections need \
                 about {needed} open files at once, and this process may have {granted}; use \
                 fewer connections, or raise the hard limit (ulimit -Hn)",
                target,
                workload,
                connections,
                needed,
                granted
            ),
            Self::Record(error) => error.sentence(),
            Self::Agents(said) => said.clone(),
            Self::AgentLost { why, .. } => why.clone(),
            Self::Outage(outage) => outage.why.clone(),
            Self::Engine(error) => error.sentence(),
            Self::Interrupted => sentence!(
                "run-interrupted",
                "interrupted before anything was measured"
            ),
        }
    }
}

/// A first response that rejects the request.
fn rejected(target: &str, workload: &str, status: u16) -> Sentence {
    if status == METHOD_NOT_ALLOWED {
        return sentence!(
            "rejected-method",
            "target \"{target}\", workload \"{workload}\": the first request failed: the server does \
             not accept GET here (status 405): use -X POST, or another path (--path)",
            target,
            workload
        );
    }
    sentence!(
        "rejected",
        "target \"{target}\", workload \"{workload}\": the first request failed: GET returned \
         status {status}, which does not count as success; correct the URL, or accept the status \
         with --expect {status}",
        target,
        workload,
        status
    )
}

/// An outage that a slice without a correct response has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Outage {
    /// Index of the target in the plan.
    pub(crate) target: usize,
    /// Name of the target.
    pub(crate) name: String,
    /// The failure in one sentence.
    pub(crate) why: Sentence,
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
            error => Self::Agents(error.sentence()),
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
    /// A target exited or stopped giving correct responses, or the agents failed.
    TargetFailed {
        /// Name of the target; `None` if the agents failed.
        target: Option<String>,
        /// One sentence.
        why: Sentence,
    },
    /// Writing the run directory failed during the run.
    RecordFailed(RecordError),
}

impl Ending {
    /// The end of a run because of the target with this name.
    pub(crate) fn target_failed(target: &str, why: Sentence) -> Self {
        Self::TargetFailed {
            target: Some(target.to_owned()),
            why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_target_although_its_sentence_names_another() {
        let error = RunError::Load {
            target: "a".to_owned(),
            why: "target \"b\" holds other pages".into(),
        };
        assert_eq!(error.target(), Some("a"));
        let started = TargetError::Start {
            target: "b".to_owned(),
            reason: "target \"a\" is in the way".into(),
        };
        assert_eq!(RunError::from(started).target(), Some("b"));
        let agents = RunError::Agents("target \"a\" is named".into());
        assert_eq!(agents.target(), None);
    }
}
