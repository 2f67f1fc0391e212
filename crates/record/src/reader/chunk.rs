//! Reads consecutive lines of `intervals.jsonl` into slices.

use tenbin_plan::sentence;

use super::buffers::Buffers;
use super::entry::{SecondEntry, SliceEntry};
use super::line::TextLine;
use super::run_files::RunFiles;
use crate::error::RecordError;
use crate::files::check_values::CheckedLines;
use crate::files::lines::{
    CompleteLine, EndLine, Ended, Line, OperationLine, RunLine, SecondLine, VoidLine,
};
use crate::seconds::counts::SecondCounts;
use crate::slice::{Slice, SliceStart};

/// Lines that one thread reads. All lines of a slice are in the same chunk.
pub(super) struct Chunk {
    /// Complete lines.
    pub(super) text: Vec<u8>,
    /// Checks the lines of this chunk; starts from the check value of the line before the chunk.
    pub(super) lines: CheckedLines,
    /// Number of the chunk's first line, from 1.
    pub(super) number: u64,
}

/// The content of the lines of a chunk.
#[derive(Default)]
pub(super) struct ChunkRead {
    pub(super) slices: Vec<Slice>,
    pub(super) seconds: Vec<SecondCounts>,
    /// Whether `latency.hlog` ends before the histograms of a second. The run then ends before this
    /// second.
    pub(super) is_torn: bool,
    /// Whether a slice lacks its `end` line.
    pub(super) is_cut: bool,
    /// Slices that are void, also in earlier chunks.
    pub(super) voids: Vec<VoidLine>,
    /// Why the run ended, if the run is marked as complete.
    pub(super) complete: Option<Ended>,
    pub(super) lines: CheckedLines,
    /// The first line of the file.
    pub(super) run: Option<RunLine>,
    /// End of the last second's histograms in `latency.hlog`, bytes.
    pub(super) histograms_end: u64,
    /// End of the last slice's histograms in `slices.bin`, bytes.
    pub(super) totals_end: u64,
    /// Whether the chunk ends with `operation` lines that no `second` line follows.
    pub(super) has_half_a_second: bool,
    /// The error that ended the reading.
    pub(super) error: Option<RecordError>,
}

/// Reads lines into slices.
pub(super) struct Reading<'a> {
    files: &'a RunFiles,
    buffers: Buffers,
    open: Option<SliceEntry>,
    /// `operation` lines of the second that is being read.
    operations: Vec<OperationLine>,
    read: ChunkRead,
}

/// Reads chunks. Returns their content in order.
pub(super) fn read_chunks(files: &RunFiles, chunks: Vec<Chunk>) -> Vec<ChunkRead> {
    let read = |chunk: Chunk| {
        let mut reading = Reading::new(files, chunk.lines);
        reading.lines(chunk.number, &chunk.text);
        reading.finish()
    };
    chunks.into_iter().map(read).collect()
}

/// Largest number of agents of a slice.
const MOST_AGENTS: usize = 10_000;
/// Largest number of generator threads of a slice, over all agents.
const MOST_THREADS: usize = 1 << 20;

/// Refuses the start of a slice with counts that no run can have: the work to read a slice grows
/// with its threads and agents.
fn possible(start: SliceStart, line: &TextLine<'_>) -> Result<SliceStart, RecordError> {
    let counts = [
        ("threads", start.threads, MOST_THREADS),
        ("agents", start.agents, MOST_AGENTS),
    ];
    match counts.iter().find(|(_, count, most)| count > most) {
        None => Ok(start),
        Some((what, count, most)) => Err(line.damaged(sentence!(
            "impossible-slice",
            "a slice of {count} {what}, and {most} are the most",
            count,
            what,
            most
        ))),
    }
}

impl<'a> Reading<'a> {
    /// Starts reading after the lines that `lines` has counted.
    pub(super) fn new(files: &'a RunFiles, lines: CheckedLines) -> Self {
        Self {
            files,
            buffers: Buffers::default(),
            open: None,
            operations: Vec::new(),
            read: ChunkRead {
                lines,
                ..ChunkRead::default()
            },
        }
    }

