//! Mistakes in a file of patterns, with their positions.

use crate::{Sentence, sentence};

/// The position of a mistake in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(usize),
    /// Line and column, from 1.
    Column(usize, usize),
}

/// A mistake in a file, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) spot: Spot,
    pub(crate) why: Sentence,
}

impl Fault {
    pub(super) fn of_file(why: Sentence) -> Self {
        Self {
            spot: Spot::File,
            why,
        }
    }

    /// A file of values, such as CSV, which are not requests.
    pub(super) fn of_values() -> Self {
        Self::of_file(sentence!(
            "patterns-of-values",
            "has values, not requests: a file of patterns has a path per line, such as /users/1, or \
             requests as JSON; make a request of each row (docs/patterns.md#requests-from-a-csv-file)"
        ))
    }

    pub(super) fn in_line(index: usize, why: Sentence) -> Self {
        Self {
            spot: Spot::Line(index + 1),
            why,
        }
    }
}

/// Decodes `bytes` as UTF-8. `line`, counted from 0, is the line of the file in which `bytes`
/// begins.
pub(super) fn utf8(bytes: &[u8], line: usize) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let newlines = before.iter().filter(|&&byte| byte == b'\n').count();
        let why = sentence!("line-not-utf8", "is not UTF-8 text");
        Fault::in_line(line + newlines, why)
    })
}
