//! Synthetic runs in which every figure is known.

pub(crate) mod generated;

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use tenbin_engine::ErrorClass;
use tenbin_plan::{
    Builtin, HttpWork, Load, Mix, Pace, Plan, Reach, Relaunch, Rounds, S3Operation, S3Work, Sizes,
    Target, Workload, WorkloadKind,
};
use tenbin_record::{
    Allocated, BucketSums, ClientUse, Environment, HostEnvironment, HostFigures, Integrity,
    OpFigures, OperationStages, RecordedRequest, RecordedRequests, RecordedRun, Role, SecondCounts,
    SecondTimes, ServerUse, Slice, SliceEnd, SliceHead, StageSum, StageSums, TargetEnvironment,
};
use tenbin_report::formats::{self, Part, Writer};
use tenbin_report::{Extent, View};
use tenbin_result::Document;
use tenbin_verdict::{AfterRounds, Source, assess};

const SLICE_SECONDS: f64 = 5.0;
const CONNECTIONS: usize = 16;

/// A synthetic run.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) slices: Vec<Slice>,
    pub(crate) complete: bool,
    pub(crate) environment: Environment,
}

impl Run {
    pub(crate) fn document(&self) -> Document {
        let assessment = assess(
            &self.plan,
            &self.slices,
            AfterRounds::default(),
            self.complete,
            &self.environment,
            &Integrity::default(),
        );
        let source = Source {
            directory: Path::new("runs/2026-01-02T030405-quickstart"),
            started: UNIX_EPOCH + Duration::from_secs(1_767_323_045),
            plan: &self.plan,
            environment: &self.environment,
            slices: &self.slices,
            complete: self.complete,
            ended: tenbin_record::Ended::Planned,
            assessment: &assessment,
        };
        let document = tenbin_verdict::document(&source);
        let mut taken = tenbin_verdict::document_without_slices(&source);
        tenbin_verdict::take_slices(&mut taken, &self.plan, self.slices.clone(), &assessment);
        assert!(taken == document, "the slices that are taken are others");
        document
    }

    /// The files of the run in a format, or the data that the run lacks for the format.
    pub(crate) fn written(&self, name: &str) -> Result<Vec<Part>, String> {
        self.written_with(&self.document(), name)
    }

    /// Like [`Self::written`], for a document created earlier, because creating a document is slow.
    pub(crate) fn written_with(
        &self,
        document: &Document,
        name: &str,
    ) -> Result<Vec<Part>, String> {
        let format = formats::format(name).unwrap();
        match format.write.as_ref().unwrap() {
            Writer::Document { .. } => match format.lacks(document) {
                Some(what) => Err(what.to_owned()),
                None => Ok(vec![Part {
                    name: String::new(),
                    content: format.bytes(document),
                }]),
            },
            Writer::Run(write) => write(&formats::Run {
                directory: Path::new("runs/2026-01-02T030405-quickstart"),
                document,
                plan: &self.plan,
                record: &self.recorded(),
            })
            .map_err(|error| error.to_string()),
        }
    }

    /// The run as read back from disk, with one whole second and one half second per slice.
    fn recorded(&self) -> RecordedRun {
        let seconds = self.slices.iter().flat_map(|slice| {
            slice.ops.iter().flat_map(|op| {
                let second = |number: u64, length: f64| SecondCounts {
                    slice: slice.index,
                    operation: op.name.clone(),
                    second: number,
                    length,
                    ok: (op.counts.ok as f64 / slice.end.seconds * length) as u64,
                    payload: (op.counts.payload as f64 / slice.end.seconds * length) as u64,
                    failed: 0,
                    service: (op.counts.ok > 0).then_some(SecondTimes {
                        min_ns: Some(1_000_000),
                        mean_ns: Some(2_000_000),
                        p50_ns: 1_800_000,
                        p99_ns: 3_000_000,
                        max_ns: 4_000_000,
                    }),
                };
                [second(0, 1.0), second(1, 0.5)]
            })
        });
        RecordedRun {
            plan_toml: String::new(),
            environment: self.environment.clone(),
            slices: self.slices.clone(),
            sustained: Vec::new(),
            limit_probes: Vec::new(),
            complete: self.complete,
            ended: tenbin_record::Ended::Planned,
            started: UNIX_EPOCH + Duration::from_secs(1_767_323_045),
            seconds: seconds.collect(),
            integrity: Integrity::default(),
        }
    }
}

