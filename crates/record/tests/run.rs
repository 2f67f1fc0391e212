//! Tests runs that are written and read again: complete, cut off at any byte, and killed.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "run/fixtures.rs"]
mod fixtures;
#[path = "run/torn.rs"]
mod torn;

use std::fs;
use std::path::Path;
use std::time::Duration;

use tenbin_record::{
    Ended, Integrity, Role, RunDirectory, Slice, SliceEnd, Source, read, read_from,
};

use tenbin_engine::ErrorClass;

use fixtures::{
    SECONDS, THREADS, agent_use, environment, expected_drained, expected_ok, machine, sample,
    start, started, write_run, write_slices,
};

#[test]
fn what_is_written_is_what_is_read() {
    let run = write_run();
    let back = read(&run.path).unwrap();
    assert!(back.complete);
    assert_eq!(back.ended, Ended::Precise);
    assert_eq!(back.plan_toml, "name = \"test\"\n");
    assert_eq!(back.environment, environment());
    assert_eq!(back.started, started());
    assert_eq!(back.slices, run.slices);
    assert_eq!(back.integrity, Integrity::default());
}

#[test]
fn a_slice_takes_less_than_a_kilobyte_besides_its_histograms() {
    // All 18,000 slices of a run of ten hours are in memory. Box or encode what few slices have.
    assert!(size_of::<Slice>() <= 960, "{}", size_of::<Slice>());
}

#[test]
fn the_histograms_of_slices_are_the_sums_of_those_of_their_seconds() {
    let run = write_run();
    let slices = read_from(&run.path, Source::Slices).unwrap();
    let seconds = read_from(&run.path, Source::Seconds).unwrap();
    assert_eq!(slices.slices, seconds.slices);
    assert_eq!(slices.seconds, seconds.seconds);
    assert_eq!(seconds.integrity, Integrity::default());
    // Older versions did not write `slices.bin`.
    fs::remove_file(run.path.join("slices.bin")).unwrap();
    let path = run.path.join("intervals.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let older = text.lines().map(|line| {
        let at = line.find("\"totals\":{");
        at.map_or_else(
            || format!("{line}\n"),
            |at| {
                let end = line[at..].find("},").unwrap();
                format!("{}{}\n", &line[..at], &line[at + end + 2..])
            },
        )
    });
    let older: String = older.collect();
    assert_ne!(older, text);
    fs::write(&path, older).unwrap();
    let mut expected = slices.slices;
    // The seconds are merged over the agents.
    let parts = expected.iter_mut().flat_map(|slice| &mut slice.agents);
    parts.for_each(|part| part.times.clear());
    assert_eq!(read(&run.path).unwrap().slices, expected);
}

