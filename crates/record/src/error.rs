//! What can go wrong between a run and its directory.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run directory could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// No room left. What was written before is kept and readable.
    #[error("no space left to write {}: free some, or choose another directory with --out", path.display())]
    DiskFull {
        /// The file that did not fit.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: `create`, `write`, `read`.
        doing: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file without which a directory is no run directory is missing.
    #[error("{} is not a run directory: it has no {missing}", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// A run that ended before it had anything to measure, for example because a
    /// target could not be brought up.
    #[error("{} holds nothing measured: the run ended before its first slice", path.display())]
    NothingMeasured {
        /// The run directory.
        path: PathBuf,
    },
    /// A file holds something that no run writes, and not merely a torn end.
    #[error("{} is damaged in line {line}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which line of the file, from 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// Files do not fit their check values, and cannot be read as they are now.
    #[error(
        "the run in {} cannot be read: {changed} ({source}); restore the file from a copy",
        path.display()
    )]
    Changed {
        /// The run directory.
        path: PathBuf,
        /// What was changed.
        changed: String,
        /// What is wrong with it.
        source: Box<RecordError>,
    },
    /// Figures were handed in while no slice was open, or a slice was opened
    /// while another one was.
    #[error("cannot record {what}: {why}")]
    OutOfOrder {
        /// What was handed in.
        what: &'static str,
        /// Why it has no place.
        why: &'static str,
    },
}

impl RecordError {
    /// Sorts an I/O error: a full disk or a spent quota is a case of its own.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io {
                doing,
                path,
                source,
            },
        }
    }
}
