//! The output formats of hsbench: its text and its result files.

mod files;
mod lines;
mod rows;

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use tenbin_plan::sentence;
use tenbin_record::{OpFigures, SecondCounts, Slice, rfc3339};
use tenbin_result::Document;

use tenbin_verdict::lint::Reported;

use self::rows::has_unknown_rate;
use crate::escape::for_terminal;
use crate::foreign::last_lines;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::judged::{COLUMN, mark};
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::write::{Part, Run, WriteError, Writer};

/// The text of hsbench, which blobstore-bench prints too.
pub(in crate::formats) const LINES: Format = Format {
    name: "hsbench",
    about: "the lines that hsbench and blobstore-bench print",
    file: "hsbench.txt",
    read: Some(Reader {
        recognises: lines::recognises,
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "the lines of hsbench")?;
            let series = lines::series(&content).map_err(|why| {
                Fault::of_the_file(format!(
                    "cannot be read as lines of hsbench or blobstore-bench: {why}"
                ))
            })?;
            Ok(Content::Repetitions(series))
        }),
        reported: Some(lines::reported),
    }),
    write: Some(Writer::Run(|run| {
        parts(run, |rows, mark| {
            let lines: String = rows.iter().map(Row::line).collect();
            format!("{lines}{mark}\n").into_bytes()
        })
    })),
    ..Format::PLAIN
};

/// The file that hsbench writes with `-o`.
pub(in crate::formats) const CSV: Format = Format {
    name: "hsbench-csv",
    about: "the CSV file that hsbench writes with -o",
    file: "hsbench.csv",
    read: Some(Reader {
        recognises: |beginning| beginning.starts_with(CSV_HEADER.as_bytes()),
        read: Read::Content(|text, selection| {
            let text = whole(text, selection, "the CSV file of hsbench")?;
            files::csv(&text).map(|it| repetitions(&it))
        }),
        reported: Some(files::csv),
    }),
    write: Some(Writer::Run(|run| {
        parts(run, |rows, mark| csv(rows, mark).into_bytes())
    })),
    ..Format::PLAIN
};

/// The file that hsbench writes with `-j`.
pub(in crate::formats) const JSON: Format = Format {
    name: "hsbench-json",
    about: "the JSON file that hsbench writes with -j, or blobstore-bench",
    file: "hsbench.json",
    read: Some(Reader {
        recognises: |beginning| {
            let start = readable(beginning);
            let rows = start.trim_start().strip_prefix('[');
            let is_list = rows.is_some_and(|rows| rows.trim_start().starts_with(['{', ']']));
            is_list && start.contains("\"IntervalName\"")
        },
        read: Read::Content(|text, selection| {
            let text = whole(text, selection, "the JSON file of hsbench")?;
            files::json(&text).map(|it| repetitions(&it))
        }),
        reported: Some(files::json),
    }),
    write: Some(Writer::Run(|run| {
        parts(run, |rows, mark| json(rows, Some(mark)))
    })),
    ..Format::PLAIN
};

/// Converts a parsed file to the speeds of all loops.
fn repetitions(reported: &Reported) -> Content {
    let mut all = tenbin_verdict::lint::series(reported);
    // The other loops of a mode are not its median.
    all.retain(|series| {
        let mut loops = reported.measurements.iter();
        !loops.any(|of| of.operation == series.workload && has_unknown_rate(of))
    });
    Content::Repetitions(all)
}

/// Writes one file per target, because the format has no column for the target.
fn parts(run: &Run<'_>, content: fn(&[Row], &str) -> Vec<u8>) -> Result<Vec<Part>, WriteError> {
    let mark = mark(run.document);
    let parts: Vec<Part> = run
        .plan
        .targets
        .iter()
        .map(|target| (target, rows(run, &target.name)))
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(target, rows)| Part {
            name: target.name.clone(),
            content: content(&rows, &mark),
        })
        .collect();
    if parts.is_empty() {
        Err(WriteError::Lacks(sentence!(
            "no-store-operation",
            "the run has no operation of an object store or blob store"
        )))
    } else {
        Ok(parts)
    }
}

