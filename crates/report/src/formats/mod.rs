//! Result formats: reads and writes the formats of Tenbin and of other tools.
//!
//! [`FORMATS`] lists all formats. `tenbin show`, `compare`, `chart`, `warp` and `--export`, the
//! command lines of other tools, the help and `docs/formats.md` all use this table. A format is one
//! file or folder here with a constant `FORMAT`, plus one line in the table. Files of this folder
//! import from the file that declares an item, not from here.

mod ab;
mod blobstore_bench;
mod bmf;
mod content;
mod drnbench;
mod export;
mod format;
mod fortio;
mod github;
pub(crate) mod go;
mod h2load;
mod hdr;
mod hey;
mod hsbench;
mod imported;
mod influx;
mod judged;
mod junit;
mod k6;
mod lines;
mod oha;
mod own;
mod plan_requirements;
mod pooled;
mod read;
mod readable;
mod reader;
mod reported;
mod table;
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
        pub use crate::formats::blobstore_bench::{Parsed, Reporter};
        pub use crate::formats::hsbench::Bytes;
    }

    /// The output of drnbench-request-response.
    pub mod drnbench {
        pub use crate::formats::drnbench::{Listed, Sweep, sweeps, text};
    }

    /// The output of hsbench.
    pub mod hsbench {
        pub use crate::formats::hsbench::text_of_run as text;
    }

    /// The output of warp.
    pub mod warp {
        pub use crate::formats::warp::{
            analyze, analyze_json, cmp, is_invalid, of_run, reported, unfit_line,
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
pub use imported::merge;
pub use pooled::Pooled;
pub use read::{ReadError, read, read_bytes, read_reported, read_requests, reported_bytes};
pub use reader::{Reader, Selection};
pub use table::{FORMATS, format, kept, written};
pub use write::{Part, Run, WriteError, Writer};
