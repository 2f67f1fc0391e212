//! A running target.

use tenbin_plan::Credentials;
use url::Url;

use crate::error::{Exit, LogTail, TargetError};
use crate::launch::Nodes;
use crate::observe::Observed;
use crate::process::{DataDirectory, Process, stop_all};
use crate::route::ResolvedRoute;
use crate::usage::{Detail, Reading, Usage};

/// A running target, with its processes if Tenbin launched it. Dropping it stops them.
#[derive(Debug)]
pub struct Running {
    /// Name of the target.
    pub name: String,
    /// Base URL without placeholders; the URL of the first host if there are several.
    pub url: Url,
    /// Resolved addresses and connection settings.
    pub route: ResolvedRoute,
    /// Credentials from the plan, or generated for a target that has none.
    pub credentials: Option<Credentials>,
    /// One process per launched node; empty while the target is halted.
    pub(crate) processes: Vec<Process>,
    pub(crate) observed: Option<Observed>,
    /// The local process that listens on the target's port, for a target that is neither launched
    /// nor observed.
    pub(crate) listener: Option<Observed>,
    /// What the target was launched with.
    pub(crate) nodes: Option<Box<Nodes>>,
    /// Declared last so that it is dropped last: processes that still run may write to it.
    pub(crate) data: Option<DataDirectory>,
}

impl Running {
    /// Resource use so far and the time of the reading; `None` if the target is not observed, if
    /// the current reading failed, or if the target has been stopped.
    pub fn read_usage(&self, detail: Detail) -> Option<Reading> {
        self.observed.as_ref()?.read(detail)
    }

    /// Resource use so far, in full detail; `None` as for [`Self::read_usage`].
    pub fn usage(&self) -> Option<Usage> {
        Some(self.read_usage(Detail::Full)?.usage)
    }

    /// Ids of its observed processes on this machine, as of the last reading.
    pub fn members(&self) -> Vec<i32> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// Resource use of the local processes that listen on the target's ports, where Tenbin
    /// neither launched nor observes the target. It is not reported as the use of the target. The
    /// processes are not counted as other programs. `None` if the target is observed or no such
    /// process is visible.
    pub fn read_listener_usage(&self) -> Option<Reading> {
        self.listener.as_ref()?.read(Detail::Brief)
    }

    /// Ids of the processes of [`Self::read_listener_usage`], as of the last reading.
    pub fn listener_members(&self) -> Vec<i32> {
        self.listener
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// Changes in how the target is observed since the last call, one sentence each.
    pub fn observation_changes(&self) -> Vec<String> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::take_changes)
    }

    /// Whether its processes run on this machine and are observed.
    pub(crate) fn is_observed_here(&self) -> bool {
        self.observed.as_ref().is_some_and(Observed::is_here)
    }

    /// Whether Tenbin launched the target and so can observe and stop it.
    pub fn launched(&self) -> bool {
        self.nodes.is_some()
    }

    /// Whether the target is halted; [`Self::resume`] starts it again.
    pub fn is_halted(&self) -> bool {
        self.launched() && self.processes.is_empty()
    }

    /// Process ids of its guards.
    pub(crate) fn guards(&self) -> Vec<i32> {
        let guards = self.processes.iter().map(|one| one.guarded.guard_pid());
        guards.collect()
    }

    /// Fails if the launched command has ended. Always succeeds for a target that Tenbin did not
    /// launch.
    ///
    /// # Errors
    /// How and when it ended.
    pub fn alive(&self) -> Result<(), Exit> {
        self.dead_node().map_or(Ok(()), |(_, exit)| Err(exit))
    }

    /// The first node whose command has ended, and how; with the host's name if there are several
    /// nodes.
    pub fn dead_node(&self) -> Option<(Option<&str>, Exit)> {
        let nodes = self.processes.iter().enumerate();
        nodes
            .filter_map(|(at, process)| Some((at, process.guarded.alive().err()?)))
            .map(|(at, exit)| {
                let host = self.route.hosts.get(at).map(|host| host.name.as_str());
                (host.filter(|_| self.processes.len() > 1), exit)
            })
            .next()
    }

    /// Last lines of the output, without secrets and control characters.
    pub fn log_tail(&self) -> LogTail {
        let tails = self.processes.iter().map(|process| process.output.tail());
        LogTail(tails.flatten().collect())
    }

    /// Sends the order to stop to a launched target and returns at once. To stop several targets,
    /// call this for each, then [`Self::stop`] for each.
    pub fn request_stop(&self) {
        for process in &self.processes {
            process.guarded.request_stop();
        }
    }

    /// Stops all launched processes and removes their data directories. Waits as long as the plan
    /// allows before it kills them. A second call does nothing.
    ///
    /// # Errors
    /// When processes survive or files cannot be removed.
    pub fn stop(&mut self) -> Result<(), TargetError> {
        self.halt()?;
        match self.data.take() {
            Some(data) => data.remove(&self.name),
            None => Ok(()),
        }
    }

    /// Stops all launched processes and keeps their data, so that [`Self::resume`] can start them
    /// again.
    ///
    /// # Errors
    /// When processes survive.
    pub fn halt(&mut self) -> Result<(), TargetError> {
        if self.nodes.is_some() {
            self.observed = None;
        }
        let stopped = stop_all(&mut self.processes, &self.name);
        self.processes.clear();
        stopped
    }
}
