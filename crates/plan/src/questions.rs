//! How many questions a plan asks, and how many blocks of rounds an answer takes.
//!
//! The number of rounds is chosen here and the verdict corrects for the number of questions: both use
//! [`Plan::questions`], so that a plan has at least the rounds that its own verdict needs.

use crate::ladders::{FEWEST_LEVELS, ladders_among};
use crate::model::Plan;
use crate::workload::Workload;

/// The chance of at least one false difference among all questions of a run.
const LEVEL: f64 = 0.05;

impl Plan {
    /// The questions that share the 5 % of one family: the deciding figure of each workload, for each
    /// target against the baseline, and for each pair of compared workloads on each target. The levels
    /// of a ladder ([`Plan::ladders`]) are one question, the curve. A twin, searches for a rate and
    /// figures that do not decide are no questions.
    pub fn questions(&self) -> usize {
        let compared = self.comparing.workloads.len();
        questions(self.challengers().count(), &self.workloads, compared)
    }

    /// The same comparisons with the baseline's twin, if there is one: nothing is asked of them.
    pub fn controls(&self) -> usize {
        questions(usize::from(self.twin().is_some()), &self.workloads, 0)
    }

    /// The fewest rounds with which any difference can be shown, however large it is; `None` in a
    /// plan that compares nothing.
    pub fn fewest_rounds(&self) -> Option<u32> {
        let questions = self.questions();
        let rounds = blocks_that_tell(questions).saturating_mul(self.rounds_per_block());
        (questions > 0).then_some(rounds)
    }
}

/// The same as [`Plan::questions`] before there is a plan: with this number of `challengers`, and of
/// workloads that are `compared` with each other.
pub(crate) fn questions(challengers: usize, workloads: &[Workload], compared: usize) -> usize {
    let in_rounds = workloads.iter().filter(|work| work.search().is_none());
    let ladders = ladders_among(workloads, FEWEST_LEVELS);
    let levels: usize = ladders.iter().map(Vec::len).sum();
    // A ladder is in a closed loop: none of its levels searches for a rate.
    let curves_and_works = in_rounds.count() + ladders.len() - levels;
    challengers * curves_and_works + (challengers + 1) * compared.saturating_sub(1)
}

/// The fewest blocks with which the signed-rank test can tell anything: its smallest two-sided
/// p-value, 2/2ⁿ, is at most 5 % shared among this number of questions. 6 for one question, 7 for
/// two, 8 for four.
pub fn blocks_that_tell(questions: usize) -> u32 {
    let level = LEVEL / questions.max(1) as f64;
    // Between 6 and 40 for any plan that can be written.
    (1.0 - level.log2()).ceil() as u32
}

/// The most questions that this number of blocks can tell anything of; 0 below six.
pub fn questions_within(blocks: u32) -> usize {
    let most = LEVEL * 2_f64.powi(i32::try_from(blocks).unwrap_or(i32::MAX) - 1);
    // What is beyond all counting saturates.
    most.floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_questions_are_inverse() {
        let known = [(1, 6), (2, 7), (3, 7), (4, 8), (33, 11), (100, 12)];
        for (questions, blocks) in known {
            assert_eq!(blocks_that_tell(questions), blocks, "{questions}");
            assert!(questions_within(blocks) >= questions, "{questions}");
            assert!(questions_within(blocks - 1) < questions, "{questions}");
        }
        assert_eq!(questions_within(5), 0);
        assert_eq!(questions_within(u32::MAX), usize::MAX);
    }
}
