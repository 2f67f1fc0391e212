//! Errors of building git revisions.

use std::io;
use std::path::PathBuf;

use crate::exit::Exit;

/// Why a revision could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// Git cannot be started.
    #[error("cannot run git: {0}; install git, or compare two commands or URLs instead")]
    NoGit(io::Error),
    /// Git ended with an error.
    #[error("git {what} failed: {why}")]
    Git {
        /// The command of git.
        what: String,
        /// What git printed.
        why: String,
    },
    /// The working directory is in no repository that git uses.
    #[error("git finds no repository here ({0}); run the command in the repository of the server")]
    NoRepository(String),
    /// A revision does not exist.
    #[error("{name:?} is no revision of {}; name a commit, branch or tag that is fetched", repository.display())]
    NoRevision {
        /// The revision as given.
        name: String,
        /// The repository.
        repository: PathBuf,
    },
    /// The good commit of a bisect is not before the bad one.
    #[error(
        "{good} is no ancestor of {bad} along first parents, so no single commit separates them; name \
         an earlier commit of the same branch, such as {}", near.as_deref().unwrap_or("the fork point")
    )]
    NotBefore {
        /// The good revision.
        good: String,
        /// The bad revision.
        bad: String,
        /// The newest commit that both have.
        near: Option<String>,
    },
    /// The two commits of a bisect are the same.
    #[error("{good} and {bad} are the same commit; name a --good that was not slower")]
    SameCommit {
        /// The good revision.
        good: String,
        /// The bad revision.
        bad: String,
    },
    /// A directory cannot be used.
    #[error("cannot use {}: {why}; choose another directory with --build-dir", path.display())]
    Directory {
        /// The directory or file.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// There is no place for builds.
    #[error("there is no cache directory: HOME is not set; name a directory with --build-dir")]
    NoCache,
    /// The build command failed.
    #[error("the build of {revision} failed ({why}): {command}; its output is above")]
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
            Self::Build { .. } => Exit::Target,
        }
    }
}
