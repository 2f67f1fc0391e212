//! The coordinator: finds agents, gives each its part of a plan, starts slices on all agents at the
//! same time, and passes on their samples.

mod gather;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod many;
mod regroup;
mod signs;
mod slice;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::signs::SignsOfLife;
use self::slice::Part;
pub use self::slice::{PartOfAgent, Slice, SliceOfAll};
use crate::bus::{Bus, Inbox, Incoming, Server, read};
use crate::clock::{OtherClock, Probe};
use crate::error::ClusterError;
use crate::message::{Assignment, Event, Happened, Introduction, Lease, Order, Presence, What};
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
    slice: Part,
    parts: Parts,
    /// When the last part of a message arrived.
    sends_parts: Option<Instant>,
}

impl Member {
    fn new(intro: Introduction) -> Self {
        Self {
            intro,
            clock: None,
            slice: Part::default(),
            parts: Parts::default(),
            sends_parts: None,
        }
    }

    /// The subject of the agent's events.
    fn subject(&self) -> String {
        subjects::events(&self.intro.name)
    }

    fn lost(&self, what: &str) -> ClusterError {
        let agent = self.intro.name.clone();
        let why = format!("agent \"{agent}\" {what}");
        ClusterError::Lost { agent, why }
    }
}

/// The agents of a run.
pub struct Coordinator {
    bus: Bus,
    received: Inbox,
    signs: SignsOfLife,
    run: String,
    origin: Instant,
    members: Vec<Member>,
    /// The planned number of agents.
    planned: usize,
    /// Number of the last order to prepare or to measure.
    number: u64,
    /// The plan of the agents, once they have one.
    assignment: Option<Assignment>,
    /// Whether the connection to the server is lost.
    is_disconnected: bool,
    lives: Arc<AtomicBool>,
    lease: Option<JoinHandle<()>>,
}