/// One row per slice and operation of a target.
fn rows(run: &Run<'_>, target: &str) -> Vec<Row> {
    let slices = run.record.slices.iter();
    let mine = slices.filter(|slice| slice.target == target);
    mine.flat_map(|slice| {
        let size = object_bytes(run.document, &slice.workload);
        let bytes = size.map_or(Bytes::Real, Bytes::Each);
        slice_rows(run.record.started, slice, None, bytes)
    })
    .collect()
}

/// Object size of a workload, bytes; `None` if objects differ in size.
fn object_bytes(document: &Document, workload: &str) -> Option<u64> {
    let mut workloads = document.workloads.iter();
    let work = workloads.find(|work| work.name == workload)?;
    work.subject.as_ref()?.object_bytes
}

/// hsbench's name for an operation; `None` if hsbench does not have the operation.
fn mode_of(operation: &str) -> Option<&str> {
    match operation {
        "PUT" | "GET" | "LIST" | "DEL" => Some(operation),
        "DELETE" => Some("DEL"),
        _ => None,
    }
}

/// hsbench's name for the total of a mode.
const TOTAL: &str = "TOTAL";

/// Bytes in hsbench's unit MB.
const MB: f64 = 1_048_576.0;

/// The figures of one mode in one loop, or in one interval of a loop. Unknown times are absent;
/// other unknown values are 0, because hsbench's formats have no value for unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::formats) struct Row {
    /// The loop: from 0, as in hsbench, or from 1, as in blobstore-bench.
    #[serde(rename = "Loop")]
    round: u32,
    interval_name: String,
    seconds: f64,
    mode: String,
    ops: u64,
    mbps: f64,
    iops: f64,
    min_lat: Option<f64>,
    avg_lat: Option<f64>,
    ninety_nine_lat: Option<f64>,
    max_lat: Option<f64>,
    slowdowns: u64,
    /// End of the mode or interval.
    #[serde(skip)]
    end: SystemTime,
}

/// How bytes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// A fixed number of bytes per operation, as hsbench counts in every mode except LIST.
    Each(u64),
    /// The body bytes of the operations.
    Real,
}

impl Bytes {
    fn counted(self, ok: u64, payload: u64) -> f64 {
        match self {
            Self::Each(size) => ok as f64 * size as f64,
            Self::Real => payload as f64,
        }
    }
}

/// One row for each operation of a slice that hsbench has as a mode. `mode` is the mode of the
/// whole slice, if known.
pub(in crate::formats) fn slice_rows(
    started: SystemTime,
    slice: &Slice,
    mode: Option<&str>,
    bytes: Bytes,
) -> Vec<Row> {
    let end = Duration::try_from_secs_f64(slice.start + slice.end.seconds).unwrap_or_default();
    let of_operation = |op: &OpFigures| {
        let mode = mode.or_else(|| mode_of(&op.name))?;
        let bytes = match mode {
            "LIST" => Bytes::Each(0),
            _ => bytes,
        };
        Some(row(slice, op, mode, bytes, started + end))
    };
    slice.work().filter_map(of_operation).collect()
}

fn row(slice: &Slice, op: &OpFigures, mode: &str, bytes: Bytes, end: SystemTime) -> Row {
    let rate = |count: f64| {
        if slice.end.seconds > 0.0 {
            count / slice.end.seconds
        } else {
            0.0
        }
    };
    let known = !op.times.service.is_empty();
    let millis = |nanoseconds: f64| nanoseconds / 1e6;
    Row {
        round: slice.round,
        interval_name: TOTAL.to_owned(),
        seconds: slice.end.seconds,
        mode: mode.to_owned(),
        ops: op.counts.ok,
        mbps: rate(bytes.counted(op.counts.ok, op.counts.payload)) / MB,
        iops: rate(op.counts.ok as f64),
        min_lat: known.then(|| millis(op.times.service.min() as f64)),
        avg_lat: known.then(|| millis(op.times.service.mean())),
        // Reported even for few operations, as the tool does.
        ninety_nine_lat: known.then(|| millis(op.times.service.value_at_quantile(0.99) as f64)),
        max_lat: known.then(|| millis(op.times.service.max() as f64)),
        slowdowns: op.failed_count(),
        end,
    }
}

