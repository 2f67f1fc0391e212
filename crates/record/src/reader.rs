//! Reading a run again: finished, interrupted or killed.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tenbin_plan::{LARGEST_RESULT, read_regular};

use crate::check::{CheckValue, CheckedLines, Integrity, is_unchanged};
use crate::directory::{
    ENVIRONMENT_FILE, EnvironmentFile, INTERVALS_FILE, LATENCY_FILE, PLAN_FILE, RESULT_FILE,
};
use crate::environment::Environment;
use crate::error::RecordError;
use crate::fold::{Interval, Kind, SliceFold, Step, Sums, move_histograms};
use crate::folding::Folding;
use crate::hlog;
use crate::lines::{
    ByteRange, CompleteLine, EndLine, Ended, HostPart, Line, OperationLine, RunLine, SCHEMA,
    SecondLine, SetupPart,
};
use crate::slice::{HostFigures, OpFigures, SetupFigures, Slice, SliceEnd, SliceStart};
use crate::store::Store;

/// Most bytes of a line of `intervals.jsonl`: beyond them it is no line of a run.
const LONGEST_LINE: u64 = 64 << 20;

/// What a run directory tells.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// `plan.toml`, as written.
    pub plan_toml: String,
    /// The machine and the versions.
    pub environment: Environment,
    /// What happened, slice by slice. The last one is cut short if the run was.
    pub slices: Vec<Slice>,
    /// Every slice of the plan was measured, and all of it is here.
    pub complete: bool,
    /// Why it ended when it did, if it is complete.
    pub ended: Ended,
    /// When the run began.
    pub started: SystemTime,
    /// What came in each second of the slices' windows, in their order.
    pub seconds: Vec<SecondCounts>,
    /// Whether the files are as the run wrote them.
    pub integrity: Integrity,
}

/// What came of one operation in a second of a slice's window.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondCounts {
    /// Position of the slice in the run, from 0.
    pub slice: u32,
    /// Name of the operation.
    pub operation: String,
    /// Length, seconds; the last of a slice may be short.
    pub length: f64,
    /// Correct answers.
    pub ok: u64,
    /// Body bytes of correct operations.
    pub payload: u64,
    /// Failures.
    pub failed: u64,
    /// Service times of correct operations; `None` without any.
    pub service: Option<SecondTimes>,
}

/// Service times in a second, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondTimes {
    /// The shortest; not in records of earlier versions.
    pub min_ns: Option<u64>,
    /// Their mean; not in records of earlier versions.
    pub mean_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Reads a run directory.
///
/// A torn end of the files, as a killed run or a full disk leaves it, is no
/// error: a second of which anything is missing is left out as a whole, and its
/// slice ends before it, marked as cut short.
///
/// # Errors
/// When it is no run directory, a file cannot be read, or a file is damaged
/// elsewhere than at its end.
pub fn read(directory: &Path) -> Result<RecordedRun, RecordError> {
    let plan_toml = read_required(directory, PLAN_FILE)?;
    let (environment, environment_fits) = read_environment(directory)?;
    let latency = Latency::open(directory.join(LATENCY_FILE))?;
    thread::scope(|scope| {
        let mut journal = Journal::new(&latency, scope);
        let read = journal.read(&directory.join(INTERVALS_FILE));
        let mut integrity = Integrity {
            is_unchecked: environment_fits.is_none() && journal.lines.have_no_values(),
            changed: Vec::new(),
            cut_off: journal.cut_off(),
        };
        if !integrity.is_unchecked {
            let is_same_run = journal.began(environment.started_unix_ns);
            let whole = [
                (PLAN_FILE, journal.fits_plan(&plan_toml)),
                (
                    ENVIRONMENT_FILE,
                    environment_fits == Some(true) && is_same_run,
                ),
            ];
            let changed = whole.into_iter().filter(|(_, fits)| !fits);
            let sentence = |(name, _)| format!("{name} was changed after the run wrote it");
            integrity.changed = changed.map(sentence).chain(journal.changed()).collect();
        }
        if let Err(source) = read {
            return Err(match integrity.changed.is_empty() {
                true => source,
                false => RecordError::Changed {
                    path: directory.to_path_buf(),
                    changed: integrity.changed.join("; "),
                    source: Box::new(source),
                },
            });
        }
        let complete = journal.complete && !journal.is_cut;
        if !complete && has_result_of_complete_run(directory) {
            let missing =
                "the end of what the run wrote was removed: result.json is that of a complete run";
            integrity.changed.push(missing.to_owned());
        }
        Ok(RecordedRun {
            plan_toml,
            started: environment.started(),
            environment: environment.environment,
            slices: journal.slices,
            complete,
            ended: journal.ended,
            seconds: journal.seconds,
            integrity,
        })
    })
}