#[test]
fn threads_and_seconds_add_up() {
    let run = write_run();
    let [closed, open] = run.slices.as_slice() else {
        panic!("two slices");
    };
    for slice in [closed, open] {
        assert_eq!(slice.ok(), expected_ok(SECONDS, 2));
        let timed = expected_ok(SECONDS, 2) + expected_drained(2);
        assert_eq!(
            slice
                .ops
                .iter()
                .map(|op| op.times.service.len())
                .sum::<u64>(),
            timed
        );
        for op in &slice.ops {
            assert_eq!(op.times.response.len(), op.times.service.len());
            assert_eq!(op.times.first_byte.len(), op.times.service.len());
            assert_eq!(op.times.failed.len(), op.failed_count());
        }
        // Responses after the window have times, but do not count as throughput.
        let counted = slice.throughput().unwrap() * slice.end.seconds;
        assert!((counted - expected_ok(SECONDS, 2) as f64).abs() < 1e-6);
    }
    assert_eq!(closed.ops[0].times.response, closed.ops[0].times.service);
    assert_ne!(open.ops[0].times.response, open.ops[0].times.service);

    // The seeds are 0 to 5 in the window, and 18 and 19 in the drain.
    assert_eq!(closed.setup.connect.len(), 1 + 2 + 3 + 4);
    assert!(closed.setup.tls.is_empty());
    assert_eq!(open.setup.connect.len(), 21 + 19 + 20);
    assert_eq!(open.setup.tls.len(), 1 + 3 + 5 + 19);
    assert!(closed.hosts.is_empty());
    let [one, two] = open.hosts.as_slice() else {
        panic!("two hosts");
    };
    assert_eq!(
        (one.name.as_str(), two.name.as_str()),
        ("db 1:9000", "db2,x")
    );
    assert_eq!((one.ok, two.ok), (42, 21));
    assert_eq!((one.service.len(), two.service.len()), (120, 60));
    assert_eq!((one.failed_count(), two.failed_count()), (0, 8));

    // Thread 1 uses 0.2 + 0.4 + 0.6 s of CPU in the 3 s of the window.
    assert!((closed.client.busiest_thread - 0.4).abs() < 1e-12);
    let turn = closed.client.readiest_thread.unwrap();
    assert!((turn.used - 0.4).abs() < 1e-12, "{turn:?}");
    assert!((turn.waited - 0.6).abs() < 1e-12, "{turn:?}");
    assert_eq!(open.client.readiest_thread, None, "unknown");
    assert!((closed.client.cpu_seconds - 2.1).abs() < 1e-12);
    assert_eq!(closed.end.allocated.unwrap().count, 789);
    assert_eq!(open.end.allocated, None, "not 0");
    assert_eq!(closed.machine(), Some(machine()));
    assert_eq!(
        (&open.end.machine, &open.end.wire),
        (&None, &None),
        "unknown"
    );
    assert_eq!(closed.end.start_skew_ns, Some(1_200_000));
    assert_eq!(open.end.start_skew_ns, None, "not 0");
    let of_agents: u64 = closed.agents.iter().map(|part| part.ok).sum();
    assert_eq!(of_agents, closed.ok());
    let shares: f64 = closed.agents.iter().map(|part| part.share).sum();
    assert!((shares - 1.0).abs() < 1e-12 && closed.agents.len() == 2);
    assert_eq!(open.agents, []);
    // Threads and agents are two each, so an agent has the figures of its thread.
    assert_eq!(closed.agents[1].client.busiest_thread, 0.4);
    assert!(closed.agents[0].client.busiest_thread < 0.4);
    assert_eq!(closed.agents[1].machine, agent_use(0.75));
    let mut times = closed.agents[0].times.clone();
    times.add(&closed.agents[1].times);
    let work = closed.work().map(|op| &op.times.service);
    assert_eq!(times.unpacked(), tenbin_record::merged(work));
    let each = closed.agents.iter().map(|part| part.times.len());
    assert!(each.min() > Some(0));
    assert_eq!(closed.backlog, 4 + 5);
    let pause = closed.pause.unwrap();
    assert!((pause.start - closed.start - 1.3).abs() < 1e-9, "{pause:?}");
    assert!((pause.seconds - 0.5).abs() < 1e-9, "{pause:?}");
    assert_eq!(closed.ledger.opened, 8);

    // Every seed that is a multiple of 3 has two failures. The seeds of PUT are 0 to 5 in the
    // window, and 18 and 19 in the drain; the seeds of GET are larger by one.
    let by_second = closed.failed_in.iter();
    let by_second: Vec<(u64, u64)> = by_second
        .map(|(second, by_class)| (*second, by_class[&ErrorClass::Status]))
        .collect();
    assert_eq!(by_second, [(0, 2), (1, 4), (2, 2), (3, 2)]);
    for slice in [closed, open] {
        let by_class = slice.failed_in.values();
        let sum: u64 = by_class.flat_map(|by_class| by_class.values()).sum();
        assert_eq!(sum, slice.failed());
    }
}

#[test]
fn a_window_too_short_for_any_response_has_no_throughput() {
    let mut slice = write_run().slices.remove(0);
    for op in &mut slice.ops {
        op.counts.ok = 0;
    }
    assert_eq!(slice.throughput(), Some(0.0), "all that ended had failed");
    for op in &mut slice.ops {
        op.errors.clear();
    }
    assert_eq!(slice.throughput(), None);
    assert_eq!(slice.throughput_of(&slice.ops[0]), None);
}

#[test]
fn damage_before_the_end_is_named() {
    let run = write_run();
    let path = run.path.join("latency.hlog");
    let mut bytes = fs::read(&path).unwrap();
    let in_first_slice = bytes.len() / 8;
    bytes[in_first_slice..in_first_slice + 8].fill(b'!');
    fs::write(&path, bytes).unwrap();
    let what = "latency.hlog was changed after the run wrote it";
    let error = read_from(&run.path, Source::Seconds).unwrap_err();
    assert!(error.to_string().contains(what), "{error}");
    let back = read(&run.path).unwrap();
    assert_eq!(back.slices, run.slices);
    assert!(back.integrity.changes().contains(what));
}

/// Older versions did not record set-up, hosts and first bytes: their lines lack these fields.
#[test]
fn an_older_run_is_read_without_what_it_does_not_have() {
    let run = write_slices(&[true], 2);
    let path = run.path.join("intervals.jsonl");
    let mut old = String::new();
    for line in fs::read_to_string(&path).unwrap().lines() {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = value.as_object_mut().unwrap();
        for new in ["setup", "hosts", "first_byte", "totals"] {
            fields.remove(new);
        }
        if let Some(range) = fields.get_mut("hlog") {
            // Keeps only the first histogram, which is `service`.
            let length = first_line_length(&run.path, range["offset"].as_u64().unwrap());
            range["length"] = length.into();
            fields.insert("failed".to_owned(), serde_json::Value::Null);
        }
        old.push_str(&value.to_string());
        old.push('\n');
    }
    fs::write(&path, old).unwrap();

    let back = read(&run.path).unwrap();
    let [slice] = back.slices.as_slice() else {
        panic!("one slice");
    };
    assert_eq!(slice.ok(), run.slices[0].ok());
    assert_eq!(
        slice.ops[0].times.service,
        run.slices[0].ops[0].times.service
    );
    assert!(slice.ops[0].times.first_byte.is_empty());
    let steps = slice.setup.as_ref().into_array();
    assert!(steps.iter().all(|times| times.is_empty()));
    assert!(slice.hosts.is_empty());
}