/// Writes hsbench's lines for all targets, then the findings and the verdict.
pub fn text_of_run(run: &Run<'_>) -> String {
    let targets = run.plan.targets.iter();
    let rows = targets.flat_map(|target| rows(run, &target.name));
    let mut text: String = rows.map(|row| row.line()).collect();
    text.push_str(&last_lines(run.document));
    text
}

impl Row {
    /// Creates the row of one interval of a mode.
    pub(crate) fn of_interval(
        round: u32,
        number: usize,
        second: &SecondCounts,
        mode: String,
        bytes: Bytes,
        end: SystemTime,
    ) -> Self {
        let rate = |count: f64| {
            if second.length > 0.0 {
                count / second.length
            } else {
                0.0
            }
        };
        let times = second.service;
        let millis = |nanoseconds: u64| nanoseconds as f64 / 1e6;
        Self {
            round,
            interval_name: number.to_string(),
            seconds: second.length,
            mode,
            ops: second.ok,
            mbps: rate(bytes.counted(second.ok, second.payload)) / MB,
            iops: rate(second.ok as f64),
            min_lat: times.and_then(|times| times.min_ns).map(millis),
            avg_lat: times.and_then(|times| times.mean_ns).map(millis),
            ninety_nine_lat: times.map(|times| millis(times.p99_ns)),
            max_lat: times.map(|times| millis(times.max_ns)),
            slowdowns: second.failed,
            end,
        }
    }

    pub(crate) fn mode(&self) -> &str {
        &self.mode
    }

    pub(crate) fn ops(&self) -> u64 {
        self.ops
    }

    pub(crate) fn end(&self) -> SystemTime {
        self.end
    }

    /// The row as blobstore-bench has it: with loops from 1, and with 0 for unknown times.
    pub(in crate::formats) fn of_blobstore_bench(self) -> Self {
        let or_zero = |millis: Option<f64>| Some(millis.unwrap_or(0.0));
        Self {
            round: self.round + 1,
            min_lat: or_zero(self.min_lat),
            avg_lat: or_zero(self.avg_lat),
            ninety_nine_lat: or_zero(self.ninety_nine_lat),
            max_lat: or_zero(self.max_lat),
            ..self
        }
    }

    /// Formats the row as a line of hsbench.
    pub(crate) fn line(&self) -> String {
        self.between("[ ", " ]")
    }

    /// Formats the row as a line of blobstore-bench.
    pub(in crate::formats) fn line_of_blobstore_bench(&self) -> String {
        self.between("[", "]")
    }

    /// The line, with the times between `open` and `close`.
    fn between(&self, open: &str, close: &str) -> String {
        let time = |millis: Option<f64>| {
            millis.map_or("unknown".to_owned(), |millis| format!("{millis:.1}"))
        };
        format!(
            "{} Loop: {}, Int: {}, Dur(s): {:.1}, Mode: {}, Ops: {}, MB/s: {:.2}, IO/s: {:.0}, \
             Lat(ms): {open}min: {}, avg: {}, 99%: {}, max: {}{close}, Slowdowns: {}\n",
            stamp(self.end),
            self.round,
            self.interval_name,
            self.seconds,
            for_terminal(&self.mode),
            self.ops,
            self.mbps,
            self.iops,
            time(self.min_lat),
            time(self.avg_lat),
            time(self.ninety_nine_lat),
            time(self.max_lat),
            self.slowdowns
        )
    }
}

