//! Reads `latency.hlog`: the histograms to which lines of `intervals.jsonl` refer.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tenbin_plan::{Sentence, sentence};

use super::buffers::Buffers;
use super::files::open_with_length;
use crate::error::RecordError;
use crate::files::check_values::CheckValue;
use crate::files::integrity::Change;
use crate::files::lines::{ByteRange, Quantiles};

/// Adjacent ranges are read together until they exceed this number of bytes.
const MOST_AT_ONCE: u64 = 256 << 10;

/// The file `latency.hlog`; only ranges that lines refer to are read.
#[derive(Debug)]
pub(super) struct Latency {
    pub(super) path: PathBuf,
    pub(super) file: Option<File>,
    pub(super) length: u64,
    /// Ranges that do not match their check values.
    pub(super) changed: Mutex<Vec<ByteRange>>,
}

impl Latency {
    pub(super) fn open(path: PathBuf) -> Result<Self, RecordError> {
        let (file, length) = open_with_length(&path)?;
        Ok(Self {
            path,
            file,
            length,
            changed: Mutex::default(),
        })
    }

    /// Passes the histograms of a line to `take`; see [`crate::files::hlog::Decoder::decode`].
    pub(super) fn decode<const N: usize>(
        &self,
        range: ByteRange,
        buffers: &mut Buffers,
        promised: [(&'static str, Option<Quantiles>); N],
        take: impl FnMut(usize, &[u8]) -> Result<u64, Sentence>,
    ) -> Result<(), RecordError> {
        self.read_bytes(range, &mut buffers.bytes)?;
        let decoded = buffers.decoder.decode(&buffers.bytes, promised, take);
        decoded.map_err(|what| self.damaged(range, what))
    }

    /// Reads a range into `bytes`; records a mismatch with its check value.
    pub(super) fn read_bytes(
        &self,
        range: ByteRange,
        bytes: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        self.check(&[range], bytes)
    }

    /// Reads adjacent ranges into `bytes`; records mismatches with their check values.
    fn check(&self, ranges: &[ByteRange], bytes: &mut Vec<u8>) -> Result<(), RecordError> {
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
            return Ok(());
        };
        let too_long = |_| {
            let why = sentence!("histogram-line-too-long", "it is too long");
            self.damaged(*first, why)
        };
        let length = usize::try_from(last.end() - first.offset).map_err(too_long)?;
        bytes.clear();
        bytes.resize(length, 0);
        if let Some(file) = &self.file {
            let read = file.read_exact_at(bytes, first.offset);
            read.map_err(|e| RecordError::io("read", &self.path, e))?;
        }
        for range in ranges {
            let start = (range.offset - first.offset) as usize;
            let piece = &bytes[start..start + range.length as usize];
            if range.h.is_some_and(|value| value != CheckValue::of(piece)) {
                let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
                changed.push(*range);
            }
        }
        Ok(())
    }

    /// Checks all ranges, reading adjacent ranges together.
    pub(super) fn check_all(
        &self,
        ranges: impl Iterator<Item = ByteRange>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        let mut run: Vec<ByteRange> = Vec::new();
        let mut length = 0;
        for range in ranges.filter(|range| range.length > 0) {
            let is_next = run.last().is_some_and(|last| last.end() == range.offset);
            if !is_next || length > MOST_AT_ONCE {
                self.check(&run, bytes)?;
                run.clear();
                length = 0;
            }
            length += range.length;
            run.push(range);
        }
        self.check(&run, bytes)
    }

    /// The changed lines; `None` without changed lines.
    pub(super) fn changed(&self) -> Option<Change> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.sort_by_key(|range| range.offset);
        let range = changed.first()?;
        Some(Change::HistogramLines {
            first: self.line_at(range.offset),
            last: self.line_at(range.offset + range.length.saturating_sub(1)),
            is_followed: changed.len() > 1,
        })
    }

    /// Number of the line that contains the byte at `offset`, from 1.
    pub(super) fn line_at(&self, offset: u64) -> u64 {
        let Some(file) = self.file.as_ref().and_then(|file| file.try_clone().ok()) else {
            return 1;
        };
        let mut before = BufReader::new(file);
        if before.rewind().is_err() {
            return 1;
        }
        let newlines = before.take(offset).bytes().map_while(Result::ok);
        1 + newlines.filter(|byte| *byte == b'\n').count() as u64
    }

    pub(super) fn damaged(&self, range: ByteRange, what: Sentence) -> RecordError {
        RecordError::Damaged {
            path: self.path.clone(),
            line: self.line_at(range.offset),
            what,
        }
    }
}
