//! Many agents, simulated on one connection: what they cost the coordinator.
//!
//! The test runs with 64 agents. For figures:
//!
//! ```sh
//! TENBIN_MANY=1000 cargo test --release -p tenbin-cluster many -- --nocapture
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::{OpSample, Sample, SliceEvent};

use super::{Coordinator, Slice};
use crate::BEAT;
use crate::bus::{Bus, Inbox, Incoming, Outbox, Server, read};
use crate::creds::Creds;
use crate::hub::{self, Options};
use crate::message::{
    Assignment, Event, FORMAT, Happened, Hello, Introduction, Order, Presence, SliceDone,
    SliceOrder, What,
};
use crate::subjects::{self, AGENT_INBOX, HELLO};

/// Length of the measured slice, seconds.
const SECONDS: u64 = 5;
const SECOND: u64 = 1_000_000_000;
/// How long to look for the agents.
const LIMIT: Duration = Duration::from_secs(30);

/// A hub with a real NATS server; killed on drop.
struct RunningHub {
    child: Child,
    directory: tempfile::TempDir,
    url: String,
}

impl RunningHub {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = Options {
            listen: "127.0.0.1:0".parse().unwrap(),
            directory: directory.path().join("hub"),
            names: Vec::new(),
        };
        let hub = hub::prepare(&options).unwrap();
        let child = Command::new(nats_server())
            .args(hub::ARGUMENTS)
            .current_dir(&hub.directory)
            .stderr(Stdio::null())
            .spawn()
            .expect("nats-server starts");
        let start = Instant::now();
        while std::net::TcpStream::connect(hub.local).is_err() {
            assert!(start.elapsed() < Duration::from_secs(30), "no hub");
            thread::sleep(Duration::from_millis(20));
        }
        Self {
            child,
            directory,
            url: hub.url,
        }
    }

    fn server(&self, creds: &str) -> Server {
        let file = self.directory.path().join("hub").join(creds);
        Server {
            url: self.url.clone(),
            creds: Some(Creds::read(&file).unwrap()),
        }
    }
}

impl Drop for RunningHub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The NATS server that `cargo xtask setup` installs.
fn nats_server() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let servers = set("TENBIN_SERVERS")
        .or_else(|| Some(cache()?.join("tenbin/servers/bin")))
        .expect("a home directory");
    let program = servers.join("nats-server");
    assert!(program.is_file(), "run `cargo xtask setup`");
    program
}

fn name(agent: usize) -> String {
    format!("agent-{agent:04}")
}

/// All agents, which share one connection.
struct Swarm {
    outbox: Outbox,
    origin: Instant,
    agents: usize,
    run: String,
    sample: Sample,
    /// The running slice, with its start on the clock of the agents.
    running: Option<(u64, u64)>,
    /// Seconds of the running slice that are reported.
    reported: u64,
    /// Longest delay of an order to start, nanoseconds.
    late: u64,
}

impl Swarm {
    fn now(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }

    fn send(&self, agent: usize, what: Happened) {
        let run = self.run.clone();
        let subject = subjects::events(&name(agent));
        self.outbox.send(&subject, &Event { run, what });
    }

    fn send_all(&self, what: impl Fn(usize) -> Happened) {
        (0..self.agents).for_each(|agent| self.send(agent, what(agent)));
    }

    fn introduction(&self, agent: usize) -> Introduction {
        Introduction {
            name: name(agent),
            format: FORMAT,
            instance: 1,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hostname: Some(name(agent)),
            cores: 16,
            allow: vec!["127.0.0.0/8".to_owned()],
            now: self.now(Instant::now()),
            ..Introduction::default()
        }
    }

    /// Sends the samples of second `second` of the slice, of all agents at once.
    fn report(&mut self, slice: u64, second: u64) {
        self.sample.start = second * SECOND;
        self.sample.end = (second + 1) * SECOND;
        for agent in 0..self.agents {
            self.sample.thread = agent;
            let sample = Box::new(self.sample.clone());
            let sequence = second;
            self.send(
                agent,
                Happened::Sample {
                    slice,
                    sequence,
                    sample,
                },
            );
        }
    }

    /// Responds to orders as agents do, until `stop` is set.
    fn live(mut self, received: &Inbox, stop: &AtomicBool) {
        let mut beat = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let message = received.recv_timeout(Duration::from_millis(1));
            if let Ok(Incoming::Message {
                subject,
                payload,
                at,
            }) = message
            {
                if subject == HELLO {
                    self.introduce_all(read::<Hello>(&payload).unwrap().run);
                }
                let agent = subjects::agent_of_order(&subject);
                if let Some(agent) = agent.and_then(|name| name[6..].parse().ok()) {
                    let order: Order = read(&payload).unwrap();
                    self.obey(agent, order.what, at);
                }
            }
            if beat.elapsed() >= BEAT {
                beat = Instant::now();
                self.send_all(|_| Happened::Alive);
            }
            self.measure();
        }
    }

    fn introduce_all(&mut self, run: String) {
        self.run = run;
        for agent in 0..self.agents {
            let presence = Presence {
                run: self.run.clone(),
                introduction: self.introduction(agent),
            };
            let subject = subjects::events(&name(agent));
            self.outbox.send_named(&subject, &presence);
        }
    }

    fn obey(&mut self, agent: usize, order: What, at: Instant) {
        match order {
            What::Probe { sent } => {
                let (received, replied) = (self.now(at), self.now(Instant::now()));
                let time = Happened::Time {
                    sent,
                    received,
                    replied,
                };
                self.send(agent, time);
            }
            What::Reserve { .. } => self.send(agent, Happened::Reserved),
            What::Prepare { number, .. } => self.send(agent, Happened::Prepared { number }),
            What::Slice(order) => {
                let slice = order.slice;
                self.send(agent, Happened::Ready { slice });
            }
            What::Start { slice, at } => {
                let late = self.now(Instant::now()).saturating_sub(at);
                self.late = self.late.max(late);
                (self.running, self.reported) = (Some((slice, at)), 0);
            }
            What::Close { .. } | What::Examine { .. } | What::Part { .. } => {}
            What::Stop { .. } | What::End => self.running = None,
        }
    }

    /// Reports the next second of the running slice when it is over, and ends the slice after its last.
    fn measure(&mut self) {
        let Some((slice, start)) = self.running else {
            return;
        };
        if self.now(Instant::now()) >= start + (self.reported + 1) * SECOND {
            self.report(slice, self.reported);
            self.reported += 1;
        }
        if self.reported == SECONDS {
            self.running = None;
            self.send_all(|_| Happened::Closed { slice });
            self.send_all(|_| Happened::Done {
                slice,
                samples: SECONDS,
                done: SliceDone {
                    seconds: SECONDS as f64,
                    late: self.late,
                    ..SliceDone::default()
                },
            });
        }
    }
}

