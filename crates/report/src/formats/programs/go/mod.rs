//! `benchmark.txt`: Go's benchmark format, which `benchstat` reads.
//!
//! One line per slice: slices are repetitions, so requests of several slices are never pooled. The
//! slices of the baseline come first, then the other slices in run order. `docs/s3-suite.md`
//! explains the units.

mod json;
mod line;
mod name;
mod parse;
pub(crate) mod read;
mod unit;
pub(crate) mod write;

use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::write::{Writer, nothing};

pub(in crate::formats) use json::FORMAT as JSON;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "go",
    about: "Go's benchmark format: a line for each slice, for benchstat",
    file: "benchmark.txt",
    kept: true,
    read: Some(Reader {
        recognises: read::recognises,
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "in Go's benchmark format")?;
            let series = read::series(&content).map_err(|why| {
                Fault::of_the_file(format!("cannot be read as Go's benchmark format: {why}"))
            })?;
            Ok(Content::Repetitions(series))
        }),
        reported: Some(|content| read::reported(content).map_err(Fault::of_the_file)),
    }),
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| to.write_all(write::text(document).as_bytes()),
    }),
};