fn first_line_length(run: &Path, offset: u64) -> usize {
    let log = fs::read(run.join("latency.hlog")).unwrap();
    let rest = &log[offset as usize..];
    rest.iter().position(|&byte| byte == b'\n').unwrap() + 1
}

/// A slice with too many lines to be read at once, between two short slices.
#[test]
fn a_slice_of_many_megabytes_is_read_part_by_part() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
    let mut written = Vec::new();
    for (index, seconds) in [(0, 2), (1, 30), (2, 2)] {
        let mut start = start(index, true, 1);
        start.threads = 1;
        writer.begin(start).unwrap();
        for second in 0..seconds {
            let mut sample = sample(0, second, false, true, 1);
            let text = "x".repeat(400_000);
            sample.ops[0].failures.insert(format!("{second} {text}"), 1);
            writer.sample(sample).unwrap();
        }
        let end = SliceEnd {
            seconds: seconds as f64,
            ..SliceEnd::default()
        };
        written.push(writer.end(end, Vec::new()).unwrap());
    }
    writer.complete(Ended::Planned).unwrap();
    let back = read(directory.path()).unwrap();
    assert_eq!(back.integrity, Integrity::default());
    assert!(back.complete && back.slices == written);

    let path = directory.path().join("intervals.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    let edited = text.rfind("\"second\":29").unwrap();
    text.replace_range(edited..edited + 11, "\"second\":28");
    let line = text[..edited].lines().count();
    fs::write(&path, text).unwrap();
    let changed = read(directory.path()).unwrap().integrity.changes();
    let expected = format!("line {line} of intervals.jsonl was changed");
    assert!(changed.starts_with(&expected), "{changed} {expected}");
}

#[test]
fn a_directory_without_a_plan_is_no_run() {
    let root = tempfile::tempdir().unwrap();
    let error = read(root.path()).unwrap_err().to_string();
    assert!(error.ends_with("it has no plan.toml"), "{error}");
}

#[test]
fn a_pipe_or_a_device_in_a_run_directory_is_refused() {
    for name in [
        "plan.toml", "environment.json", "intervals.jsonl", "latency.hlog", "slices.bin",
    ] {
        let run = write_run();
        let path = run.path.join(name);
        std::fs::remove_file(&path).unwrap();
        match name {
            "latency.hlog" | "slices.bin" => {
                std::os::unix::fs::symlink("/dev/zero", &path).unwrap()
            }
            _ => {
                let made = std::process::Command::new("mkfifo").arg(&path).status();
                assert!(made.unwrap().success());
            }
        }
        let why = tenbin_record::read(&run.path).unwrap_err().to_string();
        assert!(why.contains("regular file") && why.contains(name), "{why}");
    }
}

#[test]
fn the_latency_log_is_one_that_other_tools_read() {
    let run = write_run();
    let log = fs::read_to_string(run.path.join("latency.hlog")).unwrap();
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("#[Histogram log format version 1.3]"));
    assert!(log.contains("#[StartTime: 1767225599.123 (seconds since epoch)]\n"));
    assert!(log.contains("#[BaseTime: 1767225599.123 (seconds since epoch)]\n"));
    assert_eq!(log.matches("MaxValueDivisor").count(), 1);
    // Largest service time of the first second: 50,000 + 997 + 25 × 12,345 ns.
    let first = log.lines().find(|line| line.starts_with("Tag=")).unwrap();
    assert!(
        first.starts_with("Tag=a/mixed__with_a_comma/PUT/service,0.100,1.000,0.360,"),
        "{first}"
    );
    for tag in [
        "Tag=a/mixed__with_a_comma/GET/first_byte,",
        "Tag=b/mixed__with_a_comma/*/setup_connect,",
        "Tag=b/mixed__with_a_comma/*/setup_tls,",
        "Tag=b/mixed__with_a_comma/*/setup_first_byte,",
        "Tag=b/mixed__with_a_comma/*@db_1:9000/service,",
        "Tag=b/mixed__with_a_comma/*@db2_x/service,",
    ] {
        assert!(log.contains(tag), "{tag}");
    }
    for line in log.lines().filter(|line| !line.starts_with('#')) {
        assert!(line.starts_with("Tag=") || line.starts_with("\"StartTimestamp\""));
    }
}

