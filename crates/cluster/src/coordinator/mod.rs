//! The coordinator: finds agents, gives each its part of a plan, starts slices on all agents at the
//! same time, and passes on their samples.

mod clocks;
mod gather;
mod orders;
mod plausible;
mod regroup;
mod signs;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod simulated_agents;
mod slice;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tenbin_plan::{Argument, Sentence, sentence};

pub use self::gather::ListedAgent;
use self::signs::SignsOfLife;
use self::slice::Part;
pub use self::slice::{PartOfAgent, Slice, SliceOfAll};
use crate::bus::{Bus, Inbox, Incoming, Server, read};
use crate::clock::OtherClock;
use crate::error::ClusterError;
use crate::message::{Assignment, Event, Happened, Introduction, Lease, Presence, What};
use crate::parts::Parts;
use crate::subjects::{self, COORDINATOR_INBOX, LEASE};
use crate::{BEAT, LEASE_TIME};

/// Interval at which waits check the stop flag and the heartbeats.
const POLL: Duration = Duration::from_millis(20);

/// Time between two checks of the heartbeats after which the second check waits for heartbeats.
const STANDSTILL: Duration = Duration::from_millis(500);

/// Longest name of an agent, bytes.
const LONGEST_NAME: usize = 64;
/// Longest text of an agent that is shown, characters.
const LONGEST_TEXT: usize = 500;
/// Longest sentence of an agent with its arguments, bytes.
const LONGEST_SENTENCE: usize = 16 << 10;

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

    fn lost(&self, what: Sentence) -> ClusterError {
        let agent = self.intro.name.clone();
        let why = sentence!("agent-does", "agent \"{agent}\" {what}", agent, what);
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
    /// When the last lost agent has stopped sending.
    silent_from: Option<Instant>,
    /// When the heartbeats were last checked.
    checked: Instant,
    /// [`Lease::lost`].
    lost: Arc<Mutex<BTreeMap<String, u64>>>,
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
        let lost = Arc::default();
        Ok(Self {
            lease: Some(renew_lease(&bus, run, &lost, &lives)),
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
            silent_from: None,
            checked: Instant::now(),
            lost,
            lives,
        })
    }

    /// The agents, in the order of their numbers.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = &Introduction> {
        self.members.iter().map(|member| &member.intro)
    }

    fn now(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
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
        let Some((subject, payload, at)) = self.message(incoming)? else {
            return Ok(None);
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
                match member.parts.add(&part) {
                    Ok(Some(what)) => what,
                    Ok(None) => return Ok(None),
                    Err(why) => {
                        return Err(member.lost(sentence!(
                            "broken-message", "sent a broken message: {why}", why
                        )));
                    }
                }
            }
            what => what,
        };
        match what {
            // The agent refuses an order of a slice that is void.
            Happened::Refused {
                number: Some(number),
                ..
            }
            | Happened::Missed {
                number: Some(number),
                ..
            } if number < self.number => Ok(None),
            Happened::Refused { why, .. } => Err(ClusterError::Agents(limited(why))),
            Happened::Gone { why } | Happened::Missed { why, .. } => Err(ClusterError::Lost {
                agent: self.members[agent].intro.name.clone(),
                why: limited(why),
            }),
            what => Ok(Some((agent, what, at))),
        }
    }

    /// The message, with its subject and time of arrival; `None` for a change of the connection.
    fn message(
        &mut self,
        incoming: Incoming,
    ) -> Result<Option<(String, Vec<u8>, Instant)>, ClusterError> {
        let problem = match incoming {
            Incoming::Message {
                subject,
                payload,
                at,
            } => return Ok(Some((subject, payload, at))),
            Incoming::Disconnected | Incoming::Connected => {
                self.is_disconnected = matches!(incoming, Incoming::Disconnected);
                return Ok(None);
            }
            Incoming::TooSlow => sentence!(
                "messages-of-agents-lost",
                "messages of agents were lost, because this machine is too slow"
            ),
            Incoming::TooLarge(bytes) => sentence!(
                "message-above-nats-limit",
                "a message of {bytes} bytes is larger than the NATS server allows; raise \
                 max_payload in its configuration",
                bytes
            ),
            Incoming::Forbidden => sentence!(
                "coordinator-forbidden",
                "the NATS server does not allow what a coordinator does with these credentials; \
                 use coordinator.creds, which `tenbin hub` wrote, not agent.creds"
            ),
        };
        Err(ClusterError::Agents(problem))
    }

    fn check_alive(&mut self) -> Result<(), ClusterError> {
        // After this process was suspended, its NATS client may not have read the heartbeats yet.
        let before = std::mem::replace(&mut self.checked, Instant::now());
        if before.elapsed() > STANDSTILL {
            return Ok(());
        }
        let is_silent = |member: &&Member| {
            let last = self.signs.last(&member.subject());
            last.is_none_or(|last| last.elapsed() > LEASE_TIME)
        };
        match self.members.iter().find(is_silent) {
            Some(_) if self.is_disconnected => Err(ClusterError::Agents(sentence!(
                "nats-connection-lost",
                "the connection to the NATS server was lost"
            ))),
            Some(lost) => Err(lost.lost(sentence!(
                "no-heartbeat-sent",
                "sent no heartbeat for {seconds} s",
                seconds = LEASE_TIME.as_secs()
            ))),
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
fn renew_lease(
    bus: &Bus,
    run: &str,
    lost: &Arc<Mutex<BTreeMap<String, u64>>>,
    lives: &Arc<AtomicBool>,
) -> JoinHandle<()> {
    let (outbox, lives) = (bus.outbox().clone(), Arc::clone(lives));
    let (run, lost) = (run.to_owned(), Arc::clone(lost));
    thread::spawn(move || {
        while lives.load(Ordering::Relaxed) {
            let lease = Lease {
                run: run.clone(),
                // The map is valid after each change.
                lost: lost.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            };
            outbox.send(LEASE, &lease);
            thread::park_timeout(BEAT);
        }
    })
}

fn check(stop: &AtomicBool) -> Result<(), ClusterError> {
    if stop.load(Ordering::Relaxed) {
        Err(ClusterError::Interrupted)
    } else {
        Ok(())
    }
}

/// Whether the name of an agent can be a part of a subject.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_fine)
}

/// A text of an agent as one line of limited length.
fn one_line(text: &str) -> String {
    let short: String = text.chars().take(LONGEST_TEXT).collect();
    without_breaks(&short)
}

/// A text with spaces in place of line breaks and other control characters.
fn without_breaks(text: &str) -> String {
    let plain = text.chars();
    plain
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A sentence of an agent as one line; only its English text, of limited length, if it is longer than
/// sentences are.
fn limited(why: Sentence) -> Sentence {
    let bytes = rmp_serde::to_vec(&why).map_or(usize::MAX, |bytes| bytes.len());
    if bytes <= LONGEST_SENTENCE && is_short(&why) {
        return why.with_texts(&without_breaks);
    }
    one_line(why.text()).into()
}

/// Whether all texts of a sentence are short.
fn is_short(said: &Sentence) -> bool {
    let is_fine = |text: &str| text.len() <= 4 * LONGEST_TEXT;
    is_fine(said.text())
        && said.args().all(|(_, value)| match value {
            Argument::Text(text) | Argument::Fixed(text) => is_fine(text),
            Argument::Names(names) => names.iter().all(|name| is_fine(name)),
            Argument::Parts(parts) => parts.iter().all(is_short),
        })
}

#[cfg(test)]
mod tests;
