//! Whether the system grants as many open files as the connections need.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tenbin_plan::{Plan, Target, Workload};

use crate::error::RunError;

/// Connections that stages of preparation may open where the load has fewer.
const PREPARING: u64 = 8;

/// What else is open: streams, the record, signals, and what was inherited.
const AT_REST: u64 = 64;
/// Pipes to a launched target and its guard.
const EACH_TARGET: u64 = 8;
/// What a generator thread waits with.
const EACH_THREAD: u64 = 8;

/// What a plan needs at most at one time, and what it may have.
pub(crate) struct Descriptors<'p> {
    target: &'p Target,
    workload: &'p Workload,
    needed: u64,
    soft: u64,
    hard: u64,
}

impl<'p> Descriptors<'p> {
    /// Finds out whether there can be enough, and changes nothing yet. `None` where
    /// the system does not tell, or nothing is planned.
    pub(crate) fn for_plan(plan: &'p Plan) -> Result<Option<Self>, RunError> {
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
            return Ok(None);
        };
        let Some((target, workload)) = hungriest(plan) else {
            return Ok(None);
        };
        let found = Self {
            target,
            workload,
            needed: needed(plan),
            soft,
            hard,
        };
        if found.needed > hard {
            return Err(found.short_of(hard));
        }
        Ok(Some(found))
    }

    /// Raises the soft limit to the hard one if that is needed. To be done after the
    /// launches: targets keep the limit that the user gave them.
    pub(crate) fn raise(&self) -> Result<(), RunError> {
        if self.needed <= self.soft {
            return Ok(());
        }
        setrlimit(Resource::RLIMIT_NOFILE, self.hard, self.hard)
            .map_err(|_| self.short_of(self.soft))
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

/// Open files that a run of this plan needs at most at one time.
pub(crate) fn needed(plan: &Plan) -> u64 {
    let sockets = hungriest(plan).map_or(0, |(target, workload)| sockets(target, workload));
    let threads = EACH_THREAD * plan.threads as u64;
    sockets + AT_REST + EACH_TARGET * plan.targets.len() as u64 + threads
}

/// Open files that the system grants beyond those that a run of this plan needs.
pub(crate) fn spare(plan: &Plan) -> u64 {
    let granted = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, _)| soft);
    granted.saturating_sub(needed(plan))
}

/// As [`needed`], where no more is known than the number of connections.
pub(crate) fn needed_for(connections: u64) -> u64 {
    PREPARING.max(connections) + AT_REST
}

/// The workload with the most sockets on any target. One target is driven at a time.
fn hungriest(plan: &Plan) -> Option<(&Target, &Workload)> {
    let pairs = plan.targets.iter().flat_map(|target| {
        let workloads = plan.workloads.iter();
        workloads.map(move |workload| (target, workload))
    });
    pairs.max_by_key(|pair| sockets(pair.0, pair.1))
}

/// Most sockets that one workload has open to one target.
fn sockets(target: &Target, workload: &Workload) -> u64 {
    let hosts = target.host_count() as u64;
    PREPARING.max(workload.load.connections as u64) * hosts
}
