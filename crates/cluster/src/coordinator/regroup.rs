//! Continues a run after an agent was lost.

use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tenbin_plan::sentence;

use super::gather::{Search, other_build};
use super::{Coordinator, check};
use crate::error::ClusterError;
use crate::{BEAT, LEASE_TIME};

/// How long an agent without a heartbeat from the coordinator may send after its lease has ended.
const STOP_TIME: Duration = Duration::from_millis(200);

impl Coordinator {
    /// Continues without the agent `lost`. Looks for free agents for at most `time`, until the
    /// number of agents is the planned one again; the lost agent counts if it responds again. Then
    /// gives the plan to all agents again. Returns the agents that were lost meanwhile, by name, and
    /// how.
    ///
    /// # Errors
    /// When no agent is left, an agent refuses the plan, the connection to the NATS server is lost,
    /// or `stop` is set.
    pub fn regroup(
        &mut self,
        lost: &str,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<(String, String)>, ClusterError> {
        let mut search = Search::during_run(time);
        let mut further = Vec::new();
        self.lose(lost);
        loop {
            match self.fill_and_assign(&mut search, stop) {
                Err(ClusterError::Lost { agent, why }) => {
                    self.lose(&agent);
                    further.push((agent, why.to_string()));
                }
                done => return done.map(|()| further),
            }
        }
    }

    pub(super) fn lose(&mut self, lost: &str) {
        let agent = self.members.iter().position(|it| it.intro.name == lost);
        if let Some(agent) = agent {
            self.silent_from = self.silent_from.max(self.last_request_of(agent));
            let mut all = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(lost.to_owned(), self.number);
            drop(all);
            self.dismiss(agent);
        }
        // From now on, refusals of earlier orders do not count.
        self.number += 1;
    }

    /// The latest time at which an agent without a heartbeat can still send requests. It may have
    /// received heartbeats from this machine until its next own one was due, and one more if only
    /// its own direction was cut: without its acknowledgement, TCP delivers no further one.
    fn last_request_of(&self, agent: usize) -> Option<Instant> {
        let last = self.signs.last(&self.members[agent].subject())?;
        let is_silent = last.elapsed() > LEASE_TIME;
        is_silent.then(|| last + 2 * BEAT + LEASE_TIME + STOP_TIME)
    }

    /// Waits until no lost agent sends requests any longer.
    pub(super) fn await_silence(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        while self.silent_from.is_some_and(|from| Instant::now() < from) {
            check(stop)?;
            self.heard()?;
        }
        Ok(())
    }

    fn fill_and_assign(
        &mut self,
        search: &mut Search,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        while self.members.len() < self.planned && !search.is_over() {
            self.look(search, stop)?;
            self.check_alive()?;
            search.free.retain(|intro| other_build(intro).is_none());
            if search.is_long_enough() {
                let missing = self.planned - self.members.len();
                self.reserve(search, missing, stop)?;
            }
        }
        if self.members.is_empty() {
            return Err(ClusterError::Agents(sentence!(
                "no-agent-left", "no agent is left"
            )));
        }
        self.await_silence(stop)?;
        self.probe(stop)?;
        self.assign(stop)
    }
}