/// The report for a terminal without single slices and raw data.
pub(crate) fn terminal(document: &Document, width: usize, colour: bool) -> String {
    shown(document, width, colour, Extent::Verbose)
}

/// The report for a terminal that fits on a screen.
pub(crate) fn screen(document: &Document, width: usize, colour: bool) -> String {
    shown(document, width, colour, Extent::Screen)
}

fn shown(document: &Document, width: usize, colour: bool, extent: Extent<'_>) -> String {
    let view = View {
        width,
        colour,
        extent,
    };
    tenbin_report::terminal(document, view)
}

/// Two built-in S3 servers with two workloads, eight quads each.
pub(crate) fn pair() -> Run {
    let targets = [
        target("memory", Builtin::S3Memory),
        target("durable", Builtin::S3Durable),
    ];
    let workloads = [
        s3("put-1KiB", S3Operation::Put),
        s3("get-1KiB", S3Operation::Get),
    ];
    let mut run = run(&targets, &workloads, 16);
    for slice in &mut run.slices {
        let rate = match (slice.workload.as_str(), slice.target.as_str()) {
            ("put-1KiB", "durable") => 2_345.0,
            ("put-1KiB", _) => 8_210.0,
            (_, "durable") => 12_420.0,
            _ => 12_400.0,
        };
        fill(slice, rate);
        slice.ledger.opened = CONNECTIONS as u64;
        slice.ledger.reused = slice.ops[0].counts.ok - CONNECTIONS as u64;
        let connected = CONNECTIONS as u64;
        slice.setup.connect.record_n(45_000, connected).unwrap();
        slice
            .setup
            .first_byte
            .record_n(2_000_000, connected)
            .unwrap();
    }
    run
}

/// The pair; both targets report server stages of GET. One target reports a stage with a hostile
/// name and reports no stages in some of its slow responses. Its failures have hostile texts.
pub(crate) fn telling() -> Run {
    let mut run = pair();
    for slice in &mut run.slices {
        if slice.workload != "get-1KiB" {
            continue;
        }
        let operation = slice.ops[0].name.clone();
        let is_rude = slice.target == "durable";
        let names = if is_rude {
            ["disk", RUDE]
        } else {
            ["disk", "net"]
        };
        let bucket = |bucket: u16, answers: u64, millis: u64, disk: u64| BucketSums {
            bucket,
            answers,
            service_ns: answers * millis * 1_000_000,
            carrying: answers,
            totals: answers,
            total_ns: answers * (millis * 1_000_000 - 400_000),
            total_service_ns: answers * millis * 1_000_000,
            stages: [disk, 100_000]
                .map(|nanos| StageSum {
                    named: answers,
                    ns: answers * nanos,
                })
                .to_vec(),
            ..BucketSums::default()
        };
        let mut buckets = vec![
            bucket(160, 9_900, 1, 300_000),
            bucket(200, 100, 6, 5_000_000),
        ];
        if is_rude {
            buckets[1].unreadable = 2;
            buckets[1].carrying = 95;
            buckets[1].stages[1].named = 40;
        }
        slice.end.stages = Some(StageSums {
            operations: vec![OperationStages {
                operation,
                stages: names.map(str::to_owned).to_vec(),
                buckets,
            }],
        });
        slice.end.requests = Some(Box::new(requests(slice.index, is_rude)));
    }
    run
}

/// A slow and, of a rude target, a failed request of a slice.
fn requests(slice: u32, is_rude: bool) -> RecordedRequests {
    let slow = RecordedRequest {
        operation: "GET".to_owned(),
        request: format!("GET /tenbin/object-{slice}?token=…"),
        host: "one:9000".to_owned(),
        start_ns: 1_234_000_000,
        ns: 12_000_000 + u64::from(slice) * 1_000,
        connect_ns: (slice == 4).then_some(700_000),
        first_byte_ns: Some(11_000_000),
        body_ns: Some(1_000_000),
        status: Some(200),
        attempts: 1,
        id: Some(format!("17A{slice}")),
        ..RecordedRequest::default()
    };
    let failed = RecordedRequest {
        request: format!("GET /{RUDE}"),
        body_ns: None,
        status: None,
        error: Some(ErrorClass::Timeout),
        text: RUDE.to_owned(),
        attempts: 2,
        id: None,
        ..slow.clone()
    };
    RecordedRequests {
        slowest: vec![slow],
        failed: if is_rude { vec![failed] } else { Vec::new() },
    }
}

