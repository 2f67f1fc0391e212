//! The output formats of blobstore-bench: the lines printed during a run, and the result file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use tenbin_plan::{Phase, sentence};
use tenbin_record::{LiveSecond, Slice};
use tenbin_result::Document;

use crate::escape::for_terminal;
use crate::foreign::last_lines;
use crate::formats::format::Format;
use crate::formats::judged::mark;
use crate::formats::storage::hsbench::{self, Bytes, Row, slice_rows, stamp};
use crate::formats::write::{Part, Run, WriteError, Writer, for_each_target};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "blobstore-bench",
    about: "the JSON file that blobstore-bench writes: a row for each second and each mode",
    file: "blobstore-bench.json",
    write: Some(Writer::Run(parts)),
    ..Format::PLAIN
};

/// Writes one file per target, because the format has no column for the target.
fn parts(run: &Run<'_>) -> Result<Vec<Part>, WriteError> {
    let slices = || run.record.slices.iter();
    let is_mine = |slice: &Slice| slice.work().any(|op| is_mode(&op.name));
    if !slices().any(is_mine) {
        return Err(WriteError::Lacks(sentence!(
            "no-blob-operation",
            "the run has no operation PUT, GET or DEL of a blob store"
        )));
    }
    Ok(for_each_target(run, |target| {
        let mine = slices().filter(|slice| slice.target == target.name);
        let rows: Vec<Row> = mine.flat_map(|slice| rows_of(run, slice)).collect();
        hsbench::json(&rows, Some(&mark(run.document)))
    }))
}

/// One row per whole second of a slice, then one row for the whole slice.
fn rows_of(run: &Run<'_>, slice: &Slice) -> Vec<Row> {
    let mut rows = Vec::new();
    for op in slice.work().filter(|op| is_mode(&op.name)) {
        let seconds = run.record.seconds.iter();
        let mine = seconds.filter(|second| {
            second.slice == slice.index && second.operation == op.name && second.length >= FULL
        });
        for (number, second) in mine.enumerate() {
            let end = slice.start + number as f64 + second.length;
            let end = run.record.started + Duration::try_from_secs_f64(end).unwrap_or_default();
            let mode = op.name.clone();
            let row = Row::of_interval(slice.round, number, second, mode, Bytes::Real, end);
            rows.push(row.of_blobstore_bench());
        }
    }
    let totals = slice_rows(run.record.started, slice, None, Bytes::Real).into_iter();
    rows.extend(totals.map(Row::of_blobstore_bench));
    rows
}

/// The parsed options of a blobstore-bench command line.
#[derive(Debug, Clone)]
pub struct Parsed<'a> {
    /// Names and values of the parameters, as the tool prints them, in the tool's order.
    pub parameters: &'a [(&'a str, String)],
    /// Size of an uploaded object, bytes.
    pub size: u64,
    /// How bytes are counted: existing blobs can have other sizes than `size`.
    pub bytes: Bytes,
    /// Phase of each workload (put, get, delete), by workload name.
    pub phases: &'a BTreeMap<String, Phase>,
    /// Seconds covered by one line, at least 1.
    pub interval: usize,
}

/// Prints a running benchmark in the tool's output format.
pub struct Reporter<'a> {
    asked: Parsed<'a>,
    started: SystemTime,
    /// Number of the current loop, from 0.
    round: u32,
    mode: String,
    /// Number of lines printed for the current mode.
    lines: usize,
    /// Seconds of the current mode that are not printed yet.
    untold: BTreeMap<u64, LiveSecond>,
    rows: Vec<Row>,
}

impl<'a> Reporter<'a> {
    /// Starts the output of a run that started at `started`.
    pub fn new(asked: Parsed<'a>, started: SystemTime) -> Self {
        Self {
            asked,
            started,
            round: 0,
            mode: String::new(),
            lines: 0,
            untold: BTreeMap::new(),
            rows: Vec::new(),
        }
    }

