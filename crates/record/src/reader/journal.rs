//! Reads `intervals.jsonl` into the slices of a run, in chunks of complete slices, on all cores.

use std::io::{BufRead as _, BufReader, Read as _};
use std::thread;

use tenbin_plan::sentence;

use super::chunk::{Chunk, ChunkRead, Reading, read_chunks};
use super::files::open_if_there;
use super::folding::Folding;
use super::run_files::RunFiles;
use crate::error::RecordError;
use crate::files::check_values::{CheckValue, CheckedLines, value_of};
use crate::files::integrity::{Change, CutOff};
use crate::files::lines::{Ended, RunLine};
use crate::histogram::move_to_file::move_histograms;
use crate::histogram::store::Store;
use crate::seconds::counts::SecondCounts;
use crate::slice::Slice;

/// Longest valid line of `intervals.jsonl`, bytes.
const LONGEST_LINE: u64 = 64 << 20;
/// Smallest chunk except the last, bytes of lines: some milliseconds of work.
const CHUNK: usize = 256 << 10;
/// Number of bytes from which the lines of one slice are read in parts.
const LONG: usize = 8 << 20;
/// Start of the first line of a slice. Every chunk except the first starts with such a line.
const BEGIN: &[u8] = br#"{"kind":"begin","#;

/// Reads `intervals.jsonl` in chunks and keeps only the figures of slices, not the lines.
pub(super) struct Journal<'scope, 'env> {
    files: &'env RunFiles,
    folding: Folding<'scope, 'env, RunFiles, Chunk, ChunkRead>,
    /// A long slice that has been read in part.
    long: Option<Reading<'env>>,
    store: Store,
    pub(super) slices: Vec<Slice>,
    pub(super) seconds: Vec<SecondCounts>,
    /// Whether `latency.hlog` ends before the histograms of a second. The run then ends before this
    /// second.
    is_torn: bool,
    /// Whether a slice lacks its `end` line.
    pub(super) is_cut: bool,
    pub(super) complete: bool,
    pub(super) ended: Ended,
    pub(super) lines: CheckedLines,
    /// The first line of the file.
    run: Option<RunLine>,
    /// End of the last second's histograms in `latency.hlog`, bytes.
    histograms_end: u64,
    /// End of the last slice's histograms in `slices.bin`, bytes.
    totals_end: u64,
    /// Whether the last line has no newline.
    ends_within_a_line: bool,
    /// Whether the lines read so far end with `operation` lines that no `second` line follows.
    has_half_a_second: bool,
}

/// Lines that have been read, but not processed.
#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    count: u64,
    /// Number of processed lines, and the check value of the last processed line.
    before: (u64, Option<[u8; 16]>),
}

impl Lines {
    /// Takes the text, the number of its first line, and a checker that starts at this line.
    fn take(&mut self) -> (Vec<u8>, u64, CheckedLines) {
        let text = std::mem::take(&mut self.text);
        let (before, value) = self.before;
        let last = text.split_inclusive(|byte| *byte == b'\n').next_back();
        let last = last.map_or(value, value_of);
        self.before = (before + self.count, last);
        self.count = 0;
        (text, before + 1, CheckedLines::behind(before, value))
    }
}

impl<'scope, 'env> Journal<'scope, 'env> {
    pub(super) fn new(files: &'env RunFiles, scope: &'scope thread::Scope<'scope, 'env>) -> Self {
        Self {
            files,
            folding: Folding::new(scope, files, read_chunks),
            long: None,
            store: Store::default(),
            slices: Vec::new(),
            seconds: Vec::new(),
            is_torn: false,
            is_cut: false,
            complete: false,
            ended: Ended::default(),
            lines: CheckedLines::default(),
            run: None,
            histograms_end: 0,
            totals_end: 0,
            ends_within_a_line: false,
            has_half_a_second: false,
        }
    }

    pub(super) fn read(&mut self) -> Result<(), RecordError> {
        let read = self.read_lines();
        // Processes the remaining chunks first, so that errors are reported in file order.
        let rest = self.folding.rest();
        self.keep(rest)?;
        read?;
        self.check_head_and_end()
    }

