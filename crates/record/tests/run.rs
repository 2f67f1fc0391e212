//! A run written and read again: whole, torn at any byte, and killed.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenbin_engine::{ErrorClass, HostSample, Ledger, OpSample, Pause, Sample, SetupSample};
use tenbin_record::{
    Allocated, BucketSums, CacheUse, CpuUse, DiskUse, Ended, Environment, FrequencyUse, GroupUse,
    HostAsked, HostEnvironment, LinkUse, MachineUse, OperationStages, PatternAsked, PatternCount,
    PauseUse, ProgramFile, ProgramUse, RateProbe, RecordedRun, Retried, Role, RunDirectory,
    SearchUse, ServerUse, SingleRequest, Singles, Slice, SliceEnd, SliceStart, Spread, StageSum,
    StageSums, TargetEnvironment, TcpUse, UseScope, WireUse, read,
};

const SECONDS: u64 = 3;
const THREADS: usize = 2;
const BILLION: u64 = 1_000_000_000;
const OPERATIONS: [&str; 2] = ["PUT", "GET"];

fn started() -> SystemTime {
    UNIX_EPOCH + Duration::new(1_767_225_599, 123_456_789)
}

fn environment() -> Environment {
    let mut environment = Environment {
        hostname: Some("balance".to_owned()),
        clock_call_ns: Some(23.456_789_012_345),
        ..Environment::default()
    };
    let retried = Retried {
        ns: 2 * BILLION,
        most: 10,
        ok: 452,
        failed: 3,
        attempts_ok: 452,
        attempts_failed: 9_000,
    };
    environment.targets.insert(
        "b".to_owned(),
        TargetEnvironment {
            responses: Default::default(),
            version: None,
            program: vec![ProgramFile {
                path: "/usr/sbin/server".to_owned(),
                bytes: 1_234_567,
                modified_ns: 1_767_323_045_000_000_001,
            }],
            server_header: Some("evil\u{1b}[31m\"header\"".to_owned()),
            hosts: vec![HostEnvironment {
                name: "db:9000".to_owned(),
                addresses: vec!["[::1]:9000".to_owned(), "socket /s".to_owned()],
                dns_ns: Some(1_500),
            }],
            insecure: true,
            hits: [("get".to_owned(), vec![Some(5), None])].into(),
            asked: [("get".to_owned(), vec![asked()])].into(),
            records: Some(60),
            relaunched: true,
            retried: [("put".to_owned(), retried)].into(),
        },
    );
    let labels = vec!["GET /a".to_owned(), "GET /b?c=\"d\"".to_owned()];
    environment.patterns.insert("get".to_owned(), labels);
    environment
}

fn stages() -> StageSums {
    StageSums {
        operations: vec![OperationStages {
            operation: "GET".to_owned(),
            stages: vec!["db".to_owned(), "a\u{1b}".to_owned()],
            buckets: vec![BucketSums {
                bucket: 160,
                answers: 9,
                service_ns: 9_000_000,
                carrying: 7,
                unreadable: 1,
                totals: 6,
                total_ns: 5_000_000,
                total_service_ns: u64::MAX,
                stages: vec![
                    StageSum {
                        named: 7,
                        ns: 4_000_000,
                    },
                    StageSum::default(),
                ],
            }],
        }],
    }
}

fn singles() -> Singles {
    let single = |status: Option<u16>, ns| SingleRequest {
        request: "GET /a?\u{1b}".to_owned(),
        host: status.map(|_| "db:9000".to_owned()),
        status,
        correct: status == Some(200),
        ns,
    };
    Singles {
        slowest: vec![single(None, u64::MAX), single(Some(503), 7)],
        fastest: vec![single(Some(200), 1)],
        patterns: vec![PatternCount {
            pattern: 9,
            ok: 1,
            failed: 2,
            sum_ns: 3,
            min_ns: 3,
            max_ns: 3,
        }],
    }
}

fn start(index: u32, closed_loop: bool, operations: usize) -> SliceStart {
    SliceStart {
        index,
        block: index / 2,
        round: index,
        workload: "mixed, with a comma".to_owned(),
        target: if index.is_multiple_of(2) { "a" } else { "b" }.to_owned(),
        operations: OPERATIONS[..operations]
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        roles: Vec::new(),
        hosts: hosts_of(closed_loop)
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        threads: THREADS,
        connections: 16,
        closed_loop,
        planned_seconds: SECONDS as f64,
        start: 0.1 + f64::from(index) * 4.7,
        reopen: None,
        // An open loop is one of a search.
        probe: (!closed_loop).then_some(RateProbe {
            rate: 500.0,
            proof: false,
        }),
    }
}