fn read_required(directory: &Path, name: &'static str) -> Result<String, RecordError> {
    let path = directory.join(name);
    let read = read_regular(&path, LARGEST_RESULT).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8 text")
        })
    });
    read.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound if directory.is_dir() => RecordError::NotARun {
            path: directory.to_path_buf(),
            missing: name,
        },
        _ => RecordError::io("read", &path, e),
    })
}

/// The environment, and whether it fits its check value, if it has one.
fn read_environment(directory: &Path) -> Result<(EnvironmentFile, Option<bool>), RecordError> {
    let text = read_required(directory, ENVIRONMENT_FILE).map_err(|error| match error {
        // The plan is there: it is written first.
        RecordError::NotARun { path, .. } => RecordError::NothingMeasured { path },
        other => other,
    })?;
    let environment = serde_json::from_str(&text).map_err(|e| RecordError::Damaged {
        path: directory.join(ENVIRONMENT_FILE),
        line: e.line() as u64,
        what: e.to_string(),
    })?;
    Ok((environment, is_unchanged(text.as_bytes())))
}

/// The result is written when the record is complete: a kill leaves no such result beside a record
/// that is not. Any other file there says nothing.
fn has_result_of_complete_run(directory: &Path) -> bool {
    #[derive(Deserialize)]
    struct Result {
        run: Run,
    }
    #[derive(Deserialize)]
    struct Run {
        complete: bool,
    }
    let path = directory.join(RESULT_FILE);
    let file = regular(&path).and_then(|()| File::open(&path));
    let result = file.ok().and_then(|file| {
        let file = BufReader::new(file.take(LARGEST_OWN_RESULT));
        serde_json::from_reader::<_, Result>(file).ok()
    });
    result.is_some_and(|result| result.run.complete)
}

/// Bytes of a result that are read.
const LARGEST_OWN_RESULT: u64 = 1 << 30;

/// A pipe would be waited for without end, and a device read without end.
fn regular(path: &Path) -> std::io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

/// A run that was killed before it opened the file has kept nothing in it.
fn open_if_there(path: &Path) -> Result<Option<File>, RecordError> {
    match regular(path).and_then(|()| File::open(path)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(RecordError::io("read", path, e)),
    }
}

/// `latency.hlog`, of which only what a line points to is read.
#[derive(Debug)]
struct Latency {
    path: PathBuf,
    file: Option<File>,
    length: u64,
    /// What does not fit its check value.
    changed: Mutex<Vec<ByteRange>>,
}

impl Latency {
    fn open(path: PathBuf) -> Result<Self, RecordError> {
        let file = open_if_there(&path)?;
        let length = file
            .as_ref()
            .map_or(Ok(0), |file| Ok(file.metadata()?.len()));
        let length = length.map_err(|e| RecordError::io("read", &path, e))?;
        Ok(Self {
            path,
            file,
            length,
            changed: Mutex::default(),
        })
    }

    /// The histograms of a line, of which `of` makes figures.
    fn decode<T>(
        &self,
        range: ByteRange,
        desk: &mut Desk,
        of: impl FnOnce(hlog::Decoded) -> Result<T, String>,
    ) -> Result<T, RecordError> {
        self.read_bytes(range, &mut desk.bytes)?;
        let decoded = desk.decoder.decode(&desk.bytes);
        decoded
            .and_then(of)
            .map_err(|what| self.damaged(range, what))
    }

