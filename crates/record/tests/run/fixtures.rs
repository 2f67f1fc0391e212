//! The run that the tests write, and its expected figures.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenbin_engine::{ErrorClass, HostSample, Ledger, OpSample, Pause, Sample, SetupSample};
use tenbin_record::{
    AgentUse, Allocated, BucketSums, CacheUse, CpuUse, DiskUse, Ended, Environment, FrequencyUse,
    GroupUse, HostEnvironment, HostHits, Left, LinkUse, MachineUse, OperationStages, PatternHits,
    PauseUse, ProgramFile, ProgramUse, RateProbe, ReadBack, RecordedPattern, RecordedRequest,
    RecordedRequests, RecordedSample, RecordedSamples, Retried, RunDirectory, SearchUse, ServerUse,
    Slice, SliceEnd, SliceHead, SliceStart, Spread, StageSum, StageSums, TargetEnvironment, TcpUse,
    UseScope, WireUse,
};

pub(crate) const SECONDS: u64 = 3;
pub(crate) const THREADS: usize = 2;
const BILLION: u64 = 1_000_000_000;
const OPERATIONS: [&str; 2] = ["PUT", "GET"];

pub(crate) fn started() -> SystemTime {
    UNIX_EPOCH + Duration::new(1_767_225_599, 123_456_789)
}

pub(crate) fn environment() -> Environment {
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
    let read_back = ReadBack {
        operation: "PUT".to_owned(),
        acknowledged: 1_000,
        checked: 60,
        missing: 1,
        example: Some("object a in bucket b: HEAD responded with 404".to_owned()),
        ..ReadBack::default()
    };
    let left = Left {
        target: Some("b".to_owned()),
        objects: Some(2),
        acknowledged: true,
        ..Left::from("2 objects are left".to_owned())
    };
    environment.targets.insert(
        "b".to_owned(),
        TargetEnvironment {
            dead_hosts: Vec::new(),
            failed_starts: Vec::new(),
            responses: Default::default(),
            version: None,
            cpu_quota: None,
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
            suspicious: [("get".to_owned(), "status 200, but \u{1b}[31m".to_owned())].into(),
            ignored_checksums: [("put".to_owned(), "x-amz-checksum-sha512".to_owned())].into(),
            bare_line_feed: Some(2),
            records: Some(60),
            relaunched: true,
            retried: [("put".to_owned(), retried)].into(),
            nearly_full_disk: Some(DiskUse {
                available_bytes: 4_096,
                size_bytes: 1 << 20,
            }),
            read_back: [("put".to_owned(), vec![read_back])].into(),
            left: vec![left],
        },
    );
    let labels = vec!["GET /a".to_owned(), "GET /b?c=\"d\"".to_owned()];
    environment.patterns.insert("get".to_owned(), labels);
    environment
}

/// Hits of two patterns; only the first pattern was counted again after load.
fn asked() -> HostHits {
    let told = |pattern, hits| PatternHits {
        pattern,
        hits,
        bytes: Some(70),
    };
    HostHits {
        host: "one:80".to_owned(),
        before: vec![told(0, Some(5)), told(1, None)],
        after: Some(vec![told(0, Some(4))]),
    }
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

fn requests() -> RecordedRequests {
    let slow = RecordedRequest {
        operation: "GET".to_owned(),
        request: "GET /a?\u{1b}".to_owned(),
        host: "db:9000".to_owned(),
        agent: Some("one".to_owned()),
        start_ns: 5,
        ns: u64::MAX,
        lag_ns: Some(1),
        connect_ns: Some(2),
        tls_ns: Some(3),
        first_byte_ns: Some(4),
        body_ns: Some(5),
        status: Some(200),
        attempts: 1,
        id: Some("17\"A".to_owned()),
        ..RecordedRequest::default()
    };
    let failed = RecordedRequest {
        operation: "PUT".to_owned(),
        start_ns: -7,
        error: Some(ErrorClass::Connect),
        text: "connection refused".to_owned(),
        ..RecordedRequest::default()
    };
    RecordedRequests {
        slowest: vec![slow],
        failed: vec![failed],
    }
}

fn singles() -> RecordedSamples {
    let single = |status: Option<u16>, ns| RecordedSample {
        request: "GET /a?\u{1b}".to_owned(),
        number: status.map(u64::from),
        host: status.map(|_| "db:9000".to_owned()),
        status,
        correct: status == Some(200),
        ns,
    };
    RecordedSamples {
        slowest: vec![single(None, u64::MAX), single(Some(503), 7)],
        fastest: vec![single(Some(200), 1)],
        patterns: vec![RecordedPattern {
            pattern: 9,
            ok: 1,
            failed: 2,
            sum_ns: 3,
            min_ns: 3,
            max_ns: 3,
        }],
    }
}

pub(crate) fn start(index: u32, closed_loop: bool, operations: usize) -> SliceStart {
    SliceStart {
        head: SliceHead {
            index,
            block: index / 2,
            round: index,
            workload: "mixed, with a comma".to_owned(),
            target: if index.is_multiple_of(2) { "a" } else { "b" }.to_owned(),
            connections: 16,
            closed_loop,
            start: 0.1 + f64::from(index) * 4.7,
            // Open-loop slices are probes of a maximum-rate search.
            probe: (!closed_loop).then_some(RateProbe {
                rate: 500.0,
                proof: false,
            }),
            ..SliceHead::default()
        },
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
        agents: if closed_loop { 2 } else { 0 },
        planned_seconds: SECONDS as f64,
    }
}

/// Names of the hosts: two in an open loop, none in a closed loop.
fn hosts_of(closed_loop: bool) -> &'static [&'static str] {
    if closed_loop {
        &[]
    } else {
        &["db 1:9000", "db2,x"]
    }
}

