//! Concurrency sweeps: workloads that differ only in their connections.

use crate::load::Pace;
use crate::plan::model::Plan;
use crate::plan::workload::Workload;

/// Fewest levels of a concurrency sweep that can show an optimum. A sweep with this number of
/// levels or more counts as one hypothesis of the run.
pub(crate) const FEWEST_LEVELS: usize = 3;

impl Plan {
    /// The concurrency sweeps of three or more levels: closed-loop workloads that differ only in
    /// their connections. Each sweep is a list of positions in [`Plan::workloads`], in ascending
    /// order of connections.
    pub fn concurrency_sweeps(&self) -> Vec<Vec<usize>> {
        self.concurrency_sweeps_of(FEWEST_LEVELS)
    }

    /// As [`Plan::concurrency_sweeps`], with sweeps of at least `fewest` levels. If two workloads
    /// have the same number of connections, only the first is used as a level.
    pub fn concurrency_sweeps_of(&self, fewest: usize) -> Vec<Vec<usize>> {
        concurrency_sweeps_among(&self.workloads, fewest)
    }
}

/// As [`Plan::concurrency_sweeps_of`], for workloads that are not yet part of a plan.
pub(crate) fn concurrency_sweeps_among(workloads: &[Workload], fewest: usize) -> Vec<Vec<usize>> {
    let mut sweeps: Vec<Vec<usize>> = Vec::new();
    for (at, workload) in workloads.iter().enumerate() {
        if workload.load.pace != Pace::Closed {
            continue;
        }
        let mut known = sweeps.iter_mut();
        match known.find(|sweep| workloads[sweep[0]].is_level_beside(workload)) {
            Some(sweep) => sweep.push(at),
            None => sweeps.push(vec![at]),
        }
    }
    let connections = |at: &usize| workloads[*at].load.connections;
    for sweep in &mut sweeps {
        sweep.sort_by_key(connections);
        sweep.dedup_by_key(|at| connections(at));
    }
    sweeps.retain(|sweep| sweep.len() >= fewest);
    sweeps
}
