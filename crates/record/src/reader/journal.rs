//! `intervals.jsonl`, line by line, to the slices of a run.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::thread;

use super::SecondCounts;
use super::entry::{Folded, SecondEntry, SliceEntry, fold_all};
use super::files::open_if_there;
use super::folding::Folding;
use super::latency::Latency;
use super::line::TextLine;
use crate::check::{CheckValue, CheckedLines};
use crate::directory::{INTERVALS_FILE, LATENCY_FILE};
use crate::error::RecordError;
use crate::fold::move_histograms;
use crate::lines::{CompleteLine, EndLine, Ended, Line, OperationLine, RunLine, SecondLine};
use crate::slice::{Slice, SliceStart};
use crate::store::Store;

/// Most bytes of a line of `intervals.jsonl`: a longer line is not one of a run.
const LONGEST_LINE: u64 = 64 << 20;

/// `intervals.jsonl`, a slice at a time: what is kept of a slice are its figures.
pub(super) struct Journal<'scope, 'env> {
    pub(super) latency: &'env Latency,
    pub(super) folding: Folding<'scope, 'env, Latency, SliceEntry, Folded>,
    pub(super) store: Store,
    pub(super) open: Option<SliceEntry>,
    /// Of the second that is being read.
    pub(super) operations: Vec<OperationLine>,
    pub(super) slices: Vec<Slice>,
    pub(super) seconds: Vec<SecondCounts>,
    /// `latency.hlog` ends before the histograms of a second: the run ends there as well.
    pub(super) is_torn: bool,
    /// A slice has no end.
    pub(super) is_cut: bool,
    pub(super) complete: bool,
    pub(super) ended: Ended,
    pub(super) lines: CheckedLines,
    /// The first line.
    pub(super) run: Option<RunLine>,
    /// Where the histograms of the last second end.
    pub(super) histograms_end: u64,
    /// The last line has no newline.
    pub(super) ends_within_a_line: bool,
}

impl<'scope, 'env> Journal<'scope, 'env> {
    pub(super) fn new(latency: &'env Latency, scope: &'scope thread::Scope<'scope, 'env>) -> Self {
        Self {
            latency,
            folding: Folding::new(scope, latency, fold_all),
            store: Store::default(),
            open: None,
            operations: Vec::new(),
            slices: Vec::new(),
            seconds: Vec::new(),
            is_torn: false,
            is_cut: false,
            complete: false,
            ended: Ended::default(),
            lines: CheckedLines::default(),
            run: None,
            histograms_end: 0,
            ends_within_a_line: false,
        }
    }

    pub(super) fn read(&mut self, path: &Path) -> Result<(), RecordError> {
        let read = self.read_lines(path);
        // What comes first in the file is said first.
        let rest = self.folding.rest();
        self.keep(rest)?;
        read?;
        self.check_head_and_end()
    }