    /// What a line points to; noted if it does not fit the check value.
    fn read_bytes(&self, range: ByteRange, bytes: &mut Vec<u8>) -> Result<(), RecordError> {
        let too_long = |_| self.damaged(range, "it is too long".to_owned());
        let length = usize::try_from(range.length).map_err(too_long)?;
        bytes.clear();
        bytes.resize(length, 0);
        if let Some(file) = &self.file {
            let read = file.read_exact_at(bytes, range.offset);
            read.map_err(|e| RecordError::io("read", &self.path, e))?;
        }
        if range.h.is_some_and(|value| value != CheckValue::of(bytes)) {
            let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
            changed.push(range);
        }
        Ok(())
    }

    /// What was changed, if anything was.
    fn changed(&self) -> Option<String> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.sort_by_key(|range| range.offset);
        let range = changed.first()?;
        let first = self.line_at(range.offset);
        let last = self.line_at(range.offset + range.length.saturating_sub(1));
        let lines = match last > first {
            true => format!("one of the lines {first} to {last} of {LATENCY_FILE}"),
            false => format!("line {first} of {LATENCY_FILE}"),
        };
        let further = match changed.len() {
            1 => "",
            _ => ", and lines behind it do not fit either",
        };
        Some(format!(
            "{lines} was changed after the run wrote it{further}"
        ))
    }

    /// The line of the file that has this byte, from 1.
    fn line_at(&self, offset: u64) -> u64 {
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

    fn damaged(&self, range: ByteRange, what: String) -> RecordError {
        RecordError::Damaged {
            path: self.path.clone(),
            line: self.line_at(range.offset),
            what,
        }
    }
}

/// What one thread needs to fold slices, used again for each of them.
#[derive(Default)]
struct Desk {
    bytes: Vec<u8>,
    decoder: hlog::Decoder,
    sums: Sums,
}

/// `intervals.jsonl`, a slice at a time: what is kept of a slice are its figures.
struct Journal<'scope, 'env> {
    latency: &'env Latency,
    folding: Folding<'scope, 'env, Latency, SliceEntry, Folded>,
    store: Store,
    open: Option<SliceEntry>,
    /// Of the second that is being read.
    operations: Vec<OperationLine>,
    slices: Vec<Slice>,
    seconds: Vec<SecondCounts>,
    /// `latency.hlog` ends before the histograms of a second: the run ends there as well.
    is_torn: bool,
    /// A slice has no end.
    is_cut: bool,
    complete: bool,
    ended: Ended,
    lines: CheckedLines,
    /// The first line.
    run: Option<RunLine>,
    /// Where the histograms of the last second end.
    histograms_end: u64,
    /// The last line has no newline.
    ends_within_a_line: bool,
}

/// The figures of a slice; `None` of one of which nothing was kept.
type Folded = Result<Option<Slice>, RecordError>;

#[derive(Debug)]
struct SliceEntry {
    start: SliceStart,
    seconds: Vec<SecondEntry>,
    end: Option<SliceEnd>,
}

#[derive(Debug)]
struct SecondEntry {
    /// Which line of `intervals.jsonl` it is, from 1.
    number: u64,
    operations: Vec<OperationLine>,
    line: SecondLine,
}