/// PUT is a transaction of GET sub-requests: only PUT counts as work, only GET as requests.
#[test]
fn work_and_requests_are_distinguished_before_and_after_reading() {
    let roles = [Role::Transaction, Role::Step];
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
    let mut start = start(0, true, 2);
    start.roles = roles.to_vec();
    writer.begin(start).unwrap();
    for thread in 0..THREADS {
        let mut sample = sample(thread, 0, false, true, 2);
        for (op, role) in sample.ops.iter_mut().zip(roles) {
            op.role = role;
        }
        writer.sample(sample).unwrap();
    }
    let unnamed = sample(0, 1, false, true, 2);
    assert!(writer.sample(unnamed).is_err(), "the roles are others");
    let end = SliceEnd {
        seconds: 1.0,
        ..SliceEnd::default()
    };
    let slice = writer.end(end, Vec::new()).unwrap();
    let [whole, step] = slice.ops.as_slice() else {
        panic!("two operations");
    };
    assert_eq!([whole.role, step.role], roles);
    assert_eq!(
        (slice.ok(), slice.failed()),
        (whole.counts.ok, whole.failed_count())
    );
    assert_eq!(slice.throughput(), Some(whole.counts.ok as f64));
    assert_eq!(slice.response_rate(), Some(step.counts.ok as f64));
    assert_ne!(whole.counts.ok, step.counts.ok);
    drop(writer);
    assert_eq!(read(directory.path()).unwrap().slices, [slice]);
}

/// Prints the cost of writing a second (`--nocapture`); asserts no time limit.
#[test]
fn a_second_costs_little() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
    let mut start = start(0, false, 2);
    start.threads = 4;
    writer.begin(start).unwrap();
    let mut busy = Duration::ZERO;
    for second in 0..20 {
        for thread in 0..4 {
            let sample = sample(thread, second, false, false, 2);
            let before = std::time::Instant::now();
            writer.sample(sample).unwrap();
            busy += before.elapsed();
        }
    }
    println!("{:?} a second for 4 threads and 2 operations", busy / 20);
    assert!(busy / 20 < Duration::from_millis(500));
}

/// Writes slices of which number 1 was complete and number 2 was running when an agent was lost, and
/// measures number 1 again as number 3.
fn write_void() -> (
    tempfile::TempDir,
    std::path::PathBuf,
    Vec<tenbin_record::Slice>,
) {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "void", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
    let end = || SliceEnd {
        seconds: 2.0,
        ..SliceEnd::default()
    };
    let mut slices = Vec::new();
    for index in [0, 1, 2, 3] {
        writer.begin(start(index, true, 1)).unwrap();
        for second in 0..2 {
            for thread in 0..THREADS {
                let sample = sample(thread, second, false, true, 1);
                writer.sample(sample).unwrap();
            }
        }
        match index {
            2 => writer.void(1, "agent \"load2\" was lost").unwrap(),
            _ => slices.push(writer.end(end(), Vec::new()).unwrap()),
        }
    }
    assert_eq!(writer.next_slice(), 4);
    writer.complete(Ended::Planned).unwrap();
    let path = directory.path().to_owned();
    slices.remove(1);
    (root, path, slices)
}

#[test]
fn void_slices_stay_in_the_file_and_count_for_nothing() {
    let (_root, path, slices) = write_void();
    for source in [Source::Slices, Source::Seconds] {
        let back = read_from(&path, source).unwrap();
        assert!(back.complete);
        assert_eq!(back.integrity, Integrity::default());
        assert_eq!(back.slices, slices);
        let mut seconds: Vec<u32> = back.seconds.iter().map(|second| second.slice).collect();
        seconds.dedup();
        assert_eq!(seconds, [0, 3]);
    }
    let text = fs::read_to_string(path.join("intervals.jsonl")).unwrap();
    assert_eq!(text.matches("\"kind\":\"begin\"").count(), 4);
    assert!(text.contains("\"kind\":\"void\",\"first\":1,\"next\":3,"));
}

#[test]
fn a_changed_histogram_of_a_void_slice_is_found() {
    let (_root, path, _) = write_void();
    let text = fs::read_to_string(path.join("intervals.jsonl")).unwrap();
    let of_void = text
        .lines()
        .find(|line| line.contains("\"kind\":\"operation\"") && line.contains("\"slice\":2,"));
    let at = of_void.unwrap().rsplit_once("\"offset\":").unwrap().1;
    let at: usize = at.split(',').next().unwrap().parse().unwrap();
    let hlog = path.join("latency.hlog");
    let mut bytes = fs::read(&hlog).unwrap();
    bytes[at] ^= 1;
    fs::write(&hlog, bytes).unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.integrity.changed.len(), 1, "{:?}", back.integrity);
}
