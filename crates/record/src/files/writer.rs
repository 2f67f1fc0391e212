//! Writes the record of a run while it is running.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tenbin_engine::{Sample, SetupStep, Timed};

use crate::error::RecordError;
use crate::files::check_values::{Chain, CheckValue};
use crate::files::directory::{RunDirectory, unix_ns};
use crate::files::hlog::{self, Encoder, Subject};
use crate::files::lines::{
    ByteRange, CompleteLine, EndLine, Ended, HostPart, Line, OperationLine, RunLine, SCHEMA,
    SecondLine, SetupPart, TotalsPart, VoidLine, push,
};
use crate::files::names::{INTERVALS_FILE, LATENCY_FILE, PLAN_FILE, TOTALS_FILE};
use crate::files::slice_histograms::Totals;
use crate::histogram::move_to_file::move_histograms;
use crate::histogram::packed::PackedHistogram;
use crate::histogram::store::Store;
use crate::seconds::Seconds;
use crate::seconds::live::LiveSecond;
use crate::seconds::second::Interval;
use crate::slice::from_seconds::{SliceFold, Sums};
use crate::slice::server::ServerUse;
use crate::slice::stalls::Stalls;
use crate::slice::{AgentUse, Slice, SliceEnd, SliceHead, SliceStart};

/// Writes `intervals.jsonl` and `latency.hlog` every second, and `slices.bin` after every slice.
/// Data that was written to the operating system survives a crash of this process.
///
/// After an error, the writer writes nothing more, so that the files stay consistent and
/// [`crate::read`] can read them.
pub struct RunWriter {
    intervals: AppendFile,
    latency: AppendFile,
    totals: AppendFile,
    /// Computes the check values of the lines of `intervals.jsonl`.
    chain: Chain,
    open: Option<OpenSlice>,
    encoder: Encoder,
    /// The empty histograms that the next slice will fill. While a slice is open, the slice owns
    /// them.
    sums: Sums,
    store: Store,
    /// Seconds written since the last call of [`RunWriter::take_seconds`].
    counts: Vec<LiveSecond>,
    /// Number of the next slice.
    next: u32,
    failed: bool,
}

struct OpenSlice {
    fold: SliceFold,
    seconds: Seconds,
    server: Option<ServerUse>,
    stalls: Option<Stalls>,
}

impl RunWriter {
    /// Creates `intervals.jsonl`, `latency.hlog` and `slices.bin` in a new run directory.
    ///
    /// # Errors
    /// The path and the reason when a file cannot be created.
    pub fn create(directory: &RunDirectory) -> Result<Self, RecordError> {
        let mut writer = Self {
            intervals: AppendFile::create(directory.path().join(INTERVALS_FILE))?,
            latency: AppendFile::create(directory.path().join(LATENCY_FILE))?,
            totals: AppendFile::create(directory.path().join(TOTALS_FILE))?,
            chain: Chain::default(),
            open: None,
            encoder: Encoder::default(),
            sums: Sums::default(),
            store: Store::default(),
            counts: Vec::new(),
            next: 0,
            failed: false,
        };
        let head = hlog::header(directory.started())
            .map_err(|e| RecordError::io("write", &writer.latency.path, e))?;
        writer.latency.append(&head)?;
        // The plan file is not rewritten from now on, so the first line can contain its check
        // value.
        let plan = std::fs::read(directory.path().join(PLAN_FILE)).ok();
        writer.append_line(&RunLine {
            schema: SCHEMA.to_owned(),
            plan: plan.map(|text| CheckValue::of(&text)),
            started_unix_ns: Some(unix_ns(directory.started())),
            hlog: Some(ByteRange::of(0, &head)),
        })?;
        Ok(writer)
    }