    /// Reads complete lines; `first` is the number of the first line.
    pub(super) fn lines(&mut self, first: u64, text: &[u8]) {
        let path = &self.files.intervals;
        for (number, text) in (first..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
            if self.read.error.is_some() {
                return;
            }
            self.read.lines.take(text);
            self.read.error = self.take(&TextLine { path, number, text }).err();
        }
    }

    pub(super) fn finish(mut self) -> ChunkRead {
        if self.read.error.is_none() {
            self.read.error = self.close().err();
        }
        self.read.has_half_a_second = !self.operations.is_empty();
        self.read
    }

    fn take(&mut self, line: &TextLine<'_>) -> Result<(), RecordError> {
        match line.kind()?.as_ref() {
            RunLine::KIND => self.read.run = Some(line.run()?),
            SliceStart::KIND => {
                self.close()?;
                self.open = Some(SliceEntry {
                    start: possible(line.parse()?, line)?,
                    seconds: Vec::new(),
                    end: None,
                    totals: None,
                });
            }
            OperationLine::KIND => self.operations.push(line.parse()?),
            SecondLine::KIND => {
                let second = SecondEntry {
                    number: line.number,
                    operations: std::mem::take(&mut self.operations),
                    line: line.parse()?,
                };
                self.read.is_torn =
                    self.read.is_torn || !second.has_histograms(self.files.latency.length);
                self.read.histograms_end = self.read.histograms_end.max(second.histograms_end());
                let is_torn = self.read.is_torn;
                let slice = self.open_slice(line)?;
                if !is_torn {
                    slice.seconds.push(second);
                }
            }
            EndLine::KIND => {
                let EndLine {
                    totals,
                    end,
                    agents,
                    ..
                } = line.parse()?;
                if end.seconds < 0.0 {
                    return Err(line.damaged(sentence!(
                        "seconds-negative",
                        "{seconds} seconds are below 0",
                        seconds = end.seconds
                    )));
                }
                let totals_end = totals.as_ref().map_or(0, |part| part.range.end());
                self.read.totals_end = self.read.totals_end.max(totals_end);
                let is_torn = self.read.is_torn;
                let slice = self.open_slice(line)?;
                if !is_torn {
                    (slice.end, slice.totals) = (Some((end, agents)), totals);
                }
                self.close()?;
            }
            VoidLine::KIND => {
                let void: VoidLine = line.parse()?;
                let is_void = |open: &mut SliceEntry| void.has(open.start.head.index);
                if let Some(open) = self.open.take_if(is_void) {
                    self.check_histograms(&open)?;
                }
                self.close()?;
                self.read.voids.push(void);
            }
            CompleteLine::KIND => {
                let complete: CompleteLine = line.parse()?;
                self.read.complete = Some(complete.ended);
            }
            other => {
                return Err(line.damaged(sentence!(
                    "unknown-line",
                    "unknown kind of line `{kind}`",
                    kind = other
                )));
            }
        }
        Ok(())
    }

    fn open_slice(&mut self, line: &TextLine<'_>) -> Result<&mut SliceEntry, RecordError> {
        let open = self.open.as_mut();
        open.ok_or_else(|| {
            line.damaged(sentence!(
                "line-without-slice",
                "the line belongs to no open slice"
            ))
        })
    }

    /// Notes whether the histograms of a slice that never ended were changed.
    fn check_histograms(&mut self, slice: &SliceEntry) -> Result<(), RecordError> {
        let ranges = slice.seconds.iter().flat_map(SecondEntry::hlogs);
        self.files
            .latency
            .check_all(ranges, &mut self.buffers.bytes)
    }

    /// Ends the open slice, if any, and computes its figures.
    fn close(&mut self) -> Result<(), RecordError> {
        let Some(mut slice) = self.open.take() else {
            return Ok(());
        };
        // A slice without an `end` line ends at the last second that every thread has reported.
        if slice.end.is_none() {
            self.read.is_cut = true;
            slice.end_where_every_thread_has_reported();
        }
        let windows = slice.seconds.iter().filter(|second| !second.line.drain);
        if slice.end.is_some() {
            self.read.seconds.extend(windows.flat_map(|second| {
                let length = second.line.end_ns.saturating_sub(second.line.start_ns);
                second
                    .operations
                    .iter()
                    .map(move |line| line.counts(length))
            }));
        }
        let folded = slice.fold(self.files, &mut self.buffers)?;
        self.read.slices.extend(folded);
        Ok(())
    }
}
