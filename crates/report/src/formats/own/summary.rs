//! The format of `SUMMARY.md`: the report as Markdown.

use tenbin_result::Document;

use crate::formats::format::Format;
use crate::formats::write::{Writer, nothing};
use crate::page::markdown;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "markdown",
    about: "the report, to read or publish",
    file: "SUMMARY.md",
    kept: true,
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(markdown::summary(document).as_bytes()),
    }),
    ..Format::PLAIN
};

/// The report as Markdown without links to the files of charts, to be read outside of the run
/// directory. The chart of a gate is drawn in characters.
pub fn markdown_alone(document: &Document) -> String {
    markdown::without_files(document)
}
