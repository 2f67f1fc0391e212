//! Finds the agents of a run.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::slice::Part;
use super::{Coordinator, Member, POLL, check};
use crate::bus::Server;
use crate::error::ClusterError;
use crate::message::{Happened, Hello, Introduction};
use crate::parts::Parts;
use crate::subjects::HELLO;

/// Interval between requests for introductions.
const HELLO_AGAIN: Duration = Duration::from_millis(500);
/// How long [`Coordinator::list`] waits for introductions.
const LIST_TIME: Duration = Duration::from_secs(1);
/// How long to look for agents.
const SEARCH_TIME: Duration = Duration::from_secs(30);

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
            {
                match found.iter().find(|other| other.name == intro.name) {
                    None => {
                        found.push(intro);
                        tell(found.len().min(count));
                    }
                    Some(other) if other.instance != intro.instance => {
                        return Err(ClusterError::Agents(format!(
                            "two agents are called \"{}\"; give each its own --name",
                            intro.name
                        )));
                    }
                    Some(_) => {}
                }
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
            parts: Parts::default(),
            sends_parts: None,
        });
        self.members = members.collect();
        self.probe(stop)
    }

    fn say_hello(&self) {
        let run = self.run.clone();
        self.bus.outbox().send(HELLO, &Hello { run });
    }
}
