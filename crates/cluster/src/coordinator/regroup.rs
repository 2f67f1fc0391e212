//! Continues a run after an agent was lost.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Coordinator;
use super::gather::{Search, other_build};
use crate::error::ClusterError;

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
        // From now on, refusals of earlier orders do not count.
        self.number += 1;
        let mut search = Search::during_run(time);
        let mut further = Vec::new();
        self.lose(lost);
        loop {
            match self.fill_and_assign(&mut search, stop) {
                Err(ClusterError::Lost { agent, why }) => {
                    self.lose(&agent);
                    further.push((agent, why));
                }
                done => return done.map(|()| further),
            }
        }
    }

    fn lose(&mut self, lost: &str) {
        let agent = self.members.iter().position(|it| it.intro.name == lost);
        if let Some(agent) = agent {
            self.dismiss(agent);
        }
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
            return Err(ClusterError::Agents("no agent is left".to_owned()));
        }
        self.probe(stop)?;
        self.assign(stop)
    }
}