/// A sample with 1,000 requests of 0.1 to 10 ms.
fn typical_sample() -> Sample {
    let mut op = OpSample::new("GET");
    let mut state = 1_u64;
    for _ in 0..1_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let share = (state >> 11) as f64 / (1_u64 << 53) as f64;
        let nanos = (1e5 * 100_f64.powf(share)) as u64;
        op.counts.ok += 1;
        op.times.service.record(nanos).unwrap();
        op.times.response.record(nanos + nanos / 10).unwrap();
        op.times.lag.record(nanos / 10).unwrap();
        op.times.first_byte.record(nanos - nanos / 20).unwrap();
    }
    op.statuses.insert(200, 1_000);
    Sample {
        ops: vec![op],
        ..Sample::default()
    }
}

/// Kernel IDs of the threads of this process.
fn threads() -> BTreeSet<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.map(|task| task.file_name().to_string_lossy().into_owned());
    names.collect()
}

/// CPU time of threads, seconds.
fn cpu(threads: &BTreeSet<String>) -> f64 {
    let of = |thread: &String| -> Option<f64> {
        let text = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    };
    threads.iter().filter_map(of).sum()
}

#[test]
fn a_coordinator_receives_every_sample_of_many_agents() {
    let agents: usize = std::env::var("TENBIN_MANY").map_or(64, |count| count.parse().unwrap());
    let hub = RunningHub::start();
    let listened = vec![HELLO.to_owned(), subjects::orders("*")];
    let (bus, received) = Bus::connect(
        &hub.server(hub::AGENT_CREDS),
        "swarm",
        AGENT_INBOX,
        listened,
        Box::new(|_, _, _| true),
    )
    .unwrap();
    let swarm = Swarm {
        outbox: bus.outbox().clone(),
        origin: Instant::now(),
        agents,
        run: String::new(),
        sample: typical_sample(),
        running: None,
        reported: 0,
        late: 0,
    };
    let bytes = rmp_serde::to_vec(&swarm.sample).unwrap().len();
    let stop = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&stop);
    let swarm = thread::spawn(move || swarm.live(&received, &until));
    let others = threads();
    let coordinator = thread::spawn(move || measure(&hub, agents, &others));
    let (count, report) = coordinator.join().unwrap();
    stop.store(true, Ordering::Relaxed);
    swarm.join().unwrap();
    assert_eq!(count, agents as u64 * SECONDS);
    eprintln!("{agents} agents, {bytes} bytes a sample: {report}");
}

/// Measures a slice with a coordinator; returns the number of samples, and the times in words.
fn measure(hub: &RunningHub, agents: usize, others: &BTreeSet<String>) -> (u64, String) {
    let never = AtomicBool::new(false);
    let server = hub.server(hub::COORDINATOR_CREDS);
    let start = Instant::now();
    let mut coordinator =
        Coordinator::gather(&server, "many", (agents, LIMIT), &never, &mut |_| {}).unwrap();
    let gathered = start.elapsed();
    let plan = Assignment {
        plan: "#".repeat(4_096),
        threads: agents,
        ..Assignment::default()
    };
    coordinator.prepare(&plan, &never).unwrap();
    let prepared = start.elapsed() - gathered;
    let mut own = threads();
    own.retain(|thread| !others.contains(thread));
    let slice = Slice {
        order: SliceOrder {
            seed: 1,
            window: SECONDS * SECOND,
            ..SliceOrder::default()
        },
        operations: &["GET"],
        timeout: Duration::from_secs(30),
    };
    let (ordered, mut opened, mut cpu_before) = (Instant::now(), Instant::now(), 0.0);
    let (mut count, mut latest) = (0, Duration::ZERO);
    let all = coordinator.slice(&slice, &never, &mut |event| match event {
        SliceEvent::Opened => (opened, cpu_before) = (Instant::now(), cpu(&own)),
        SliceEvent::Sample(sample) => {
            count += 1;
            let due = opened + Duration::from_nanos(sample.end);
            latest = latest.max(due.elapsed());
        }
        SliceEvent::Closed => {}
    });
    let share = (cpu(&own) - cpu_before) / SECONDS as f64;
    let skew = all.unwrap().skew.unwrap_or_default();
    let report = format!(
        "found in {gathered:.2?}, prepared in {prepared:.2?}, slice opened after {:.2?}, start skew \
         {skew:.2?}, {:.1} % of a core, a second's last sample {latest:.2?} after its end",
        opened - ordered,
        share * 100.0,
    );
    (count, report)
}