    pub(super) fn read_lines(&mut self, path: &Path) -> Result<(), RecordError> {
        let Some(file) = open_if_there(path)? else {
            return Ok(());
        };
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut text = Vec::new();
        for number in 1.. {
            text.clear();
            let read = file
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut text);
            let length = read.map_err(|e| RecordError::io("read", path, e))?;
            if length as u64 == LONGEST_LINE {
                return Err(RecordError::Damaged {
                    path: path.to_path_buf(),
                    line: number,
                    what: format!("a line is longer than {} MiB", LONGEST_LINE >> 20),
                });
            }
            // A line without its newline is the torn end of a killed run.
            if !text.ends_with(b"\n") {
                self.ends_within_a_line = !text.is_empty();
                break;
            }
            let text = text.as_slice();
            self.lines.take(text);
            self.take(&TextLine { path, number, text })?;
        }
        self.close()
    }

    /// Histograms are checked when they are decoded; this is what stands before and behind them.
    pub(super) fn check_head_and_end(&mut self) -> Result<(), RecordError> {
        let Some(head) = self.run.as_ref().and_then(|run| run.hlog) else {
            return Ok(());
        };
        if !head.is_within(self.latency.length) {
            self.is_torn = true;
            return Ok(());
        }
        self.latency.read_bytes(head, &mut Vec::new())
    }

    /// What was changed in the two files.
    pub(super) fn changed(&self) -> impl Iterator<Item = String> {
        let end = self.run.as_ref().and_then(|run| run.hlog);
        let end = end.map(|head| self.histograms_end.max(head.length));
        // Histograms without a line are what a killed run leaves.
        let is_longer = self.complete && end.is_some_and(|end| end < self.latency.length);
        let added = is_longer.then(|| {
            format!("lines were added to the end of {LATENCY_FILE} after the run wrote it")
        });
        let changed = [self.lines.changed(), self.latency.changed(), added];
        changed.into_iter().flatten()
    }

    pub(super) fn cut_off(&self) -> Option<String> {
        if self.ends_within_a_line {
            return Some(format!("{INTERVALS_FILE} ends within a line"));
        }
        let torn = format!("{LATENCY_FILE} ends before the last second of {INTERVALS_FILE}");
        self.is_torn.then_some(torn)
    }

    /// Whether the plan has the check value that the first line of the run holds; true without one.
    pub(super) fn fits_plan(&self, text: &str) -> bool {
        let value = self.run.as_ref().and_then(|run| run.plan);
        value.is_none_or(|value| value == CheckValue::of(text.as_bytes()))
    }

    /// Whether the run began then, as far as the first line tells.
    pub(super) fn began(&self, unix_ns: u64) -> bool {
        let started = self.run.as_ref().and_then(|run| run.started_unix_ns);
        started.is_none_or(|started| started == unix_ns)
    }

    pub(super) fn take(&mut self, line: &TextLine<'_>) -> Result<(), RecordError> {
        match line.kind()?.as_ref() {
            RunLine::KIND => self.run = Some(line.run()?),
            SliceStart::KIND => {
                self.close()?;
                self.open = Some(SliceEntry {
                    start: line.parse()?,
                    seconds: Vec::new(),
                    end: None,
                });
            }
            OperationLine::KIND => self.operations.push(line.parse()?),
            SecondLine::KIND => {
                let second = SecondEntry {
                    number: line.number,
                    operations: std::mem::take(&mut self.operations),
                    line: line.parse()?,
                };
                self.is_torn = self.is_torn || !second.has_histograms(self.latency.length);
                self.histograms_end = self.histograms_end.max(second.histograms_end());
                let is_torn = self.is_torn;
                let slice = self.open_slice(line)?;
                if !is_torn {
                    slice.seconds.push(second);
                }
            }
            EndLine::KIND => {
                let end: EndLine = line.parse()?;
                if end.end.seconds < 0.0 {
                    return Err(line.damaged(format!("{} seconds are below 0", end.end.seconds)));
                }
                let is_torn = self.is_torn;
                let slice = self.open_slice(line)?;
                slice.end = (!is_torn).then_some(end.end);
                self.close()?;
            }
            CompleteLine::KIND => {
                let complete: CompleteLine = line.parse()?;
                self.complete = true;
                self.ended = complete.ended;
            }
            other => return Err(line.damaged(format!("unknown kind of line `{other}`"))),
        }
        Ok(())
    }

    pub(super) fn open_slice(
        &mut self,
        line: &TextLine<'_>,
    ) -> Result<&mut SliceEntry, RecordError> {
        let open = self.open.as_mut();
        open.ok_or_else(|| line.damaged("the line belongs to no open slice".to_owned()))
    }

    /// Keeps the figures of the slice that is open, if they are whole.
    pub(super) fn close(&mut self) -> Result<(), RecordError> {
        let Some(mut slice) = self.open.take() else {
            return Ok(());
        };
        // Nothing of the slices after a torn one is kept: none of their seconds was.
        if slice.end.is_none() {
            self.is_cut = true;
            slice.end_where_every_thread_has_reported();
        }
        let windows = slice.seconds.iter().filter(|second| !second.line.drain);
        if slice.end.is_some() {
            self.seconds.extend(windows.flat_map(|second| {
                let length = second.line.end_ns.saturating_sub(second.line.start_ns);
                second
                    .operations
                    .iter()
                    .map(move |line| line.counts(length))
            }));
        }
        let seconds = slice.seconds.len();
        let folded = self.folding.push(slice, seconds);
        self.keep(folded)
    }

    pub(super) fn keep(&mut self, folded: Vec<Folded>) -> Result<(), RecordError> {
        for slice in folded {
            if let Some(mut slice) = slice? {
                move_histograms(&mut slice, &mut self.store);
                self.slices.push(slice);
            }
        }
        Ok(())
    }
}
