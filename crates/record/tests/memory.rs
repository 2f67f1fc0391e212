//! Tests the memory that a long run needs while it is written and read. Needs a separate process,
//! because the test measures the peak memory of the process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::time::SystemTime;

use tenbin_engine::{OpSample, Sample};
use tenbin_record::{
    Ended, Environment, RunDirectory, RunWriter, Slice, SliceEnd, SliceHead, SliceStart, read,
};

const SLICES: u32 = 600;

/// Peak resident memory of this process, KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

fn slice(writer: &mut RunWriter, index: u32) -> Slice {
    let start = SliceStart {
        head: SliceHead {
            index,
            block: index / 4,
            round: index / 2,
            workload: "get".to_owned(),
            target: ["a", "b"][index as usize % 2].to_owned(),
            connections: 1,
            closed_loop: true,
            start: f64::from(index),
            ..SliceHead::default()
        },
        operations: vec!["GET".to_owned()],
        threads: 1,
        planned_seconds: 0.1,
        ..SliceStart::default()
    };
    writer.begin(start).unwrap();
    let mut op = OpSample::new("GET");
    for step in 0..500 {
        let time = 200_000 + u64::from(index) * 100 + step * step * 17;
        op.times.service.record(time).unwrap();
        op.times.first_byte.record(time / 2).unwrap();
    }
    op.counts.ok = 500;
    let sample = Sample {
        end: 100_000_000,
        ops: vec![op],
        ..Sample::default()
    };
    writer.sample(sample).unwrap();
    writer.take_seconds();
    let end = SliceEnd {
        seconds: 0.1,
        ..SliceEnd::default()
    };
    writer.end(end, Vec::new()).unwrap()
}

#[test]
fn a_slice_takes_kilobytes_while_it_is_written_and_when_it_is_read() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "long", SystemTime::now()).unwrap();
    directory.write_plan("").unwrap();
    directory
        .write_environment(&Environment::default())
        .unwrap();
    let mut writer = RunWriter::create(&directory).unwrap();

    let before = peak_kib();
    let written: Vec<Slice> = (0..SLICES).map(|at| slice(&mut writer, at)).collect();
    writer.complete(Ended::Planned).unwrap();
    let run = read(directory.path()).unwrap();
    let each = peak_kib().saturating_sub(before) / u64::from(SLICES);

    assert!(run.complete);
    assert_eq!(run.slices, written);
    assert!(each < 32, "{each} KiB a slice, written and read");
}
