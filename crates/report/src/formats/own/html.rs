//! The format of `report.html`: the report as one page.

use crate::formats::format::Format;
use crate::formats::write::{Writer, nothing};
use crate::page::html;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "html",
    about: "the report as one page with charts, to be opened in a browser",
    file: "report.html",
    kept: true,
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(html::html(&[document]).as_bytes()),
    }),
    ..Format::PLAIN
};
