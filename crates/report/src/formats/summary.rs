//! The format of `SUMMARY.md`: the report as Markdown.

use super::write::nothing;
use super::{Format, Writer};
use crate::page::markdown;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    about: "the report, to read or publish",
    file: "SUMMARY.md",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(markdown::summary(document).as_bytes()),
    }),
};