    /// Starts a slice.
    ///
    /// # Errors
    /// When another slice is open, or the `begin` line cannot be written.
    pub fn begin(&mut self, start: SliceStart) -> Result<(), RecordError> {
        if self.open.is_some() {
            return Err(RecordError::OutOfOrder {
                what: "the start of a slice",
                why: "the previous slice has not ended",
            });
        }
        self.append_line(&start)?;
        self.next = start.head.index + 1;
        self.open = Some(OpenSlice {
            seconds: Seconds::new(&start),
            fold: SliceFold::new(start, std::mem::take(&mut self.sums)),
            server: None,
            stalls: None,
        });
        Ok(())
    }

    /// Adds a sample of one thread, and writes every second that the sample completes.
    ///
    /// # Errors
    /// When no slice is open, the operations or hosts of the sample differ from those of the slice,
    /// or the files cannot be written.
    pub fn sample(&mut self, sample: Sample) -> Result<(), RecordError> {
        let open = self.open.as_mut().ok_or(NO_SLICE)?;
        open.seconds.add(sample)?;
        let due = open.seconds.due();
        self.keep(due)
    }

    /// Takes the figures of each operation in the seconds written since the last call.
    pub fn take_seconds(&mut self) -> Vec<LiveSecond> {
        std::mem::take(&mut self.counts)
    }

    /// Adds the target's resource use since the last call or the start of the slice. The next
    /// `second` line will contain this use.
    ///
    /// # Errors
    /// When no slice is open.
    pub fn server(&mut self, used: ServerUse) -> Result<(), RecordError> {
        let open = self.open.as_mut().ok_or(NO_SLICE)?;
        open.server = Some(open.server.map_or(used, |before| before.and(used)));
        Ok(())
    }

    /// Adds the long waits for a core since the last call or the start of the slice. The next
    /// `second` line will contain these waits.
    ///
    /// # Errors
    /// When no slice is open.
    pub fn stalled(&mut self, stalls: Stalls) -> Result<(), RecordError> {
        let open = self.open.as_mut().ok_or(NO_SLICE)?;
        open.stalls = Some(open.stalls.unwrap_or_default() + stalls);
        Ok(())
    }

    /// Ends the slice and returns its figures. `agents` has what each agent reported, in the order
    /// of their numbers.
    ///
    /// # Errors
    /// When no slice is open, or the files cannot be written.
    pub fn end(&mut self, end: SliceEnd, agents: Vec<AgentUse>) -> Result<Slice, RecordError> {
        let open = self.open.as_mut().ok_or(NO_SLICE)?;
        let rest = open.seconds.rest();
        self.keep(rest)?;
        let mut open = self.open.take().ok_or(NO_SLICE)?;
        let totals = open.fold.take_totals();
        // A probe or a stretch needs no histograms in `slices.bin`: readers use its seconds.
        let part = if open.fold.start().is_by_second() {
            None
        } else {
            Some(self.append_totals(&totals)?)
        };
        let line = EndLine {
            slice: open.fold.start().head.index,
            totals: part,
            end,
            agents,
        };
        self.append_line(&line)?;
        let (mut slice, sums) = open.fold.finish((line.end, line.agents), totals);
        self.sums = sums;
        move_histograms(std::slice::from_mut(&mut slice), &mut self.store);
        Ok(slice)
    }

    /// Number of the next slice. Void slices keep their numbers, so that no number occurs twice.
    pub fn next_slice(&self) -> u32 {
        self.next
    }

