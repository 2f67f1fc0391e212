//! The slices of one workload, block by block.use crate::compare::metric::Measure;
use crate::compare::metric::Measure;

use std::collections::BTreeSet;

use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_result::Metric;
use tenbin_stats::block_log_ratio;

/// The blocks of one workload, and the number of rounds in a complete block.
pub(crate) struct Blocks<'a> {
    blocks: Vec<Vec<&'a Slice>>,
    pub(crate) rounds: usize,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(workload: &Workload, slices: &'a [Slice]) -> Self {
        let mut mine: Vec<&Slice> = slices
            .iter()
            .filter(|slice| slice.workload == workload.name)
            .collect();
        mine.sort_by_key(|slice| (slice.block, slice.index));
        let blocks: Vec<Vec<&Slice>> = mine
            .chunk_by(|a, b| a.block == b.block)
            .map(<[&Slice]>::to_vec)
            .collect();
        // The end of the run may have cut off the last block, so the block with the most rounds
        // gives the number of rounds. A complete block needs at least two rounds, because drift
        // does not cancel in a single round.
        let rounds = blocks
            .iter()
            .map(|block| {
                block
                    .iter()
                    .map(|slice| slice.round)
                    .collect::<BTreeSet<_>>()
            })
            .map(|rounds| rounds.len())
            .fold(2, usize::max);
        Self { blocks, rounds }
    }

    /// The slices of a target in a block; `None` unless the block has all slices of the target and
    /// all of them ran their full time.
    fn whole(&self, block: &[&'a Slice], target: &str) -> Option<Vec<&'a Slice>> {
        let slices: Vec<&Slice> = block
            .iter()
            .filter(|slice| slice.target == target && !slice.end.cut_short)
            .copied()
            .collect();
        (slices.len() == self.rounds).then_some(slices)
    }

    fn full(&self, target: &str) -> Vec<&'a Slice> {
        let slices = self.blocks.iter().flatten();
        let full = slices.filter(|slice| slice.target == target && !slice.end.cut_short);
        full.copied().collect()
    }

    /// The log ratio challenger ÷ baseline of each complete block.
    pub(crate) fn log_ratios(&self, metric: Metric, baseline: &str, challenger: &str) -> Vec<f64> {
        self.log_ratios_of(metric, baseline, challenger, |_| true)
    }

    /// The log ratios challenger ÷ baseline of the complete blocks in which `wanted` returns true
    /// for all slices of both targets.
    pub(crate) fn log_ratios_of(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
        wanted: impl Fn(&Slice) -> bool,
    ) -> Vec<f64> {
        let all = self.numbered(metric, baseline, challenger, wanted);
        all.into_iter().map(|(_, log)| log).collect()
    }

    /// The block number and the log ratio challenger ÷ baseline of each complete block.
    pub(crate) fn log_ratios_by_block(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
    ) -> Vec<(u32, f64)> {
        self.numbered(metric, baseline, challenger, |_| true)
    }

    fn numbered(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
        wanted: impl Fn(&Slice) -> bool,
    ) -> Vec<(u32, f64)> {
        if [baseline, challenger]
            .iter()
            .any(|target| metric.is_biased_over(&self.full(target)))
        {
            return Vec::new();
        }
        self.blocks
            .iter()
            .filter_map(|block| {
                let a = self.whole(block, baseline)?;
                let b = self.whole(block, challenger)?;
                if !a.iter().chain(&b).all(|slice| wanted(slice)) {
                    return None;
                }
                let log = block_log_ratio(&metric.of_block(&a)?, &metric.of_block(&b)?)?;
                Some((a.first()?.block, log))
            })
            .collect()
    }
}

/// Log ratios of two workloads on one target: challenger ÷ baseline in each block that is complete
/// for both workloads.
pub(crate) fn log_ratios_across(
    metric: Metric,
    target: &str,
    [baseline, challenger]: &[Blocks<'_>; 2],
    wanted: &dyn Fn(&Slice) -> bool,
) -> Vec<f64> {
    if [baseline, challenger]
        .iter()
        .any(|side| metric.is_biased_over(&side.full(target)))
    {
        return Vec::new();
    }
    let number = |block: &[&Slice]| block.first().map(|slice| slice.block);
    let pairs = baseline.blocks.iter().filter_map(|a| {
        let b = challenger.blocks.iter().find(|b| number(b) == number(a))?;
        Some((baseline.whole(a, target)?, challenger.whole(b, target)?))
    });
    pairs
        .filter(|(a, b)| a.iter().chain(b).all(|slice| wanted(slice)))
        .filter_map(|(a, b)| block_log_ratio(&metric.of_block(&a)?, &metric.of_block(&b)?))
        .collect()
}

/// Whether the CPU use of all targets is known and has the same scope. The CPU use of a whole host
/// cannot be compared with the CPU use of processes.
pub(crate) fn is_observed(plan: &Plan, blocks: &Blocks<'_>) -> bool {
    let mut scopes = Vec::new();
    let all_known = plan.targets.iter().all(|target| {
        let mine = blocks.blocks.iter().flatten();
        let mut known = mine
            .filter(|slice| slice.target == target.name)
            .filter_map(|slice| slice.server().filter(|used| used.cpu_seconds.is_some()))
            .peekable();
        let is_known = known.peek().is_some();
        scopes.extend(known.map(|used| used.scope));
        is_known
    });
    all_known && scopes.windows(2).all(|pair| pair[0] == pair[1])
}