/// Text that a page or a terminal must not interpret.
const RUDE: &str = "a|b<script>\u{1b}[2J`x`";

/// Three built-in S3 servers; one is slower than the first.
pub(crate) fn three() -> Run {
    let targets = [
        target("memory", Builtin::S3Memory),
        target("durable", Builtin::S3Durable),
        target("another", Builtin::S3Memory),
    ];
    let mut run = run(&targets, &[s3("get-1KiB", S3Operation::Get)], 16);
    for slice in &mut run.slices {
        let share = if slice.target == "durable" { 0.7 } else { 1.0 };
        fill(slice, share * 12_400.0);
    }
    run
}

/// A single endpoint that refuses most of its requests.
pub(crate) fn single_invalid() -> Run {
    let mut run = single();
    for slice in &mut run.slices {
        let op = &mut slice.ops[0];
        op.errors.insert(ErrorClass::Status, op.counts.ok);
        op.statuses.insert(404, op.counts.ok);
    }
    run
}

/// A single endpoint, interrupted in the third slice.
pub(crate) fn single_interrupted() -> Run {
    let mut run = single();
    run.slices.truncate(3);
    run.slices[2].end.cut_short = true;
    run.complete = false;
    run
}

/// A single endpoint, interrupted before anything was measured.
pub(crate) fn nothing() -> Run {
    let mut run = single();
    run.slices.clear();
    run.complete = false;
    run
}

/// A small version of `tenbin s3 suite`: a listing, a mix, and GETs with increasing numbers of
/// connections.
pub(crate) fn suite() -> Run {
    let targets = [
        target("memory", Builtin::S3Memory),
        target("durable", Builtin::S3Durable),
    ];
    let mut workloads = vec![
        s3("list-1000", S3Operation::List),
        s3("mixed-70-30", S3Operation::Get),
    ];
    let get = |work: &mut Workload| match &mut work.kind {
        WorkloadKind::S3(work) => work.sizes = Sizes::fixed(1_000_000),
        WorkloadKind::Http(_) | WorkloadKind::Blob(_) => {}
    };
    get(&mut workloads[1]);
    if let WorkloadKind::S3(work) = &mut workloads[1].kind {
        work.mix = Mix::new([(S3Operation::Get, 70.0), (S3Operation::Put, 30.0)]).unwrap();
    }
    for connections in LEVELS {
        let mut work = s3(&format!("get-1MB-c{connections}"), S3Operation::Get);
        get(&mut work);
        work.load.connections = connections;
        workloads.push(work);
    }
    let mut run = run(&targets, &workloads, 16);
    for slice in &mut run.slices {
        let share = if slice.target == "durable" { 0.8 } else { 1.0 };
        let level = workloads[2..]
            .iter()
            .position(|work| work.name == slice.workload);
        slice.connections = level.map_or(CONNECTIONS, |level| LEVELS[level]);
        fill(
            slice,
            share * level.map_or(1_500.0, |level| [250.0, 900.0, 1_000.0][level]),
        );
        if slice.workload == "list-1000" {
            slice.ops[0].name = "LIST".to_owned();
            slice.ops[0].counts.payload = 0;
        }
        if slice.workload == "mixed-70-30" {
            let mut put = slice.ops[0].clone();
            put.name = "PUT".to_owned();
            put.counts.ok = slice.ops[0].counts.ok * 3 / 10;
            put.counts.payload = put.counts.ok * 1_000_000;
            slice.ops[0].name = "GET".to_owned();
            slice.ops[0].counts.ok -= put.counts.ok;
            slice.ops.push(put);
            for op in &mut slice.ops {
                op.statuses = [(200, op.counts.ok)].into();
            }
        }
    }
    run
}

