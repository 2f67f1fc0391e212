//! Result formats: those that are read, those that are written, and those of other tools.
//!
//! [`FORMATS`] is the one table of them. `tenbin show`, `compare`, `chart`, `warp` and `--export`, the
//! command lines of other tools, the help and `docs/formats.md` take formats from it. A format is one
//! file or folder here, with a constant `FORMAT`, and one line in the table.

mod ab;
mod blobstore_bench;
mod bmf;
mod charts;
mod content;
mod document;
mod drnbench;
mod export;
mod fortio;
mod github;
mod go;
mod h2load;
mod hdr;
mod hey;
mod hsbench;
mod html;
mod imported;
mod influx;
mod junit;
mod k6;
mod lines;
mod oha;
mod pooled;
mod ramp;
mod read;
mod reported;
mod seconds;
mod slices;
mod summary;
mod vegeta;
mod warp;
mod write;
mod wrk;

/// The text that commands for other tools' command lines print on the terminal.
pub mod fronts {
    /// ab.
    pub mod ab {
        pub use crate::formats::ab::of_target as text;
    }

    /// blobstore-bench.
    pub mod blobstore_bench {
        pub use crate::formats::blobstore_bench::{Parsed, Teller};
        pub use crate::formats::hsbench::Bytes;
    }

    /// drnbench-request-response.
    pub mod drnbench {
        pub use crate::formats::drnbench::{Listed, Ramp, ramps, text};
    }

    /// hsbench.
    pub mod hsbench {
        pub use crate::formats::hsbench::text_of_run as text;
    }

    /// warp.
    pub mod warp {
        pub use crate::formats::warp::{
            analyze, analyze_json, cmp, imported, is_invalid, of_run, unfit_line,
        };
    }

    /// wrk and wrk2.
    pub mod wrk {
        pub use crate::formats::wrk::{Shown, of_target as text};
    }
}

pub use content::Content;
pub use drnbench::Steps;
pub use export::{Export, Place, help};
pub use imported::{Imported, Operation, Quantile, Second, Stated, Times, Tool, Windows};
pub use pooled::Pooled;
pub use read::{
    ReadError, Reader, Selection, read, read_bytes, read_reported, read_requests, reported_bytes,
};
pub use reported::imported as shown;
pub use write::{Part, Run, WriteError, Writer};

use std::io;

use tenbin_result::Document;

/// A result format.
#[derive(Debug)]
pub struct Format {
    /// Its name, as options take it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its file in a run directory.
    pub file: &'static str,
    /// Whether every run directory gets that file.
    pub kept: bool,
    /// How it is read, if it is.
    pub read: Option<Reader>,
    /// How it is written, if it is.
    pub write: Option<Writer>,
}

/// Every format. Options, help, documentation and tests are made from this table.
pub const FORMATS: &[&Format] = &[
    &document::FORMAT,
    &summary::FORMAT,
    &html::FORMAT,
    &charts::FOREST,
    &charts::PERCENTILE_RATIOS,
    &charts::QUADS,
    &charts::PERCENTILES,
    &charts::TIMELINE,
    &charts::ERRORS,
    &charts::MATRIX,
    &charts::COST_AND_SPEED,
    &charts::SERVER_STAGES,
    &go::FORMAT,
    &slices::CSV,
    &slices::TSV,
    &seconds::CSV,
    &seconds::TSV,
    &hdr::LOG,
    &hdr::DISTRIBUTION,
    &influx::FORMAT,
    &bmf::FORMAT,
    &github::BIGGER,
    &github::SMALLER,
    &junit::FORMAT,
    &ramp::TABLE,
    &ramp::THROUGHPUT,
    &ramp::LATENCY,
    &warp::TEXT,
    &warp::REQUESTS,
    &warp::SUMS,
    &hsbench::LINES,
    &hsbench::CSV,
    &hsbench::JSON,
    &blobstore_bench::FORMAT,
    &drnbench::FORMAT,
    &wrk::FORMAT,
    &ab::FORMAT,
    &ab::PERCENTAGES,
    &ab::REQUESTS,
    &oha::FORMAT,
    &h2load::FORMAT,
    &hey::FORMAT,
    &vegeta::TEXT,
    &vegeta::JSON,
    &vegeta::REQUESTS,
    &k6::TEXT,
    &k6::JSON,
    &fortio::FORMAT,
];

/// The format of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The formats that can be written.
pub fn written() -> impl Iterator<Item = &'static Format> {
    let all = FORMATS.iter().copied();
    all.filter(|format| format.write.is_some())
}

/// The formats whose file every run directory gets, as far as this result has what they need.
pub fn kept(document: &Document) -> impl Iterator<Item = &'static Format> {
    written().filter(|format| format.kept && format.lacks(document).is_none())
}

impl Format {
    /// What the result lacks for this format, in one clause; `None` if nothing, or if only the
    /// record shows it.
    pub fn lacks(&self, document: &Document) -> Option<&'static str> {
        match &self.write {
            Some(Writer::Document { lacks, .. }) => lacks(document),
            Some(Writer::Run(_)) | None => None,
        }
    }

    /// Writes a format that needs nothing but the document.
    ///
    /// # Errors
    /// Those of `to`; [`io::ErrorKind::Unsupported`] for a format that needs the record or is only
    /// read.
    pub fn write_document(&self, document: &Document, to: &mut dyn io::Write) -> io::Result<()> {
        match &self.write {
            Some(Writer::Document { write, .. }) => write(document, to),
            Some(Writer::Run(_)) | None => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{} is not written from a result document", self.name),
            )),
        }
    }

    /// A format that needs nothing but the document, in memory; empty for any other format.
    pub fn bytes(&self, document: &Document) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.write_document(document, &mut bytes) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }
}
