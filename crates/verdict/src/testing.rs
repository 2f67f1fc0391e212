//! Small synthetic runs for the tests of rules and comparisons.

use std::time::Duration;

use tenbin_plan::{
    Builtin, HttpWork, Load, Pace, Plan, Reach, Relaunch, Rounds, S3Operation, S3Work, Target,
    Turn, Workload, WorkloadKind, schedule,
};
use tenbin_record::ErrorClass;
use tenbin_record::{
    AgentEnvironment, AgentPart, BucketSums, ClientUse, CpuUse, DiskUse, Environment, FrequencyUse,
    Integrity, LinkUse, MachineUse, OpFigures, OperationStages, PortsUse, PressureUse, Role,
    ServerUse, Slice, SliceEnd, SliceHead, StageSum, StageSums, TcpUse, ThreadTurn, UseScope,
    WireUse,
};
use tenbin_record::{HostHits, PatternHits};
use tenbin_result::{Finding, ResultOf};

use crate::assessment::{AfterRounds, Assessment, assess};
use crate::cell::cells;
use crate::compare::compare;
use crate::evidence::Evidence;
use crate::figures::figures_of;
use crate::findings::rule_info::RuleInfo;
use crate::rules::RULES;
use crate::sustained::stretches;

/// A run without findings until a test changes it: closed loop, two connections, slices of one
/// second with 1,000 responses of 2 ms each, on two cores that are not saturated.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) slices: Vec<Slice>,
    pub(crate) sustained: Vec<Slice>,
    pub(crate) limit_probes: Vec<Slice>,
    pub(crate) environment: Environment,
    pub(crate) integrity: Integrity,
    complete: bool,
}

impl Run {
    /// Targets `a` and `b` in ABBA quads.
    pub(crate) fn pair(quads: u32) -> Self {
        Self::new(&["a", "b"], &["get"], quads * 2)
    }

    /// Target `a` alone.
    pub(crate) fn single(rounds: u32) -> Self {
        Self::new(&["a"], &["get"], rounds)
    }

    /// A run with slices in the order of the plan's schedule.
    pub(crate) fn new(targets: &[&str], workloads: &[&str], rounds: u32) -> Self {
        Self::of(plan(targets, workloads, rounds), targets, workloads)
    }

    /// A run that compares all workloads with the first workload.
    pub(crate) fn compared(targets: &[&str], workloads: &[&str], rounds: u32) -> Self {
        let mut plan = plan(targets, workloads, rounds);
        plan.comparing.workloads = (0..workloads.len()).collect();
        Self::of(plan, targets, workloads)
    }

    /// Makes every workload send its request to this path.
    pub(crate) fn sends_to(&mut self, path: &str) {
        for workload in &mut self.plan.workloads {
            workload.kind = WorkloadKind::Http(HttpWork {
                path: Some(path.to_owned()),
                ..HttpWork::plain("GET")
            });
        }
    }

    fn of(plan: Plan, targets: &[&str], workloads: &[&str]) -> Self {
        let slices = schedule(&plan)
            .iter()
            .zip(0..)
            .map(|(turn, index)| slice(index, turn, workloads[turn.workload], targets[turn.target]))
            .collect();
        Self {
            plan,
            slices,
            sustained: Vec::new(),
            limit_probes: Vec::new(),
            environment: Environment {
                cores: Some(2),
                ..Environment::default()
            },
            integrity: Integrity::default(),
            complete: true,
        }
    }

