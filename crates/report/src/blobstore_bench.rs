//! Results in blobstore-bench's words. Pure functions, like every report.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use tenbin_plan::Phase;
use tenbin_record::{RecordedRun, SecondCounts};

use crate::document::Document;
use crate::escape::for_terminal;
use crate::foreign::last_lines;
use crate::hsbench::{self, Row, stamp};

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// What the tool calls its parameters, and their values, in its order.
    pub parameters: &'a [(&'a str, String)],
    /// Size of an object, bytes.
    pub size: u64,
    /// The phase of a workload, by its name.
    pub phases: &'a BTreeMap<String, Phase>,
}

/// A row for every second and for every slice, in their order.
pub fn rows(recorded: &RecordedRun, asked: &Asked<'_>) -> Vec<Row> {
    let mode = |workload: &str| {
        let phase = asked.phases.get(workload);
        phase.map_or_else(|| workload.to_owned(), |phase| mode(*phase).to_owned())
    };
    let mut rows = Vec::new();
    for (at, slice) in recorded.slices.iter().enumerate() {
        let started = recorded.started + seconds(slice.start);
        let mut end = 0.0;
        let own = |second: &&SecondCounts| second.slice as usize == at && is_mode(second);
        let mut intervals = recorded.seconds.iter().filter(own).collect::<Vec<_>>();
        // The last is a piece of a second and has no line of its own.
        intervals.retain(|second| second.length >= FULL);
        for (number, second) in intervals.into_iter().enumerate() {
            end += second.length;
            let when = started + seconds(end);
            rows.push(Row::of_second(
                slice.round,
                number,
                second,
                mode(&slice.workload),
                asked.size,
                when,
            ));
        }
        let slices = std::slice::from_ref(slice);
        let totals = hsbench::rows(recorded.started, slices, mode, asked.size);
        rows.extend(totals);
    }
    rows
}

/// Whether an operation is a mode, and not a step of one.
fn is_mode(second: &&SecondCounts) -> bool {
    matches!(second.operation.as_str(), "PUT" | "GET" | "DEL")
}

/// A second that is as long as this is a whole one.
const FULL: f64 = 0.95;

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn mode(phase: Phase) -> &'static str {
    match phase {
        Phase::Put => "PUT",
        Phase::Get => "GET",
        Phase::Delete => "DEL",
    }
}

/// The tool's lines, then what was found, and last the verdict.
pub fn text(started: SystemTime, rows: &[Row], asked: &Asked<'_>, document: &Document) -> String {
    let mut text = String::new();
    let begun = stamp(started);
    let _ = writeln!(
        text,
        "{begun} DataSize={} MD5=unknown: every object has content of its own",
        asked.size
    );
    let _ = writeln!(text, "{begun} BlobStore Benchmark\n{begun} Parameters:");
    for (name, value) in asked.parameters {
        let _ = writeln!(text, "{begun} {name}={}", for_terminal(value));
    }
    let mut fresh = true;
    for row in rows {
        if std::mem::replace(&mut fresh, row.is_total()) {
            let _ = writeln!(
                text,
                "{begun} Running Loop {} {} Test",
                row.round(),
                title(row.mode())
            );
        }
        text.push_str(&row.line());
        if row.is_total() && row.mode() == "PUT" {
            let _ = writeln!(
                text,
                "{} The subsequent '-m g' or '-m d' test should be specified with '-n {}'",
                stamp(row.end()),
                row.ops()
            );
        }
    }
    text.push_str(&last_lines(document));
    text
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
    use super::*;

    fn second(ok: u64) -> SecondCounts {
        SecondCounts {
            slice: 0,
            operation: "PUT".to_owned(),
            length: 1.0,
            ok,
            payload: ok * 10_240,
            failed: 2,
            service: Some(tenbin_record::SecondTimes {
                min_ns: Some(1_600_000),
                mean_ns: Some(3_400_000),
                p99_ns: 5_600_000,
                max_ns: 317_200_000,
            }),
        }
    }

    #[test]
    fn a_line_is_that_of_the_founding_document() {
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(1_752_355_728);
        let row = Row::of_second(0, 0, &second(547), "PUT".to_owned(), 10_000, end);
        assert_eq!(
            row.line(),
            "2025/07/12 21:28:48 Loop: 0, Int: 0, Dur(s): 1.0, Mode: PUT, Ops: 547, MB/s: 5.22, \
             IO/s: 547, Lat(ms): [ min: 1.6, avg: 3.4, 99%: 5.6, max: 317.2 ], Slowdowns: 2\n"
        );
    }

    #[test]
    fn what_is_not_known_is_not_a_number() {
        let unknown = SecondCounts {
            service: None,
            ..second(0)
        };
        let row = Row::of_second(0, 3, &unknown, "GET".to_owned(), 1, SystemTime::UNIX_EPOCH);
        assert!(
            row.line().contains("min: unknown, avg: unknown"),
            "{}",
            row.line()
        );
    }
}