/// GETs of two sizes with three numbers of connections; one combination was not measured. The
/// second target is slower for the small size; for the large size, it is equally fast with 4
/// connections and faster with 16. Some of its requests time out or receive a different status.
pub(crate) fn matrix() -> Run {
    let targets = [
        target("memory", Builtin::S3Memory),
        target("durable", Builtin::S3Durable),
    ];
    let mut workloads = Vec::new();
    for (size, bytes) in [("1KB", 1_000), ("1MB", 1_000_000)] {
        for connections in LEVELS {
            if (size, connections) == ("1MB", 1) {
                continue;
            }
            let mut work = s3(&format!("get-{size}-c{connections}"), S3Operation::Get);
            if let WorkloadKind::S3(work) = &mut work.kind {
                work.sizes = Sizes::fixed(bytes);
            }
            work.load.connections = connections;
            workloads.push(work);
        }
    }
    let mut run = run(&targets, &workloads, 16);
    for slice in &mut run.slices {
        let mut works = workloads.iter();
        let work = works.find(|work| work.name == slice.workload).unwrap();
        slice.connections = work.load.connections;
        let is_small = slice.workload.contains("1KB");
        let share = match (slice.target.as_str(), is_small, slice.connections) {
            ("memory", ..) => 1.0,
            (_, true, _) => 0.6,
            (_, false, 4) => 1.0,
            _ => 1.2,
        };
        let rate = if is_small { 4_000.0 } else { 400.0 };
        fill(slice, share * rate * (slice.connections as f64).sqrt());
        if slice.target == "durable" && is_small && slice.index.is_multiple_of(3) {
            fail(slice, 1, ErrorClass::Timeout, 1);
            fail(slice, 4, ErrorClass::Status, u64::from(slice.index % 7) + 1);
        }
    }
    run
}

/// Adds failures to one second of a slice.
fn fail(slice: &mut Slice, second: u64, class: ErrorClass, count: u64) {
    let op = &mut slice.ops[0];
    *op.errors.entry(class).or_default() += count;
    op.times.failed.record_n(100_000, count).unwrap();
    let by_class = slice.failed_in.entry(second).or_default();
    *by_class.entry(class).or_default() += count;
}

/// Connections of the levels in [`suite`].
const LEVELS: [usize; 3] = [1, 4, 16];

/// One HTTP endpoint at a constant rate.
pub(crate) fn single() -> Run {
    let targets = [Target {
        reach: Reach::Endpoint {
            url: "http://user:hunter2@127.0.0.1:8080/index.html"
                .parse()
                .unwrap(),
        },
        ..target("nginx", Builtin::Http)
    }];
    let mut workload = Workload {
        name: "http".to_owned(),
        kind: WorkloadKind::Http(HttpWork::plain("GET")),
        load: load(),
        stages: false,
    };
    workload.load.pace = Pace::Constant { per_second: 500.0 };
    let mut run = run(&targets, &[workload], 8);
    for slice in &mut run.slices {
        slice.closed_loop = false;
        fill(slice, 500.0);
        slice.end.server = None;
        slice.end.allocated = None;
        let op = &mut slice.ops[0];
        op.times.service.clear();
        op.times.service.record_n(400_000, op.counts.ok).unwrap();
        op.times.response.clone_from(&op.times.service);
        op.times.lag.record_n(20_000, op.counts.ok).unwrap();
    }
    run.environment.targets.clear();
    run
}

/// The pair, in which one server fails a third of the GETs with hostile error messages.
pub(crate) fn invalid() -> Run {
    let mut run = pair();
    for slice in &mut run.slices {
        if slice.workload == "get-1KiB" && slice.target == "durable" {
            let op = &mut slice.ops[0];
            let failed = op.counts.ok / 3;
            op.errors.insert(ErrorClass::Status, failed);
            op.statuses.insert(503, failed);
            op.failures.insert(
                "<script>alert(1)</script>|`\u{1b}[31m\n# Slow @Down".to_owned(),
                failed,
            );
            op.times.failed.record_n(100_000, failed).unwrap();
        }
    }
    run
}

