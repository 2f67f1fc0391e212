//! The number of hypotheses that a run tests, and the number of blocks that these tests need.
//!
//! The default number of rounds and the verdict's correction for multiple comparisons both use
//! [`Plan::hypotheses`], so that a plan has at least the rounds that its verdict needs.

use crate::load::concurrency_sweeps::{FEWEST_LEVELS, concurrency_sweeps_among};
use crate::plan::model::Plan;
use crate::plan::workload::Workload;

/// The significance level of a run: the highest accepted probability that at least one hypothesis
/// is rejected by chance.
const LEVEL: f64 = 0.05;

impl Plan {
    /// The number of hypotheses that share the significance level of 5 %. Each hypothesis is about
    /// the primary metric: of a target against the baseline in one workload, or of a compared
    /// workload against the first compared workload on one target. The levels of a concurrency
    /// sweep ([`Plan::concurrency_sweeps`]) together are one hypothesis. A twin, maximum-rate
    /// searches and figures that do not decide are not counted.
    pub fn hypotheses(&self) -> usize {
        let compared = self.comparing.workloads.len();
        hypotheses(self.challengers().count(), &self.workloads, compared)
    }

    /// The number of comparisons with the baseline's twin. These are controls, which test no
    /// hypothesis.
    pub fn controls(&self) -> usize {
        hypotheses(usize::from(self.twin().is_some()), &self.workloads, 0)
    }

    /// The fewest rounds with which a difference can be significant; `None` in a plan that compares
    /// nothing.
    pub fn fewest_rounds(&self) -> Option<u32> {
        let hypotheses = self.hypotheses();
        let rounds = fewest_blocks(hypotheses).saturating_mul(self.rounds_per_block());
        (hypotheses > 0).then_some(rounds)
    }
}

/// As [`Plan::hypotheses`], before a plan exists: `challengers` is the number of targets compared
/// with the baseline, `compared` the number of workloads compared with each other.
pub(crate) fn hypotheses(challengers: usize, workloads: &[Workload], compared: usize) -> usize {
    let in_rounds = workloads.iter().filter(|work| work.search().is_none());
    let sweeps = concurrency_sweeps_among(workloads, FEWEST_LEVELS);
    let levels: usize = sweeps.iter().map(Vec::len).sum();
    // A concurrency sweep is a closed loop: none of its levels is a maximum-rate search.
    let curves_and_works = in_rounds.count() + sweeps.len() - levels;
    challengers * curves_and_works + (challengers + 1) * compared.saturating_sub(1)
}

/// The fewest blocks with which the signed-rank test can reject a hypothesis: its smallest
/// two-sided p-value, 2/2ⁿ, is at most 5 % divided by the number of hypotheses. 6 for one
/// hypothesis, 7 for two, 8 for four.
pub fn fewest_blocks(hypotheses: usize) -> u32 {
    let level = LEVEL / hypotheses.max(1) as f64;
    // Between 6 and 40 for any plan that can be written.
    (1.0 - level.log2()).ceil() as u32
}

/// The most hypotheses that the signed-rank test can reject with this number of blocks; 0 with
/// fewer than six blocks.
pub fn hypotheses_within(blocks: u32) -> usize {
    let most = LEVEL * 2_f64.powi(i32::try_from(blocks).unwrap_or(i32::MAX) - 1);
    // The cast saturates.
    most.floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_hypotheses_are_inverse() {
        let known = [(1, 6), (2, 7), (3, 7), (4, 8), (33, 11), (100, 12)];
        for (hypotheses, blocks) in known {
            assert_eq!(fewest_blocks(hypotheses), blocks, "{hypotheses}");
            assert!(hypotheses_within(blocks) >= hypotheses, "{hypotheses}");
            assert!(hypotheses_within(blocks - 1) < hypotheses, "{hypotheses}");
        }
        assert_eq!(hypotheses_within(5), 0);
        assert_eq!(hypotheses_within(u32::MAX), usize::MAX);
    }
}
