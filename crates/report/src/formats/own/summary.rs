//! The format of `SUMMARY.md`: the report as Markdown.

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
