//! A running target and the resources that it uses.

use tenbin_plan::Credentials;
use url::Url;

use crate::counters::{CpuQuota, cpu_quota};
use crate::error::{Exit, LogTail, TargetError};
use crate::launch::nodes::Nodes;
use crate::observe::{EndedProcess, Observed};
use crate::process::{DataDirectory, Process, stop_all};
use crate::route::ResolvedRoute;
use crate::usage::{Detail, Reading, Usage};

/// A running target, with its processes if Tenbin launched them. Dropping the value stops them.
#[derive(Debug)]
pub struct Running {
    /// Name of the target.
    pub name: String,
    /// Base URL without placeholders. With several hosts, the URL of the first host.
    pub url: Url,
    /// Resolved addresses and connection settings.
    pub route: ResolvedRoute,
    /// Credentials from the plan, or generated for a launched target; `None` without credentials.
    pub credentials: Option<Credentials>,
    /// One process per launched node; empty while the target is halted.
    pub(crate) processes: Vec<Process>,
    pub(crate) observed: Option<Observed>,
    /// The local process that listens on the target's port, if the target is neither launched nor
    /// observed.
    pub(crate) listener: Option<Observed>,
    /// Nodes that Tenbin launched, with their settings; `None` if Tenbin did not launch the target.
    pub(crate) nodes: Option<Box<Nodes>>,
    /// Declared last to be dropped last: processes that still run can write to the directory.
    pub(crate) data: Option<DataDirectory>,
}

impl Running {
    /// Resource use so far, and the time of the reading. `None` if the target is not observed, if
    /// the current reading failed, or if the target has been stopped.
    pub fn read_usage(&self, detail: Detail) -> Option<Reading> {
        self.observed.as_ref()?.read(detail)
    }

    /// Resource use so far, in full detail; `None` as for [`Self::read_usage`].
    pub fn usage(&self) -> Option<Usage> {
        Some(self.read_usage(Detail::Full)?.usage)
    }

    /// Ids of the target's observed processes on this machine, as of the last reading.
    pub fn members(&self) -> Vec<i32> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// Resource use of the local processes that listen on the ports of a target that Tenbin neither
    /// launched nor observes. The use is not reported as the target's, and the processes do not
    /// count as other programs. `None` if the target is observed or no such process is visible.
    pub fn read_listener_usage(&self) -> Option<Reading> {
        self.listener.as_ref()?.read(Detail::Brief)
    }

    /// Ids of the processes that [`Self::read_listener_usage`] covers, as of the last reading.
    pub fn listener_members(&self) -> Vec<i32> {
        self.listener
            .as_ref()
            .map_or_else(Vec::new, Observed::members)
    }

    /// The smallest CPU quota of the target's processes on this machine; `None` if no such process is
    /// known. Reads resource usage first, because that finds the processes.
    pub fn cpu_quota(&self) -> Option<CpuQuota> {
        let _ = (self.read_usage(Detail::Brief), self.read_listener_usage());
        let members = self.members().into_iter().chain(self.listener_members());
        members.filter_map(cpu_quota).min()
    }

    /// Changes since the last call in how the target is observed, one sentence each.
    pub fn observation_changes(&self) -> Vec<String> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::take_changes)
    }

    /// The observed processes that ended since the last call.
    pub fn take_ended(&self) -> Vec<EndedProcess> {
        self.observed
            .as_ref()
            .map_or_else(Vec::new, Observed::take_ended)
    }

    /// Whether the target's processes run on this machine and are observed.
    pub(crate) fn is_observed_here(&self) -> bool {
        self.observed.as_ref().is_some_and(Observed::is_here)
    }

    /// Whether Tenbin launched the target, and so can observe and stop it.
    pub fn launched(&self) -> bool {
        self.nodes.is_some()
    }

    /// Whether the target is halted; [`Self::resume`] starts it again.
    pub fn is_halted(&self) -> bool {
        self.launched() && self.processes.is_empty()
    }

    /// Process ids of the target's guards, which are the parents of the launched commands.
    pub(crate) fn guards(&self) -> Vec<i32> {
        let guards = self.processes.iter().map(|one| one.guarded.guard_pid());
        guards.collect()
    }

    /// Fails if a launched command has ended. Always succeeds for a target that Tenbin did not
    /// launch.
    ///
    /// # Errors
    /// How and when the command ended.
    pub fn alive(&self) -> Result<(), Exit> {
        self.dead_node().map_or(Ok(()), |(_, exit)| Err(exit))
    }

    /// The first node whose command has ended, and how the command ended. Includes the name of the
    /// host if there are several nodes.
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

    /// Last lines of the launched commands' output, without secrets and control characters.
    pub fn log_tail(&self) -> LogTail {
        let tails = self.processes.iter().map(|process| process.output.tail());
        LogTail(tails.flatten().collect())
    }

    /// Sends the stop request to a launched target without waiting. To stop several targets, call
    /// this method for each target, then [`Self::stop`] for each target.
    pub fn request_stop(&self) {
        for process in &self.processes {
            process.guarded.request_stop();
        }
    }

    /// Stops all launched processes and removes the data directory. Processes are killed after the
    /// stop timeout of the plan. A second call does nothing.
    ///
    /// # Errors
    /// When processes survive, or files cannot be removed.
    pub fn stop(&mut self) -> Result<(), TargetError> {
        self.halt()?;
        match self.data.take() {
            Some(data) => data.remove(&self.name),
            None => Ok(()),
        }
    }

    /// Stops all launched processes and keeps their data, so that [`Self::resume`] can start the
    /// target again.
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
