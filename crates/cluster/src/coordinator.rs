//! The coordinator: finds agents, gives each its part of a plan, starts slices on all agents at the
//! same time, and passes on their samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tenbin_engine::{Sample, SliceEvent, StageSums, TcpFigures};

use crate::bus::{Bus, Incoming, Server, read};
use crate::clock::{OtherClock, Probe};
use crate::error::ClusterError;
use crate::message::{
    Assignment, Event, Happened, Hello, Introduction, Lease, Order, SliceDone, SliceOrder, What,
};
use crate::subjects::{self, COORDINATOR_INBOX, HELLO, LEASE};
use crate::{BEAT, LEASE_TIME};

/// Interval at which waits check the stop flag and the signs of life.
const POLL: Duration = Duration::from_millis(20);
/// Interval between requests for introductions.
const HELLO_AGAIN: Duration = Duration::from_millis(500);
/// How long [`Coordinator::list`] waits for introductions.
const LIST_TIME: Duration = Duration::from_secs(1);
/// How long to look for agents.
const SEARCH_TIME: Duration = Duration::from_secs(30);
/// Probes of the clocks before each slice.
const PROBES: usize = 5;
/// Longest wait for the responses to a probe.
const PROBE_TIME: Duration = Duration::from_secs(1);
/// How long an order is valid.
const ORDER_TIME: Duration = Duration::from_secs(10);
/// Shortest time between the order to start and the start, besides the round trips.
const START_MARGIN: Duration = Duration::from_millis(20);
/// How long agents may take to prepare for a plan.
const PREPARE_TIME: Duration = Duration::from_secs(120);
/// How long after its planned end a slice may last, besides the timeout of requests.
const LAST_WAIT: Duration = Duration::from_secs(10);

/// A slice that all agents measure together.
#[derive(Debug, Clone)]
pub struct Slice<'a> {
    /// The order; [`SliceOrder::slice`] is set by the coordinator.
    pub order: SliceOrder,
    /// Names of the workload's operations.
    pub operations: &'a [&'static str],
    /// Timeout of requests, which limits the wait for connections and for the last responses.
    pub timeout: Duration,
}

/// The end of a slice that all agents measured.
#[derive(Debug)]
pub struct SliceOfAll {
    /// Sums and extremes over the agents; `spread` is known only of a single agent.
    pub done: SliceDone,
    /// Largest possible difference between the starts of two agents.
    pub skew: Duration,
}

struct Member {
    intro: Introduction,
    clock: Option<OtherClock>,
    heard: Instant,
    slice: Part,
}

/// An agent's part of the running slice.
#[derive(Debug, Default)]
struct Part {
    is_ready: bool,
    late: u64,
    samples: u64,
    is_closed: bool,
    done: Option<SliceDone>,
}

/// The agents of a run.
pub struct Coordinator {
    bus: Bus,
    received: Receiver<Incoming>,
    run: String,
    origin: Instant,
    members: Vec<Member>,
    slice: u64,
    lives: Arc<AtomicBool>,
    lease: Option<JoinHandle<()>>,
}

impl Coordinator {
    /// Connects to `server` and finds `count` agents: the first by name, if there are more. `run`
    /// identifies the run. `tell` receives the number of agents found so far.
    ///
    /// # Errors
    /// When the server cannot be reached, when too few agents are found within 30 seconds, when an
    /// agent has another version, or when `stop` is set.
    pub fn gather(
        server: &Server,
        run: &str,
        count: usize,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(usize),
    ) -> Result<Self, ClusterError> {
        let mut gathered = Self::connect(server, run)?;
        gathered.find(count, stop, tell)?;
        Ok(gathered)
    }

