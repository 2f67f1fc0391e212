//! A target that is up.

use tenbin_plan::Credentials;
use url::Url;

use crate::error::{Exit, LogTail, TargetError};
use crate::launch::Nodes;
use crate::observe::Observed;
use crate::process::{DataDirectory, Process, stop_all};
use crate::usage::{Depth, Reading, Usage};
use crate::way::Way;

/// A target that is up, and the process behind it if Tenbin launched it.
/// Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    /// Name of the target.
    pub name: String,
    /// Base URL, without placeholders; of several hosts that of the first.
    pub url: Url,
    /// How connections get to it.
    pub way: Way,
    /// Given in the plan, or made up for a target that asked for some.
    pub credentials: Option<Credentials>,
    /// One for each node that Tenbin has launched; none while it is halted.
    pub(crate) processes: Vec<Process>,
    pub(crate) observed: Option<Observed>,
    /// Whoever listens there on this machine, of a target that is neither launched nor observed.
    pub(crate) listener: Option<Observed>,
    /// What it was launched with.
    pub(crate) nodes: Option<Box<Nodes>>,
    /// Goes last: whoever still runs might write to it.
    pub(crate) data: Option<DataDirectory>,
}

impl Running {
    /// What it has used so far and when that was learnt; `None` if nobody tells, if whoever
    /// told does not do so now, or if it has been stopped.
    pub fn look(&self, depth: Depth) -> Option<Reading> {
        self.observed.as_ref()?.look(depth)
    }

    /// What it has used so far, all of it; `None` as above.
    pub fn usage(&self) -> Option<Usage> {
        Some(self.look(Depth::Whole)?.usage)
    }

    /// Numbers of its observed processes on this machine, as last seen.
    pub fn members(&self) -> Vec<i32> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// What the processes have used that listen on its ports on this machine, where Tenbin neither
    /// launched nor observes it: no figure of the target, but none of other programs either. `None`
    /// where it is observed, and where these processes are not seen.
    pub fn look_at_listener(&self) -> Option<Reading> {
        self.listener.as_ref()?.look(Depth::Brief)
    }

    /// Numbers of these processes, as last seen.
    pub fn listener_members(&self) -> Vec<i32> {
        self.listener
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// What has changed about observing it since this was last asked, a sentence each.
    pub fn news(&self) -> Vec<String> {
        self.observed.as_ref().map_or_else(Vec::new, Observed::news)
    }

    /// Whether its processes are observed on this machine.
    pub(crate) fn is_observed_here(&self) -> bool {
        self.observed.as_ref().is_some_and(Observed::is_here)
    }

    /// Whether Tenbin launched it, so that it can be observed and stopped.
    pub fn launched(&self) -> bool {
        self.nodes.is_some()
    }

    /// Whether it has been stopped for a while: [`Self::resume`] starts it again.
    pub fn is_halted(&self) -> bool {
        self.launched() && self.processes.is_empty()
    }

    /// The guards of its processes.
    pub(crate) fn guards(&self) -> Vec<i32> {
        let guards = self.processes.iter().map(|one| one.guarded.guard_pid());
        guards.collect()
    }

    /// Fails once the launched command has ended. Says nothing about a target
    /// that Tenbin did not launch.
    ///
    /// # Errors
    /// How and when it ended.
    pub fn alive(&self) -> Result<(), Exit> {
        self.dead_node().map_or(Ok(()), |(_, exit)| Err(exit))
    }

    /// The first of its nodes whose command has ended, if one has, and how; the name of its
    /// host only where there are several.
    pub fn dead_node(&self) -> Option<(Option<&str>, Exit)> {
        let nodes = self.processes.iter().enumerate();
        nodes
            .filter_map(|(at, process)| Some((at, process.guarded.alive().err()?)))
            .map(|(at, exit)| {
                let host = self.way.hosts.get(at).map(|host| host.name.as_str());
                (host.filter(|_| self.processes.len() > 1), exit)
            })
            .next()
    }

    /// The last lines of its output, redacted and printable.
    pub fn log_tail(&self) -> LogTail {
        let tails = self.processes.iter().map(|process| process.output.tail());
        LogTail(tails.flatten().collect())
    }

    /// Asks a launched target to stop and returns at once: with several targets,
    /// ask all, then [`Self::stop`] each.
    pub fn ask_to_stop(&self) {
        for process in &self.processes {
            process.guarded.ask_to_stop();
        }
    }

    /// Stops everything that was launched, and removes its data directory.
    /// Takes as long as the plan allows before it kills. Does nothing the
    /// second time.
    ///
    /// # Errors
    /// Processes survive, or files cannot be removed.
    pub fn stop(&mut self) -> Result<(), TargetError> {
        self.halt()?;
        match self.data.take() {
            Some(data) => data.remove(&self.name),
            None => Ok(()),
        }
    }

    /// Stops everything that was launched and leaves its data where they are, so that
    /// [`Self::resume`] can start it again on them.
    ///
    /// # Errors
    /// Processes survive.
    pub fn halt(&mut self) -> Result<(), TargetError> {
        if self.nodes.is_some() {
            self.observed = None;
        }
        let stopped = stop_all(&mut self.processes, &self.name);
        self.processes.clear();
        stopped
    }
}
