//! Reads what hey prints: its text, and its list of requests.

mod csv;
mod text;

use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Read, Reader};

/// What hey prints.
pub(in crate::formats) const TEXT: Format = Format {
    name: "hey",
    about: "the text that hey prints",
    file: "hey.txt",
    kept: false,
    read: Some(Reader {
        recognises: |beginning| {
            let text = readable(beginning);
            text.contains("\nResponse time histogram:") && text.contains("  Slowest:")
        },
        read: Read::Figures("the text of hey", text::reported),
        reported: None,
    }),
    write: None,
};

/// What hey prints with `-o csv`.
pub(in crate::formats) const REQUESTS: Format = Format {
    name: "hey-csv",
    about: "the list of requests that hey prints with -o csv",
    file: "hey.csv",
    kept: false,
    read: Some(Reader {
        recognises: csv::recognises,
        read: Read::Content(|file, selection| csv::read(file, selection).map(Content::Requests)),
        reported: None,
    }),
    write: None,
};
