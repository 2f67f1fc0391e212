//! Errors of commands that read runs and files.

use std::io;
use std::path::PathBuf;

use tenbin_plan::{Sentence, sentence};

/// Why a command cannot do what it was told to.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub(crate) enum CommandError {
    /// `last` names no run.
    NoRun,
    /// A word such as `last~5` asks for a run before the first one.
    TooFewRuns {
        /// Position from the newest run, from 1.
        asked: usize,
        /// Number of runs.
        there: usize,
    },
    /// Several runs begin with the word.
    SeveralRuns {
        /// The word.
        word: String,
        /// Names of the runs.
        runs: Vec<String>,
    },
    /// Several runs have the name, or a name that ends with the word.
    SeveralOfName {
        /// The word.
        word: String,
        /// Names of the newest of these runs, newest first.
        runs: Vec<String>,
    },
    /// A directory of runs is none.
    NoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// No run in the directory has this target or workload.
    InNoRun {
        /// The option.
        flag: &'static str,
        /// The name.
        name: String,
        /// Names that the runs have.
        known: Vec<String>,
    },
    /// The run has not measured anything yet.
    StillRunning {
        /// The run directory.
        path: PathBuf,
    },
    /// A file or a directory cannot be read.
    Unreadable {
        /// The file or the directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// No rule has this name.
    UnknownRule {
        /// The name.
        name: String,
        /// Rules with similar names.
        near: Vec<String>,
    },
}

impl CommandError {
    /// The error with its arguments.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::NoRun => sentence!(
                "no-run",
                "there is no run in runs/ of this directory; name a run directory"
            ),
            Self::TooFewRuns { asked, there } => sentence!(
                "too-few-runs",
                "runs/ has {there} measured runs, so there is no run number {asked} from the \
                 newest; see tenbin list",
                there,
                asked
            ),
            Self::SeveralRuns { word, runs } => sentence!(
                "several-runs",
                "several runs begin with {word:?}: {runs}; write more of the name",
                word,
                runs = runs.join(", ")
            )
            .with_names("runs", runs),
            Self::SeveralOfName { word, runs } => sentence!(
                "several-of-name",
                "several runs are called {word:?}, newest first: {runs}; write the whole name of \
                 one of them",
                word,
                runs = runs.join(", ")
            )
            .with_names("runs", runs),
            Self::NoDirectory { path } => sentence!(
                "no-directory",
                "{path} is no directory; name the directory with the runs",
                path = path.display()
            ),
            Self::InNoRun { flag, name, known } => sentence!(
                "in-no-run",
                "{flag}: no run has {name:?}; the runs have {known}",
                flag,
                name,
                known = known.join(", ")
            )
            .with_names("known", known),
            Self::StillRunning { path } => sentence!(
                "run-still-running",
                "the run in {path} is still running and has measured nothing yet",
                path = path.display()
            ),
            Self::Unreadable { path, source } => sentence!(
                "cannot-be-read",
                "{path} cannot be read: {source}",
                path = path.display(),
                source = Sentence::from(source)
            ),
            Self::UnknownRule { name, near } => sentence!(
                "unknown-rule",
                "there is no rule {name:?}; {hint}",
                name,
                hint = hint(near)
            ),
        }
    }
}

fn hint(near: &[String]) -> Sentence {
    if near.is_empty() {
        sentence!("rules-listed", "`tenbin explain` lists all of them")
    } else {
        sentence!(
            "meant-one-of",
            "did you mean {near}?",
            near = near.join(" or ")
        )
        .with_names("near", near)
    }
}
