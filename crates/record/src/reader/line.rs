//! A line of `intervals.jsonl` as text.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tenbin_plan::{Sentence, sentence};

use crate::error::RecordError;
use crate::files::lines::{RunLine, SCHEMA};

/// A line with its newline.
pub(super) struct TextLine<'a> {
    pub(super) path: &'a Path,
    /// Number of the line, from 1.
    pub(super) number: u64,
    pub(super) text: &'a [u8],
}

impl<'a> TextLine<'a> {
    pub(super) fn kind(&self) -> Result<Cow<'a, str>, RecordError> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        // The writer puts `kind` first; a line with another first field is parsed completely.
        let begin = self.text.strip_prefix(br#"{"kind":""#);
        let end = |text: &&[u8]| text.iter().position(|byte| !byte.is_ascii_lowercase());
        if let Some(text) = begin
            && let Some(end) = end(&text).filter(|end| text[*end..].starts_with(b"\""))
            && let Ok(kind) = std::str::from_utf8(&text[..end])
        {
            return Ok(Cow::Borrowed(kind));
        }
        self.parse::<Kind>().map(|line| Cow::Owned(line.kind))
    }

    pub(super) fn run(&self) -> Result<RunLine, RecordError> {
        let run: RunLine = self.parse()?;
        if run.schema == SCHEMA {
            return Ok(run);
        }
        Err(self.damaged(sentence!(
            "journal-of-other-version",
            "written as `{schema}`, while this version reads `{known}`",
            schema = run.schema,
            known = SCHEMA
        )))
    }

    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, RecordError> {
        serde_json::from_slice(self.text).map_err(|e| self.damaged(Sentence::quoted(e)))
    }

    pub(super) fn damaged(&self, what: Sentence) -> RecordError {
        RecordError::Damaged {
            path: PathBuf::from(self.path),
            line: self.number,
            what,
        }
    }
}
