//! Reads a plan file as a draft.

use std::io;
use std::path::Path;

use serde::Deserialize;
use toml::de::{DeTable, Deserializer};

use crate::bounded::{LARGEST_PLAN, read_own, read_regular};
use crate::draft::Draft;
use crate::keys::unknown;
use crate::plan_file::key_count::{MOST_NAMES, has_too_many};
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::{Findings, Place, Problem, Refusal, Source};
use crate::script::Script;
use crate::{Sentence, conceal_text, sentence};

impl Draft {
    /// Reads a plan file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is not TOML, or a value of the wrong type. [`Draft::resolve`]
    /// refuses unknown keys and wrong values, together with all other mistakes.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        Self::of_bytes(path, read_regular(path, LARGEST_PLAN))
    }

    /// Reads the plan of the run in `directory`.
    ///
    /// # Errors
    ///
    /// As [`Draft::read`]. A symbolic link is refused, because the directory can come from somebody
    /// else.
    pub fn read_run(directory: &Path) -> Result<Self, Refusal> {
        let path = directory.join("plan.toml");
        Self::of_bytes(&path, read_own(&path, LARGEST_PLAN))
    }

    /// Path of the plan file, if the draft was read from one.
    pub fn plan_file(&self) -> Option<&Path> {
        self.source.as_ref().map(|source| source.path.as_path())
    }

    fn of_bytes(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<Self, Refusal> {
        let problem = |mistake: Mistake| {
            Refusal::from(Problem {
                file: Some(path.to_owned()),
                position: None,
                key: None,
                mistake,
            })
        };
        let bytes = bytes.map_err(|error| problem(Mistake::UnreadablePlan((&error).into())))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            problem(sentence!("plan-not-utf8", "is not a plan: it is not UTF-8 text").into())
        })?;
        Self::from_toml(&text, path)
    }

    /// Reads the text of a plan file. `path` appears in messages, and relative paths in the plan
    /// start at its directory.
    ///
    /// # Errors
    ///
    /// As [`Draft::read`].
    pub fn from_toml(text: &str, path: &Path) -> Result<Self, Refusal> {
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let mut findings = Findings::default();
        if has_too_many(text) {
            let message = sentence!(
                "too-many-keys",
                "has more than {most_names} keys and tables, the most that a plan can have",
                most_names = MOST_NAMES
            );
            findings.add(Place::Nowhere, message);
            return findings.verdict(Some(&source)).map(|()| Self::default());
        }
        let (mut table, errors) = DeTable::parse_recoverable(text);
        // Lines such as `wrk.method = "POST"` are TOML too.
        let is_wrk = table.get_ref().keys().any(|key| key.get_ref() == "wrk");
        if (is_wrk || !errors.is_empty())
            && let Some(script) = Script::of(text)
        {
            findings.add(Place::Nowhere, Mistake::Script(script));
            return findings.verdict(Some(&source)).map(|()| Self::default());
        }
        for error in &errors {
            findings.add(
                place(error),
                sentence!(
                    "not-toml",
                    "not TOML: {message}",
                    message = without_values(error.message())
                ),
            );
        }
        findings.clone().verdict(Some(&source))?;

        unknown::remove_unknown(table.get_mut(), &mut findings);
        match Self::deserialize(Deserializer::from(table)) {
            Ok(draft) => Ok(Self {
                source: Some(source),
                findings,
                ..draft
            }),
            Err(error) => {
                let message = without_values(error.message());
                findings.add(place(&error), Sentence::from(message));
                findings.verdict(Some(&source)).map(|()| Self::default())
            }
        }
    }
}

/// What is wrong with a value, without the secrets in a value that the message repeats.
fn without_values(message: &str) -> String {
    if message.starts_with("invalid ") {
        conceal_text(message)
    } else {
        message.to_owned()
    }
}

fn place(error: &toml::de::Error) -> Place {
    match error.span() {
        Some(span) => Place::Byte(span.start),
        None => Place::Nowhere,
    }
}
