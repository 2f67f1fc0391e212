//! Errors of commands that read runs and files.

use std::io;
use std::path::PathBuf;

/// Why a command cannot do what it was told to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// `last` names no run.
    #[error("there is no run in runs/ of this directory; name a run directory")]
    NoRun,
    /// A word such as `last~5` asks for a run before the first one.
    #[error(
        "runs/ has {there} measured runs, and this asks for number {asked} from the newest; see tenbin list"
    )]
    TooFewRuns {
        /// Position from the newest run, from 1.
        asked: usize,
        /// Number of runs.
        there: usize,
    },
    /// Several runs begin with the word.
    #[error("several runs begin with {word:?}: {}; write more of the name", runs.join(", "))]
    SeveralRuns {
        /// The word.
        word: String,
        /// Names of the runs.
        runs: Vec<String>,
    },
    /// A directory of runs is none.
    #[error("{} is no directory; name the directory with the runs", path.display())]
    NoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// No run in the directory has this target or workload.
    #[error("{flag}: no run has {name:?}; the runs have {}", known.join(", "))]
    InNoRun {
        /// The option.
        flag: &'static str,
        /// The name.
        name: String,
        /// Names that the runs have.
        known: Vec<String>,
    },
    /// The run has not measured anything yet.
    #[error("the run in {} is still running and has measured nothing yet", path.display())]
    StillRunning {
        /// The run directory.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// No rule has this name.
    #[error("there is no rule {name:?}; {}", hint(near))]
    UnknownRule {
        /// The name.
        name: String,
        /// Rules with similar names.
        near: Vec<String>,
    },
}

fn hint(near: &[String]) -> String {
    if near.is_empty() {
        "`tenbin explain` lists all of them".to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    }
}
