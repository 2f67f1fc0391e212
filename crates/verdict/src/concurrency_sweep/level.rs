//! The levels of a concurrency sweep: the same work with different numbers of connections.

use tenbin_plan::{Plan, Target, Workload};
use tenbin_record::Slice;
use tenbin_stats::{CONFIDENCE, Estimate, block_log_ratio, ratio};

use crate::cell::Cell;
use crate::words::middle;

/// Concurrency sweeps with at least `fewest` levels: closed-loop workloads that differ only in the
/// number of connections, in ascending order.
pub(crate) fn swept_workloads(plan: &Plan, fewest: usize) -> Vec<Vec<&Workload>> {
    let sweeps = plan.concurrency_sweeps_of(fewest).into_iter();
    let workloads = |sweep: Vec<usize>| sweep.iter().map(|at| &plan.workloads[*at]).collect();
    sweeps.map(workloads).collect()
}

/// One level of a concurrency sweep on one target.
pub(crate) struct Level<'a> {
    pub(crate) cell: Cell<'a>,
    slices: Vec<&'a Slice>,
    /// Completed operations per second: median over the full slices.
    pub(crate) throughput: f64,
}

impl<'a> Level<'a> {
    /// `None` if the throughput is unknown.
    pub(crate) fn new(
        workload: &'a Workload,
        target: &'a Target,
        slices: &'a [Slice],
    ) -> Option<Self> {
        let cell = Cell::new(workload, target, slices);
        let slices = cell.full();
        Some(Self {
            throughput: middle(slices.iter().filter_map(|slice| slice.throughput()))?,
            cell,
            slices,
        })
    }

    /// All levels of a sweep on a target; `None` if the throughput of a level is unknown.
    pub(crate) fn all(
        sweep: &[&'a Workload],
        target: &'a Target,
        slices: &'a [Slice],
    ) -> Option<Vec<Self>> {
        let levels = sweep.iter();
        levels
            .map(|workload| Self::new(workload, target, slices))
            .collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.cell.workload.load.connections
    }

    /// The ratio of this level's throughput to the throughput of `other`, from block ratios.
    pub(crate) fn against(&self, other: &Self) -> Option<Estimate> {
        let logs: Vec<f64> = self
            .blocks()
            .into_iter()
            .filter_map(|block| block_log_ratio(&other.in_block(block), &self.in_block(block)))
            .collect();
        ratio(&logs, CONFIDENCE).estimate().copied()
    }

    fn blocks(&self) -> Vec<u32> {
        let mut blocks: Vec<u32> = self.slices.iter().map(|slice| slice.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    fn in_block(&self, block: u32) -> Vec<f64> {
        let mine = self.slices.iter().filter(|slice| slice.block == block);
        mine.filter_map(|slice| slice.throughput()).collect()
    }
}
