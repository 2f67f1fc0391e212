//! What is wrong with a plan, as data, so that programs can print it in other languages.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::keys::suggest::{meant_by, nearest};
use crate::script::Script;
use crate::units::duration::{Time, TimeError};
use crate::units::rate::RateError;
use crate::{Sentence, sentence};

/// What is wrong and what to do, without a full stop. Programs match on some mistakes; the others are
/// a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum Mistake {
    /// A URL has no scheme.
    NotAUrl {
        /// The text.
        text: String,
        /// The text with a scheme.
        meant: String,
    },
    /// The plan file itself cannot be read.
    UnreadablePlan(Sentence),
    /// The file is a script of another load generator.
    Script(Script),
    /// Another mistake.
    Other(Sentence),
}

/// A value is none of the values that a key can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
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

impl NotOneOf {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        let percentile = if self.or_percentile {
            sentence!("or-percentile", " (or another percentile, such as p75)")
        } else {
            Sentence::default()
        };
        sentence!(
            "not-one-of",
            "{value} is not one of {choices}{percentile}{meant}",
            value = self.value,
            choices = self.choices.join(", "),
            percentile,
            meant = meant_by(self.meant.as_deref())
        )
        .with_names("choices", &self.choices)
    }
}

impl Mistake {
    /// The mistake with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotAUrl { text, meant } => sentence!(
                "no-url",
                "{text:?} is not a URL; did you mean {meant:?}?",
                text,
                meant
            ),
            Self::UnreadablePlan(why) => {
                sentence!("unreadable", "cannot be read: {why}", why)
            }
            Self::Script(script) => script.sentence(),
            Self::Other(sentence) => sentence.clone(),
        }
    }

    /// A number is below its minimum.
    pub(crate) fn too_small(number: i128, least: u64) -> Self {
        sentence!(
            "too-small",
            "{number} is too small; the minimum is {least}",
            number,
            least
        )
        .into()
    }

    /// A number is above its maximum.
    pub(crate) fn too_large(number: i128, most: u64) -> Self {
        sentence!(
            "too-large",
            "{number} is too large; the maximum is {most}",
            number,
            most
        )
        .into()
    }

    /// A duration is below its minimum.
    pub(crate) fn too_short(time: Duration, least: Duration) -> Self {
        sentence!(
            "too-short",
            "{time} is too short; the minimum is {least}",
            time = Time(time),
            least = Time(least)
        )
        .into()
    }

    /// A plan has no target.
    pub(crate) fn no_target() -> Self {
        sentence!(
            "no-target",
            "no target to measure; give its URL, --target NAME=URL for each server, --launch \
             NAME='COMMAND {{port}}' to start one, or a [[target]] table in a plan"
        )
        .into()
    }

    /// Two targets or two workloads (`what`) have one name.
    pub(crate) fn same_name(what: &'static str, name: &str) -> Self {
        sentence!(
            "same-name",
            "two {what}s have the name {name:?}; rename one",
            what,
            name
        )
        .into()
    }

    /// A target has no credentials, and a workload needs them.
    pub(crate) fn no_credentials(target: &str, workload: &str) -> Self {
        sentence!(
            "no-credentials",
            "target {target:?} needs S3 credentials for workload {workload:?}; give --access-key and \
             --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan access_key_env \
             and secret_key_env; for anonymous requests --anonymous, or in a plan signature = \
             \"none\"",
            target,
            workload
        )
        .into()
    }

    /// A file that the plan names cannot be read.
    pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Self {
        sentence!(
            "cannot-read",
            "cannot read {path}: {why}",
            path = path.display(),
            why = Sentence::from(error)
        )
        .into()
    }

    /// A key names a target that is none of these `targets`.
    pub(crate) fn unknown_target<'a>(
        name: &str,
        targets: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let listed: Vec<&str> = targets.clone().collect();
        let meant = meant_by(nearest(name, targets));
        sentence!(
            "unknown-target",
            "there is no target {name:?} among {targets}{meant}",
            name,
            targets = listed.join(", "),
            meant
        )
        .with_names("targets", listed)
        .into()
    }
}

impl From<Sentence> for Mistake {
    fn from(sentence: Sentence) -> Self {
        Self::Other(sentence)
    }
}

/// A reason from the table of keys.
impl From<&'static str> for Mistake {
    fn from(text: &'static str) -> Self {
        Self::Other(Sentence::fixed(text))
    }
}

impl From<NotOneOf> for Mistake {
    fn from(error: NotOneOf) -> Self {
        Self::Other(error.sentence())
    }
}

impl From<TimeError> for Mistake {
    fn from(error: TimeError) -> Self {
        Self::Other(error.sentence())
    }
}

impl From<RateError> for Mistake {
    fn from(error: RateError) -> Self {
        Self::Other(error.sentence())
    }
}

/// Parsers of values that contain several parts report their errors as sentences.
impl From<Mistake> for Sentence {
    fn from(mistake: Mistake) -> Self {
        mistake.sentence()
    }
}
