//! The exit codes, as documented in `docs/exit-codes.md`.

use std::process::ExitCode;

use tenbin_corpus::Error as CorpusError;
use tenbin_result::Trust;
use tenbin_runner::RunError;
use tenbin_targets::TargetError;

/// Exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success, and the figures are VALID or SUSPECT.
    Done = 0,
    /// Internal error: a bug in Tenbin or a failure of the system.
    Internal = 1,
    /// The arguments or the plan are invalid; nothing was started.
    Refused = 2,
    /// A target could not be started or reached, or rejected the credentials.
    Target = 3,
    /// A target failed during the run; the results so far are kept.
    TargetFailed = 4,
    /// The run directory or standard output could not be written; the results so far are kept.
    Record = 5,
    /// The run finished, but the verdict is INVALID.
    Invalid = 6,
    /// The result is not INVALID, but the run proves that `--expect` or `--fail-if` is violated.
    Unmet = 7,
    /// The result is not INVALID, but the run cannot tell whether `--expect` is met.
    Undecided = 8,
    /// The result is SUSPECT, and `--strict` was given.
    Suspect = 9,
    /// Interrupted; the results so far are kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl Exit {
    /// The exit code of a result with this trust; with `strict`, a SUSPECT result is no success.
    pub(crate) fn strictly(self, strict: bool, trust: Trust) -> Self {
        if strict && self == Self::Done && trust == Trust::Suspect {
            Self::Suspect
        } else {
            self
        }
    }

    /// Exit code of a run that could not start.
    pub(crate) fn of_run(error: &RunError) -> Self {
        match error {
            RunError::Target(TargetError::Interrupted { .. }) => Self::Interrupted,
            RunError::Target(_)
            | RunError::Preparation { .. }
            | RunError::Keys { .. }
            | RunError::Rejected { .. }
            | RunError::Load { .. }
            | RunError::Nodes(_)
            | RunError::Agents(_)
            | RunError::AgentLost { .. }
            | RunError::Outage(_) => Self::Target,
            RunError::Workload(_)
            | RunError::Descriptors { .. }
            | RunError::NoSpace(_)
            | RunError::NotThePages(_) => Self::Refused,
            RunError::Pages(error) => Self::of_corpus(error),
            RunError::Record(_) => Self::Record,
            RunError::Engine(_) => Self::Internal,
            RunError::Interrupted => Self::Interrupted,
        }
    }

    /// Exit code if documents could not be generated or loaded.
    pub(crate) fn of_corpus(error: &CorpusError) -> Self {
        match error {
            CorpusError::Malformed { .. }
            | CorpusError::Read { .. }
            | CorpusError::Refused(_)
            | CorpusError::Exists { .. } => Self::Refused,
            CorpusError::Write { .. } => Self::Record,
            CorpusError::Server { .. } | CorpusError::Rejected { .. } => Self::Target,
            CorpusError::Stopped => Self::Interrupted,
        }
    }
}