    /// A concurrency sweep of target `a` in eight rounds. `levels` holds (connections, responses
    /// per slice); response times follow from Little's law.
    pub(crate) fn concurrency_sweep(levels: &[(usize, u64)]) -> Self {
        let names: Vec<String> = levels.iter().map(|(n, _)| format!("c{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut run = Self::new(&["a"], &names, 8);
        for (workload, (connections, _)) in run.plan.workloads.iter_mut().zip(levels) {
            workload.load.connections = *connections;
        }
        run.each(|slice| {
            let at = names.iter().position(|name| *name == slice.0.workload);
            let (connections, answers) = levels[at.unwrap()];
            let answers = answers + [0, 2, 1, 3][slice.0.block as usize % 4];
            slice.0.connections = connections;
            slice.answers(answers, connections as f64 / answers as f64);
        });
        run
    }

    /// Turns the targets into servers at other addresses that Tenbin did not start, so that their
    /// machine is unknown.
    pub(crate) fn elsewhere(mut self) -> Self {
        for target in &mut self.plan.targets {
            let url = format!("http://{}.example/", target.name);
            target.reach = Reach::Endpoint {
                url: url.parse().unwrap(),
            };
        }
        self
    }

    pub(crate) fn open_loop(mut self) -> Self {
        for workload in &mut self.plan.workloads {
            workload.load.pace = Pace::Constant { per_second: 1e3 };
        }
        for slice in &mut self.slices {
            slice.closed_loop = false;
        }
        self
    }

    /// Changes the workloads to S3 work on objects of `bytes` bytes.
    pub(crate) fn of_s3(mut self, operation: S3Operation, bytes: u64) -> Self {
        for workload in &mut self.plan.workloads {
            workload.kind = WorkloadKind::S3(S3Work::new(operation, bytes, 100));
        }
        self
    }

    /// Ends the run after `after` slices.
    pub(crate) fn interrupted(mut self, after: usize) -> Self {
        self.slices.truncate(after);
        self.complete = false;
        self
    }

    /// Sets the number of cores of the machine, which are idle except for the target and the load
    /// generator. Call this before [`Made::server_cpu`].
    pub(crate) fn on_cores(mut self, cores: u64) -> Self {
        self.environment.cores = Some(cores);
        self.each(|slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            cpu.idle += cores as f64 - cpu.cores as f64;
            cpu.cores = cores;
        });
        self
    }

    /// Sets the number of cores that Tenbin may use, because of a quota or an affinity.
    pub(crate) fn on_own_cores(mut self, cores: u64) -> Self {
        self.environment.cores = Some(cores);
        self
    }

    pub(crate) fn on_unknown_machine(mut self) -> Self {
        self.environment.cores = None;
        self
    }

    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut Made<'_>)) {
        for slice in &mut self.slices {
            change(&mut Made(slice));
        }
    }

    pub(crate) fn each_of(&mut self, target: &str, mut change: impl FnMut(&mut Made<'_>)) {
        self.each(|made| {
            if made.0.target == target {
                change(made);
            }
        });
    }

    pub(crate) fn first_of(&mut self, target: &str) -> Made<'_> {
        let mut slices = self.slices.iter_mut();
        Made(slices.find(|slice| slice.target == target).unwrap())
    }

    /// Sets the parts of agents called `one`, `two` and so on, of each slice of a target.
    pub(crate) fn agents_of(
        &mut self,
        target: &str,
        mut parts: impl FnMut(&Slice) -> Vec<AgentPart>,
    ) {
        self.each_of(target, |slice| slice.0.agents = parts(slice.0));
        let names = ["one", "two", "three", "four", "five"];
        let named = names.map(|name| AgentEnvironment {
            name: name.to_owned(),
            hostname: None,
            cores: 4,
            cpu_model: Some("CPU".to_owned()),
            kernel: Some("6.1.0".to_owned()),
        });
        let count = self.slices.iter().map(|slice| slice.agents.len()).max();
        self.environment.agents = named.into_iter().take(count.unwrap_or(0)).collect();
    }

    /// Records the numbers of hits of a host for the first patterns of `get`, before and after the
    /// run, with 1,000 bytes per response.
    pub(crate) fn ask(
        &mut self,
        target: &str,
        host: &str,
        before: &[Option<u64>],
        after: Option<&[Option<u64>]>,
    ) {
        let sentence = |hits: &[Option<u64>]| {
            let asked = (0..).zip(hits).map(|(pattern, hits)| PatternHits {
                pattern,
                hits: *hits,
                bytes: Some(1_000),
            });
            asked.collect()
        };
        let known = self.environment.targets.entry(target.to_owned());
        let asked = known.or_default().asked.entry("get".to_owned());
        asked.or_default().push(HostHits {
            host: host.to_owned(),
            before: sentence(before),
            after: after.map(sentence),
        });
    }

    /// Lets a workload draw its requests from patterns, with `tolerance` for the numbers of hits.
    pub(crate) fn draw_patterns(&mut self, workload: &str, tolerance: &str) {
        let all = self.plan.workloads.iter_mut();
        for work in all.filter(|work| work.name == workload) {
            let mut http = tenbin_plan::HttpWork::plain("GET");
            http.patterns = Some(tenbin_plan::Patterns {
                hits_tolerance: tolerance.parse().unwrap(),
                ..tenbin_plan::Patterns::of("patterns.txt")
            });
            work.kind = tenbin_plan::WorkloadKind::Http(http);
        }
    }

