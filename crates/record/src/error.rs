//! Errors of reading and writing run directories.

use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::{Sentence, sentence};

/// Why a run directory could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum RecordError {
    /// The disk is full. Data written earlier is kept and can be read.
    DiskFull {
        /// The file that could not be written.
        path: PathBuf,
    },
    /// The operating system returned an error.
    Io {
        /// The failed operation as a verb: `create`, `write`, `read`.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A required file of a run directory is missing.
    NotARun {
        /// The directory.
        path: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// A file is not a packed run that [`crate::files::archive`] wrote.
    NotPacked {
        /// The file.
        path: PathBuf,
        /// Why the file is not a packed run.
        why: Sentence,
    },
    /// The run ended before its first slice, for example because a target could not be started.
    NothingMeasured {
        /// The run directory.
        path: PathBuf,
    },
    /// A file is damaged, and not only by an incomplete end.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong in the line.
        what: Sentence,
    },
    /// A file was changed after the run, according to its check values, and cannot be read.
    Changed {
        /// The run directory.
        path: PathBuf,
        /// Messages about the changed files, separated by semicolons.
        changed: Sentence,
        /// The error that reading the run returned.
        source: Box<RecordError>,
    },
    /// A call of [`crate::RunWriter`] in the wrong state, such as a sample while no slice is open.
    OutOfOrder {
        /// The data that was passed, such as `a sample`.
        what: &'static str,
        /// Why the data cannot be recorded.
        why: &'static str,
    },
}

impl RecordError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::DiskFull { path } => sentence!(
                "disk-full",
                "no space left to write {path}: free some, or choose another directory with --out",
                path = path.display()
            ),
            Self::Io {
                doing,
                path,
                source,
            } => sentence!(
                "file-error",
                "cannot {doing} {path}: {source}",
                path = path.display(),
                doing,
                source = Sentence::from(source)
            ),
            Self::NotARun { path, missing } => sentence!(
                "not-a-run",
                "{path} is not a run directory: it has no {missing}",
                path = path.display(),
                missing
            ),
            Self::NotPacked { path, why } => sentence!(
                "not-packed",
                "{path} is not a packed run: {why}",
                path = path.display(),
                why
            ),
            Self::NothingMeasured { path } => sentence!(
                "run-without-slice",
                "{path} has no measurements: the run ended before its first slice",
                path = path.display()
            ),
            Self::Damaged { path, line, what } => sentence!(
                "damaged",
                "{path} is damaged in line {line}: {what}",
                path = path.display(),
                line,
                what
            ),
            Self::Changed {
                path,
                changed,
                source,
            } => sentence!(
                "run-changed",
                "the run in {path} cannot be read: {changed} ({source}); restore the file from a \
                 copy",
                path = path.display(),
                changed,
                source = source.sentence()
            ),
            &Self::OutOfOrder { what, why } => {
                sentence!("out-of-order", "cannot record {what}: {why}", what, why)
                    .with_fixed("what", what)
                    .with_fixed("why", why)
            }
        }
    }
}

impl RecordError {
    /// Converts an I/O error; a full disk and an exceeded quota become [`RecordError::DiskFull`].
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