    /// Declares the slices from number `first` on void, including the open slice, for a reason in
    /// one sentence. Readers do not count these slices.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn void(&mut self, first: u32, reason: &str) -> Result<(), RecordError> {
        self.open = None;
        self.counts.clear();
        self.append_line(&VoidLine {
            first,
            next: self.next,
            reason: reason.to_owned(),
        })
    }

    /// Marks the run as complete: every planned slice was measured. For an interrupted run, drop
    /// the writer instead.
    ///
    /// # Errors
    /// When a slice is open, or the file cannot be written.
    pub fn complete(mut self, ended: Ended) -> Result<(), RecordError> {
        if self.open.is_some() {
            return Err(RecordError::OutOfOrder {
                what: "the end of the run",
                why: "the last slice has not ended",
            });
        }
        self.append_line(&CompleteLine { ended })
    }

    /// Writes seconds: histograms before the lines that refer to them, so that no line lacks its
    /// histograms.
    fn keep(&mut self, intervals: Vec<Interval>) -> Result<(), RecordError> {
        for mut interval in intervals {
            let Some(open) = self.open.as_mut() else {
                return Err(NO_SLICE);
            };
            interval.stalls = open.stalls.take();
            let mut second = SecondText {
                reached: open.seconds.reached(),
                slice: &open.fold.start().head,
                interval: &interval,
                offset: self.latency.length,
                histograms: Vec::new(),
                lines: Vec::new(),
                chain: &mut self.chain,
                encoder: &mut self.encoder,
                counts: &mut self.counts,
            };
            second
                .write(open.server.take())
                .map_err(|e| RecordError::io("write", &self.latency.path, e))?;
            let SecondText {
                histograms, lines, ..
            } = second;
            open.fold.add(&interval);
            self.append(Some(&histograms), &lines)?;
        }
        Ok(())
    }

    /// Writes the histograms of a slice before the line that refers to them.
    fn append_totals(&mut self, totals: &Totals) -> Result<TotalsPart, RecordError> {
        let mut bytes = Vec::new();
        let part = totals.write(&mut bytes, self.totals.length);
        self.append_to(|files| &mut files.totals, &bytes)?;
        Ok(part)
    }

    fn append_line<T: Line>(&mut self, line: &T) -> Result<(), RecordError> {
        let mut text = Vec::new();
        push(&mut text, &mut self.chain, line);
        self.append(None, &text)
    }

    fn append(&mut self, histograms: Option<&[u8]>, lines: &[u8]) -> Result<(), RecordError> {
        if let Some(histograms) = histograms {
            self.append_to(|files| &mut files.latency, histograms)?;
        }
        self.append_to(|files| &mut files.intervals, lines)
    }

    fn append_to(
        &mut self,
        file: fn(&mut Self) -> &mut AppendFile,
        bytes: &[u8],
    ) -> Result<(), RecordError> {
        if self.failed {
            return Err(RecordError::OutOfOrder {
                what: "anything more",
                why: "an earlier write to the run directory failed",
            });
        }
        let written = file(self).append(bytes);
        self.failed = written.is_err();
        written
    }
}

/// Builds the text of one second for `latency.hlog` and `intervals.jsonl`.
struct SecondText<'a> {
    slice: &'a SliceHead,
    interval: &'a Interval,
    /// Position in `latency.hlog` at which `histograms` will be written.
    offset: u64,
    histograms: Vec<u8>,
    lines: Vec<u8>,
    chain: &'a mut Chain,
    encoder: &'a mut Encoder,
    /// The last second that every thread has reported.
    reached: Option<u64>,
    /// Receives the second for live displays, unless the second belongs to the drain.
    counts: &'a mut Vec<LiveSecond>,
}

impl SecondText<'_> {
    fn write(&mut self, server: Option<ServerUse>) -> std::io::Result<()> {
        let interval = self.interval;
        for op in &interval.ops {
            let all = Timed::ALL.map(|timed| (timed.name(), &op.times[timed]));
            let hlog = self.histograms(Subject::Operation(&op.name), &all)?;
            let line = OperationLine::new(self.slice, interval, op, hlog);
            push(&mut self.lines, self.chain, &line);
            if !interval.drain {
                let length = interval.end.saturating_sub(interval.start);
                self.counts.push(LiveSecond {
                    second: interval.second,
                    reached: self.reached,
                    counts: line.counts(length),
                    role: op.role,
                    errors: op.errors.clone(),
                    server,
                    response: op.times.response.clone(),
                    service: op.times.service.clone(),
                });
            }
        }
        let mut setup = None;
        let steps = interval.setup.as_ref().into_array();
        if steps.iter().any(|times| !times.is_empty()) {
            let all = SetupStep::ALL.map(|step| (step.name(), &interval.setup[step]));
            let hlog = self.histograms(Subject::All, &all)?;
            setup = Some(SetupPart::new(&interval.setup, hlog));
        }
        let mut hosts = Vec::with_capacity(interval.hosts.len());
        for host in &interval.hosts {
            let all = [(Timed::Service.name(), &host.service)];
            let hlog = self.histograms(Subject::Host(&host.name), &all)?;
            hosts.push(HostPart::new(host, hlog));
        }
        let second = SecondLine::new(self.slice, interval, setup, hosts, server);
        push(&mut self.lines, self.chain, &second);
        Ok(())
    }

    fn histograms(
        &mut self,
        subject: Subject<'_>,
        all: &[(&str, &PackedHistogram)],
    ) -> std::io::Result<ByteRange> {
        let before = self.histograms.len();
        self.encoder.push(
            &mut self.histograms, self.slice, self.interval, subject, all,
        )?;
        let written = &self.histograms[before..];
        Ok(ByteRange::of(self.offset + before as u64, written))
    }
}