    /// The findings of the rule that `info` describes.
    pub(crate) fn findings(&self, info: &RuleInfo) -> Vec<Finding> {
        let rule = RULES.iter().find(|rule| rule.info.name == info.name);
        let findings = rule.expect("in RULES").judge(&Evidence {
            plan: &self.plan,
            slices: &self.slices,
            cells: &crate::cell::cells(&self.plan, &self.slices),
            stretches: &stretches(
                &self.plan,
                &crate::cell::cells(&self.plan, &self.slices),
                &self.sustained,
            ),
            comparisons: &compare(&self.plan, &self.slices),
            complete: self.complete,
            cores: self.environment.cores.map(|cores| cores as usize),
            environment: &self.environment,
            integrity: &self.integrity,
        });
        for finding in &findings {
            let severity = finding.severity;
            assert!(info.severities.contains(&severity), "{severity:?}");
            assert_eq!(finding.rule, info.name);
        }
        findings
    }

    pub(crate) fn figures(&self) -> Vec<ResultOf> {
        let cells = cells(&self.plan, &self.slices);
        figures_of(&self.plan, &self.slices, &cells, &[], &self.environment)
    }

    pub(crate) fn assess(&self) -> Assessment {
        assess(
            &self.plan,
            &self.slices,
            AfterRounds {
                sustained: &self.sustained,
                limit_probes: &self.limit_probes,
            },
            self.complete,
            &self.environment,
            &self.integrity,
        )
    }
}

/// A slice that tests can change.
pub(crate) struct Made<'a>(pub(crate) &'a mut Slice);

impl Made<'_> {
    fn op(&mut self) -> &mut OpFigures {
        &mut self.0.ops[0]
    }

    /// Sets `count` correct responses of `seconds` each, without failures.
    pub(crate) fn answers(&mut self, count: u64, seconds: f64) {
        let op = self.op();
        op.counts.ok = count;
        op.counts.payload = count * 1_024;
        op.times.service.clear();
        op.times.service.record_n(nanos(seconds), count).unwrap();
        op.times.response = op.times.service.clone();
    }

    /// Sets the responses; `parts` holds (number of responses, seconds each).
    pub(crate) fn mixed(&mut self, parts: &[(u64, f64)]) {
        self.answers(parts.iter().map(|(count, _)| count).sum(), 0.002);
        let op = self.op();
        op.times.service.clear();
        for (count, seconds) in parts {
            op.times.service.record_n(nanos(*seconds), *count).unwrap();
        }
        op.times.response = op.times.service.clone();
    }

    /// Turns the responses into sub-requests; `steps` of them make one transaction.
    pub(crate) fn in_steps(&mut self, steps: u64) {
        let op = self.op();
        op.role = Role::Step;
        let mut whole = OpFigures::of("MULTIPART", Role::Transaction);
        whole.counts.ok = op.counts.ok / steps;
        let nanos = op.times.service.max() * steps;
        whole
            .times
            .service
            .record_n(nanos, whole.counts.ok)
            .unwrap();
        whole.times.response = whole.times.service.clone();
        self.0.ops.push(whole);
    }

    /// Sets `count` failed transactions, each after `seconds`.
    pub(crate) fn fail_wholes(&mut self, class: ErrorClass, count: u64, seconds: f64) {
        let whole = &mut self.0.ops[1];
        whole.errors.insert(class, count);
        whole.times.failed.record_n(nanos(seconds), count).unwrap();
    }

    pub(crate) fn fail(&mut self, class: ErrorClass, count: u64) {
        self.fail_after(class, count, 0.002);
    }

    pub(crate) fn fail_after(&mut self, class: ErrorClass, count: u64, seconds: f64) {
        let op = self.op();
        op.errors.insert(class, count);
        op.times.failed.record_n(nanos(seconds), count).unwrap();
    }

    pub(crate) fn status(&mut self, status: u16, count: u64) {
        self.op().statuses.insert(status, count);
    }

    pub(crate) fn failure_text(&mut self, text: &str, count: u64) {
        self.op().failures.insert(text.to_owned(), count);
    }

    pub(crate) fn censor(&mut self, count: u64) {
        self.fail_after(ErrorClass::Timeout, count, 5.0);
        self.op().counts.censored = count;
    }

    /// Sets `inside` connections opened inside the window, which took `seconds` in total. With
    /// `inside` = 0, the connections opened before the window took `seconds`.
    pub(crate) fn connecting(&mut self, inside: u64, seconds: f64) {
        let before = self.0.connections as u64;
        let ledger = &mut self.0.ledger;
        ledger.opened = before + inside;
        ledger.connect_nanos = match inside {
            0 => nanos(seconds),
            _ => nanos(seconds) / inside * ledger.opened,
        };
    }

    /// Sets the number of operations of an open loop that are due but unsent at the end of the
    /// slice.
    pub(crate) fn backlog(&mut self, count: u64) {
        self.0.backlog = count;
    }

    /// Sets `count` requests that the load generator sent `nanos` late although a connection was
    /// free.
    pub(crate) fn sent_late(&mut self, nanos: u64, count: u64) {
        let late = &mut self.0.late;
        late.clear();
        if let Some(bucket) = nanos.ilog2().checked_sub(tenbin_record::LATE_FROM_LOG2) {
            late.resize(bucket as usize + 1, 0);
            late[bucket as usize] = count;
        }
    }

    pub(crate) fn busiest_thread(&mut self, share: f64) {
        self.0.client.busiest_thread = share;
    }

    /// Sets the busiest load generator thread: the share of the time on a core and the share of the
    /// time waiting for a core.
    pub(crate) fn waiting_thread(&mut self, used: f64, waited: f64) {
        self.0.client.busiest_thread = used;
        self.0.client.readiest_thread = Some(ThreadTurn { used, waited });
    }

    /// Lets unrelated programs use `cores` of the idle cores.
    pub(crate) fn others(&mut self, cores: f64) {
        let machine = self.machine();
        machine.others_cpu_seconds = Some(cores);
        if let Some(cpu) = machine.cpu.as_mut() {
            cpu.busy += cores;
            cpu.idle = (cpu.idle - cores).max(0.0);
        }
    }

    /// Sets the CPU time of the target. The machine's CPU time becomes that of target and load
    /// generator; the rest is idle.
    pub(crate) fn server_cpu(&mut self, seconds: f64) {
        self.server().cpu_seconds = Some(seconds);
        let both = seconds + self.0.client.cpu_seconds;
        if let Some(cpu) = self
            .0
            .end
            .machine
            .as_mut()
            .and_then(|machine| machine.get_mut().cpu.as_mut())
        {
            let idle = (cpu.cores as f64 - both).max(0.0);
            (cpu.busy, cpu.interrupts, cpu.idle, cpu.iowait) = (both, 0.0, idle, 0.0);
        }
    }

    pub(crate) fn machine(&mut self) -> &mut MachineUse {
        self.0.end.machine.get_or_insert_default().get_mut()
    }

    pub(crate) fn server(&mut self) -> &mut ServerUse {
        self.0.end.server.get_or_insert_default().get_mut()
    }

    pub(crate) fn wire(&mut self) -> &mut WireUse {
        self.0.end.wire.get_or_insert_default().get_mut()
    }

    pub(crate) fn of_whole_host(&mut self) {
        self.server().scope = UseScope::Host;
    }

    pub(crate) fn unobserved(&mut self) {
        self.0.end.server = None;
    }

    pub(crate) fn cut_short(&mut self) {
        self.0.end.cut_short = true;
    }
}