/// Runs with an open loop have two hosts.
fn hosts_of(closed_loop: bool) -> &'static [&'static str] {
    if closed_loop {
        &[]
    } else {
        &["db 1:9000", "db2,x"]
    }
}

/// The second host answers one in three, and fails; only the first thread of an
/// open loop speaks TLS, so that not every step is there everywhere.
fn hosts(seed: u64, drain: bool, closed_loop: bool) -> Vec<HostSample> {
    let mut hosts = vec![HostSample::default(); hosts_of(closed_loop).len()];
    for (host, share) in hosts.iter_mut().zip([2, 1]) {
        host.ok = if drain { 0 } else { share * (seed + 1) };
        host.service
            .record_n(share * 1_000_000, share * (seed + 1))
            .unwrap();
        host.errors[ErrorClass::Reset as usize] = 2 - share;
    }
    hosts
}

fn setup(thread: usize, seed: u64, closed_loop: bool) -> SetupSample {
    let mut setup = SetupSample::default();
    if closed_loop && seed > 3 {
        return setup;
    }
    setup.connect.record_n(45_000 + seed, 1 + seed).unwrap();
    setup.first_byte.record_n(2_000_000, 1 + seed).unwrap();
    setup.response.record_n(2_100_000, 1 + seed).unwrap();
    setup.total.record_n(2_145_000, 1 + seed).unwrap();
    if thread == 0 && !closed_loop {
        setup.tls.record_n(800_000, 1 + seed).unwrap();
    }
    setup
}

/// Some operations, more of them in every second; in an open loop with lag.
fn op(name: &'static str, seed: u64, drain: bool, closed_loop: bool) -> OpSample {
    let mut op = OpSample::new(name);
    let timed = 5 + seed;
    op.ok = if drain { 0 } else { timed };
    for i in 0..timed {
        let service = 50_000 + seed * 997 + i * i * 12_345;
        op.service.record(service).unwrap();
        op.first_byte.record(service - 20_000).unwrap();
        if !closed_loop {
            op.lag.record(i * 777).unwrap();
            op.response.record(service + i * 777).unwrap();
        }
    }
    op.sent = 100 * op.ok;
    op.received = 1_000 * op.ok;
    op.payload = 900 * op.ok;
    op.answered = 700 * op.ok;
    op.statuses.insert(200, op.ok);
    if seed.is_multiple_of(3) {
        op.errors[ErrorClass::Status as usize] = 2;
        op.failed.record_n(1_234_567, 2).unwrap();
        op.statuses.insert(503, 2);
        op.failures.insert("Slow\u{7}Down".to_owned(), 2);
    }
    op
}

/// Both threads wait from 1.3 s after the opening of the window to 1.8 s, one of them a
/// little longer, and the other once more alone.
fn pause(thread: usize, second: u64, drain: bool) -> Option<Pause> {
    let (start, end) = match (thread, second, drain) {
        (0, 1, false) => (1_250, 1_800),
        (1, 1, false) => (1_300, 1_900),
        (1, 2, false) => (2_100, 2_990),
        _ => return None,
    };
    Some(Pause {
        start: start * 1_000_000,
        end: end * 1_000_000,
    })
}

fn sample(thread: usize, second: u64, drain: bool, closed_loop: bool, operations: usize) -> Sample {
    let seed = second * 2 + thread as u64;
    let (start, end) = if drain {
        (SECONDS * BILLION, SECONDS * BILLION + 40_000_000)
    } else {
        (second * BILLION, (second + 1) * BILLION)
    };
    Sample {
        thread,
        start,
        end,
        ops: (0..)
            .zip(&OPERATIONS[..operations])
            .map(|(i, name)| op(name, seed + i, drain, closed_loop))
            .collect(),
        setup: setup(thread, seed, closed_loop),
        hosts: hosts(seed, drain, closed_loop),
        ledger: Ledger {
            opened: 1,
            reused: seed,
            standing: 1,
            connect_nanos: 12_345,
            ..Ledger::default()
        },
        cpu: (seed + 1) * 100_000_000,
        // One of the two slices is of a kernel that does not count it.
        waited: closed_loop.then_some((seed + 1) * 150_000_000),
        backlog: if drain { 0 } else { seed },
        drain,
        pause: pause(thread, second, drain),
        late: std::array::from_fn(|bucket| u64::from(!closed_loop && bucket == 2)),
    }
}

