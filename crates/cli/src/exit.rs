//! The exit codes, as documented in `docs/exit-codes.md`.

use std::process::ExitCode;

use tenbin_corpus::Error as CorpusError;
use tenbin_runner::RunError;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, and the figures can be believed (VALID or SUSPECT).
    Done = 0,
    /// Something failed that should not: a fault in Tenbin or in the system.
    Internal = 1,
    /// The arguments or the plan were refused; nothing was started.
    Refused = 2,
    /// A target could not be brought up, reached or logged in to.
    Target = 3,
    /// A target failed during the run; what was measured is kept.
    TargetFailed = 4,
    /// The run directory or standard output could not be written; what was measured is
    /// kept.
    Record = 5,
    /// Finished, but the verdict is INVALID.
    Invalid = 6,
    /// Finished and to be believed, but an expected condition is proven false.
    Unmet = 7,
    /// Finished and to be believed, but the run cannot tell whether an expected condition
    /// is true.
    Undecided = 8,
    /// Interrupted; what was measured is kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl Exit {
    /// How the program ends when a run could not be made.
    pub(crate) fn of_run(error: &RunError) -> Self {
        match error {
            RunError::Target(_)
            | RunError::Preparation { .. }
            | RunError::Load { .. }
            | RunError::Nodes(_) => Self::Target,
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

    /// How the program ends when data could not be made or loaded.
    pub(crate) fn of_corpus(error: &CorpusError) -> Self {
        match error {
            CorpusError::Malformed { .. } | CorpusError::Read { .. } | CorpusError::Refused(_) => {
                Self::Refused
            }
            CorpusError::Write { .. } => Self::Record,
            CorpusError::Server { .. } => Self::Target,
            CorpusError::Stopped => Self::Interrupted,
        }
    }
}