/// The part of an agent: half of the load, correct operations of 2 ms, and the share of a core that
/// the busiest thread used.
pub(crate) fn agent(ok: u64, busiest_thread: f64) -> AgentPart {
    let mut part = AgentPart {
        ok,
        share: 0.5,
        client: ClientUse {
            busiest_thread,
            ..ClientUse::default()
        },
        ..AgentPart::default()
    };
    part.times.record_n(nanos(0.002), ok).unwrap();
    part
}

fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn plan(targets: &[&str], workloads: &[&str], rounds: u32) -> Plan {
    Plan {
        name: "made-up".to_owned(),
        seed: 1,
        threads: 1,
        rounds: Rounds {
            asked: None,
            count: rounds,
            until: None,
            slice: Duration::from_secs(1),
            gap: Duration::ZERO,
            warmup: Duration::ZERO,
            relaunch: Relaunch::Block,
            lead: Duration::ZERO,
            sustain: tenbin_plan::Sustain::Off,
            on_outage: tenbin_plan::OnOutage::default(),
            probes: tenbin_plan::Probes::default(),
        },
        targets: targets.iter().map(|name| target(name)).collect(),
        workloads: workloads.iter().map(|name| workload(name)).collect(),
        comparing: tenbin_plan::Comparing::default(),
        output: tenbin_plan::Output::default(),
        agents: None,
        corpus: None,
        gate: None,
    }
}

fn target(name: &str) -> Target {
    Target::new(name, Reach::Builtin(Builtin::Http))
}

fn workload(name: &str) -> Workload {
    Workload {
        name: name.to_owned(),
        kind: WorkloadKind::Http(HttpWork::plain("GET")),
        load: Load {
            pace: Pace::Closed,
            connections: 2,
            think: None,
            depth: 1,
            timeout: Duration::from_secs(5),
            keep_alive: true,
            reopen: None,
            requests: None,
        },
        stages: false,
    }
}