fn server(second: u64) -> ServerUse {
    ServerUse {
        cpu_seconds: Some(0.1 + second as f64 * 0.3),
        rss_bytes: Some(1_000_000 + second),
        rss_start_bytes: Some(900_000),
        rss_end_bytes: Some(1_000_000 + second),
        read_bytes: Some(4_096),
        written_bytes: Some(8_192),
        voluntary_switches: Some(10 + second),
        involuntary_switches: None,
        busiest_process_seconds: Some(0.25),
        busiest_thread_seconds: None,
        waited_for_core_seconds: Some(0.5),
        seconds: Some(0.5 + second as f64),
        missed_seconds: Some(0.001),
        scope: UseScope::Host,
        group: Some(GroupUse {
            alone: true,
            memory_peak_bytes: Some(2_000_000),
            ..GroupUse::default()
        }),
    }
}

/// Something of everything, and something unknown.
fn machine() -> MachineUse {
    MachineUse {
        seconds: 5.000_1,
        cpu: Some(CpuUse {
            cores: 2,
            busy: 4.0,
            interrupts: 0.5,
            idle: 5.0,
            iowait: 0.25,
            steal: 0.25,
        }),
        own_cpu_seconds: Some(1.25),
        others_cpu_seconds: Some(0.125),
        programs: Some(vec![ProgramUse {
            pid: 71,
            name: "mariadbd".to_owned(),
            cpu_seconds: 0.97,
            rss_bytes: Some(4096),
            processes: Some(2),
        }]),
        target_programs: None,
        pause: Some(PauseUse {
            seconds: 0.25,
            active_opens: Some(7),
            programs: Vec::new(),
        }),
        idle_targets: [("b".to_owned(), 0.5)].into(),
        target_here: Some(true),
        tcp: TcpUse {
            time_wait_after: Some(1_139),
            ..TcpUse::default()
        },
        frequency: Some(FrequencyUse {
            fastest_mhz: 2_400.5,
            most_mhz: 3_000.0,
        }),
        governor: Some("powersave".to_owned()),
        disk: Some(DiskUse {
            available_bytes: 1 << 40,
            size_bytes: 1 << 41,
        }),
        links: vec![LinkUse {
            name: "eth0".to_owned(),
            received_bytes: 1,
            sent_bytes: 2,
            bits_per_second: None,
        }],
        ..MachineUse::default()
    }
}

struct Written {
    _root: tempfile::TempDir,
    path: PathBuf,
    slices: Vec<Slice>,
}

/// A closed loop on `a`, then an open one on `b`.
fn write_run() -> Written {
    write_slices(&[true, false], 2)
}

