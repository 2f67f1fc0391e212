//! Errors of building git revisions.

use std::io;
use std::path::PathBuf;

use tenbin_plan::{Sentence, sentence};

use crate::exit::Exit;

/// Why a revision could not be built.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub(crate) enum BuildError {
    /// Git cannot be started.
    NoGit(io::Error),
    /// Git ended with an error.
    Git {
        /// The command of git.
        what: String,
        /// What git printed.
        why: String,
    },
    /// The working directory is in no repository that git uses.
    NoRepository(String),
    /// A revision does not exist.
    NoRevision {
        /// The revision as given.
        name: String,
        /// The repository.
        repository: PathBuf,
    },
    /// The good commit of a bisect is not before the bad one.
    NotBefore {
        /// The good revision.
        good: String,
        /// The bad revision.
        bad: String,
        /// The newest commit that both have.
        near: Option<String>,
    },
    /// The two commits of a bisect are the same.
    SameCommit {
        /// The good revision.
        good: String,
        /// The bad revision.
        bad: String,
    },
    /// A directory cannot be used.
    Directory {
        /// The directory or file.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// There is no place for builds.
    NoCache,
    /// There is no build command, and the program is not in the worktree.
    NothingBuilt {
        /// The program as the plan names it.
        program: String,
        /// The revision as given.
        revision: String,
    },
    /// The build command failed.
    Build {
        /// The revision.
        revision: String,
        /// The build command.
        command: String,
        /// How the command ended.
        why: String,
    },
}

impl BuildError {
    /// The error with its arguments.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::NoGit(text) => sentence!(
                "no-git",
                "cannot run git: {text}; install git, or compare two commands or URLs instead",
                text = Sentence::from(text)
            ),
            Self::Git { what, why } => {
                sentence!("git-failed", "git {what} failed: {why}", what, why)
            }
            Self::NoRepository(text) => sentence!(
                "no-repository",
                "git finds no repository here ({text}); run the command in the repository of the \
                 server",
                text
            ),
            Self::NoRevision { name, repository } => sentence!(
                "no-revision",
                "{name:?} is no revision of {repository}; name a commit, branch or tag that is \
                 fetched",
                name,
                repository = repository.display()
            ),
            Self::NotBefore { good, bad, near } => sentence!(
                "not-before",
                "{good} is no ancestor of {bad} along first parents, so no single commit \
                 separates them; name an earlier commit of the same branch, such as {near}",
                good,
                bad,
                near = near.as_deref().unwrap_or("the fork point")
            )
            .with("near", near.as_deref().unwrap_or("none")),
            Self::SameCommit { good, bad } => sentence!(
                "same-commit",
                "{good} and {bad} are the same commit; name a --good that was not slower",
                good,
                bad
            ),
            Self::Directory { path, why } => sentence!(
                "build-directory",
                "cannot use {path}: {why}; choose another directory with --build-dir",
                path = path.display(),
                why = Sentence::from(why)
            ),
            Self::NoCache => sentence!(
                "no-cache-directory",
                "there is no cache directory: HOME is not set; name a directory with --build-dir"
            ),
            Self::NothingBuilt { program, revision } => sentence!(
                "nothing-built",
                "nothing built {program} in the work tree of {revision}: add --build COMMAND",
                program,
                revision
            ),
            Self::Build {
                revision,
                command,
                why,
            } => sentence!(
                "build-failed",
                "the build of {revision} failed ({why}): {command}; its output is above",
                revision,
                why,
                command
            ),
        }
    }
}

impl BuildError {
    /// The exit code of a gate or a bisect whose revision could not be built.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NoGit(_)
            | Self::Git { .. }
            | Self::NoRepository(_)
            | Self::NoRevision { .. }
            | Self::NotBefore { .. }
            | Self::SameCommit { .. }
            | Self::NoCache => Exit::Refused,
            Self::Directory { .. } => Exit::Record,
            Self::NothingBuilt { .. } | Self::Build { .. } => Exit::Target,
        }
    }
}
