//! Reads what hey prints: its text, and its list of requests.

mod csv;
mod text;

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Read, Reader};

/// What hey prints.
pub(in crate::formats) const TEXT: Format = Format {
    name: "hey",
    about: "the text that hey prints",
    file: "hey.txt",
    read: Some(Reader::new(
        |beginning| {
            let text = readable(beginning);
            text.contains("\nResponse time histogram:") && text.contains("  Slowest:")
        },
        Read::Figures("the text of hey", text::reported),
    )),
    ..Format::PLAIN
};

/// What hey prints with `-o csv`.
pub(in crate::formats) const REQUESTS: Format = Format {
    name: "hey-csv",
    about: "the list of requests that hey prints with -o csv",
    file: "hey.csv",
    read: Some(Reader::new(csv::recognises, Read::Requests(csv::read))),
    ..Format::PLAIN
};
