//! The newest seconds of a run that is being written, read from the end of its file.

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tenbin_plan::open_own;

use crate::files::names::INTERVALS_FILE;

/// Bytes at the end of the file that are read.
const TAIL: u64 = 512 << 10;

/// The newest second of one workload on one target.
#[derive(Debug, Clone, PartialEq)]
pub struct NewestSecond {
    /// Number of the slice, from 0.
    pub slice: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Correct operations per second; `None` if no time was covered.
    pub rate: Option<f64>,
    /// Failed operations in this second.
    pub failed: u64,
    /// Median service time of the operation with the most operations, nanoseconds.
    pub p50_ns: Option<u64>,
    /// The same for the 99th percentile.
    pub p99_ns: Option<u64>,
}

/// The newest seconds of a run that is being written, newest slice last; for each workload and target
/// in the last 512 KiB of the measurements. Empty without measurements, or if they cannot be read.
pub fn newest_seconds(directory: &Path) -> Vec<NewestSecond> {
    let tail = tail(directory).unwrap_or_default();
    let mut found: BTreeMap<(String, String), Found> = BTreeMap::new();
    // The first line can be the end of a line, and the last one a beginning.
    let end = tail.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let lines = tail[..end].split(|byte| *byte == b'\n');
    for line in lines {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            continue;
        };
        if line.is_work() {
            let key = (line.workload.clone(), line.target.clone());
            found.entry(key).or_default().add(&line);
        }
    }
    let mut seconds: Vec<NewestSecond> = found.into_iter().map(Found::second).collect();
    seconds.sort_by_key(|second| second.slice);
    seconds
}

fn tail(directory: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = open_own(&directory.join(INTERVALS_FILE))?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The fields of an `operation` line that the last second needs.
#[derive(Deserialize)]
struct Line {
    kind: String,
    slice: u32,
    workload: String,
    target: String,
    second: u64,
    start_ns: u64,
    end_ns: u64,
    drain: bool,
    ok: u64,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    errors: BTreeMap<String, u64>,
    #[serde(default)]
    service: Option<Times>,
    /// Marks lines of probes, which have no such field.
    #[serde(rename = "hlog")]
    _hlog: IgnoredAny,
}

impl Line {
    /// Whether the line counts as throughput.
    fn is_work(&self) -> bool {
        let of_work = |role: &str| role == "request" || role == "whole";
        self.kind == "operation" && !self.drain && self.role.as_deref().is_none_or(of_work)
    }
}

#[derive(Deserialize, Clone, Copy)]
struct Times {
    p50_ns: u64,
    p99_ns: u64,
}

/// The sum of the lines of one second.
#[derive(Default)]
struct Found {
    slice: u32,
    second: u64,
    from_ns: u64,
    to_ns: u64,
    ok: u64,
    failed: u64,
    /// Operations of the line with the most, and its times.
    most: (u64, Option<Times>),
}

impl Found {
    fn add(&mut self, line: &Line) {
        if (line.slice, line.second) != (self.slice, self.second) || self.to_ns == 0 {
            *self = Self {
                slice: line.slice,
                second: line.second,
                from_ns: line.start_ns,
                ..Self::default()
            };
        }
        self.from_ns = self.from_ns.min(line.start_ns);
        self.to_ns = self.to_ns.max(line.end_ns);
        self.ok = self.ok.saturating_add(line.ok);
        let failed = line
            .errors
            .values()
            .fold(0, |sum: u64, it| sum.saturating_add(*it));
        self.failed = self.failed.saturating_add(failed);
        if self.most.1.is_none() || line.ok > self.most.0 {
            self.most = (line.ok, line.service);
        }
    }

    fn second(((workload, target), found): ((String, String), Self)) -> NewestSecond {
        let length = found.to_ns.saturating_sub(found.from_ns);
        let times = found.most.1;
        NewestSecond {
            slice: found.slice,
            workload,
            target,
            rate: (length > 0).then(|| found.ok as f64 / (length as f64 / 1e9)),
            failed: found.failed,
            p50_ns: times.map(|times| times.p50_ns),
            p99_ns: times.map(|times| times.p99_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(slice: u32, target: &str, second: u64, ok: u64, more: &str) -> String {
        format!(
            "{{\"kind\":\"operation\",\"slice\":{slice},\"target\":\"{target}\",\"workload\":\"w\",\
             \"operation\":\"get\",\"second\":{second},\"start_ns\":{},\"end_ns\":{},\"drain\":false,\
             \"ok\":{ok},\"errors\":{{\"timeout\":2}},\"service\":{{\"p50_ns\":5,\"p99_ns\":9}},\
             \"hlog\":{{}}{more}}}\n",
            second * 1_000_000_000,
            (second + 1) * 1_000_000_000
        )
    }

    #[test]
    fn the_newest_second_of_each_target_is_found_behind_damage() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(newest_seconds(scratch.path()).is_empty());
        let text = [
            "\u{fffd}half a line\"}\n".to_owned(),
            line(6, "b", 0, 50, ""),
            line(7, "a", 0, 100, ""),
            line(7, "a", 1, 10, ""),
            line(7, "a", 1, 30, ""),
            line(7, "a", 2, 9, ",\"role\":\"step\""),
            "{\"kind\":\"second\",\"slice\":7}\n".to_owned(),
            line(8, "b", 0, 70, "").trim_end().to_owned(),
        ]
        .concat();
        std::fs::write(scratch.path().join(INTERVALS_FILE), text).unwrap();
        let found = newest_seconds(scratch.path());
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.slice, it.target.as_str(), it.rate, it.failed, it.p99_ns))
            .collect();
        assert_eq!(
            told,
            [
                (6, "b", Some(50.0), 2, Some(9)),
                (7, "a", Some(40.0), 4, Some(9))
            ]
        );
    }
}
