//! Result formats: reads and writes the formats of Tenbin and of other tools.
//!
//! [`FORMATS`] lists all formats. `tenbin show`, `compare`, `chart`, `warp` and `--export`, the
//! command lines of other tools, the help and `docs/formats.md` all use this table. A format is one
//! file or folder here with a constant `FORMAT`, plus one line in the table.

mod ab;
mod before;
mod blobstore_bench;
mod bmf;
mod charts;
mod content;
mod document;
mod drnbench;
mod export;
mod format;
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
mod judged;
mod junit;
mod k6;
mod lines;
mod oha;
mod pooled;
mod ramp;
mod read;
mod readable;
mod reader;
mod reported;
mod seconds;
mod slices;
mod summary;
mod vegeta;
mod warp;
mod write;
mod wrk;

/// The terminal output of the commands that accept other tools' command lines.
pub mod fronts {
    /// The output of ab.
    pub mod ab {
        pub use crate::formats::ab::of_target as text;
    }

    /// The output of blobstore-bench.
    pub mod blobstore_bench {
        pub use crate::formats::blobstore_bench::{Parsed, Teller};
        pub use crate::formats::hsbench::Bytes;
    }

    /// The output of drnbench-request-response.
    pub mod drnbench {
        pub use crate::formats::drnbench::{Listed, Ramp, ramps, text};
    }

    /// The output of hsbench.
    pub mod hsbench {
        pub use crate::formats::hsbench::text_of_run as text;
    }

    /// The output of warp.
    pub mod warp {
        pub use crate::formats::warp::{
            analyze, analyze_json, cmp, imported, is_invalid, of_run, unfit_line,
        };
    }

    /// The output of wrk and wrk2.
    pub mod wrk {
        pub use crate::formats::wrk::{Shown, of_target as text};
    }
}

pub use content::Content;
pub use drnbench::Steps;
pub use export::{Export, Place, help};
pub use format::Format;
pub use imported::{Imported, Operation, Quantile, Second, Stated, Times, Tool, Windows};
pub use pooled::Pooled;
pub use read::{ReadError, read, read_bytes, read_reported, read_requests, reported_bytes};
pub use reader::{Reader, Selection};
pub use reported::imported as shown;
pub use write::{Part, Run, WriteError, Writer};

use tenbin_result::Document;

/// Every format. Options, help, documentation and tests are generated from this table.
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

/// The format with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The formats that can be written.
pub fn written() -> impl Iterator<Item = &'static Format> {
    let all = FORMATS.iter().copied();
    all.filter(|format| format.write.is_some())
}

/// The formats that write a file into every run directory, as far as the document has the necessary
/// data.
pub fn kept(document: &Document) -> impl Iterator<Item = &'static Format> {
    written().filter(|format| format.kept && format.lacks(document).is_none())
}
