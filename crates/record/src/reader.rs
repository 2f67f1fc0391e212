//! Reading a run again: finished, interrupted or killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::directory::{
    ENVIRONMENT_FILE, EnvironmentFile, INTERVALS_FILE, LATENCY_FILE, PLAN_FILE,
};
use crate::environment::Environment;
use crate::error::RecordError;
use crate::fold::{Interval, Kind, SliceFold, Step};
use crate::hlog;
use crate::lines::{
    ByteRange, CompleteLine, EndLine, Ended, HostPart, Line, OperationLine, RunLine, SCHEMA,
    SecondLine, SetupPart,
};
use crate::slice::{HostFigures, OpFigures, SetupFigures, Slice, SliceEnd, SliceStart};

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
    let environment = read_environment(directory)?;
    let intervals = read_or_empty(&directory.join(INTERVALS_FILE))?;
    let latency = read_or_empty(&directory.join(LATENCY_FILE))?;

    let mut journal = Journal::parse(&directory.join(INTERVALS_FILE), &intervals)?;
    journal.cut_where_histograms_are_missing(&latency);
    journal.end_the_unended();
    let latency_path = directory.join(LATENCY_FILE);
    Ok(RecordedRun {
        plan_toml,
        started: environment.started(),
        environment: environment.environment,
        complete: journal.complete,
        ended: journal.ended,
        seconds: journal.seconds(),
        slices: journal
            .slices
            .into_iter()
            .filter_map(|slice| slice.fold(&latency_path, &latency).transpose())
            .collect::<Result<_, _>>()?,
    })
}

fn read_required(directory: &Path, name: &'static str) -> Result<String, RecordError> {
    let path = directory.join(name);
    let read = regular(&path).and_then(|()| fs::read_to_string(&path));
    read.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound if directory.is_dir() => RecordError::NotARun {
            path: directory.to_path_buf(),
            missing: name,
        },
        _ => RecordError::io("read", &path, e),
    })
}

fn read_environment(directory: &Path) -> Result<EnvironmentFile, RecordError> {
    let text = read_required(directory, ENVIRONMENT_FILE).map_err(|error| match error {
        // The plan is there: it is written first.
        RecordError::NotARun { path, .. } => RecordError::NothingMeasured { path },
        other => other,
    })?;
    serde_json::from_str(&text).map_err(|e| RecordError::Damaged {
        path: directory.join(ENVIRONMENT_FILE),
        offset: 0,
        what: e.to_string(),
    })
}

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
fn read_or_empty(path: &Path) -> Result<Vec<u8>, RecordError> {
    match regular(path).and_then(|()| fs::read(path)) {
        Ok(bytes) => Ok(bytes),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(RecordError::io("read", path, e)),
    }
}

/// `intervals.jsonl`, sorted into slices.
#[derive(Debug, Default)]
struct Journal {
    slices: Vec<SliceEntry>,
    complete: bool,
    ended: Ended,
}

#[derive(Debug)]
struct SliceEntry {
    start: SliceStart,
    seconds: Vec<SecondEntry>,
    end: Option<SliceEnd>,
}

#[derive(Debug)]
struct SecondEntry {
    operations: Vec<OperationLine>,
    line: SecondLine,
}

impl Journal {
    fn parse(path: &Path, text: &[u8]) -> Result<Self, RecordError> {
        let mut journal = Self::default();
        let mut operations = Vec::new();
        for line in whole_lines(path, text) {
            match line.kind()?.as_str() {
                RunLine::KIND => line.check_schema()?,
                SliceStart::KIND => journal.slices.push(SliceEntry {
                    start: line.parse()?,
                    seconds: Vec::new(),
                    end: None,
                }),
                OperationLine::KIND => operations.push(line.parse()?),
                SecondLine::KIND => {
                    let second = SecondEntry {
                        operations: std::mem::take(&mut operations),
                        line: line.parse()?,
                    };
                    journal.open_slice(&line)?.seconds.push(second);
                }
                EndLine::KIND => {
                    let end: EndLine = line.parse()?;
                    journal.open_slice(&line)?.end = Some(end.end);
                }
                CompleteLine::KIND => {
                    let complete: CompleteLine = line.parse()?;
                    journal.complete = true;
                    journal.ended = complete.ended;
                }
                other => return Err(line.damaged(format!("unknown kind of line `{other}`"))),
            }
        }
        Ok(journal)
    }

    fn open_slice(&mut self, line: &TextLine<'_>) -> Result<&mut SliceEntry, RecordError> {
        self.slices
            .last_mut()
            .filter(|slice| slice.end.is_none())
            .ok_or_else(|| line.damaged("the line belongs to no open slice".to_owned()))
    }

    /// Where `latency.hlog` ends before a second's histograms do, the run ends.
    fn cut_where_histograms_are_missing(&mut self, latency: &[u8]) {
        let torn = self.slices.iter().enumerate().find_map(|(index, slice)| {
            let second = slice
                .seconds
                .iter()
                .position(|s| !s.has_histograms(latency))?;
            Some((index, second))
        });
        if let Some((slice, second)) = torn {
            self.complete = false;
            self.slices.truncate(slice + 1);
            self.slices[slice].seconds.truncate(second);
            self.slices[slice].end = None;
        }
    }

    fn seconds(&self) -> Vec<SecondCounts> {
        let of_slice = |slice: &SliceEntry| {
            let windows = slice.seconds.iter().filter(|second| !second.line.drain);
            let counts = windows.flat_map(|second| {
                let lines = second.operations.iter();
                lines.map(|line| line.counts(second.line.end_ns - second.line.start_ns))
            });
            counts.collect::<Vec<_>>()
        };
        self.slices.iter().flat_map(of_slice).collect()
    }