/// Figures of the hosts. The second host sends one in three correct responses, and is the only host
/// with failures. In `setup`, only the first thread of an open loop uses TLS.
fn hosts(seed: u64, drain: bool, closed_loop: bool) -> Vec<HostSample> {
    let mut hosts = vec![HostSample::default(); hosts_of(closed_loop).len()];
    for (host, share) in hosts.iter_mut().zip([2, 1]) {
        host.ok = if drain { 0 } else { share * (seed + 1) };
        host.service
            .record_n(share * 1_000_000, share * (seed + 1))
            .unwrap();
        host.errors.insert(ErrorClass::Reset, 2 - share);
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

/// Figures of one operation. The number of operations grows with `seed`; an open loop has send lag.
fn op(name: &'static str, seed: u64, drain: bool, closed_loop: bool) -> OpSample {
    let mut op = OpSample::new(name);
    let timed = 5 + seed;
    op.counts.ok = if drain { 0 } else { timed };
    for i in 0..timed {
        let service = 50_000 + seed * 997 + i * i * 12_345;
        op.times.service.record(service).unwrap();
        op.times.first_byte.record(service - 20_000).unwrap();
        if !closed_loop {
            op.times.lag.record(i * 777).unwrap();
            op.times.response.record(service + i * 777).unwrap();
        }
    }
    op.counts.sent = 100 * op.counts.ok;
    op.counts.received = 1_000 * op.counts.ok;
    op.counts.payload = 900 * op.counts.ok;
    op.answered = Some(700 * op.counts.ok);
    op.statuses.insert(200, op.counts.ok);
    if seed.is_multiple_of(3) {
        op.errors.insert(ErrorClass::Status, 2);
        op.times.failed.record_n(1_234_567, 2).unwrap();
        op.statuses.insert(503, 2);
        op.failures.insert("Slow\u{7}Down".to_owned(), 2);
    }
    op
}

/// The pause of a thread. Both threads pause from 1.3 s to 1.8 s after the window opened, each a
/// little longer at one end; thread 1 pauses again alone from 2.1 s.
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

pub(crate) fn sample(
    thread: usize,
    second: u64,
    drain: bool,
    closed_loop: bool,
    operations: usize,
) -> Sample {
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
            already_open: 1,
            connect_nanos: 12_345,
            ..Ledger::default()
        },
        cpu: (seed + 1) * 100_000_000,
        // The open-loop slice simulates a kernel that does not report waiting times.
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

/// A value for most fields; the other fields are unknown.
pub(crate) fn machine() -> MachineUse {
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
            targets: [("a".to_owned(), 0.125)].into(),
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

pub(crate) fn agent_use(cpu_busy: f64) -> AgentUse {
    AgentUse {
        cpu_busy: Some(cpu_busy),
        min_rtt_ns: Some(20_000),
        ..AgentUse::default()
    }
}

pub(crate) struct Written {
    _root: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) slices: Vec<Slice>,
}

/// Writes a run with a closed loop on target `a`, then an open loop on target `b`.
pub(crate) fn write_run() -> Written {
    write_slices(&[true, false], 2)
}

/// Writes a run with one slice for each element of `closed_loops`.
pub(crate) fn write_slices(closed_loops: &[bool], operations: usize) -> Written {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), "test", started()).unwrap();
    directory.write_plan("name = \"test\"\n").unwrap();
    directory.write_environment(&environment()).unwrap();
    let mut writer = tenbin_record::RunWriter::create(&directory).unwrap();
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
        // Set only in a slice whose `end` line the tests do not cut off.
        let looked = index == 0 && closed_loops.len() > 1;
        let end = SliceEnd {
            seconds: SECONDS as f64 + 0.000_000_123,
            cut_short: false,
            ended: Vec::new(),
            server: (index == 0).then(|| used.into()),
            allocated: (index == 0).then_some(Allocated {
                bytes: 123_456,
                count: 789,
            }),
            machine: looked.then(|| machine().into()),
            wire: looked.then_some(
                WireUse {
                    connections: 4,
                    min_rtt_ns: Some(12_000),
                    mean_rtt_ns: Some(31_000),
                    retransmits: 3,
                    unneeded_retransmits: Some(1),
                    sent_segments: Some(4_000),
                    sending_ns: Some(7_000_000),
                    received_segments: Some(4_100),
                    out_of_order_segments: Some(2),
                }
                .into(),
            ),
            singles: looked.then(|| Box::new(singles())),
            requests: looked.then(|| Box::new(requests())),
            stages: looked.then(stages),
            search: looked.then(|| {
                SearchUse {
                    heap_used_bytes: Some(1 << 20),
                    heap_max_bytes: Some(2 << 20),
                    collections: Some(3),
                    segments: Some(7),
                    ..SearchUse::default()
                }
                .into()
            }),
            segment: None,
            start_skew_ns: looked.then_some(1_200_000),
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
        let agents = if looked {
            vec![agent_use(0.25), agent_use(0.75)]
        } else {
            Vec::new()
        };
        slices.push(writer.end(end, agents).unwrap());
    }
    writer.complete(Ended::Precise).unwrap();
    Written {
        path: directory.path().to_path_buf(),
        _root: root,
        slices,
    }
}

/// The expected `ok` after this number of seconds, computed without the code under test.
pub(crate) fn expected_ok(seconds: u64, operations: u64) -> u64 {
    expected(
        (0..seconds).flat_map(|second| (0..THREADS).map(move |thread| (thread, second))),
        operations,
    )
}

/// Expected operations that were due in the window and ended in the drain.
pub(crate) fn expected_drained(operations: u64) -> u64 {
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