fn slice(index: u32, turn: &Turn, workload: &str, target: &str) -> Slice {
    let mut slice = Slice {
        head: SliceHead {
            index,
            block: turn.block,
            round: turn.round,
            workload: workload.to_owned(),
            target: target.to_owned(),
            connections: 2,
            closed_loop: true,
            start: f64::from(index) * 1.5,
            ..SliceHead::default()
        },
        end: SliceEnd {
            seconds: 1.0,
            server: Some(
                ServerUse {
                    cpu_seconds: Some(1.5),
                    rss_bytes: Some(10_000_000),
                    read_bytes: Some(0),
                    written_bytes: Some(2_048_000),
                    ..ServerUse::default()
                }
                .into(),
            ),
            machine: Some(machine().into()),
            wire: Some(
                WireUse {
                    connections: 2,
                    min_rtt_ns: Some(20_000),
                    retransmits: 0,
                    unneeded_retransmits: Some(0),
                    sent_segments: Some(4_000),
                    ..WireUse::default()
                }
                .into(),
            ),
            ..SliceEnd::default()
        },
        ops: vec![OpFigures::new("GET")],
        ledger: tenbin_record::Ledger {
            reused: 1_000,
            ..Default::default()
        },
        client: ClientUse {
            cpu_seconds: 0.2,
            busiest_thread: 0.2,
            ..ClientUse::default()
        },
        ..Slice::default()
    };
    Made(&mut slice).answers(1_000, 0.002);
    slice
}

/// A machine with two cores and no other programs.
fn machine() -> MachineUse {
    MachineUse {
        seconds: 1.0,
        cpu: Some(CpuUse {
            cores: 2,
            busy: 1.65,
            interrupts: 0.05,
            idle: 0.25,
            iowait: 0.05,
            steal: 0.0,
        }),
        own_cpu_seconds: Some(0.21),
        others_cpu_seconds: Some(0.03),
        programs: None,
        target_programs: None,
        pause: None,
        idle_targets: [("another".to_owned(), 0.005)].into(),
        target_here: Some(true),
        pressure: PressureUse {
            cpu_some_us: Some(20_000),
            io_some_us: Some(5_000),
            io_full_us: Some(1_000),
            memory_some_us: Some(0),
            memory_full_us: Some(0),
        },
        tcp: TcpUse {
            active_opens: Some(0),
            sent_segments: Some(4_000),
            retransmitted_segments: Some(0),
            listen_overflows: Some(0),
            listen_drops: Some(0),
            time_wait_before: Some(10),
            time_wait_after: Some(10),
        },
        swapped_pages: Some(0),
        throttled_periods: Some(0),
        throttled_us: Some(0),
        frequency: Some(FrequencyUse {
            fastest_mhz: 2_900.0,
            most_mhz: 3_000.0,
        }),
        governor: Some("performance".to_owned()),
        disk: Some(DiskUse {
            available_bytes: 100 << 30,
            size_bytes: 200 << 30,
        }),
        links: vec![LinkUse {
            name: "eth0".to_owned(),
            received_bytes: 1_000_000,
            sent_bytes: 1_000_000,
            bits_per_second: Some(1_000_000_000),
        }],
        ports: Some(PortsUse {
            count: 28_232,
            held_seconds: 1.0,
        }),
    }
}

/// (Number of GETs, milliseconds per GET, milliseconds of each stage by name).
pub(crate) type StageTimes<'a> = (u64, u64, &'a [(&'a str, u64)]);

/// The sums of stage times that a target reports for `parts`.
pub(crate) fn stages(parts: &[StageTimes<'_>]) -> StageSums {
    let mut get = OperationStages::default();
    for (at, (answers, millis, stages)) in parts.iter().enumerate() {
        get.add(&OperationStages {
            operation: String::new(),
            stages: stages.iter().map(|(name, _)| (*name).to_owned()).collect(),
            buckets: vec![BucketSums {
                bucket: at as u16,
                answers: *answers,
                service_ns: answers * millis * 1_000_000,
                carrying: *answers,
                stages: stages
                    .iter()
                    .map(|(_, spent)| StageSum {
                        named: *answers,
                        ns: answers * spent * 1_000_000,
                    })
                    .collect(),
                ..BucketSums::default()
            }],
        });
    }
    get.operation = "GET".to_owned();
    StageSums {
        operations: vec![get],
    }
}