    /// The lines before the first mode (PUT, GET or DEL).
    pub fn head(&self) -> String {
        let begun = stamp(self.started);
        let mut text = format!(
            "{begun} DataSize={} MD5=unknown: every object has content of its own\n\
             {begun} BlobStore Benchmark\n{begun} Parameters:\n",
            self.asked.size
        );
        for (name, value) in self.asked.parameters {
            let _ = writeln!(text, "{begun} {name}={}", for_terminal(value));
        }
        text
    }

    /// Starts a mode in a loop; `round` counts loops from 0. Returns the title line, which counts
    /// loops from 1.
    pub fn begins(&mut self, round: u32, workload: &str, now: SystemTime) -> String {
        self.round = round;
        self.mode = self.mode_of(workload);
        self.lines = 0;
        self.untold.clear();
        let title = title(&self.mode);
        format!("{} Running Loop {} {title} Test\n", stamp(now), round + 1)
    }

    /// Adds a second of the current mode that at least one thread has finished. Returns the lines
    /// that are complete: a line is complete when all threads have finished its seconds. A partial
    /// second at the end gets no line, and neither do the last seconds if they do not fill an
    /// interval.
    pub fn second(&mut self, second: &LiveSecond, now: SystemTime) -> Option<String> {
        if !is_mode(&second.counts.operation) {
            return None;
        }
        // A second whose line is already printed counts towards the next line.
        let at = second.second.max(self.first_untold());
        match self.untold.get_mut(&at) {
            None => drop(self.untold.insert(at, second.clone())),
            Some(sum) => sum.join(second),
        }
        let mut text = String::new();
        while second.reached >= Some(self.last_of_interval()) {
            let Some(line) = self.line(now) else { break };
            text.push_str(&line);
        }
        (!text.is_empty()).then_some(text)
    }

    /// The first second that is not printed yet.
    fn first_untold(&self) -> u64 {
        (self.lines * self.asked.interval) as u64
    }

    /// The last second that the next line covers.
    fn last_of_interval(&self) -> u64 {
        self.first_untold() + self.asked.interval as u64 - 1
    }

    /// The next line, if all its seconds are complete.
    fn line(&mut self, now: SystemTime) -> Option<String> {
        let last = self.last_of_interval();
        let goes_on = self.untold.range(last + 1..).next().is_some();
        let is_full = |second: &LiveSecond| second.counts.length >= FULL;
        if !goes_on && !self.untold.get(&last).is_some_and(is_full) {
            return None;
        }
        let later = self.untold.split_off(&(last + 1));
        let mut seconds = std::mem::replace(&mut self.untold, later).into_values();
        let mut interval = seconds.next()?;
        seconds.for_each(|second| interval.add(&second));
        interval.counts.length = self.asked.interval as f64;
        let (mode, bytes) = (self.mode.clone(), self.asked.bytes);
        let row = Row::of_interval(self.round, self.lines, &interval.counts, mode, bytes, now)
            .of_blobstore_bench();
        self.lines += 1;
        let line = row.line_of_blobstore_bench();
        self.rows.push(row);
        Some(line)
    }

    /// Ends a mode. Returns the remaining lines and the total.
    pub fn ends(&mut self, slice: &Slice) -> String {
        let mut text = String::new();
        let seconds =
            Duration::try_from_secs_f64(slice.start + slice.end.seconds).unwrap_or_default();
        while let Some(line) = self.line(self.started + seconds) {
            text.push_str(&line);
        }
        let mode = self.mode_of(&slice.workload);
        let rows = slice_rows(self.started, slice, Some(&mode), self.asked.bytes);
        for row in rows.into_iter().map(Row::of_blobstore_bench) {
            text.push_str(&row.line_of_blobstore_bench());
            if row.mode() == "PUT" {
                // Operations in flight at the end of the mode are stored as well.
                let stored: u64 = slice.work().map(|op| op.times.service.len()).sum();
                let _ = writeln!(
                    text,
                    "{} The subsequent '-m g' or '-m d' test should be specified with '-n {}'",
                    stamp(row.end()),
                    stored.max(row.ops())
                );
            }
            self.rows.push(row);
        }
        text
    }