const NO_SLICE: RecordError = RecordError::OutOfOrder {
    what: "figures",
    why: "no slice is open",
};

/// A file to which bytes are appended completely or not at all.
struct AppendFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl AppendFile {
    fn create(path: PathBuf) -> Result<Self, RecordError> {
        match open_new(&path) {
            Ok(file) => Ok(Self {
                path,
                file,
                length: 0,
            }),
            Err(e) => Err(RecordError::io("create", &path, e)),
        }
    }

    /// Appends all of `bytes`, or on failure removes the written part of `bytes`.
    fn append(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        if let Err(e) = self.file.write_all(bytes) {
            let _ = self.file.set_len(self.length);
            return Err(RecordError::io("write", &self.path, e));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

fn open_new(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_distinguished_from_other_failures() {
        let path = PathBuf::from("/dev/full");
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut full = AppendFile {
            path,
            file,
            length: 0,
        };
        let error = full.append(b"x").unwrap_err();
        assert!(matches!(error, RecordError::DiskFull { .. }), "{error:?}");
        assert!(error.to_string().contains("/dev/full"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_kept_before_the_disk_was_full_is_readable() {
        let root = tempfile::tempdir().unwrap();
        let directory =
            RunDirectory::create(root.path(), "full", std::time::SystemTime::now()).unwrap();
        directory.write_plan("").unwrap();
        directory
            .write_environment(&crate::Environment::default())
            .unwrap();
        let mut writer = RunWriter::create(&directory).unwrap();
        writer.begin(start()).unwrap();
        writer.sample(second(0)).unwrap();
        writer.latency.file = OpenOptions::new().append(true).open("/dev/full").unwrap();

        let error = writer.sample(second(1)).unwrap_err();
        assert!(matches!(error, RecordError::DiskFull { .. }), "{error:?}");
        writer.latency.file = OpenOptions::new()
            .append(true)
            .open(directory.path().join(LATENCY_FILE))
            .unwrap();
        assert!(writer.sample(second(2)).is_err(), "a gap would be a lie");

        let back = crate::read(directory.path()).unwrap();
        assert_eq!(back.slices.len(), 1);
        assert_eq!(back.slices[0].end.seconds, 1.0);
        assert_eq!(back.slices[0].ok(), 7);
    }

    fn start() -> SliceStart {
        SliceStart {
            head: SliceHead {
                workload: "get".to_owned(),
                target: "a".to_owned(),
                connections: 1,
                closed_loop: true,
                ..SliceHead::default()
            },
            operations: vec!["GET".to_owned()],
            threads: 1,
            planned_seconds: 5.0,
            ..SliceStart::default()
        }
    }

    fn second(second: u64) -> Sample {
        let mut op = tenbin_engine::OpSample::new("GET");
        op.counts.ok = 7;
        op.times.service.record_n(1_000, 7).unwrap();
        Sample {
            start: second * 1_000_000_000,
            end: (second + 1) * 1_000_000_000,
            ops: vec![op],
            ..Sample::default()
        }
    }
}
