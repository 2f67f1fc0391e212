//! Tests runs that end early: files cut off at any byte, and killed runs.

use std::fs;
use std::path::Path;

use tenbin_record::{RecordedRun, RunDirectory, read};

use crate::fixtures::{
    Written, environment, expected_drained, expected_ok, sample, start, started, write_run,
    write_slices,
};

/// Asserts that slices read from cut-off files equal the written slices. At most one slice can be
/// cut short; its figures must be those of a whole number of seconds.
fn assert_no_wrong_number(run: &Written, torn: &RecordedRun) {
    for (slice, whole) in torn.slices.iter().zip(&run.slices) {
        if !slice.end.cut_short {
            assert_eq!(slice, whole);
            continue;
        }
        let seconds = slice.end.seconds as u64;
        assert_eq!(slice.end.seconds, seconds as f64);
        let operations = slice.ops.len() as u64;
        let ok = expected_ok(seconds, operations);
        assert_eq!(slice.ok(), ok, "at {seconds} s");
        let seeds = || (0..seconds).flat_map(|second| [second * 2, second * 2 + 1]);
        if slice.hosts.is_empty() {
            let opened: u64 = seeds().filter(|seed| *seed <= 3).map(|seed| seed + 1).sum();
            assert_eq!(slice.setup.connect.len(), opened, "at {seconds} s");
        } else {
            let share: u64 = seeds().map(|seed| seed + 1).sum();
            let [first, second] = slice.hosts.as_slice() else {
                panic!("two hosts");
            };
            assert_eq!((first.ok, second.ok), (2 * share, share), "at {seconds} s");
        }
        let timed: u64 = slice.ops.iter().map(|op| op.times.service.len()).sum();
        let drained = ok + expected_drained(operations);
        assert!(timed == ok || timed == drained, "{timed} at {seconds} s");
        for op in &slice.ops {
            assert_eq!(op.times.failed.len(), op.failed_count());
        }
        assert_eq!(slice.end.server, None);
    }
    let cut = torn
        .slices
        .iter()
        .filter(|slice| slice.end.cut_short)
        .count();
    assert!(cut <= 1);
    if cut == 1 || torn.slices.len() < run.slices.len() {
        assert!(!torn.complete);
    }
}

fn for_every_torn_end(path: &Path, step: usize, mut check: impl FnMut(usize)) {
    let whole = fs::read(path).unwrap();
    for cut in (1..=whole.len().min(2_048)).step_by(step) {
        fs::write(path, &whole[..whole.len() - cut]).unwrap();
        check(cut);
    }
    fs::write(path, whole).unwrap();
}

fn assert_torn_ends_are_harmless(name: &str) {
    assert_torn_ends_of_are_harmless(name, true, 1);
    // Files with hosts are longer, so only every seventh byte is tested.
    assert_torn_ends_of_are_harmless(name, false, 7);
}

fn assert_torn_ends_of_are_harmless(name: &str, closed_loop: bool, step: usize) {
    let run = write_slices(&[closed_loop], 1);
    for_every_torn_end(&run.path.join(name), step, |cut| {
        let torn = read(&run.path).unwrap_or_else(|e| panic!("{name} less {cut}: {e}"));
        assert!(!torn.complete, "{name} less {cut}");
        assert_no_wrong_number(&run, &torn);
    });
}

#[test]
fn torn_lines_are_no_error_and_no_wrong_number() {
    assert_torn_ends_are_harmless("intervals.jsonl");
}

#[test]
fn torn_histograms_are_no_error_and_no_wrong_number() {
    assert_torn_ends_are_harmless("latency.hlog");
}

#[test]
fn both_files_may_be_torn_at_once() {
    let run = write_run();
    for_every_torn_end(&run.path.join("intervals.jsonl"), 211, |_| {
        for_every_torn_end(&run.path.join("latency.hlog"), 191, |_| {
            assert_no_wrong_number(&run, &read(&run.path).unwrap());
        });
    });
}

/// Reads a run that was killed after it received these samples: thread and second.
fn killed_after(samples: &[(usize, u64)]) -> RecordedRun {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
    writer.begin(start(0, true, 2)).unwrap();
    for &(thread, second) in samples {
        writer
            .sample(sample(thread, second, false, true, 2))
            .unwrap();
    }
    std::mem::forget(writer);
    read(directory.path()).unwrap()
}

fn assert_cut_after(back: &RecordedRun, seconds: u64) {
    assert!(!back.complete);
    let [slice] = back.slices.as_slice() else {
        panic!("one slice");
    };
    assert!(slice.end.cut_short);
    assert_eq!(slice.end.seconds, seconds as f64);
    assert_eq!(slice.ok(), expected_ok(seconds, 2));
}

#[test]
fn a_killed_run_keeps_every_second_that_was_complete() {
    let back = killed_after(&[(0, 0), (1, 0), (1, 1), (0, 1), (0, 2)]);
    assert_cut_after(&back, 2);
}

#[test]
fn a_killed_run_drops_seconds_that_a_stalled_thread_had_not_reported() {
    let back = killed_after(&[(0, 0), (1, 0), (0, 1), (0, 2)]);
    assert_cut_after(&back, 1);
}

#[test]
fn a_killed_run_of_which_nothing_was_complete_has_no_slice() {
    assert!(killed_after(&[(0, 0)]).slices.is_empty());
}
