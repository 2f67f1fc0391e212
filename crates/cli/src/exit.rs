//! The exit codes, as documented in `docs/exit-codes.md`.

use std::process::ExitCode;

use tenbin_corpus::Error as CorpusError;
use tenbin_result::Trust;
use tenbin_runner::RunError;
use tenbin_targets::TargetError;

/// Exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success, and the figures are VALID or SUSPECT.
    Done,
    /// Internal error: a bug in Tenbin or a failure of the system.
    Internal,
    /// The arguments or the plan are invalid; nothing was started.
    Refused,
    /// A target could not be started or reached, or rejected the credentials.
    Target,
    /// A target failed during the run; the results so far are kept.
    TargetFailed,
    /// The run directory or standard output could not be written; the results so far are kept.
    Record,
    /// The run finished, but the verdict is INVALID.
    Invalid,
    /// The result is not INVALID, but the run proves that `--expect` or `--fail-if` is violated.
    Unmet,
    /// The result is not INVALID, but the run cannot tell whether `--expect` is met.
    Undecided,
    /// The result is SUSPECT, and `--strict` was given.
    Suspect,
    /// Interrupted; the results so far are kept.
    Interrupted,
    /// Like `Target`, for the baseline: no other target can be compared with it.
    Baseline,
    /// Like `TargetFailed`, for the baseline.
    BaselineFailed,
    /// For `git bisect run`: the commit is good.
    GitGood,
    /// For `git bisect run`: the commit is bad.
    GitBad,
    /// For `git bisect run`: the commit cannot be tested, and is skipped.
    GitSkip,
    /// For `git bisect run`: the bisect stops.
    GitStop,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

impl Exit {
    /// The number with which the program ends.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done | Self::GitGood => 0,
            Self::Internal | Self::GitBad => 1,
            Self::Refused => 2,
            Self::Target | Self::Baseline => 3,
            Self::TargetFailed | Self::BaselineFailed => 4,
            Self::Record => 5,
            Self::Invalid => 6,
            Self::Unmet => 7,
            Self::Undecided => 8,
            Self::Suspect => 9,
            Self::GitSkip => 125,
            Self::GitStop => 128,
            Self::Interrupted => 130,
        }
    }

    /// The exit code of a gate in the words of `git bisect run`, which takes every code from 1 to 127
    /// except 125 for a bad commit. Only a proven regression is one. A base that cannot be measured ends
    /// the bisect: it is the same for every commit, and all would be skipped.
    pub(crate) fn for_git_bisect(self) -> Self {
        match self {
            Self::Done | Self::GitGood => Self::GitGood,
            Self::Unmet | Self::GitBad => Self::GitBad,
            Self::Invalid
            | Self::Undecided
            | Self::Suspect
            | Self::Target
            | Self::TargetFailed
            | Self::GitSkip => Self::GitSkip,
            Self::Internal
            | Self::Refused
            | Self::Record
            | Self::Baseline
            | Self::BaselineFailed
            | Self::GitStop => Self::GitStop,
            Self::Interrupted => Self::Interrupted,
        }
    }

    /// The exit code if the target that could not be measured is the baseline, or is not.
    pub(crate) fn of_target(self, is_baseline: bool) -> Self {
        match self {
            Self::Target if is_baseline => Self::Baseline,
            Self::TargetFailed if is_baseline => Self::BaselineFailed,
            other => other,
        }
    }

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
            | RunError::Nodes { .. }
            | RunError::Agents(_)
            | RunError::NotForAgents { .. }
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
