//! The levels of a sweep as one hypothesis: the curve differs or does not.

use tenbin_plan::{Plan, Workload};

/// The sweep that a level belongs to, with the result for the whole curve.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelOf {
    /// The common part of the names of the levels.
    pub sweep: String,
    /// Number of levels of the sweep.
    pub levels: usize,
    /// Whether the whole curve differs. Without a difference of the curve, no level is reported as
    /// different.
    pub differs: bool,
}

/// The levels of each sweep of the plan ([`Plan::concurrency_sweeps`]).
pub(crate) fn sweeps(plan: &Plan) -> Vec<Vec<&Workload>> {
    let sweeps = plan.concurrency_sweeps().into_iter();
    let levels = |sweep: Vec<usize>| sweep.iter().map(|at| &plan.workloads[*at]).collect();
    sweeps.map(levels).collect()
}

/// The mean log ratio over all levels, for each block that has all levels. `levels` holds one list
/// of (block number, log ratio) per level.
pub(crate) fn mean_log_ratios(levels: &[Vec<(u32, f64)>]) -> Vec<f64> {
    let in_block = |block: u32| -> Option<f64> {
        let of_level = |level: &Vec<(u32, f64)>| {
            let mut known = level.iter();
            known.find(|(at, _)| *at == block).map(|(_, log)| *log)
        };
        let logs: Option<Vec<f64>> = levels.iter().map(of_level).collect();
        let logs = logs?;
        Some(logs.iter().sum::<f64>() / logs.len() as f64)
    };
    let blocks = levels.first().into_iter().flatten();
    blocks.filter_map(|(block, _)| in_block(*block)).collect()
}

/// The name of the first workload with the ending `-cN` (N connections), without the ending;
/// otherwise the name of the first workload.
pub(crate) fn family(workloads: &[&Workload]) -> String {
    let base = |workload: &&Workload| {
        let ending = format!("-c{}", workload.load.connections);
        workload.name.strip_suffix(&ending).map(str::to_owned)
    };
    let named = workloads.iter().find_map(base);
    named.unwrap_or_else(|| {
        workloads
            .first()
            .map_or_else(String::new, |workload| workload.name.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_count_that_have_all_levels() {
        let levels = [
            vec![(0, 1.0), (1, 2.0), (3, 0.0)],
            vec![(0, 3.0), (2, 7.0), (3, 1.0)],
        ];
        assert_eq!(mean_log_ratios(&levels), [2.0, 0.5]);
        assert_eq!(mean_log_ratios(&[]), [0.0; 0]);
    }
}
