//! The coordinator: finds agents, gives each its part of a plan, starts slices on all agents at the
//! same time, and passes on their samples.

mod gather;
mod slice;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::slice::Part;
pub use self::slice::{Slice, SliceOfAll};
use crate::bus::{Bus, Incoming, Server, read};
use crate::clock::{OtherClock, Probe};
use crate::error::ClusterError;
use crate::message::{Assignment, Event, Happened, Introduction, Lease, Order, What};
use crate::parts::{self, Parts};
use crate::subjects::{self, COORDINATOR_INBOX, LEASE};
use crate::{BEAT, LEASE_TIME};

/// Interval at which waits check the stop flag and the signs of life.
const POLL: Duration = Duration::from_millis(20);
/// Probes of the clocks before each slice.
const PROBES: usize = 5;
/// Longest wait for the responses to a probe.
const PROBE_TIME: Duration = Duration::from_secs(1);
/// How long an order is valid.
const ORDER_TIME: Duration = Duration::from_secs(10);
/// How long a part of a large order may take to reach its agent.
const PART_TIME: Duration = Duration::from_millis(50);
/// How long agents may take to prepare for a plan.
const PREPARE_TIME: Duration = Duration::from_secs(120);

/// Longest name of an agent, bytes.
const LONGEST_NAME: usize = 64;
/// Longest text of an agent that is shown, characters.
const LONGEST_TEXT: usize = 500;

struct Member {
    intro: Introduction,
    clock: Option<OtherClock>,
    heard: Instant,
    slice: Part,
    parts: Parts,
    /// When the last part of a message arrived.
    sends_parts: Option<Instant>,
}

/// The agents of a run.
pub struct Coordinator {
    bus: Bus,
    received: Receiver<Incoming>,
    run: String,
    origin: Instant,
    members: Vec<Member>,
    slice: u64,
    /// Whether the agents have received a plan: from then on, they send signs of life.
    is_assigned: bool,
    /// Whether the connection to the server was lost, and no message has arrived since.
    is_disconnected: bool,
    lives: Arc<AtomicBool>,
    lease: Option<JoinHandle<()>>,
}