/// Formats a time in UTC: `2026/11/20 12:11:46`.
pub(crate) fn stamp(when: SystemTime) -> String {
    let text = rfc3339(when);
    let date = text.get(..10).unwrap_or_default().replace('-', "/");
    format!("{date} {}", text.get(11..19).unwrap_or_default())
}

/// hsbench's header line, with hsbench's own spelling.
const CSV_HEADER: &str = "Loop,Inteval,Duration(s),Mode,Ops,MB/s,IO/s,Min Latency (ms),\
                          Avg Latency(ms),99% Latency(ms),Max Latency(ms),Slowdowns";

/// Writes the file that hsbench writes with `-o`. Unknown times are empty fields.
fn csv(rows: &[Row], mark: &str) -> String {
    let mut text = format!("{CSV_HEADER},{COLUMN}\n");
    for row in rows {
        let time = |millis: Option<f64>| millis.map_or(String::new(), |t| format!("{t:.2}"));
        let _ = writeln!(
            text,
            "{},{},{:.2},{},{},{:.2},{:.2},{},{},{},{},{},{mark}",
            row.round,
            row.interval_name,
            row.seconds,
            row.mode,
            row.ops,
            row.mbps,
            row.iops,
            time(row.min_lat),
            time(row.avg_lat),
            time(row.ninety_nine_lat),
            time(row.max_lat),
            row.slowdowns
        );
    }
    text
}

/// Writes the file that hsbench writes with `-j`. Unknown times are null.
pub(in crate::formats) fn json(rows: &[Row], mark: Option<&str>) -> Vec<u8> {
    let rows: Vec<Marked<'_>> = rows.iter().map(|row| Marked { row, mark }).collect();
    serde_json::to_vec(&rows).expect("plain data becomes JSON")
}

/// A row of a JSON file with the trust in the run.
#[derive(Serialize)]
struct Marked<'a> {
    #[serde(flatten)]
    row: &'a Row,
    #[serde(rename = "TenbinTrust", skip_serializing_if = "Option::is_none")]
    mark: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded TOTAL line of a PUT in hsbench, reproduced from the same figures.
    #[test]
    fn files_have_the_shape_of_hsbenchs() {
        let row = Row {
            round: 0,
            interval_name: TOTAL.to_owned(),
            seconds: 3.001_497_177,
            mode: "PUT".to_owned(),
            ops: 2419,
            mbps: 2419.0 * 65_536.0 / 3.001_497_177 / MB,
            iops: 2419.0 / 3.001_497_177,
            min_lat: Some(1.176_245),
            avg_lat: Some(2.477_162_8),
            ninety_nine_lat: Some(5.787_596),
            max_lat: Some(11.450_952),
            slowdowns: 0,
            end: SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_176_706),
        };
        let rows = [row];
        assert_eq!(
            csv(&rows, "tenbin trust: VALID"),
            "Loop,Inteval,Duration(s),Mode,Ops,MB/s,IO/s,Min Latency (ms),Avg Latency(ms),\
             99% Latency(ms),Max Latency(ms),Slowdowns,tenbin trust\n\
             0,TOTAL,3.00,PUT,2419,50.37,805.93,1.18,2.48,5.79,11.45,0,tenbin trust: VALID\n"
        );
        let keys: Vec<&str> = vec![
            "Loop", "IntervalName", "Seconds", "Mode", "Ops", "Mbps", "Iops", "MinLat", "AvgLat",
            "NinetyNineLat", "MaxLat", "Slowdowns",
        ];
        let text = String::from_utf8(json(&rows, None)).expect("text");
        let mut at = 0;
        for key in keys {
            let found = text[at..].find(&format!("\"{key}\":")).expect(key);
            at += found;
        }
        assert_eq!(stamp(rows[0].end), "2026/11/20 12:11:46");
    }
}
