//! How a format is read, which requests of a file are wanted, and errors in a file.

use std::io::{self, BufRead, Read as _};
use std::time::Duration;

use tenbin_plan::{LARGEST_RESULT, Sentence, sentence};
use tenbin_verdict::lint::Reported;

use super::content::Content;

/// The functions that read a format.
#[derive(Debug)]
pub struct Reader {
    /// Whether a file with this beginning is in the format. No file is recognised by two formats.
    pub recognises: fn(&[u8]) -> bool,
    /// Reads a file, which is already decompressed.
    pub read: Read,
    /// Reads the figures of another tool's file, with the lines that state them. `None` if `read`
    /// gives them.
    pub reported: Option<ReadReported>,
}

impl Reader {
    /// A reader of files whose figures `read` gives with the lines that state them.
    pub(super) const fn new(recognises: fn(&[u8]) -> bool, read: Read) -> Self {
        Self {
            recognises,
            read,
            reported: None,
        }
    }
}

/// How a file is read.
#[derive(Debug)]
pub enum Read {
    /// The figures of a whole file. Errors call the content by this name.
    Figures(&'static str, ReadReported),
    /// A list of requests, which is read in parts, and of which requests can be selected.
    Requests(ReadRequests),
    /// Any content.
    Content(ReadContent),
}

impl Read {
    pub(super) fn content(
        &self,
        text: &mut dyn BufRead,
        selection: &Selection,
    ) -> Result<Content, Fault> {
        match self {
            Self::Figures(name, read) => {
                read(&whole(text, selection, name)?).map(Content::Requests)
            }
            Self::Requests(read) => read(text, selection).map(Content::Requests),
            Self::Content(read) => read(text, selection),
        }
    }
}

/// Reads the figures of a whole file.
pub(super) type ReadReported = fn(&[u8]) -> Result<Reported, Fault>;

/// Reads the selected requests of a list.
pub(super) type ReadRequests = fn(&mut dyn BufRead, &Selection) -> Result<Reported, Fault>;

/// Reads a whole file, or the selected requests.
pub(super) type ReadContent = fn(&mut dyn BufRead, &Selection) -> Result<Content, Fault>;

/// Selects which requests of a file are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Read only this operation, in capitals.
    pub operation: Option<String>,
    /// Read only requests to this host.
    pub host: Option<String>,
    /// Skip requests that started within this time after the first request.
    pub skip: Duration,
    /// Skip this number of requests at the start.
    pub offset: u64,
    /// Read at most this number of requests.
    pub limit: Option<u64>,
}

impl Selection {
    /// Whether the selection can only be applied to individual requests.
    pub(super) fn needs_requests(&self) -> bool {
        self.host.is_some() || !self.skip.is_zero() || self.offset > 0 || self.limit.is_some()
    }

    pub(super) fn wants(&self, operation: &str) -> bool {
        self.operation
            .as_deref()
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(operation))
    }
}

/// An error in a file.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// Line number, from 1, if the error concerns a single line.
    pub(super) line: Option<u64>,
    /// Description of the error, and what to do.
    pub(super) what: Sentence,
    /// Whether the file is in no known format.
    pub(super) is_unknown: bool,
}

/// Why a file cannot be read: a sentence with its arguments, a fixed text, which other languages look
/// up as a whole, or a text in English only.
pub(in crate::formats) trait Reason {
    fn sentence(self) -> Sentence;
}

impl Reason for Sentence {
    fn sentence(self) -> Sentence {
        self
    }
}

impl Reason for &'static str {
    fn sentence(self) -> Sentence {
        Sentence::fixed(self)
    }
}

impl Reason for String {
    fn sentence(self) -> Sentence {
        self.into()
    }
}

impl Fault {
    pub(super) fn in_line(line: u64, what: impl Reason) -> Self {
        Self {
            line: Some(line),
            what: what.sentence(),
            is_unknown: false,
        }
    }

    pub(super) fn of_the_file(what: impl Reason) -> Self {
        Self {
            line: None,
            what: what.sentence(),
            is_unknown: false,
        }
    }

    pub(super) fn reading(line: u64, error: &io::Error) -> Self {
        Self::in_line(
            line,
            sentence!(
                "read-no-further",
                "the file cannot be read any further: {why}; it may be cut off",
                why = error
            ),
        )
    }

    /// An error of the operating system, or of what unpacks the file.
    pub(super) fn unreadable(error: &io::Error) -> Self {
        Self::of_the_file(sentence!(
            "file-unreadable",
            "cannot be read: {why}; it may be cut off",
            why = error
        ))
    }
}

/// Reads a whole file without individual requests; fails if `selection` selects individual
/// requests. `what` names the content in errors.
pub(super) fn whole(
    text: &mut dyn BufRead,
    selection: &Selection,
    what: &str,
) -> Result<Vec<u8>, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(sentence!(
            "no-single-requests",
            "is {what}, which holds no single requests to select",
            what
        )));
    }
    let mut content = Vec::new();
    let read = text.take(LARGEST_RESULT + 1).read_to_end(&mut content);
    read.map_err(|error| Fault::unreadable(&error))?;
    if content.len() as u64 > LARGEST_RESULT {
        return Err(Fault::of_the_file(sentence!(
            "result-too-large",
            "is larger than {most} bytes, the maximum size of a result file",
            most = LARGEST_RESULT
        )));
    }
    Ok(content)
}
