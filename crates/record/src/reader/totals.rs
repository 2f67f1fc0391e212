//! Reads `slices.bin`: the histograms of complete slices.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::files::open_with_length;
use crate::error::RecordError;
use crate::files::check_values::CheckValue;
use crate::files::integrity::Change;
use crate::files::lines::{ByteRange, TotalsPart};
use crate::files::slice_histograms::{Counts, Totals};

/// The file `slices.bin`. If a slice's range is missing or was changed, the caller computes the
/// histograms from the seconds.
#[derive(Debug)]
pub(super) struct TotalsFile {
    path: PathBuf,
    file: Option<File>,
    pub(super) length: u64,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// Indices of the slices whose range does not match its check value or the seconds.
    changed: Vec<u32>,
    /// Whether a range ends beyond the end of the file.
    is_cut: bool,
}

impl TotalsFile {
    pub(super) fn open(path: PathBuf) -> Result<Self, RecordError> {
        let (file, length) = open_with_length(&path)?;
        Ok(Self {
            path,
            file,
            length,
            found: Mutex::default(),
        })
    }

    /// The histograms of a slice, which must have the numbers of values in `counts`. If the
    /// histograms cannot be used, records the problem and returns `None`. `bytes` is a buffer.
    pub(super) fn read(
        &self,
        slice: u32,
        part: &TotalsPart,
        counts: &Counts,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<Totals>, RecordError> {
        if !self.has(part.range) {
            self.found().is_cut = true;
            return Ok(None);
        }
        let Some(length) = part.length() else {
            self.note(slice);
            return Ok(None);
        };
        bytes.clear();
        bytes.resize(length, 0);
        if let Some(file) = &self.file {
            let read = file.read_exact_at(bytes, part.range.offset);
            read.map_err(|e| RecordError::io("read", &self.path, e))?;
        }
        let fits = part
            .range
            .h
            .is_none_or(|value| value == CheckValue::of(bytes));
        let totals = if fits {
            Totals::read(part, bytes, counts).ok()
        } else {
            None
        };
        if totals.is_none() {
            self.note(slice);
        }
        Ok(totals)
    }

    /// Whether the file contains `range`. Reads the file's length again if necessary, because the
    /// file of a running run can have grown since it was opened.
    fn has(&self, range: ByteRange) -> bool {
        let length_now = || {
            let file = self.file.as_ref()?;
            file.metadata().ok().map(|metadata| metadata.len())
        };
        range.is_within(self.length) || length_now().is_some_and(|length| range.is_within(length))
    }

    /// Records that the histograms of a slice do not match its seconds.
    pub(super) fn note(&self, slice: u32) {
        self.found().changed.push(slice);
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The change, if any. A missing end of the file counts as a change only for a complete run.
    pub(super) fn changed(&self, is_complete: bool) -> Option<Change> {
        let mut found = self.found();
        found.changed.sort_unstable();
        found.changed.dedup();
        if let Some(slice) = found.changed.first() {
            return Some(Change::Histograms {
                slice: *slice,
                further: found.changed.len() as u64 - 1,
            });
        }
        (found.is_cut && is_complete).then_some(Change::HistogramsRemoved)
    }
}