/// Two hosts under one name compared with a single host, both with a new connection per request.
/// The first target uses TLS. Bodies are large enough for a separate time to the first byte.
pub(crate) fn reconnecting() -> Run {
    let targets = [
        target("cluster", Builtin::S3Memory),
        target("alone", Builtin::S3Memory),
    ];
    let mut workload = s3("get-1MiB", S3Operation::Get);
    if let WorkloadKind::S3(work) = &mut workload.kind {
        work.sizes = Sizes::fixed(1 << 20);
    }
    workload.load.keep_alive = false;
    let mut run = run(&targets, &[workload], 16);
    for slice in &mut run.slices {
        fill(slice, 1_000.0);
        let cluster = slice.target == "cluster";
        let ok = slice.ops[0].counts.ok;
        slice.ops[0].counts.payload = ok << 20;
        slice.ledger.opened = ok;
        slice.ledger.closed_by_client = ok;
        let wobble = u64::from(slice.index) * 100;
        slice.setup.connect.record_n(45_000 + wobble, ok).unwrap();
        slice.setup.first_byte.record_n(900_000, ok).unwrap();
        let first_byte = if cluster { 9_000_000 } else { 14_500_000 };
        slice.ops[0]
            .times
            .first_byte
            .record_n(first_byte, ok)
            .unwrap();
        if cluster {
            slice.setup.tls.record_n(1_200_000 + wobble, ok).unwrap();
            slice.hosts = vec![
                host("db1:9000", ok * 2 / 3, 14_000_000),
                host("db2|:9000\u{1b}[31m", ok / 3, 16_000_000),
            ];
            slice.hosts[1].errors.insert(ErrorClass::Reset, 1);
            slice.ops[0].errors.insert(ErrorClass::Reset, 1);
            slice.ops[0].times.failed.record(1_000_000).unwrap();
        }
    }
    // A stall in a single slice.
    run.slices[5].ops[0]
        .times
        .service
        .record(3_000_000_000)
        .unwrap();
    let response = run.slices[5].ops[0].times.service.clone();
    run.slices[5].ops[0].times.response = response;
    let known = TargetEnvironment {
        hosts: vec![HostEnvironment {
            name: "db1:9000".to_owned(),
            addresses: vec!["10.0.0.1:9000".to_owned()],
            dns_ns: Some(2_300_000),
        }],
        ..TargetEnvironment::default()
    };
    run.environment.targets = [("cluster".to_owned(), known)].into();
    run
}

/// The PUTs of the pair in parts; four parts form one upload.
pub(crate) fn multipart() -> Run {
    let mut run = pair();
    run.plan.workloads.truncate(1);
    run.slices.retain(|slice| slice.workload == "put-1KiB");
    for slice in &mut run.slices {
        let part = &mut slice.ops[0];
        part.name = "UploadPart".to_owned();
        part.role = Role::Step;
        let mut whole = OpFigures::of("MULTIPART", Role::Transaction);
        whole.counts.ok = part.counts.ok / 4;
        whole.counts.payload = part.counts.payload;
        let nanos = part.times.service.value_at_quantile(0.5) * 4;
        whole
            .times
            .service
            .record_n(nanos, whole.counts.ok)
            .unwrap();
        whole.times.response.clone_from(&whole.times.service);
        slice.ops.insert(0, whole);
    }
    run
}

fn host(name: &str, ok: u64, nanos: u64) -> HostFigures {
    let mut host = HostFigures::new(name);
    host.ok = ok;
    host.service.record_n(nanos, ok).unwrap();
    host
}

/// The pair, killed in the middle of its seventh slice.
pub(crate) fn killed() -> Run {
    let mut run = pair();
    run.slices.truncate(7);
    run.complete = false;
    let last = run.slices.last_mut().unwrap();
    last.end.seconds = 2.0;
    last.end.cut_short = true;
    last.end.server = None;
    fill(last, 2_345.0);
    run
}

/// A run with empty slices in ABBA order.
fn run(targets: &[Target], workloads: &[Workload], rounds: u32) -> Run {
    let mut slices = Vec::new();
    for workload in workloads {
        for round in 0..rounds {
            let mut order: Vec<&Target> = targets.iter().collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for target in order {
                slices.push(slice(slices.len() as u32, round, workload, target));
            }
        }
    }
    Run {
        plan: plan(targets, workloads, rounds),
        slices,
        complete: true,
        environment: environment(),
    }
}

fn plan(targets: &[Target], workloads: &[Workload], rounds: u32) -> Plan {
    Plan {
        name: "quickstart".to_owned(),
        seed: 42,
        threads: 2,
        rounds: Rounds {
            asked: None,
            count: rounds,
            until: None,
            slice: Duration::from_secs(5),
            gap: Duration::from_secs(1),
            warmup: Duration::from_secs(3),
            relaunch: Relaunch::Block,
            lead: Duration::from_millis(200),
            sustain: tenbin_plan::Sustain::Off,
            on_outage: tenbin_plan::OnOutage::default(),
            probes: tenbin_plan::Probes::default(),
        },
        targets: targets.to_vec(),
        workloads: workloads.to_vec(),
        comparing: tenbin_plan::Comparing::default(),
        output: tenbin_plan::Output::default(),
        agents: None,
        corpus: None,
        gate: None,
    }
}

