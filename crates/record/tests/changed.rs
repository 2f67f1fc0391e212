//! Tests that every change of a run directory's files after the run is detected.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tenbin_engine::{OpSample, Sample};
use tenbin_record::{
    CutOff, Ended, Environment, Integrity, RecordError, RunDirectory, SliceEnd, SliceHead,
    SliceStart, Source, TargetEnvironment, read, read_from,
};

const PLAN: &str = "name = \"test\"\nseed = 1\n";
const FILES: [&str; 5] = [
    "plan.toml", "environment.json", "intervals.jsonl", "latency.hlog", "slices.bin",
];

struct Run {
    _root: tempfile::TempDir,
    path: PathBuf,
}

impl Run {
    /// A complete run with four slices of two targets. Each slice has two seconds and a drain.
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let started = UNIX_EPOCH + Duration::from_secs(1_767_225_600);
        let directory = RunDirectory::create(root.path(), "test", started).unwrap();
        directory.write_plan(PLAN).unwrap();
        let mut environment = Environment::default();
        for target in ["a", "b"] {
            let known = TargetEnvironment::default();
            environment.targets.insert(target.to_owned(), known);
        }
        directory.write_environment(&environment).unwrap();
        let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
        for index in 0..4 {
            writer.begin(start(index)).unwrap();
            for second in 0..2 {
                writer.sample(sample(index, second, false)).unwrap();
            }
            writer.sample(sample(index, 2, true)).unwrap();
            let end = SliceEnd {
                seconds: 2.0,
                ..SliceEnd::default()
            };
            writer.end(end, Vec::new()).unwrap();
        }
        writer.complete(Ended::Planned).unwrap();
        // Rewrites the environment as at the end of a run, when more about the targets is known.
        environment.hostname = Some("balance".to_owned());
        directory.write_environment(&environment).unwrap();
        Self {
            path: directory.path().to_path_buf(),
            _root: root,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.file("intervals.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn write_lines(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.file("intervals.jsonl"), text).unwrap();
    }

    /// The message about changed files, whether or not the run can be read; `None` without a
    /// message.
    fn changed(&self) -> Option<String> {
        match read(&self.path) {
            Ok(run) => Some(run.integrity.changes()).filter(|text| !text.is_empty()),
            Err(RecordError::Changed { changed, .. }) => Some(changed.to_string()),
            Err(other) => Some(other.to_string()),
        }
    }

    #[track_caller]
    fn assert_changed(&self, what: &str) {
        let changed = self.changed();
        let is_named = changed.as_deref().is_some_and(|text| text.contains(what));
        assert!(is_named, "expected {what:?}: {changed:?}");
    }
}

fn start(index: u32) -> SliceStart {
    SliceStart {
        head: SliceHead {
            index,
            round: index / 2,
            workload: "get".to_owned(),
            target: ["a", "b", "b", "a"][index as usize].to_owned(),
            connections: 1,
            closed_loop: true,
            start: f64::from(index) * 2.5,
            ..SliceHead::default()
        },
        operations: vec!["GET".to_owned()],
        threads: 1,
        planned_seconds: 2.0,
        ..SliceStart::default()
    }
}

fn sample(slice: u32, second: u64, drain: bool) -> Sample {
    let mut op = OpSample::new("GET");
    let time = 100_000 + u64::from(slice) * 1_000 + second * 10_000;
    op.times.service.record_n(time, 50).unwrap();
    op.times.first_byte.record_n(time / 2, 50).unwrap();
    op.counts.ok = if drain { 0 } else { 50 };
    Sample {
        start: second * 1_000_000_000,
        end: second * 1_000_000_000 + if drain { 1_000 } else { 1_000_000_000 },
        ops: vec![op],
        drain,
        ..Sample::default()
    }
}

#[test]
fn a_run_as_it_was_written_is_intact() {
    let run = Run::new();
    assert_eq!(read(&run.path).unwrap().integrity, Integrity::default());
}

#[test]
fn a_removed_line_is_noticed_at_the_line_behind_it() {
    let run = Run::new();
    let lines = run.lines();
    for removed in 0..lines.len() - 1 {
        let mut left = lines.clone();
        left.remove(removed);
        run.write_lines(&left);
        run.assert_changed(&format!("line {} of intervals.jsonl", removed + 1));
    }
}

#[test]
fn lines_removed_at_the_end_leave_an_incomplete_run() {
    let run = Run::new();
    let lines = run.lines();
    for kept in 1..lines.len() {
        run.write_lines(&lines[..kept]);
        let back = read(&run.path).unwrap();
        assert!(!back.complete);
        assert_eq!(back.integrity.changed, [], "{kept} lines");
    }
}

#[test]
fn lines_removed_at_the_end_of_a_complete_run_are_noticed() {
    let run = Run::new();
    let result = |complete: bool| {
        let text = format!("{{\"schema\":\"x\",\"run\":{{\"complete\":{complete},\"n\":1}}}}");
        fs::write(run.file("result.json"), text).unwrap();
    };
    result(true);
    assert_eq!(run.changed(), None);
    let lines = run.lines();
    run.write_lines(&lines[..lines.len() - 1]);
    run.assert_changed("the end of the record was removed");
    result(false);
    assert_eq!(run.changed(), None);
}

#[test]
fn swapped_added_and_repeated_lines_are_noticed() {
    let run = Run::new();
    let lines = run.lines();
    for first in 0..lines.len() - 1 {
        let mut swapped = lines.clone();
        swapped.swap(first, first + 1);
        run.write_lines(&swapped);
        run.assert_changed(&format!("{}", first + 1));
        run.assert_changed("of intervals.jsonl");
    }
    for at in 0..lines.len() {
        let mut repeated = lines.clone();
        repeated.push(lines[at].clone());
        run.write_lines(&repeated);
        run.assert_changed(&format!("line {} of intervals.jsonl", lines.len() + 1));
    }
}

#[test]
fn edited_figures_and_names_are_noticed_with_their_line() {
    let run = Run::new();
    let lines = run.lines();
    let whole: [(&str, &str, &str); 6] = [
        ("\"kind\":\"end\"", "\"seconds\":2.0", "\"seconds\":-2.0"),
        ("\"kind\":\"end\"", "\"seconds\":2.0", "\"seconds\":1.0"),
        ("\"kind\":\"operation\"", "\"p50_ns\":", "\"p50_ns\":1"),
        ("\"kind\":\"operation\"", "\"ok\":50", "\"ok\":51"),
        ("\"kind\":\"begin\"", "\"target\":\"a\"", "\"target\":\"b\""),
        ("\"kind\":\"complete\"", "complete\"", "complete\",\"x\":1"),
    ];
    for (kind, from, to) in whole {
        let at = lines
            .iter()
            .position(|line| line.contains(kind) && line.contains(from))
            .unwrap_or_else(|| panic!("{kind} {from}"));
        let mut edited = lines.clone();
        edited[at] = edited[at].replacen(from, to, 1);
        run.write_lines(&edited);
        run.assert_changed(&format!("line {} of intervals.jsonl", at + 1));
    }
}

#[test]
fn exchanged_target_names_are_noticed() {
    let run = Run::new();
    let exchanged: Vec<String> = run
        .lines()
        .iter()
        .map(|line| {
            line.replace("\"target\":\"a\"", "\"target\":\"?\"")
                .replace("\"target\":\"b\"", "\"target\":\"a\"")
                .replace("\"target\":\"?\"", "\"target\":\"b\"")
        })
        .collect();
    run.write_lines(&exchanged);
    // The first line names no target.
    run.assert_changed("lines 2, 3, 4, 5 and");
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let run = Run::new();
    for name in FILES {
        let path = run.file(name);
        let whole = fs::read(&path).unwrap();
        let step = if whole.len() > 2_000 { 7 } else { 1 };
        for at in (0..whole.len()).step_by(step) {
            let mut changed = whole.clone();
            changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
            fs::write(&path, &changed).unwrap();
            // A last line without a newline is incomplete, as after a kill.
            let is_torn = || !read(&run.path).unwrap().complete;
            assert!(run.changed().is_some() || is_torn(), "byte {at} of {name}");
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(run.changed(), None);
}

#[test]
fn changed_files_are_named() {
    let run = Run::new();
    let edit = |name: &str, change: &dyn Fn(&str) -> String| {
        let path = run.file(name);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(&whole)).unwrap();
        let changed = run.changed();
        fs::write(&path, whole).unwrap();
        changed.unwrap_or_else(|| panic!("a change of {name} is not noticed"))
    };
    let plan = edit("plan.toml", &|text| text.replace("seed = 1", "seed = 2"));
    assert_eq!(plan, "plan.toml was changed after the run wrote it");
    let environment = edit("environment.json", &|text| {
        text.replace("balance", "another")
    });
    assert!(
        environment.starts_with("environment.json was changed"),
        "{environment}"
    );
    let environment = edit("environment.json", &|text| format!("{text}\n"));
    assert!(
        environment.starts_with("environment.json was changed"),
        "{environment}"
    );
    let latency = edit("latency.hlog", &|text| {
        text.replacen(
            "/get/GET/service,0.000,1.000", "/get/GET/service,0.000,1.001", 1,
        )
    });
    assert!(latency.contains("of latency.hlog was changed"), "{latency}");
    let first = fs::read_to_string(run.file("latency.hlog")).unwrap();
    let first = first.lines().position(|line| line.starts_with("Tag="));
    let first = first.unwrap() + 1;
    assert!(
        latency.starts_with(&format!("one of the lines {first} to")),
        "{latency}"
    );
    let latency = edit("latency.hlog", &|text| format!("{text}Tag=a,0,0,0,x\n"));
    assert!(
        latency.contains("added to the end of latency.hlog"),
        "{latency}"
    );
}

#[test]
fn without_the_histograms_of_slices_a_run_is_read_from_its_seconds() {
    let run = Run::new();
    let slices = read(&run.path).unwrap().slices;
    let path = run.file("slices.bin");
    let whole = fs::read(&path).unwrap();
    let mut other = whole.clone();
    // Changes the number of values so that the bytes can still be decoded.
    other[whole.len() - 1] = 2;
    let removed = "the end of slices.bin was removed";
    for (bytes, what) in [
        (&other[..], "the histograms of slice 3 in slices.bin"),
        (&whole[..whole.len() - 1], removed),
        (b"", removed),
    ] {
        fs::write(&path, bytes).unwrap();
        for source in [Source::Slices, Source::Seconds] {
            let back = read_from(&run.path, source).unwrap();
            assert_eq!(back.slices, slices);
            assert!(back.complete);
            assert!(back.integrity.changes().contains(what), "{what}");
        }
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(read(&run.path).unwrap().slices, slices);
    run.assert_changed(removed);
    // No message for a killed run, which can have lost the histograms in a crash of the machine.
    let lines = run.lines();
    run.write_lines(&lines[..lines.len() - 1]);
    assert_eq!(run.changed(), None);
    fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
    assert_eq!(run.changed(), None);
    run.write_lines(&lines);
    run.assert_changed("bytes were added to the end of slices.bin");
}

/// Simulates a forger who removes all check values.
#[test]
fn histograms_of_slices_that_do_not_fit_the_seconds_are_not_used() {
    let run = Run::new();
    let slices = read(&run.path).unwrap().slices;
    let (lines, whole) = (run.lines(), fs::read(run.file("slices.bin")).unwrap());
    let at = lines
        .iter()
        .position(|line| line.contains("\"kind\":\"end\""))
        .unwrap();
    let mut first = lines[at]
        .split("\"operations\":[[")
        .nth(1)
        .unwrap()
        .split(',');
    let length: usize = first.next().unwrap().parse().unwrap();
    let with_bytes = |bytes: &[u8]| {
        fs::write(run.file("slices.bin"), bytes).unwrap();
        run.write_lines(&lines);
        without_check_values(&run.path);
        let back = read(&run.path).unwrap();
        assert!(back.integrity.is_unchecked && back.integrity.changed.is_empty());
        back.slices
    };
    // Moves values to another slot. The number of values stays, so only check values could detect
    // the change.
    let mut moved = whole.clone();
    moved[0] -= 2;
    assert_ne!(with_bytes(&moved), slices);
    assert_eq!(with_bytes(&whole), slices);
    let mut more = whole.clone();
    more[length - 1] ^= 2;
    assert_eq!(with_bytes(&more), slices);
    // The run can be read whatever the bytes of `slices.bin` are.
    for bit in 0..8 * whole.len() {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        with_bytes(&flipped);
    }
    for byte in [0x80, 0xff, 0] {
        let mut damaged = whole.clone();
        damaged[..length].fill(byte);
        assert_eq!(with_bytes(&damaged), slices);
    }
}

#[test]
fn the_environment_of_another_run_is_noticed() {
    let run = Run::new();
    let root = tempfile::tempdir().unwrap();
    let started = UNIX_EPOCH + Duration::from_secs(1_767_225_601);
    let other = RunDirectory::create(root.path(), "test", started).unwrap();
    other.write_environment(&Environment::default()).unwrap();
    let name = "environment.json";
    fs::copy(other.path().join(name), run.file(name)).unwrap();
    run.assert_changed("environment.json was changed");
}

#[test]
fn a_run_that_cannot_be_read_after_the_change_names_the_line() {
    let run = Run::new();
    let mut lines = run.lines();
    lines[4] = lines[4].replacen('{', "[", 1);
    run.write_lines(&lines);
    let error = read(&run.path).unwrap_err().to_string();
    assert!(
        error.contains("line 5 of intervals.jsonl was changed"),
        "{error}"
    );
    assert!(error.contains("restore the file from a copy"), "{error}");
}

#[test]
fn a_torn_end_is_named_and_not_called_a_change() {
    let run = Run::new();
    let path = run.file("intervals.jsonl");
    let whole = fs::read(&path).unwrap();
    for cut in 1..400 {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        let back = read(&run.path).unwrap();
        assert_eq!(back.integrity.changed, [], "less {cut}");
        let is_within_a_line = whole[whole.len() - cut - 1] != b'\n';
        assert_eq!(back.integrity.cut_off.is_some(), is_within_a_line);
        assert!(!back.complete);
    }
    fs::write(&path, &whole).unwrap();
    let path = run.file("latency.hlog");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let integrity = read(&run.path).unwrap().integrity;
    assert!(integrity.changed.is_empty(), "{integrity:?}");
    assert_eq!(integrity.cut_off, Some(CutOff::BeforeLastSecond));
}

/// Rewrites the files as older versions without check values wrote them.
fn without_check_values(directory: &Path) {
    for name in ["environment.json", "intervals.jsonl"] {
        let path = directory.join(name);
        let mut old = String::new();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let mut line = line.to_owned();
            while let Some(at) = line.find(",\"h\":\"") {
                line.replace_range(at..at + 6 + 16 + 1, "");
            }
            old += &format!("{line}\n");
        }
        let at = old
            .find(",\n  \"h\": \"")
            .filter(|_| name == "environment.json");
        if let Some(at) = at {
            old.truncate(at);
            old += "\n}\n";
        }
        fs::write(path, old).unwrap();
    }
}

#[test]
fn a_run_of_an_older_version_is_read_as_unchecked() {
    let run = Run::new();
    let slices = read(&run.path).unwrap().slices;
    without_check_values(&run.path);
    let back = read(&run.path).unwrap();
    assert_eq!(back.slices, slices);
    assert!(back.complete);
    assert!(back.integrity.is_unchecked);
    assert!(back.integrity.changed.is_empty(), "{:?}", back.integrity);

    // Lines that no version writes are errors even without check values.
    let lines = run.lines();
    let edit = |from: &str, to: &str| {
        let mut lines = lines.clone();
        let at = lines.iter().position(|line| line.contains(from)).unwrap();
        lines[at] = lines[at].replacen(from, to, 1);
        run.write_lines(&lines);
        (read(&run.path).unwrap_err().to_string(), at + 1)
    };
    for figure in ["ok", "errors", "censored"] {
        let (error, _) = edit(&format!("\"{figure}\":"), "\"other\":");
        assert!(
            error.contains(&format!("missing field `{figure}`")),
            "{error}"
        );
    }
    let (error, line) = edit("\"seconds\":2.0", "\"seconds\":-2.0");
    let place = format!("intervals.jsonl is damaged in line {line}");
    assert!(error.contains(&place), "{error}");
    let (error, _) = edit(
        "\"target\":\"a\",\"workload\":\"get\",\"second\"",
        "\"target\":\"b\",\"workload\":\"get\",\"second\"",
    );
    assert!(
        error.contains("get on b, not to slice 0, get on a"),
        "{error}"
    );
}

#[test]
fn check_values_cannot_be_left_out_of_single_files() {
    for name in ["environment.json", "intervals.jsonl"] {
        let run = Run::new();
        let whole = fs::read(run.file(name)).unwrap();
        without_check_values(&run.path);
        fs::write(run.file(name), whole).unwrap();
        assert!(run.changed().is_some(), "{name} alone has check values");
    }
}