impl Coordinator {
    fn connect(server: &Server, run: &str) -> Result<Self, ClusterError> {
        let listened = vec![subjects::events("*")];
        let name = format!("tenbin coordinator {run}");
        let signs = SignsOfLife::default();
        let filter = signs.filter(run);
        let (bus, received) = Bus::connect(server, &name, COORDINATOR_INBOX, listened, filter)?;
        let lives = Arc::new(AtomicBool::new(true));
        Ok(Self {
            lease: Some(renew_lease(&bus, run, &lives)),
            bus,
            received,
            signs,
            run: run.to_owned(),
            origin: Instant::now(),
            members: Vec::new(),
            planned: 0,
            number: 0,
            assignment: None,
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
        self.assignment = Some(assignment.clone());
        self.assign(stop)
    }

    /// Assigns every agent its part of the plan, if there is a plan yet.
    fn assign(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        let Some(assignment) = self.assignment.clone() else {
            return Ok(());
        };
        let agents = self.members.len();
        self.number += 1;
        let number = self.number;
        let of_agent = |agent| {
            let assignment = Assignment {
                agent,
                agents,
                ..assignment.clone()
            };
            parts::split(What::Prepare { number, assignment }, What::Part)
        };
        let orders = (0..agents).map(of_agent).collect::<Result<_, _>>();
        self.order_in_parts(orders.map_err(ClusterError::Agents)?);
        let begun = Instant::now();
        let mut is_prepared = vec![false; agents];
        while let Some(missing) = is_prepared.iter().position(|is_prepared| !is_prepared) {
            check(stop)?;
            if begun.elapsed() > PREPARE_TIME {
                let seconds = PREPARE_TIME.as_secs();
                let what = format!("was not prepared within {seconds} s");
                return Err(self.members[missing].lost(&what));
            }
            if let Some((agent, Happened::Prepared { number: of }, _)) = self.heard()?
                && of == number
            {
                is_prepared[agent] = true;
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
            match OtherClock::of(&probes) {
                Some(clock) => member.clock = Some(clock),
                None => return Err(member.lost("does not respond")),
            }
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
        while let Ok(incoming) = self.received.recv_timeout(Duration::ZERO) {
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
            Incoming::Forbidden => {
                return Err(ClusterError::Agents(
                    "the NATS server does not allow what a coordinator does with these \
                     credentials; use coordinator.creds, which `tenbin hub` wrote, not agent.creds"
                        .to_owned(),
                ));
            }
            Incoming::Disconnected => {
                self.is_disconnected = true;
                return Ok(None);
            }
            Incoming::Connected => {
                self.is_disconnected = false;
                return Ok(None);
            }
        };
        let Some(event) = read::<Event>(&payload) else {
            let intro = Presence::read(&payload).map(|presence| presence.introduction);
            let is_own = |intro: &Introduction| {
                is_agent_name(&intro.name) && subjects::events(&intro.name) == subject
            };
            let intro = intro.filter(is_own);
            return Ok(intro.map(|intro| (0, Happened::Here(intro), at)));
        };
        // Compares names instead of formatting the subject of every member: messages of many agents
        // arrive at once.
        let found = subjects::agent_of_events(&subject).and_then(|name| {
            let mut members = self.members.iter();
            members.position(|member| member.intro.name == name)
        });
        let Some(agent) = found else {
            return Ok(None);
        };
        let member = &mut self.members[agent];
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
            // The agent refuses an order of a slice that is void.
            Happened::Refused {
                number: Some(number),
                ..
            } if number < self.number => Ok(None),
            Happened::Refused { why, .. } => Err(ClusterError::Agents(one_line(&why))),
            Happened::Gone { why } => Err(ClusterError::Lost {
                agent: self.members[agent].intro.name.clone(),
                why: one_line(&why),
            }),
            what => Ok(Some((agent, what, at))),
        }
    }

    fn check_alive(&self) -> Result<(), ClusterError> {
        let is_silent = |member: &&Member| {
            let last = self.signs.last(&member.subject());
            last.is_none_or(|last| last.elapsed() > LEASE_TIME)
        };
        match self.members.iter().find(is_silent) {
            Some(_) if self.is_disconnected => Err(ClusterError::Agents(
                "the connection to the NATS server was lost".to_owned(),
            )),
            Some(lost) => {
                let seconds = LEASE_TIME.as_secs();
                Err(lost.lost(&format!("has given no sign of life for {seconds} s")))
            }
            None => Ok(()),
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
    use super::gather::Search;
    use super::*;
    use crate::bus::testing::{Arriving, Sent, bus};

    fn coordinator(names: &[&str]) -> (Coordinator, Sent, Arriving) {
        let (bus, sent, received, arriving) = bus();
        let coordinator = Coordinator {
            bus,
            received,
            signs: SignsOfLife::default(),
            run: "r".to_owned(),
            origin: Instant::now(),
            members: names.iter().map(|name| Member::new(agent(name))).collect(),
            planned: names.len(),
            number: 5,
            assignment: None,
            is_disconnected: false,
            lives: Arc::new(AtomicBool::new(true)),
            lease: None,
        };
        (coordinator, sent, arriving)
    }

    fn agent(name: &str) -> Introduction {
        Introduction {
            name: name.to_owned(),
            ..Introduction::default()
        }
    }

    fn event(what: Happened) -> Event {
        let run = "r".to_owned();
        Event { run, what }
    }

    #[test]
    fn an_agent_that_another_run_has_taken_is_not_reserved() {
        let (mut coordinator, mut sent, arriving) = coordinator(&[]);
        let mut search = Search::new(Duration::ZERO);
        search.free = ["load3", "load1", "load2"].map(agent).to_vec();
        arriving.add(&subjects::events("load1"), &event(Happened::Busy));
        arriving.add(&subjects::events("load2"), &event(Happened::Reserved));
        let stop = AtomicBool::new(false);
        let reserved = coordinator
            .reserve(&mut search, 1, &stop)
            .expect("no error");
        assert_eq!(reserved, 1);
        let names: Vec<&str> = coordinator.agents().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["load2"]);
        assert_eq!(search.free, [agent("load3")], "not needed");
        let mut orders = Vec::new();
        while let Some((subject, order)) = sent.next::<Order>() {
            orders.push((subject, matches!(order.what, What::Reserve)));
        }
        let expected = [("load1", true), ("load1", false), ("load2", true)];
        assert_eq!(
            orders,
            expected.map(|(name, is)| (subjects::orders(name), is))
        );
    }

    #[test]
    fn refusals_of_a_void_slice_do_not_count() {
        let (mut coordinator, _sent, arriving) = coordinator(&["load1"]);
        let refused = |number| {
            let why = "no".to_owned();
            event(Happened::Refused { number, why })
        };
        let subject = subjects::events("load1");
        arriving.add(&subject, &refused(Some(4)));
        assert!(matches!(coordinator.next(POLL), Ok(None)));
        for number in [Some(5), None] {
            arriving.add(&subject, &refused(number));
            assert!(matches!(
                coordinator.next(POLL),
                Err(ClusterError::Agents(_))
            ));
        }
        let why = "stopped".to_owned();
        arriving.add(&subject, &event(Happened::Gone { why }));
        let lost = coordinator.next(POLL);
        assert!(matches!(lost, Err(ClusterError::Lost { agent, .. }) if agent == "load1"));
    }

    #[test]
    fn a_run_without_agents_cannot_continue() {
        let (mut coordinator, mut sent, _arriving) = coordinator(&["load1"]);
        let stop = AtomicBool::new(false);
        let ended = coordinator.regroup("load1", Duration::ZERO, &stop);
        assert!(matches!(ended, Err(ClusterError::Agents(why)) if why == "no agent is left"));
        let (subject, order) = sent.next::<Order>().expect("an order");
        assert_eq!(subject, subjects::orders("load1"));
        assert!(matches!(order.what, What::End));
    }

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