    fn connect(server: &Server, run: &str) -> Result<Self, ClusterError> {
        let listened = vec![subjects::events("*")];
        let name = format!("tenbin coordinator {run}");
        let (bus, received) = Bus::connect(server, &name, COORDINATOR_INBOX, listened)?;
        let lives = Arc::new(AtomicBool::new(true));
        Ok(Self {
            lease: Some(renew_lease(&bus, run, &lives)),
            bus,
            received,
            run: run.to_owned(),
            origin: Instant::now(),
            members: Vec::new(),
            slice: 0,
            lives,
        })
    }

    fn say_hello(&self) {
        let run = self.run.clone();
        self.bus.outbox().send(HELLO, &Hello { run });
    }

    /// All agents that respond within a second, by name.
    ///
    /// # Errors
    /// When the server cannot be reached, or `stop` is set.
    pub fn list(server: &Server, stop: &AtomicBool) -> Result<Vec<Introduction>, ClusterError> {
        let mut coordinator = Self::connect(server, "list")?;
        let mut found = Vec::new();
        let begun = Instant::now();
        coordinator.say_hello();
        while begun.elapsed() < LIST_TIME {
            check(stop)?;
            if let Some((_, Happened::Here(intro), _)) = coordinator.next(POLL)? {
                found.push(intro);
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn find(
        &mut self,
        count: usize,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(usize),
    ) -> Result<(), ClusterError> {
        let begun = Instant::now();
        let mut found: Vec<Introduction> = Vec::new();
        let mut asked: Option<Instant> = None;
        // Waits a moment longer than for the first agents, so that the choice does not depend on
        // which agent is quick.
        while found.len() < count || begun.elapsed() < HELLO_AGAIN {
            if begun.elapsed() > SEARCH_TIME {
                return Err(ClusterError::Agents(format!(
                    "found {} of {count} agents within {} s; start `tenbin agent` on every load \
                     machine, with the same NATS server",
                    found.len(),
                    SEARCH_TIME.as_secs()
                )));
            }
            check(stop)?;
            if asked.is_none_or(|asked| asked.elapsed() >= HELLO_AGAIN) {
                asked = Some(Instant::now());
                self.say_hello();
            }
            if let Some((_, Happened::Here(intro), _)) = self.next(POLL)?
                && !intro.is_busy
                && found.iter().all(|other| other.name != intro.name)
            {
                found.push(intro);
                tell(found.len());
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found.truncate(count);
        let own = env!("CARGO_PKG_VERSION");
        if let Some(other) = found.iter().find(|intro| intro.version != own) {
            return Err(ClusterError::Agents(format!(
                "agent \"{}\" is version {} of Tenbin, and this is version {own}; install the \
                 same version on all machines",
                other.name, other.version
            )));
        }
        let members = found.into_iter().map(|intro| Member {
            intro,
            clock: None,
            heard: Instant::now(),
            slice: Part::default(),
        });
        self.members = members.collect();
        self.probe(stop)
    }

    /// The agents, in the order of their numbers.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = &Introduction> {
        self.members.iter().map(|member| &member.intro)
    }

    /// Assigns every agent its part of a plan, each with `threads` load generator threads.
    ///
    /// # Errors
    /// When an agent refuses the plan or is lost, or when `stop` is set.
    pub fn prepare(
        &mut self,
        plan: &str,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        let agents = self.members.len();
        for agent in 0..agents {
            let assignment = Assignment {
                plan: plan.to_owned(),
                agent,
                agents,
                threads,
            };
            self.order(agent, What::Prepare(assignment));
        }
        let begun = Instant::now();
        let mut missing: Vec<bool> = vec![true; agents];
        while missing.contains(&true) {
            check(stop)?;
            if begun.elapsed() > PREPARE_TIME {
                return Err(ClusterError::Agents(format!(
                    "an agent was not prepared within {} s",
                    PREPARE_TIME.as_secs()
                )));
            }
            if let Some((agent, Happened::Prepared, _)) = self.heard()? {
                missing[agent] = false;
            }
        }
        Ok(())
    }

    /// Measures a slice on all agents at the same time. Passes the events to `listen`, with the
    /// samples of all agents. Setting `stop` ends the slice.
    ///
    /// # Errors
    /// When an agent is lost, samples of an agent are lost, or an agent cannot measure the slice.
    /// The slice is then void, and the agents are told to stop.
    pub fn slice(
        &mut self,
        slice: &Slice<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceOfAll, ClusterError> {
        self.slice += 1;
        let driven = self.drive(slice, stop, listen);
        if driven.is_err() {
            self.stop_slice();
        }
        driven
    }

    fn drive(
        &mut self,
        slice: &Slice<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceOfAll, ClusterError> {
        self.probe(stop)?;
        let number = self.slice;
        for agent in 0..self.members.len() {
            self.members[agent].slice = Part::default();
            let order = SliceOrder {
                slice: number,
                ..slice.order.clone()
            };
            self.order(agent, What::Slice(order));
        }
        self.await_ready(slice, stop)?;
        let start = self.start();
        let opens = start + Duration::from_nanos(slice.order.lead);
        let planned = Duration::from_nanos(slice.order.window);
        let limit = opens + planned + slice.timeout + LAST_WAIT;
        let (mut opened, mut closed, mut stopped) = (false, false, false);
        while self
            .members
            .iter()
            .any(|member| member.slice.done.is_none())
        {
            if stop.load(Ordering::Relaxed) && !stopped {
                stopped = true;
                self.stop_slice();
            }
            if Instant::now() > limit {
                return Err(self.unfinished("did not end the slice in time"));
            }
            if !opened && Instant::now() >= opens {
                opened = true;
                listen(SliceEvent::Opened);
            }
            let until_open = opens.saturating_duration_since(Instant::now());
            let wait = if opened { POLL } else { POLL.min(until_open) };
            let Some((agent, happened, _)) = self.next(wait)? else {
                self.check_alive()?;
                continue;
            };
            match happened {
                Happened::Sample {
                    slice: of,
                    sequence,
                    sample,
                } if of == number => {
                    if !opened {
                        opened = true;
                        listen(SliceEvent::Opened);
                    }
                    let sample = self.checked(agent, sequence, *sample, slice.operations)?;
                    listen(SliceEvent::Sample(Box::new(sample)));
                }
                Happened::Started { slice: of, late } if of == number => {
                    self.members[agent].slice.late = late;
                }
                Happened::Closed { slice: of } if of == number => {
                    self.members[agent].slice.is_closed = true;
                }
                Happened::Done {
                    slice: of,
                    samples,
                    done,
                } if of == number => {
                    let member = &mut self.members[agent];
                    if samples != member.slice.samples {
                        return Err(lost_samples(&member.intro.name));
                    }
                    member.slice.done = Some(done);
                }
                _ => {}
            }
            let through = |member: &Member| member.slice.is_closed || member.slice.done.is_some();
            if !closed && self.members.iter().all(through) {
                closed = true;
                listen(SliceEvent::Closed);
            }
        }
        Ok(self.sum())
    }

    fn await_ready(&mut self, slice: &Slice<'_>, stop: &AtomicBool) -> Result<(), ClusterError> {
        let limit = Instant::now() + slice.timeout.min(ORDER_TIME) + LAST_WAIT;
        let number = self.slice;
        while self.members.iter().any(|member| !member.slice.is_ready) {
            check(stop)?;
            if Instant::now() > limit {
                return Err(self.unfinished("did not open its connections in time"));
            }
            match self.heard()? {
                Some((agent, Happened::Ready { slice }, _)) if slice == number => {
                    self.members[agent].slice.is_ready = true;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Orders all agents to start at the same time, which is returned.
    fn start(&self) -> Instant {
        let errors = self.members.iter().filter_map(|member| member.clock);
        let longest = errors.map(|clock| clock.error).max().unwrap_or(0);
        let start = Instant::now() + START_MARGIN + Duration::from_nanos(4 * longest);
        let here = self.now(start);
        for (agent, member) in self.members.iter().enumerate() {
            let at = member.clock.map_or(0, |clock| clock.at(here));
            let slice = self.slice;
            self.order(agent, What::Start { slice, at });
        }
        start
    }

    fn stop_slice(&self) {
        for agent in 0..self.members.len() {
            self.order(agent, What::Stop { slice: self.slice });
        }
    }

    /// The sample as this process would have made it.
    fn checked(
        &mut self,
        agent: usize,
        sequence: u64,
        mut sample: Sample,
        operations: &[&'static str],
    ) -> Result<Sample, ClusterError> {
        let agents = self.members.len();
        let member = &mut self.members[agent];
        if sequence != member.slice.samples {
            return Err(lost_samples(&member.intro.name));
        }
        member.slice.samples += 1;
        if sample.ops.len() != operations.len() || sample.thread % agents != agent {
            return Err(ClusterError::Agents(format!(
                "agent \"{}\" sent figures of another workload",
                member.intro.name
            )));
        }
        for (op, name) in sample.ops.iter_mut().zip(operations) {
            op.name = name;
        }
        Ok(sample)
    }

    fn sum(&self) -> SliceOfAll {
        let parts = self.members.iter().filter_map(|it| it.slice.done.as_ref());
        let mut done = SliceDone {
            seconds: 0.0,
            cut_short: false,
            unmeasured: 0,
            tcp: None,
            stages: None,
            spread: None,
        };
        for part in parts {
            done.seconds = done.seconds.max(part.seconds);
            done.cut_short |= part.cut_short;
            done.unmeasured += part.unmeasured;
            done.tcp = match (done.tcp, part.tcp) {
                (Some(a), Some(b)) => Some(TcpFigures::and(a, b)),
                (a, b) => a.or(b),
            };
            if let Some(stages) = &part.stages {
                let sum = done.stages.get_or_insert_with(StageSums::default);
                sum.add(stages.clone());
            }
            if self.members.len() == 1 {
                done.spread = part.spread;
            }
        }
        let error = |member: &Member| {
            let clock = member.clock.map_or(0, |clock| clock.error);
            clock.max(member.slice.late)
        };
        let mut errors: Vec<u64> = self.members.iter().map(error).collect();
        errors.sort_unstable_by(|a, b| b.cmp(a));
        SliceOfAll {
            done,
            skew: Duration::from_nanos(errors.iter().take(2).sum()),
        }
    }

    /// Measures how far the clocks of the agents are from this machine's clock.
    fn probe(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        let mut probes: Vec<Vec<Probe>> = vec![Vec::new(); self.members.len()];
        for _ in 0..PROBES {
            let begun = Instant::now();
            let sent = self.now(begun);
            for agent in 0..self.members.len() {
                self.order(agent, What::Probe { sent });
            }
            let mut missing = self.members.len();
            while missing > 0 && begun.elapsed() < PROBE_TIME {
                check(stop)?;
                let Some((agent, happened, at)) = self.heard()? else {
                    continue;
                };
                if let Happened::Time {
                    sent: of,
                    received,
                    replied,
                } = happened
                    && of == sent
                {
                    missing -= 1;
                    let returned = self.now(at);
                    probes[agent].push(Probe {
                        sent,
                        received,
                        replied,
                        returned,
                    });
                }
            }
        }
        for (member, probes) in self.members.iter_mut().zip(probes) {
            let Some(clock) = OtherClock::of(&probes) else {
                return Err(ClusterError::Agents(format!(
                    "agent \"{}\" does not respond",
                    member.intro.name
                )));
            };
            member.clock = Some(clock);
        }
        Ok(())
    }

    fn now(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }

    fn order(&self, agent: usize, what: What) {
        let member = &self.members[agent];
        let expiry = self.now(Instant::now() + ORDER_TIME);
        // An agent whose clock is not known yet gets orders without an expiry: only probes.
        let expires = member.clock.map_or(u64::MAX, |clock| clock.at(expiry));
        let order = Order {
            run: self.run.clone(),
            expires,
            what,
        };
        let subject = subjects::orders(&member.intro.name);
        self.bus.outbox().send(&subject, &order);
    }

    /// The next event of an agent, with the agent's number; also checks that all agents live.
    fn heard(&mut self) -> Result<Option<(usize, Happened, Instant)>, ClusterError> {
        let next = self.next(POLL)?;
        self.check_alive()?;
        Ok(next)
    }

    /// The next event within `wait`, with the number of its agent (0 for an introduction).
    fn next(&mut self, wait: Duration) -> Result<Option<(usize, Happened, Instant)>, ClusterError> {
        let (subject, payload, at) = match self.received.recv_timeout(wait) {
            Ok(Incoming::Message {
                subject,
                payload,
                at,
            }) => (subject, payload, at),
            Ok(Incoming::TooSlow) => {
                return Err(ClusterError::Agents(
                    "messages of agents were lost, because this machine is too slow".to_owned(),
                ));
            }
            Ok(Incoming::Disconnected) | Err(_) => return Ok(None),
        };
        let Some(event) = read::<Event>(&payload).filter(|event| event.run == self.run) else {
            return Ok(None);
        };
        if let Happened::Here(_) = event.what {
            return Ok(Some((0, event.what, at)));
        }
        let is_from = |member: &Member| subjects::events(&member.intro.name) == subject;
        let Some(agent) = self.members.iter().position(is_from) else {
            return Ok(None);
        };
        self.members[agent].heard = at;
        match event.what {
            Happened::Refused { why } => Err(ClusterError::Agents(why)),
            what => Ok(Some((agent, what, at))),
        }
    }

    fn check_alive(&self) -> Result<(), ClusterError> {
        let is_silent = |member: &&Member| member.heard.elapsed() > LEASE_TIME;
        match self.members.iter().find(is_silent) {
            // Before an agent has prepared a plan, it sends no signs of life.
            Some(lost) if self.slice > 0 => Err(ClusterError::Agents(format!(
                "agent \"{}\" has given no sign of life for {} s",
                lost.intro.name,
                LEASE_TIME.as_secs()
            ))),
            _ => Ok(()),
        }
    }

    /// The error for the first agent that has not done its part of the slice.
    fn unfinished(&self, what: &str) -> ClusterError {
        let is_missing = |member: &&Member| match member.slice.is_ready {
            true => member.slice.done.is_none(),
            false => true,
        };
        let missing = self.members.iter().find(is_missing);
        let name = missing.map_or("?", |member| member.intro.name.as_str());
        ClusterError::Agents(format!("agent \"{name}\" {what}"))
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        for agent in 0..self.members.len() {
            self.order(agent, What::End);
        }
        self.lives.store(false, Ordering::Relaxed);
        if let Some(lease) = self.lease.take() {
            lease.thread().unpark();
            let _ = lease.join();
        }
    }
}

/// Sends the lease every second until `lives` is unset.
fn renew_lease(bus: &Bus, run: &str, lives: &Arc<AtomicBool>) -> JoinHandle<()> {
    let (outbox, lives) = (bus.outbox().clone(), Arc::clone(lives));
    let lease = Lease {
        run: run.to_owned(),
    };
    thread::spawn(move || {
        while lives.load(Ordering::Relaxed) {
            outbox.send(LEASE, &lease);
            thread::park_timeout(BEAT);
        }
    })
}

fn check(stop: &AtomicBool) -> Result<(), ClusterError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(ClusterError::Interrupted),
        false => Ok(()),
    }
}

fn lost_samples(agent: &str) -> ClusterError {
    ClusterError::Agents(format!("samples of agent \"{agent}\" were lost"))
}