/// One slice for each of `closed_loops`.
fn write_slices(closed_loops: &[bool], operations: usize) -> Written {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("name = \"test\"\n").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = directory.writer().unwrap();
    let mut slices = Vec::new();
    for (index, &closed_loop) in (0..).zip(closed_loops) {
        writer.begin(start(index, closed_loop, operations)).unwrap();
        let mut used = server(0);
        writer.server(used).unwrap();
        for second in 0..SECONDS {
            if !closed_loop {
                let ns = 1_000_000 << second;
                writer
                    .stalled(tenbin_record::Stalls { count: 2, ns })
                    .unwrap();
            }
            for thread in 0..THREADS {
                writer
                    .sample(sample(thread, second, false, closed_loop, operations))
                    .unwrap();
            }
            writer.server(server(second)).unwrap();
            used = used.and(server(second));
        }
        for thread in 0..THREADS {
            writer
                .sample(sample(thread, 9, true, closed_loop, operations))
                .unwrap();
        }
        // Only where an end is not torn, which is then the end of the seconds before it.
        let looked = index == 0 && closed_loops.len() > 1;
        let end = SliceEnd {
            seconds: SECONDS as f64 + 0.000_000_123,
            cut_short: false,
            server: (index == 0).then_some(used),
            allocated: (index == 0).then_some(Allocated {
                bytes: 123_456,
                count: 789,
            }),
            machine: looked.then(machine),
            wire: looked.then_some(WireUse {
                connections: 4,
                min_rtt_ns: Some(12_000),
                retransmits: 3,
                unneeded_retransmits: Some(1),
                sent_segments: Some(4_000),
            }),
            singles: looked.then(singles),
            stages: looked.then(stages),
            search: looked.then_some(SearchUse {
                heap_used_bytes: Some(1 << 20),
                heap_max_bytes: Some(2 << 20),
                collections: Some(3),
                segments: Some(7),
                ..SearchUse::default()
            }),
            segment: None,
            responses: None,
            cache: looked.then_some(CacheUse {
                forecast_hits: 5,
                forecast_lookups: 10,
                hits: None,
                lookups: Some(11),
            }),
            spread: looked.then_some(Spread {
                connections: 4,
                median_responses: 200.0,
                slowest: 50.5,
                lower_quartile: 60.0,
                median: 66.0,
                upper_quartile: 70.0,
                fastest: 100.25,
                variation: 0.0,
            }),
        };
        slices.push(writer.end(end).unwrap());
    }
    writer.complete(Ended::Precise).unwrap();
    Written {
        path: directory.path().to_path_buf(),
        _root: root,
        slices,
    }
}

/// What `ok` must be after that many seconds, counted without any of the code
/// under test.
fn expected_ok(seconds: u64, operations: u64) -> u64 {
    expected(
        (0..seconds).flat_map(|second| (0..THREADS).map(move |thread| (thread, second))),
        operations,
    )
}

/// Operations that were due in the window and ended in its drain.
fn expected_drained(operations: u64) -> u64 {
    expected((0..THREADS).map(|thread| (thread, 9)), operations)
}

fn expected(samples: impl Iterator<Item = (usize, u64)>, operations: u64) -> u64 {
    samples
        .map(|(thread, second)| {
            let seed = second * 2 + thread as u64;
            (0..operations).map(|i| 5 + seed + i).sum::<u64>()
        })
        .sum()
}

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
            slice.ops.iter().map(|op| op.service.len()).sum::<u64>(),
            timed
        );
        for op in &slice.ops {
            assert_eq!(op.response.len(), op.service.len());
            assert_eq!(op.first_byte.len(), op.service.len());
            assert_eq!(op.failed.len(), op.failed_count());
        }
        // What came after the window is timed, and is not throughput.
        let counted = slice.throughput().unwrap() * slice.seconds;
        assert!((counted - expected_ok(SECONDS, 2) as f64).abs() < 1e-6);
    }
    assert_eq!(closed.ops[0].response, closed.ops[0].service);
    assert_ne!(open.ops[0].response, open.ops[0].service);

    // Seeds 0 to 5 in the window, and the drain's 18 and 19.
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
    assert_eq!(closed.client.allocated.unwrap().count, 789);
    assert_eq!(open.client.allocated, None, "not 0");
    assert_eq!(closed.machine, Some(machine()));
    assert_eq!((&open.machine, open.wire), (&None, None), "unknown");
    assert_eq!(closed.backlog, 4 + 5);
    let pause = closed.pause.unwrap();
    assert!((pause.start - closed.start - 1.3).abs() < 1e-9, "{pause:?}");
    assert!((pause.seconds - 0.5).abs() < 1e-9, "{pause:?}");
    assert_eq!(closed.ledger.opened, 8);
}

#[test]
fn a_window_too_short_for_any_answer_has_no_throughput() {
    let mut slice = write_run().slices.remove(0);
    for op in &mut slice.ops {
        op.ok = 0;
    }
    assert_eq!(slice.throughput(), Some(0.0), "all that ended had failed");
    for op in &mut slice.ops {
        op.errors.clear();
    }
    assert_eq!(slice.throughput(), None);
    assert_eq!(slice.throughput_of(&slice.ops[0]), None);
}

