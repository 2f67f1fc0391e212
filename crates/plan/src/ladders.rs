//! Workloads that differ in their connections only.

use crate::load::Pace;
use crate::model::Plan;
use crate::workload::Workload;

/// Fewest levels among which there is an optimum to be found, and which are one question.
pub(crate) const FEWEST_LEVELS: usize = 3;

impl Plan {
    /// Workloads in a closed loop that differ in their connections only, as positions
    /// among [`Plan::workloads`], the fewest connections first: ladders of three or more
    /// levels, among which there is an optimum to be found.
    pub fn ladders(&self) -> Vec<Vec<usize>> {
        self.ladders_of(FEWEST_LEVELS)
    }

    /// The same with at least so many levels. Of two with as many connections, the first
    /// is taken.
    pub fn ladders_of(&self, fewest: usize) -> Vec<Vec<usize>> {
        ladders_among(&self.workloads, fewest)
    }
}

/// The ladders among workloads that are in no plan yet.
pub(crate) fn ladders_among(workloads: &[Workload], fewest: usize) -> Vec<Vec<usize>> {
    let mut ladders: Vec<Vec<usize>> = Vec::new();
    for (at, workload) in workloads.iter().enumerate() {
        if workload.load.pace != Pace::Closed {
            continue;
        }
        let mut known = ladders.iter_mut();
        match known.find(|ladder| workloads[ladder[0]].is_level_beside(workload)) {
            Some(ladder) => ladder.push(at),
            None => ladders.push(vec![at]),
        }
    }
    let connections = |at: &usize| workloads[*at].load.connections;
    for ladder in &mut ladders {
        ladder.sort_by_key(connections);
        ladder.dedup_by_key(|at| connections(at));
    }
    ladders.retain(|ladder| ladder.len() >= fewest);
    ladders
}