impl Coordinator {
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
            is_assigned: false,
            is_disconnected: false,
            lives,
        })
    }

    /// The agents, in the order of their numbers.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = &Introduction> {
        self.members.iter().map(|member| &member.intro)
    }

    /// Assigns every agent its part of a plan. The coordinator sets the numbers of the agents.
    ///
    /// # Errors
    /// When an agent refuses the plan or is lost, or when `stop` is set.
    pub fn prepare(
        &mut self,
        assignment: &Assignment,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        let agents = self.members.len();
        let of_agent = |agent| {
            let assignment = Assignment {
                agent,
                agents,
                ..assignment.clone()
            };
            parts::split(What::Prepare(assignment), What::Part)
        };
        let orders = (0..agents).map(of_agent).collect::<Result<_, _>>();
        self.order_in_parts(orders.map_err(ClusterError::Agents)?);
        self.is_assigned = true;
        self.members
            .iter_mut()
            .for_each(|member| member.heard = Instant::now());
        let begun = Instant::now();
        let mut missing: Vec<bool> = vec![true; agents];
        while missing.contains(&true) {
            check(stop)?;
            if begun.elapsed() > PREPARE_TIME {
                let missing = self
                    .members
                    .iter()
                    .zip(&missing)
                    .find(|(_, missing)| **missing);
                return Err(ClusterError::Agents(format!(
                    "agent \"{}\" was not prepared within {} s",
                    missing.map_or("?", |(member, _)| &member.intro.name),
                    PREPARE_TIME.as_secs()
                )));
            }
            if let Some((agent, Happened::Prepared, _)) = self.heard()? {
                missing[agent] = false;
            }
        }
        Ok(())
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
        self.order_within(agent, what, ORDER_TIME);
    }

    /// Sends each agent the parts of its order, and returns how much longer than an order in one
    /// part they may take. The agents get their parts in turn, so that none waits for the others.
    fn order_in_parts(&self, mut orders: Vec<Vec<What>>) -> Duration {
        let parts: usize = orders.iter().map(Vec::len).sum();
        let longer = PART_TIME * (parts - orders.len()) as u32;
        orders.iter_mut().for_each(|parts| parts.reverse());
        while orders.iter().any(|parts| !parts.is_empty()) {
            for (agent, parts) in orders.iter_mut().enumerate() {
                if let Some(what) = parts.pop() {
                    self.order_within(agent, what, ORDER_TIME + longer);
                }
            }
        }
        longer
    }

    fn order_within(&self, agent: usize, what: What, time: Duration) {
        let member = &self.members[agent];
        let expiry = self.now(Instant::now() + time);
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
        if next.is_none() {
            self.check_alive()?;
        }
        Ok(next)
    }

    /// Reads the messages that arrived while nothing was ordered.
    fn catch_up(&mut self) -> Result<(), ClusterError> {
        while let Ok(incoming) = self.received.try_recv() {
            self.digest(incoming)?;
        }
        Ok(())
    }

    /// The next event within `wait`, with the number of its agent (0 for an introduction).
    fn next(&mut self, wait: Duration) -> Result<Option<(usize, Happened, Instant)>, ClusterError> {
        match self.received.recv_timeout(wait) {
            Ok(incoming) => self.digest(incoming),
            Err(_) => Ok(None),
        }
    }

    /// The event in a message, if it is one for this run.
    fn digest(
        &mut self,
        incoming: Incoming,
    ) -> Result<Option<(usize, Happened, Instant)>, ClusterError> {
        let (subject, payload, at) = match incoming {
            Incoming::Message {
                subject,
                payload,
                at,
            } => (subject, payload, at),
            Incoming::TooSlow => {
                return Err(ClusterError::Agents(
                    "messages of agents were lost, because this machine is too slow".to_owned(),
                ));
            }
            Incoming::TooLarge(bytes) => {
                return Err(ClusterError::Agents(format!(
                    "a message of {bytes} bytes is larger than the NATS server allows; raise \
                     max_payload in its configuration"
                )));
            }
            Incoming::Disconnected => {
                self.is_disconnected = true;
                return Ok(None);
            }
        };
        self.is_disconnected = false;
        let Some(event) = read::<Event>(&payload).filter(|event| event.run == self.run) else {
            return Ok(None);
        };
        if let Happened::Here(intro) = &event.what {
            let is_own = is_agent_name(&intro.name) && subjects::events(&intro.name) == subject;
            return Ok(is_own.then_some((0, event.what, at)));
        }
        let is_from = |member: &Member| subjects::events(&member.intro.name) == subject;
        let Some(agent) = self.members.iter().position(is_from) else {
            return Ok(None);
        };
        let member = &mut self.members[agent];
        member.heard = at;
        let what = match event.what {
            Happened::Part(part) => {
                member.sends_parts = Some(at);
                let wrong = |why| {
                    let name = &member.intro.name;
                    ClusterError::Agents(format!("agent \"{name}\": {why}"))
                };
                match member.parts.add(&part).map_err(wrong)? {
                    Some(what) => what,
                    None => return Ok(None),
                }
            }
            what => what,
        };
        match what {
            Happened::Refused { why } => Err(ClusterError::Agents(one_line(&why))),
            what => Ok(Some((agent, what, at))),
        }
    }

    fn check_alive(&self) -> Result<(), ClusterError> {
        let is_silent = |member: &&Member| member.heard.elapsed() > LEASE_TIME;
        match self.members.iter().find(is_silent) {
            Some(_) if self.is_disconnected => Err(ClusterError::Agents(
                "the connection to the NATS server was lost".to_owned(),
            )),
            // Before an agent has received a plan, it sends no signs of life.
            Some(lost) if self.is_assigned => Err(ClusterError::Agents(format!(
                "agent \"{}\" has given no sign of life for {} s",
                lost.intro.name,
                LEASE_TIME.as_secs()
            ))),
            _ => Ok(()),
        }
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

/// Whether the name of an agent can be a part of a subject.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_fine)
}

/// A text of an agent as one line of limited length.
fn one_line(text: &str) -> String {
    let plain = text.chars().take(LONGEST_TEXT);
    plain
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_subjects() {
        assert!(is_agent_name("load-1_a"));
        for name in ["", "a.b", "*", ">", "a b", "a\n", &"a".repeat(65)] {
            assert!(!is_agent_name(name), "{name:?}");
        }
    }

    #[test]
    fn texts_of_agents_are_one_line() {
        assert_eq!(one_line("a\nerror: \u{1b}[31mb"), "a error:  [31mb");
        assert_eq!(one_line(&"x".repeat(9_000)).len(), LONGEST_TEXT);
    }
}