/// Whatever came of a torn run must be slices as they were, and at most one cut
/// slice whose figures are those of a whole number of its seconds.
fn assert_no_wrong_number(run: &Written, torn: &RecordedRun) {
    for (slice, whole) in torn.slices.iter().zip(&run.slices) {
        if !slice.cut_short {
            assert_eq!(slice, whole);
            continue;
        }
        let seconds = slice.seconds as u64;
        assert_eq!(slice.seconds, seconds as f64);
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
        let timed: u64 = slice.ops.iter().map(|op| op.service.len()).sum();
        let drained = ok + expected_drained(operations);
        assert!(timed == ok || timed == drained, "{timed} at {seconds} s");
        for op in &slice.ops {
            assert_eq!(op.failed.len(), op.failed_count());
        }
        assert_eq!(slice.server, None);
    }
    let cut = torn.slices.iter().filter(|slice| slice.cut_short).count();
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
    // With hosts there is more to read, and every seventh byte is enough.
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

/// A run killed after it was handed those samples: thread and second.
fn killed_after(samples: &[(usize, u64)]) -> RecordedRun {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = directory.writer().unwrap();
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
    assert!(slice.cut_short);
    assert_eq!(slice.seconds, seconds as f64);
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

#[test]
fn damage_before_the_end_is_named() {
    let run = write_run();
    let path = run.path.join("latency.hlog");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8].fill(b'!');
    fs::write(&path, bytes).unwrap();
    let error = read(&run.path).unwrap_err().to_string();
    assert!(error.contains("latency.hlog is damaged at byte"), "{error}");
}

/// Versions before set-up, hosts and first bytes were recorded wrote lines
/// without those fields.
#[test]
fn an_older_run_is_read_without_what_it_does_not_have() {
    let run = write_slices(&[true], 2);
    let path = run.path.join("intervals.jsonl");
    let mut old = String::new();
    for line in fs::read_to_string(&path).unwrap().lines() {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = value.as_object_mut().unwrap();
        for new in ["setup", "hosts", "first_byte"] {
            fields.remove(new);
        }
        if let Some(range) = fields.get_mut("hlog") {
            // `service` is the first one, and all that is kept of them.
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
    assert_eq!(slice.ops[0].service, run.slices[0].ops[0].service);
    assert!(slice.ops[0].first_byte.is_empty());
    assert!(slice.setup.is_empty());
    assert!(slice.hosts.is_empty());
}

fn first_line_length(run: &Path, offset: u64) -> usize {
    let log = fs::read(run.join("latency.hlog")).unwrap();
    let rest = &log[offset as usize..];
    rest.iter().position(|&byte| byte == b'\n').unwrap() + 1
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
        "plan.toml",
        "environment.json",
        "intervals.jsonl",
        "latency.hlog",
    ] {
        let run = write_run();
        let path = run.path.join(name);
        std::fs::remove_file(&path).unwrap();
        match name {
            "latency.hlog" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            _ => {
                let made = std::process::Command::new("mkfifo").arg(&path).status();
                assert!(made.unwrap().success());
            }
        }
        let why = tenbin_record::read(&run.path).unwrap_err().to_string();
        assert!(
            why.contains("not a regular file") && why.contains(name),
            "{why}"
        );
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

/// PUT as something made of GETs: the one is the work, the other went over the wire.
#[test]
fn work_and_requests_are_told_apart_before_and_after_reading() {
    let roles = [Role::Whole, Role::Step];
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = directory.writer().unwrap();
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
    let slice = writer
        .end(SliceEnd {
            seconds: 1.0,
            ..SliceEnd::default()
        })
        .unwrap();
    let [whole, step] = slice.ops.as_slice() else {
        panic!("two operations");
    };
    assert_eq!([whole.role, step.role], roles);
    assert_eq!(
        (slice.ok(), slice.failed()),
        (whole.ok, whole.failed_count())
    );
    assert_eq!(slice.throughput(), Some(whole.ok as f64));
    assert_eq!(slice.answer_rate(), Some(step.ok as f64));
    assert_ne!(whole.ok, step.ok);
    drop(writer);
    assert_eq!(read(directory.path()).unwrap().slices, [slice]);
}

/// Not an assertion about time: run it with `--nocapture` to see the cost.
#[test]
fn a_second_costs_little() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    let mut writer = directory.writer().unwrap();
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

/// Two patterns, of which one was asked again.
fn asked() -> HostAsked {
    let told = |pattern, hits| PatternAsked {
        pattern,
        hits,
        bytes: Some(70),
    };
    HostAsked {
        host: "one:80".to_owned(),
        before: vec![told(0, Some(5)), told(1, None)],
        after: Some(vec![told(0, Some(4))]),
    }
}
