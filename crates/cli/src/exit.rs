//! The exit codes, as documented in `docs/exit-codes.md`.

use std::process::ExitCode;

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