    /// The findings, then the verdict.
    pub fn tail(&self, document: &Document) -> String {
        last_lines(document)
    }

    /// The result file, with the printed rows.
    pub fn json(&self) -> Vec<u8> {
        hsbench::json(&self.rows, None)
    }

    fn mode_of(&self, workload: &str) -> String {
        let phase = self.asked.phases.get(workload);
        phase.map_or_else(|| workload.to_owned(), |phase| mode(*phase).to_owned())
    }
}

/// Whether an operation is a mode rather than a sub-request of a mode.
fn is_mode(operation: &str) -> bool {
    matches!(operation, "PUT" | "GET" | "DEL")
}

/// Minimum length, seconds, at which the last second of a mode counts as a whole second.
const FULL: f64 = 0.95;

fn mode(phase: Phase) -> &'static str {
    match phase {
        Phase::Put => "PUT",
        Phase::Get => "GET",
        Phase::Delete => "DEL",
        Phase::Mixed(_) => "MIXED",
    }
}

fn title(mode: &str) -> &str {
    match mode {
        "PUT" => "Put",
        "GET" => "Get",
        "DEL" => "Del",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PackedHistogram, SecondCounts};

    use super::*;

    fn live(second: u64, counts: SecondCounts) -> LiveSecond {
        LiveSecond {
            second,
            reached: Some(second),
            counts,
            role: tenbin_engine::Role::Request,
            errors: std::collections::BTreeMap::new(),
            server: None,
            response: PackedHistogram::new(),
            service: PackedHistogram::new(),
        }
    }

    fn second(ok: u64) -> SecondCounts {
        SecondCounts {
            slice: 0,
            operation: "PUT".to_owned(),
            second: 0,
            length: 1.0,
            ok,
            payload: ok * 10_240,
            failed: 2,
            service: Some(tenbin_record::SecondTimes {
                min_ns: Some(1_600_000),
                mean_ns: Some(3_400_000),
                p50_ns: 3_200_000,
                p99_ns: 5_600_000,
                max_ns: 317_200_000,
            }),
        }
    }

    #[test]
    fn a_line_is_that_of_the_program() {
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(1_752_355_728);
        let row = Row::of_interval(
            0,
            0,
            &second(547),
            "PUT".to_owned(),
            Bytes::Each(10_000),
            end,
        );
        assert_eq!(
            row.of_blobstore_bench().line_of_blobstore_bench(),
            "2025/07/12 21:28:48 Loop: 1, Int: 0, Dur(s): 1.0, Mode: PUT, Ops: 547, MB/s: 5.22, \
             IO/s: 547, Lat(ms): [min: 1.6, avg: 3.4, 99%: 5.6, max: 317.2], Slowdowns: 2\n"
        );
    }

    #[test]
    fn lines_come_as_seconds_go_by_and_pieces_of_one_have_none() {
        let phases = BTreeMap::from([("put".to_owned(), Phase::Put)]);
        let asked = Parsed {
            parameters: &[("backend", "dummy".to_owned())],
            size: 10_240,
            bytes: Bytes::Real,
            phases: &phases,
            interval: 1,
        };
        let now = SystemTime::UNIX_EPOCH;
        let mut reporter = Reporter::new(asked, now);
        assert!(
            reporter
                .head()
                .ends_with(" Parameters:\n1970/01/01 00:00:00 backend=dummy\n")
        );
        let begun = reporter.begins(1, "put", now);
        assert_eq!(begun, "1970/01/01 00:00:00 Running Loop 2 Put Test\n");
        for number in 0..2 {
            let line = reporter
                .second(&live(number, second(5)), now)
                .unwrap_or_default();
            let expected = format!(" Loop: 2, Int: {number}, Dur(s): 1.0, Mode: PUT, Ops: 5,");
            assert!(line.contains(&expected), "{line}");
        }
        let piece = SecondCounts {
            length: 0.3,
            ..second(5)
        };
        let step = SecondCounts {
            operation: "/alloc".to_owned(),
            ..second(5)
        };
        assert_eq!(reporter.second(&live(2, piece), now), None);
        assert_eq!(reporter.second(&live(2, step), now), None);
        assert_eq!(reporter.rows.len(), 2);
    }

    #[test]
    fn a_thread_that_is_late_has_no_line_of_its_own() {
        let phases = BTreeMap::from([("put".to_owned(), Phase::Put)]);
        let now = SystemTime::UNIX_EPOCH;
        let asked = Parsed {
            parameters: &[],
            size: 10_240,
            bytes: Bytes::Real,
            phases: &phases,
            interval: 1,
        };
        let mut reporter = Reporter::new(asked, now);
        reporter.begins(0, "put", now);
        let part = |number, reached, ok| LiveSecond {
            reached,
            ..live(number, second(ok))
        };
        assert_eq!(reporter.second(&part(0, None, 5), now), None);
        let first = reporter
            .second(&part(0, Some(0), 4), now)
            .unwrap_or_default();
        assert!(
            first.contains("Int: 0, Dur(s): 1.0, Mode: PUT, Ops: 9, "),
            "{first}"
        );
        assert_eq!(reporter.second(&part(1, Some(0), 3), now), None);
        assert_eq!(reporter.second(&part(2, Some(0), 7), now), None);
        let both = reporter
            .second(&part(1, Some(2), 2), now)
            .unwrap_or_default();
        assert!(
            both.contains("Int: 1, Dur(s): 1.0, Mode: PUT, Ops: 5, "),
            "{both}"
        );
        assert!(
            both.contains("Int: 2, Dur(s): 1.0, Mode: PUT, Ops: 7, "),
            "{both}"
        );
        assert_eq!(both.lines().count(), 2);
    }

    #[test]
    fn a_line_covers_the_configured_seconds() {
        let phases = BTreeMap::from([("put".to_owned(), Phase::Put)]);
        let now = SystemTime::UNIX_EPOCH;
        let asked = Parsed {
            parameters: &[],
            size: 10_240,
            bytes: Bytes::Real,
            phases: &phases,
            interval: 3,
        };
        let mut reporter = Reporter::new(asked, now);
        for round in 0..2 {
            reporter.begins(round, "put", now);
            let lines: Vec<String> = (0..8)
                .filter_map(|number| reporter.second(&live(number, second(5)), now))
                .collect();
            assert_eq!(lines.len(), 2, "{lines:?}");
            for (number, line) in lines.iter().enumerate() {
                let told = format!(
                    "Loop: {}, Int: {number}, Dur(s): 3.0, Mode: PUT, Ops: 15,",
                    round + 1
                );
                assert!(line.contains(&told), "{line}");
                assert!(line.ends_with("Slowdowns: 6\n"), "{line}");
            }
        }
    }

    #[test]
    fn a_line_without_an_operation_has_zeros_as_in_the_program() {
        let unknown = SecondCounts {
            service: None,
            ..second(0)
        };
        let row = Row::of_interval(
            0,
            3,
            &unknown,
            "GET".to_owned(),
            Bytes::Real,
            SystemTime::UNIX_EPOCH,
        );
        let line = row.clone().of_blobstore_bench().line_of_blobstore_bench();
        let zeros = "Lat(ms): [min: 0.0, avg: 0.0, 99%: 0.0, max: 0.0], Slowdowns: 2";
        assert!(line.contains(zeros), "{line}");
        assert!(row.line().contains("[ min: unknown, avg: unknown"));
    }
}