    fn read_lines(&mut self) -> Result<(), RecordError> {
        let path = &self.files.intervals;
        let Some(file) = open_if_there(path)? else {
            return Ok(());
        };
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut lines = Lines::default();
        for number in 1.. {
            let start = lines.text.len();
            let read = file
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut lines.text);
            let length = read.map_err(|e| RecordError::io("read", path, e))?;
            let is_too_long = length as u64 == LONGEST_LINE;
            let is_whole = lines.text.ends_with(b"\n") && length > 0;
            if is_too_long || !is_whole {
                lines.text.truncate(start);
                self.read_chunk(&mut lines)?;
            }
            if is_too_long {
                return Err(RecordError::Damaged {
                    path: path.clone(),
                    line: number,
                    what: sentence!(
                        "journal-long-line",
                        "a line is longer than {mebibytes} MiB",
                        mebibytes = LONGEST_LINE >> 20
                    ),
                });
            }
            // A line without its newline is the incomplete end of a killed run.
            if !is_whole {
                self.ends_within_a_line = length > 0;
                break;
            }
            if lines.text[start..].starts_with(BEGIN) && start >= CHUNK {
                let next = lines.text.split_off(start);
                self.read_chunk(&mut lines)?;
                lines.text = next;
            }
            lines.count += 1;
            if lines.text.len() >= LONG {
                self.read_part(&mut lines);
            }
        }
        Ok(())
    }

    /// Passes the lines read so far, which end with a complete slice, to the worker threads.
    /// Processes the last part of a long slice on the calling thread.
    fn read_chunk(&mut self, lines: &mut Lines) -> Result<(), RecordError> {
        if self.long.is_some() {
            self.read_part(lines);
            let before = self.folding.rest();
            self.keep(before)?;
            let long = self.long.take().map(Reading::finish);
            return self.keep(long.into_iter().collect());
        }
        let weight = lines.text.len();
        let (text, number, lines) = lines.take();
        let chunk = Chunk {
            text,
            lines,
            number,
        };
        let read = self.folding.push(chunk, weight);
        self.keep(read)
    }

    /// Processes the lines read so far of a slice that is too long to keep as text.
    fn read_part(&mut self, lines: &mut Lines) {
        let (text, number, before) = lines.take();
        let files = self.files;
        let long = self.long.get_or_insert_with(|| Reading::new(files, before));
        long.lines(number, &text);
    }

    /// Checks the header of `latency.hlog`; histograms are checked when they are read.
    fn check_head_and_end(&mut self) -> Result<(), RecordError> {
        let Some(head) = self.run.as_ref().and_then(|run| run.hlog) else {
            return Ok(());
        };
        if !head.is_within(self.files.latency.length) {
            self.is_torn = true;
            return Ok(());
        }
        self.files.latency.read_bytes(head, &mut Vec::new())
    }

    /// Messages about changed files.
    pub(super) fn changed(&self) -> impl Iterator<Item = Change> {
        let end = self.run.as_ref().and_then(|run| run.hlog);
        let end = end.map(|head| self.histograms_end.max(head.length));
        // Only for complete runs: a killed run can leave histograms without a line.
        let is_longer = self.complete && end.is_some_and(|end| end < self.files.latency.length);
        let added = is_longer.then_some(Change::LinesAdded);
        let is_longer = self.complete && self.totals_end < self.files.totals.length;
        let totals = is_longer.then_some(Change::BytesAdded);
        let latency = self.files.latency.changed();
        let changed = [
            self.lines.changed(),
            latency,
            added,
            self.files.totals.changed(self.complete),
            totals,
        ];
        changed.into_iter().flatten()
    }

    pub(super) fn cut_off(&self) -> Option<CutOff> {
        if self.ends_within_a_line {
            return Some(CutOff::WithinLine);
        }
        self.is_torn.then_some(CutOff::BeforeLastSecond)
    }

    /// Whether the plan matches the check value in the first line; true without a check value.
    pub(super) fn fits_plan(&self, text: &str) -> bool {
        let value = self.run.as_ref().and_then(|run| run.plan);
        value.is_none_or(|value| value == CheckValue::of(text.as_bytes()))
    }

    /// Whether the run started at this time according to the first line; true if no time is stated.
    pub(super) fn began(&self, unix_ns: u64) -> bool {
        let started = self.run.as_ref().and_then(|run| run.started_unix_ns);
        started.is_none_or(|started| started == unix_ns)
    }

    /// Adds the content of the next chunks.
    fn keep(&mut self, chunks: Vec<ChunkRead>) -> Result<(), RecordError> {
        for mut chunk in chunks {
            // No lines can follow an incomplete second, which is the end of a killed run.
            if self.has_half_a_second {
                return Err(RecordError::Damaged {
                    path: self.files.intervals.clone(),
                    line: self.lines.count(),
                    what: sentence!(
                        "second-missing",
                        "the `second` line after an operation is missing"
                    ),
                });
            }
            self.has_half_a_second = chunk.has_half_a_second;
            self.lines.add(chunk.lines);
            self.run = chunk.run.or(self.run.take());
            self.histograms_end = self.histograms_end.max(chunk.histograms_end);
            self.totals_end = self.totals_end.max(chunk.totals_end);
            if let Some(ended) = chunk.complete {
                (self.complete, self.ended) = (true, ended);
            }
            if !self.is_torn {
                move_histograms(&mut chunk.slices, &mut self.store);
                self.slices.append(&mut chunk.slices);
                self.seconds.extend(chunk.seconds);
            }
            if !chunk.voids.is_empty() {
                let is_void = |slice| chunk.voids.iter().any(|void| void.has(slice));
                self.slices.retain(|slice| !is_void(slice.index));
                self.seconds.retain(|second| !is_void(second.slice));
            }
            self.is_torn |= chunk.is_torn;
            self.is_cut |= chunk.is_cut || chunk.is_torn;
            chunk.error.map_or(Ok(()), Err)?;
        }
        Ok(())
    }
}
