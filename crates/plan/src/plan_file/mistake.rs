//! What is wrong with a plan. The common mistakes are data, so that programs can print them in
//! other languages.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::keys::suggest::nearest;
use crate::script::Script;
use crate::units::duration::{Time, TimeError};
use crate::units::rate::RateError;

/// What is wrong and what to do, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// A number is below its minimum.
    #[error("{number} is too small; the minimum is {least}")]
    TooSmall {
        /// The number.
        number: i128,
        /// The minimum.
        least: u64,
    },
    /// A number is above its maximum.
    #[error("{number} is too large; the maximum is {most}")]
    TooLarge {
        /// The number.
        number: i128,
        /// The maximum.
        most: u64,
    },
    /// A duration is below its minimum.
    #[error("{} is too short; the minimum is {}", Time(*time), Time(*least))]
    TooShort {
        /// The duration.
        time: Duration,
        /// The minimum.
        least: Duration,
    },
    /// A text is not a duration that can be used.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A text or a number is not a rate that can be used.
    #[error(transparent)]
    Rate(#[from] RateError),
    /// A value is none of the values that a key can have.
    #[error(transparent)]
    NotOneOf(#[from] NotOneOf),
    /// A URL has no scheme.
    #[error("{text:?} is not a URL; did you mean {meant:?}?")]
    NotAUrl {
        /// The text.
        text: String,
        /// The text with a scheme.
        meant: String,
    },
    /// A file cannot be read.
    #[error("{}", self.unreadable())]
    Unreadable {
        /// The file; `None` for the plan file itself.
        path: Option<PathBuf>,
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The error of the operating system.
        error: String,
    },
    /// The file is a script of another load generator.
    #[error("{0}")]
    Script(Script),
    /// A plan has no target.
    #[error(
        "no target to measure; give its URL, --target NAME=URL for each server, --launch \
         NAME='COMMAND {{port}}' to start one, or a [[target]] table in a plan"
    )]
    NoTarget,
    /// Two targets or two workloads have one name.
    #[error("two {what}s have the name {name:?}; rename one")]
    SameName {
        /// `target` or `workload`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A key names a target that does not exist.
    #[error("there is no target {name:?} among {}{}", targets.join(", "), did_you_mean(meant))]
    UnknownTarget {
        /// The name.
        name: String,
        /// The names of all targets.
        targets: Vec<String>,
        /// The target that was probably meant.
        meant: Option<String>,
    },
    /// A target has no credentials, and a workload needs them.
    #[error(
        "target {target:?} needs S3 credentials for workload {workload:?}; give --access-key and \
         --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan access_key_env and \
         secret_key_env; for anonymous requests --anonymous, or in a plan signature = \"none\""
    )]
    NoCredentials {
        /// Name of the target.
        target: String,
        /// Name of the workload.
        workload: String,
    },
    /// Another mistake, in one sentence.
    #[error("{0}")]
    Other(String),
}

/// A value is none of the values that a key can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{value} is not one of {}{}{}",
    choices.join(", "),
    if *or_percentile { " (or another percentile, such as p75)" } else { "" },
    did_you_mean(meant)
)]
pub struct NotOneOf {
    /// The value as written.
    pub value: String,
    /// The values that can be used.
    pub choices: Vec<String>,
    /// Whether every percentile can be used as well.
    pub or_percentile: bool,
    /// The value that was probably meant.
    pub meant: Option<String>,
}

fn did_you_mean(meant: &Option<String>) -> String {
    let meant = meant.as_ref();
    meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"))
}

impl Mistake {
    /// A file that the plan names cannot be read.
    pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Self {
        Self::Unreadable {
            path: Some(path.to_owned()),
            kind: error.kind(),
            error: error.to_string(),
        }
    }

    /// The plan file cannot be read.
    pub(crate) fn unreadable_plan(error: &io::Error) -> Self {
        Self::Unreadable {
            path: None,
            kind: error.kind(),
            error: error.to_string(),
        }
    }

    /// A key names a target that is none of these `targets`.
    pub(crate) fn unknown_target<'a>(
        name: &str,
        targets: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        Self::UnknownTarget {
            name: name.to_owned(),
            meant: nearest(name, targets.clone()).map(str::to_owned),
            targets: targets.map(str::to_owned).collect(),
        }
    }

    fn unreadable(&self) -> String {
        match self {
            Self::Unreadable {
                path: Some(path),
                error,
                ..
            } => {
                format!("cannot read {}: {error}", path.display())
            }
            Self::Unreadable { error, .. } => format!("cannot be read: {error}"),
            _ => String::new(),
        }
    }
}

impl From<String> for Mistake {
    fn from(sentence: String) -> Self {
        Self::Other(sentence)
    }
}

impl From<&str> for Mistake {
    fn from(sentence: &str) -> Self {
        Self::Other(sentence.to_owned())
    }
}

/// Parsers of values that contain several parts report their errors as text.
impl From<Mistake> for String {
    fn from(mistake: Mistake) -> Self {
        mistake.to_string()
    }
}