    fn end_the_unended(&mut self) {
        for slice in self.slices.iter_mut().filter(|slice| slice.end.is_none()) {
            self.complete = false;
            slice.end_where_every_thread_has_reported();
        }
        self.slices.retain(|slice| slice.end.is_some());
    }
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
                server: None,
                allocated: None,
                machine: None,
                wire: None,
                singles: None,
                responses: None,
                stages: None,
                cache: None,
                search: None,
                spread: None,
                segment: None,
            });
    }

    fn last_second_of(&self, thread: usize) -> Option<(u64, bool)> {
        self.seconds
            .iter()
            .filter(|second| second.line.threads.iter().any(|t| t.thread == thread))
            .map(|second| second.line.key())
            .max()
    }

    /// The figures; `None` for a slice of which nothing was kept.
    fn fold(self, path: &Path, latency: &[u8]) -> Result<Option<Slice>, RecordError> {
        let Some(end) = self.end else {
            return Ok(None);
        };
        let mut fold = SliceFold::new(self.start);
        for second in &self.seconds {
            let interval = second.interval(fold.start(), path, latency)?;
            fold.add(interval);
        }
        Ok(Some(fold.finish(end)))
    }
}

impl SecondEntry {
    fn has_histograms(&self, latency: &[u8]) -> bool {
        let operations = self.operations.iter().map(|line| line.hlog);
        operations
            .chain(self.line.hlogs())
            .all(|range| range.of(latency).is_some())
    }

    fn interval(
        &self,
        slice: &SliceStart,
        path: &Path,
        latency: &[u8],
    ) -> Result<Interval, RecordError> {
        let damaged = |range: ByteRange, what: String| RecordError::Damaged {
            path: path.to_path_buf(),
            offset: range.offset,
            what,
        };
        self.check_counts(slice, path)?;
        let mut ops = Vec::with_capacity(slice.operations.len());
        for (line, (name, role)) in self.operations.iter().zip(slice.operations_by_role()) {
            if line.operation != name || line.role != role {
                return Err(damaged(line.hlog, format!("expected operation {name}")));
            }
            ops.push(op_figures(line, latency).map_err(|what| damaged(line.hlog, what))?);
        }
        let setup = match &self.line.setup {
            Some(part) => setup_figures(part, latency).map_err(|what| damaged(part.hlog, what))?,
            None => SetupFigures::default(),
        };
        let mut hosts = Vec::with_capacity(slice.hosts.len());
        for (part, name) in self.line.hosts.iter().zip(&slice.hosts) {
            if part.host != *name {
                return Err(damaged(part.hlog, format!("expected host {name}")));
            }
            hosts.push(host_figures(part, latency).map_err(|what| damaged(part.hlog, what))?);
        }
        Ok(self.line.interval(ops, setup, hosts))
    }

    /// A second has as many of each as its slice was opened with.
    fn check_counts(&self, slice: &SliceStart, path: &Path) -> Result<(), RecordError> {
        let counts = [
            ("operations", self.operations.len(), slice.operations.len()),
            ("hosts", self.line.hosts.len(), slice.hosts.len()),
        ];
        match counts
            .into_iter()
            .find(|(_, found, expected)| found != expected)
        {
            None => Ok(()),
            Some((what, found, expected)) => Err(RecordError::Damaged {
                path: path.with_file_name(INTERVALS_FILE),
                offset: 0,
                what: format!(
                    "second {} of slice {} has {found} {what}, not {expected}",
                    self.line.second, slice.index
                ),
            }),
        }
    }
}

fn op_figures(line: &OperationLine, latency: &[u8]) -> Result<OpFigures, String> {
    let mut figures = line.figures().map_err(unknown_class)?;
    let mut histograms = hlog::decode(line.hlog.of(latency).unwrap_or_default())?;
    for kind in Kind::ALL {
        histograms.take(kind.name(), line.quantiles(kind), kind.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

fn setup_figures(part: &SetupPart, latency: &[u8]) -> Result<SetupFigures, String> {
    let mut figures = SetupFigures::default();
    let mut histograms = hlog::decode(part.hlog.of(latency).unwrap_or_default())?;
    for step in Step::ALL {
        histograms.take(step.name(), part.quantiles(step), step.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

fn host_figures(part: &HostPart, latency: &[u8]) -> Result<HostFigures, String> {
    let mut figures = part.figures().map_err(unknown_class)?;
    let mut histograms = hlog::decode(part.hlog.of(latency).unwrap_or_default())?;
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

/// A line with its newline: one without is the torn end of a killed run.
struct TextLine<'a> {
    path: &'a Path,
    offset: u64,
    text: &'a [u8],
}

fn whole_lines<'a>(path: &'a Path, text: &'a [u8]) -> impl Iterator<Item = TextLine<'a>> {
    let mut offset = 0;
    text.split_inclusive(|&byte| byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .map(move |text| {
            let line = TextLine { path, offset, text };
            offset += text.len() as u64;
            line
        })
}

impl TextLine<'_> {
    fn kind(&self) -> Result<String, RecordError> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        self.parse::<Kind>().map(|line| line.kind)
    }

    fn check_schema(&self) -> Result<(), RecordError> {
        let RunLine { schema } = self.parse()?;
        if schema == SCHEMA {
            return Ok(());
        }
        Err(self.damaged(format!(
            "written as `{schema}`, while this version reads `{SCHEMA}`"
        )))
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, RecordError> {
        serde_json::from_slice(self.text).map_err(|e| self.damaged(e.to_string()))
    }

    fn damaged(&self, what: String) -> RecordError {
        RecordError::Damaged {
            path: PathBuf::from(self.path),
            offset: self.offset,
            what,
        }
    }
}
