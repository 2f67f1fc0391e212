//! Opening the files of a run directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Source;
use super::latency::Latency;
use super::totals::TotalsFile;
use crate::directory::{INTERVALS_FILE, LATENCY_FILE, TOTALS_FILE};
use crate::error::RecordError;

/// What slices are read from.
#[derive(Debug)]
pub(super) struct RunFiles {
    /// Path of `intervals.jsonl`.
    pub(super) intervals: PathBuf,
    pub(super) latency: Latency,
    pub(super) totals: TotalsFile,
    pub(super) source: Source,
}

impl RunFiles {
    pub(super) fn open(directory: &Path, source: Source) -> Result<Self, RecordError> {
        Ok(Self {
            intervals: directory.join(INTERVALS_FILE),
            latency: Latency::open(directory.join(LATENCY_FILE))?,
            totals: TotalsFile::open(directory.join(TOTALS_FILE))?,
            source,
        })
    }
}

/// A pipe would be waited for without end, and a device read without end.
pub(super) fn regular(path: &Path) -> std::io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

/// A run that was killed before it opened the file has kept nothing in it.
pub(super) fn open_if_there(path: &Path) -> Result<Option<File>, RecordError> {
    match regular(path).and_then(|()| File::open(path)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(RecordError::io("read", path, e)),
    }
}