fn target(name: &str, builtin: Builtin) -> Target {
    Target::new(name, Reach::Builtin(builtin))
}

fn s3(name: &str, operation: S3Operation) -> Workload {
    Workload {
        name: name.to_owned(),
        kind: WorkloadKind::S3(S3Work {
            bucket: "tenbin".to_owned(),
            ..S3Work::new(operation, 1_024, 1_000)
        }),
        load: load(),
        stages: false,
    }
}

fn load() -> Load {
    Load {
        pace: Pace::Closed,
        connections: CONNECTIONS,
        think: None,
        depth: 1,
        timeout: Duration::from_secs(10),
        keep_alive: true,
        reopen: None,
        requests: None,
    }
}

fn slice(index: u32, round: u32, workload: &Workload, target: &Target) -> Slice {
    let operation = match &workload.kind {
        WorkloadKind::S3(work) if work.mix.has(S3Operation::Put) => "PUT",
        _ => "GET",
    };
    Slice {
        head: SliceHead {
            index,
            block: round / 2,
            round,
            workload: workload.name.clone(),
            target: target.name.clone(),
            connections: CONNECTIONS,
            closed_loop: true,
            start: f64::from(index) * 6.2 + 3.0,
            ..SliceHead::default()
        },
        end: SliceEnd {
            seconds: SLICE_SECONDS,
            allocated: Some(Allocated {
                bytes: 5_000_000,
                count: 4_200,
            }),
            ..SliceEnd::default()
        },
        ops: vec![OpFigures::new(operation)],
        client: ClientUse {
            cpu_seconds: 2.5,
            busiest_thread: 0.31,
            readiest_thread: None,
        },
        ..Slice::default()
    }
}

/// Fills a slice with responses at about this rate, with the times that follow from Little's law.
fn fill(slice: &mut Slice, rate: f64) {
    let wobble = [0.004, -0.011, 0.008, 0.0, -0.006, 0.012, -0.003];
    let rate = rate * (1.0 + wobble[slice.index as usize % wobble.len()]);
    let ok = (rate * slice.end.seconds).round() as u64;
    let mean_ns = slice.connections as f64 / rate * 1e9;
    let op = &mut slice.ops[0];
    op.counts.ok = ok;
    op.counts.sent = ok * 1_300;
    op.counts.received = ok * 200;
    op.counts.payload = ok * 1_024;
    op.statuses = [(200, ok)].into();
    op.times.service.clear();
    let spread = [(0.92, 60), (1.0, 30), (1.2, 8), (3.2, 2)];
    for (factor, percent) in spread {
        let value = (mean_ns * factor) as u64;
        op.times
            .service
            .record_n(value, ok * percent / 100)
            .unwrap();
    }
    op.times.response.clone_from(&op.times.service);
    slice.end.server = (!slice.end.cut_short).then_some(
        ServerUse {
            cpu_seconds: Some(0.000_061 * ok as f64),
            rss_bytes: Some(48 << 20),
            rss_start_bytes: Some(40 << 20),
            rss_end_bytes: Some(44 << 20),
            read_bytes: Some(0),
            written_bytes: Some(ok * 4_096),
            voluntary_switches: Some(ok / 2),
            involuntary_switches: Some(ok / 50),
            ..ServerUse::default()
        }
        .into(),
    );
}

fn environment() -> Environment {
    let known = TargetEnvironment {
        version: Some("tenbin 0.1.0".to_owned()),
        server_header: None,
        ..TargetEnvironment::default()
    };
    Environment {
        hostname: Some("balance".to_owned()),
        platform: Some("linux x86_64".to_owned()),
        kernel: Some("6.12.0".to_owned()),
        cpu_model: Some("Example CPU @ 3.00GHz".to_owned()),
        cores: Some(8),
        cpu_quota: None,
        memory_bytes: Some(16 << 30),
        governor: None,
        nofile_limit: Some(65_536),
        tenbin_version: Some("0.1.0".to_owned()),
        rustc_version: Some("rustc 1.95.0".to_owned()),
        clock_source: Some("tsc".to_owned()),
        clock_call_ns: Some(24.1),
        targets: [("memory".to_owned(), known)].into(),
        patterns: Default::default(),
        agents: Vec::new(),
        lost_agents: Vec::new(),
        outages: Vec::new(),
        refused_renewals: Vec::new(),
        request_log: None,
    }
}