impl<'scope, 'env> Journal<'scope, 'env> {
    fn new(latency: &'env Latency, scope: &'scope thread::Scope<'scope, 'env>) -> Self {
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

    fn read(&mut self, path: &Path) -> Result<(), RecordError> {
        let read = self.read_lines(path);
        // What comes first in the file is said first.
        let rest = self.folding.rest();
        self.keep(rest)?;
        read?;
        self.check_head_and_end()
    }

    fn read_lines(&mut self, path: &Path) -> Result<(), RecordError> {
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
    fn check_head_and_end(&mut self) -> Result<(), RecordError> {
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
    fn changed(&self) -> impl Iterator<Item = String> {
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

    fn cut_off(&self) -> Option<String> {
        if self.ends_within_a_line {
            return Some(format!("{INTERVALS_FILE} ends within a line"));
        }
        let torn = format!("{LATENCY_FILE} ends before the last second of {INTERVALS_FILE}");
        self.is_torn.then_some(torn)
    }

    /// Whether the plan is the one that the run was begun with, as far as the first line tells.
    fn fits_plan(&self, text: &str) -> bool {
        let value = self.run.as_ref().and_then(|run| run.plan);
        value.is_none_or(|value| value == CheckValue::of(text.as_bytes()))
    }

    /// Whether the run began then, as far as the first line tells.
    fn began(&self, unix_ns: u64) -> bool {
        let started = self.run.as_ref().and_then(|run| run.started_unix_ns);
        started.is_none_or(|started| started == unix_ns)
    }

    fn take(&mut self, line: &TextLine<'_>) -> Result<(), RecordError> {
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

    fn open_slice(&mut self, line: &TextLine<'_>) -> Result<&mut SliceEntry, RecordError> {
        let open = self.open.as_mut();
        open.ok_or_else(|| line.damaged("the line belongs to no open slice".to_owned()))
    }

    /// Keeps the figures of the slice that is open, if they are whole.
    fn close(&mut self) -> Result<(), RecordError> {
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

    fn keep(&mut self, folded: Vec<Folded>) -> Result<(), RecordError> {
        for slice in folded {
            if let Some(mut slice) = slice? {
                move_histograms(&mut slice, &mut self.store);
                self.slices.push(slice);
            }
        }
        Ok(())
    }
}

fn fold_all(latency: &Latency, slices: Vec<SliceEntry>) -> Vec<Folded> {
    let mut desk = Desk::default();
    let slices = slices.into_iter();
    slices.map(|slice| slice.fold(latency, &mut desk)).collect()
}

impl SliceEntry {
    /// A second that not every thread has reported counts fewer operations than
    /// there were. What the target used up to that moment is not known.
    fn end_where_every_thread_has_reported(&mut self) {
        let reached = (0..self.start.threads)
            .map(|thread| self.last_second_of(thread))
            .min()
            .flatten();
        let Some(reached) = reached else {
            return;
        };
        self.seconds.retain(|second| second.line.key() <= reached);
        let last = self.seconds.iter().filter(|second| !second.line.drain);
        self.end = last
            .map(|second| second.line.end_ns)
            .max()
            .map(|end| SliceEnd {
                seconds: end as f64 / 1e9,
                cut_short: true,
                ..SliceEnd::default()
            });
    }

    fn last_second_of(&self, thread: usize) -> Option<(u64, bool)> {
        self.seconds
            .iter()
            .filter(|second| second.line.threads.iter().any(|t| t.thread == thread))
            .map(|second| second.line.key())
            .max()
    }

    fn fold(self, latency: &Latency, desk: &mut Desk) -> Folded {
        let Some(end) = self.end else {
            return Ok(None);
        };
        let mut fold = SliceFold::new(self.start, std::mem::take(&mut desk.sums));
        for second in &self.seconds {
            let interval = second.interval(fold.start(), latency, desk)?;
            fold.add(&interval);
        }
        let (slice, sums) = fold.finish(end);
        desk.sums = sums;
        Ok(Some(slice))
    }
}

impl SecondEntry {
    fn has_histograms(&self, length: u64) -> bool {
        self.hlogs().all(|range| range.is_within(length))
    }

    fn histograms_end(&self) -> u64 {
        let ends = self
            .hlogs()
            .map(|range| range.offset.saturating_add(range.length));
        ends.max().unwrap_or_default()
    }

    fn hlogs(&self) -> impl Iterator<Item = ByteRange> {
        let operations = self.operations.iter().map(|line| line.hlog);
        operations.chain(self.line.hlogs())
    }

    fn interval(
        &self,
        slice: &SliceStart,
        latency: &Latency,
        desk: &mut Desk,
    ) -> Result<Interval, RecordError> {
        self.check_counts(slice, &latency.path)?;
        let mut ops = Vec::with_capacity(slice.operations.len());
        for (line, (name, role)) in self.operations.iter().zip(slice.operations_by_role()) {
            if line.operation != name || line.role != role {
                return Err(latency.damaged(line.hlog, format!("expected operation {name}")));
            }
            let figures = |decoded| op_figures(line, decoded);
            ops.push(latency.decode(line.hlog, desk, figures)?);
        }
        let setup = match &self.line.setup {
            Some(part) => latency.decode(part.hlog, desk, |all| setup_figures(part, all))?,
            None => SetupFigures::default(),
        };
        let mut hosts = Vec::with_capacity(slice.hosts.len());
        for (part, name) in self.line.hosts.iter().zip(&slice.hosts) {
            if part.host != *name {
                return Err(latency.damaged(part.hlog, format!("expected host {name}")));
            }
            hosts.push(latency.decode(part.hlog, desk, |all| host_figures(part, all))?);
        }
        Ok(self.line.interval(ops, setup, hosts))
    }

    /// A second has as many of each as its slice was opened with.
    fn check_counts(&self, slice: &SliceStart, path: &Path) -> Result<(), RecordError> {
        let counts = [
            ("operations", self.operations.len(), slice.operations.len()),
            ("hosts", self.line.hosts.len(), slice.hosts.len()),
        ];
        let damaged = |what| RecordError::Damaged {
            path: path.with_file_name(INTERVALS_FILE),
            line: self.number,
            what,
        };
        let second = self.line.second;
        if let Some((what, found, expected)) = counts
            .into_iter()
            .find(|(_, found, expected)| found != expected)
        {
            return Err(damaged(format!(
                "second {second} of slice {} has {found} {what}, not {expected}",
                slice.index
            )));
        }
        let own = (slice.index, slice.target.as_str(), slice.workload.as_str());
        let operations = self.operations.iter();
        let mut lines = operations
            .map(|line| (line.slice, line.target.as_str(), line.workload.as_str()))
            .chain([(
                self.line.slice,
                self.line.target.as_str(),
                self.line.workload.as_str(),
            )]);
        match lines.find(|line| *line != own) {
            None => Ok(()),
            Some((index, target, workload)) => Err(damaged(format!(
                "second {second} is that of slice {index}, {workload} on {target}, not of slice \
                 {}, {} on {}",
                own.0, own.2, own.1
            ))),
        }
    }
}

fn op_figures(line: &OperationLine, mut histograms: hlog::Decoded) -> Result<OpFigures, String> {
    let mut figures = line.figures().map_err(unknown_class)?;
    for kind in Kind::ALL {
        histograms.take(kind.name(), line.quantiles(kind), kind.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

fn setup_figures(part: &SetupPart, mut histograms: hlog::Decoded) -> Result<SetupFigures, String> {
    let mut figures = SetupFigures::default();
    for step in Step::ALL {
        histograms.take(step.name(), part.quantiles(step), step.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

fn host_figures(part: &HostPart, mut histograms: hlog::Decoded) -> Result<HostFigures, String> {
    let mut figures = part.figures().map_err(unknown_class)?;
    histograms.take(Kind::Service.name(), part.service, &mut figures.service)?;
    histograms.all_taken()?;
    Ok(figures)
}

fn unknown_class(class: String) -> String {
    format!("unknown error class `{class}`")
}

impl SecondLine {
    fn key(&self) -> (u64, bool) {
        (self.second, self.drain)
    }
}

/// A line with its newline.
struct TextLine<'a> {
    path: &'a Path,
    /// From 1.
    number: u64,
    text: &'a [u8],
}

impl<'a> TextLine<'a> {
    fn kind(&self) -> Result<Cow<'a, str>, RecordError> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        // The writer puts `kind` first; a line in which it is not the first field is parsed in full.
        let begin = self.text.strip_prefix(br#"{"kind":""#);
        let end = |text: &&[u8]| text.iter().position(|byte| !byte.is_ascii_lowercase());
        if let Some(text) = begin
            && let Some(end) = end(&text).filter(|end| text[*end..].starts_with(b"\""))
            && let Ok(kind) = std::str::from_utf8(&text[..end])
        {
            return Ok(Cow::Borrowed(kind));
        }
        self.parse::<Kind>().map(|line| Cow::Owned(line.kind))
    }

    fn run(&self) -> Result<RunLine, RecordError> {
        let run: RunLine = self.parse()?;
        if run.schema == SCHEMA {
            return Ok(run);
        }
        Err(self.damaged(format!(
            "written as `{}`, while this version reads `{SCHEMA}`",
            run.schema
        )))
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, RecordError> {
        serde_json::from_slice(self.text).map_err(|e| self.damaged(e.to_string()))
    }

    fn damaged(&self, what: String) -> RecordError {
        RecordError::Damaged {
            path: PathBuf::from(self.path),
            line: self.number,
            what,
        }
    }
}
