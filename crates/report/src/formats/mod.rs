//! Result formats: reads and writes the formats of Tenbin and of other tools.
//!
//! [`FORMATS`] lists all formats. `tenbin show`, `compare`, `chart`, `warp` and `--export`, the
//! command lines of other tools, the help and `docs/formats.md` all use this table. A format is one
//! file or folder with a constant `FORMAT`, in the room of its kind of tool, plus one line in the
//! table. Files import from the file that declares an item, not from here.

mod cells;
mod ci;
mod content;
mod export;
mod format;
mod hdr;
mod http;
mod imported;
mod instant;
mod judged;
mod likely;
mod lines;
mod load_tests;
mod mapped;
mod own;
mod plain;
mod plan_requirements;
mod pooled;
pub(crate) mod programs;
mod read;
mod readable;
mod reader;
mod reported;
mod rows;
mod search;
mod storage;
mod table;
mod unread;
mod write;

/// The terminal output of the commands that accept other tools' command lines.
pub mod fronts {
    /// The output of ab.
    pub mod ab {
        pub use crate::formats::http::ab::of_target as text;
    }

    /// The output of blobstore-bench.
    pub mod blobstore_bench {
        pub use crate::formats::storage::blobstore_bench::{Parsed, Reporter};
        pub use crate::formats::storage::hsbench::Bytes;
    }

    /// The output of drnbench-request-response.
    pub mod drnbench {
        pub use crate::formats::search::drnbench::{Listed, Sweep, sweeps, text};
    }

    /// The output of hsbench.
    pub mod hsbench {
        pub use crate::formats::storage::hsbench::text_of_run as text;
    }

    /// The output of warp.
    pub mod warp {
        pub use crate::formats::storage::warp::{
            analyze, analyze_json, cmp, is_invalid, of_run, reported, unfit_line,
        };
    }

    /// The output of wrk and wrk2.
    pub mod wrk {
        pub use crate::formats::http::wrk::{Shown, of_target as text};
    }
}

pub use ci::github::STEP_SUMMARY;
pub use content::Content;
pub use export::{Export, Place, help};
pub use format::Format;
pub use imported::merge;
pub use mapped::ColumnMap;
pub use own::summary::markdown_alone;
pub use pooled::Pooled;
pub use read::{
    ReadError, ReadFile, file_bytes, file_bytes_by, read, read_bytes, read_file, read_file_by,
    read_reported, read_reported_by, read_requests, reported_bytes, shown,
};
pub use reader::{Reader, Selection};
pub use search::drnbench::Steps;
pub use table::{FORMATS, format, kept, written};
pub use write::{Part, Run, WriteError, Writer};
