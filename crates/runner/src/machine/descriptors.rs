//! Checks whether the limit on open files is high enough for the planned connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tenbin_plan::{LimitProbe, Plan, Target, Workload};

use crate::error::RunError;

/// Minimum number of connections to plan for: preparation opens that number even if the load has
/// fewer.
const PREPARING: u64 = 8;

/// Open files other than connections: standard streams, files of the run directory, signals and
/// inherited descriptors.
const AT_REST: u64 = 64;
/// Descriptors for the pipes to a launched target and its guard.
const EACH_TARGET: u64 = 8;
/// Descriptors for the poll and timer of a generator thread.
const EACH_THREAD: u64 = 8;

/// The largest number of open files that a plan needs at any time, and the limits.
pub(crate) struct Descriptors<'p> {
    target: &'p Target,
    workload: &'p Workload,
    needed: u64,
    /// As `needed`, with the probes of other loads after the rounds.
    with_probes: u64,
    soft: u64,
    hard: u64,
}

impl<'p> Descriptors<'p> {
    /// Checks whether the hard limit is high enough, without changing the soft limit. `None` if the
    /// system reports no limit or the plan has no connections.
    pub(crate) fn for_plan(plan: &'p Plan) -> Result<Option<Self>, RunError> {
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
            return Ok(None);
        };
        let Some((target, workload)) = most_sockets(plan) else {
            return Ok(None);
        };
        let found = Self {
            target,
            workload,
            needed: needed(plan),
            with_probes: with_probes(plan),
            soft,
            hard,
        };
        if found.needed > hard {
            return Err(found.short_of(hard));
        }
        Ok(Some(found))
    }

    /// Raises the soft limit to the hard limit if necessary. Called after targets are launched, so
    /// that launched targets keep the limit that the user set.
    pub(crate) fn raise(&self) -> Result<(), RunError> {
        if self.needed.max(self.with_probes) <= self.soft {
            return Ok(());
        }
        match setrlimit(Resource::RLIMIT_NOFILE, self.hard, self.hard) {
            Err(_) if self.needed > self.soft => Err(self.short_of(self.soft)),
            _ => Ok(()),
        }
    }

    fn short_of(&self, granted: u64) -> RunError {
        RunError::Descriptors {
            target: self.target.name.clone(),
            workload: self.workload.name.clone(),
            connections: sockets(self.target, self.workload),
            needed: self.needed,
            granted,
        }
    }
}

/// The largest number of open files that a run of this plan needs at any time.
pub(crate) fn needed(plan: &Plan) -> u64 {
    let sockets = most_sockets(plan).map_or(0, |(target, workload)| sockets(target, workload));
    needed_with(plan, sockets)
}

fn needed_with(plan: &Plan, sockets: u64) -> u64 {
    let threads = EACH_THREAD * plan.threads as u64;
    sockets + AT_REST + EACH_TARGET * plan.targets.len() as u64 + threads
}

/// The largest number of open files that a probe of another load needs; 0 without probes.
fn with_probes(plan: &Plan) -> u64 {
    let probes = plan.limit_probes(plan.rounds.most());
    let each = probes.iter().map(|probe| needed_by_probe(plan, probe));
    each.max().unwrap_or(0)
}

fn needed_by_probe(plan: &Plan, probe: &LimitProbe) -> u64 {
    let hosts = plan.targets[probe.turn.target].host_count() as u64;
    needed_with(plan, probe.connections as u64 * hosts)
}

/// Whether the soft limit allows the open files of a probe. Without them, its connections would
/// fail, and the target would seem to be at its limit.
pub(crate) fn has_room_for(plan: &Plan, probe: &LimitProbe) -> bool {
    let granted = getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft);
    needed_by_probe(plan, probe) <= granted
}

/// Number of open files that the soft limit allows in addition to those that this plan needs.
pub(crate) fn spare(plan: &Plan) -> u64 {
    let granted = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, _)| soft);
    granted.saturating_sub(needed(plan))
}

/// Like [`needed`], for callers that know only the number of connections.
pub(crate) fn needed_for(connections: u64) -> u64 {
    PREPARING.max(connections) + AT_REST
}

/// The target and workload with the most sockets. Only one target has load at a time, so the
/// sockets of several targets are not added.
fn most_sockets(plan: &Plan) -> Option<(&Target, &Workload)> {
    let pairs = plan.targets.iter().flat_map(|target| {
        let workloads = plan.workloads.iter();
        workloads.map(move |workload| (target, workload))
    });
    pairs.max_by_key(|pair| sockets(pair.0, pair.1))
}

/// Largest number of sockets that one workload opens to one target.
fn sockets(target: &Target, workload: &Workload) -> u64 {
    let hosts = target.host_count() as u64;
    PREPARING.max(workload.load.connections as u64) * hosts
}
