//! The files of a run directory from which slices are read.

use std::path::{Path, PathBuf};

use super::Source;
use super::latency::Latency;
use super::totals::TotalsFile;
use crate::error::RecordError;
use crate::files::names::{INTERVALS_FILE, LATENCY_FILE, TOTALS_FILE};

/// The files from which slices are read, and the source of histograms.
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
