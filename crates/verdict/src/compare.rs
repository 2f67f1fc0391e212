//! Every challenger against the baseline, block by block.

use std::collections::BTreeSet;

use serde::Serialize;
use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_stats::{CONFIDENCE, Measured, block_log_ratio, holm, ratio, signed_rank_p};

use crate::evidence::is_closed;
use crate::finding::Trust;
use crate::metric::{Direction, Metric};
use crate::outcome::{Outcome, Question};

/// One challenger against the baseline (the plan's first target) at one
/// workload, by one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target compared with.
    pub baseline: String,
    /// Name of the target that is compared.
    pub challenger: String,
    /// By what.
    pub metric: Metric,
    /// Which way is better.
    pub direction: Direction,
    /// Whether this is the figure that decides the workload. The others explore:
    /// they are not corrected for being many.
    pub primary: bool,
    /// The challenger's figure divided by the baseline's: above 1 is better only
    /// when higher is.
    pub ratio: Measured,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Rounds that make one block: two for an ABBA quad.
    pub rounds_per_block: usize,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The same after Holm's correction over all primary figures of the run;
    /// `None` for the others.
    pub adjusted_p: Option<f64>,
    /// What it says.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
}

/// Compares every other target with the first, at every workload, by every
/// metric of its load. Only blocks count in which both targets' slices are all
/// there and none was cut short. Trust is left at its best: it is for the
/// findings to lower it.
pub fn compare(plan: &Plan, slices: &[Slice]) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for workload in &plan.workloads {
        let blocks = blocks(workload, slices);
        for &metric in Metric::of_load(is_closed(workload)) {
            if metric == Metric::ServerCpu && !is_observed(plan, &blocks) {
                continue;
            }
            comparisons.extend(by_metric(plan, workload, metric, &blocks));
        }
    }
    correct_and_decide(&mut comparisons);
    comparisons
}

/// The blocks of one workload, and how many rounds a whole one has.
struct Blocks<'a> {
    blocks: Vec<Vec<&'a Slice>>,
    rounds: usize,
}

fn blocks<'a>(workload: &Workload, slices: &'a [Slice]) -> Blocks<'a> {
    let mut mine: Vec<&Slice> = slices
        .iter()
        .filter(|slice| slice.workload == workload.name)
        .collect();
    mine.sort_by_key(|slice| (slice.block, slice.index));
    let blocks: Vec<Vec<&Slice>> = mine
        .chunk_by(|a, b| a.block == b.block)
        .map(<[&Slice]>::to_vec)
        .collect();
    // The last block may have been cut off by the end of the run, so the fullest
    // one shows the pattern. One round never cancels any drift.
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
    Blocks { blocks, rounds }
}

impl<'a> Blocks<'a> {
    /// A target's slices in a block, if all are there in full.
    fn whole(&self, block: &[&'a Slice], target: &str) -> Option<Vec<&'a Slice>> {
        let slices: Vec<&Slice> = block
            .iter()
            .filter(|slice| slice.target == target && !slice.cut_short)
            .copied()
            .collect();
        (slices.len() == self.rounds).then_some(slices)
    }

    fn full(&self, target: &str) -> Vec<&'a Slice> {
        let slices = self.blocks.iter().flatten();
        let full = slices.filter(|slice| slice.target == target && !slice.cut_short);
        full.copied().collect()
    }

    fn log_ratios(&self, metric: Metric, baseline: &str, challenger: &str) -> Vec<f64> {
        if [baseline, challenger]
            .iter()
            .any(|target| metric.is_biased_over(&self.full(target)))
        {
            return Vec::new();
        }
        self.blocks
            .iter()
            .filter_map(|block| {
                let a = metric.of_block(&self.whole(block, baseline)?)?;
                let b = metric.of_block(&self.whole(block, challenger)?)?;
                block_log_ratio(&a, &b)
            })
            .collect()
    }
}

fn is_observed(plan: &Plan, blocks: &Blocks<'_>) -> bool {
    plan.targets.iter().all(|target| {
        let mut slices = blocks.blocks.iter().flatten();
        slices.any(|slice| slice.target == target.name && slice.server.is_some())
    })
}

fn by_metric(
    plan: &Plan,
    workload: &Workload,
    metric: Metric,
    blocks: &Blocks<'_>,
) -> Vec<Comparison> {
    let Some((baseline, challengers)) = plan.targets.split_first() else {
        return Vec::new();
    };
    challengers
        .iter()
        .map(|challenger| {
            let log_ratios = blocks.log_ratios(metric, &baseline.name, &challenger.name);
            Comparison {
                workload: workload.name.clone(),
                baseline: baseline.name.clone(),
                challenger: challenger.name.clone(),
                metric,
                direction: metric.direction(),
                primary: Metric::of_load(is_closed(workload)).first() == Some(&metric),
                ratio: ratio(&log_ratios, CONFIDENCE),
                block_ratios: log_ratios.iter().map(|log| log.exp()).collect(),
                rounds_per_block: blocks.rounds,
                p: signed_rank_p(&log_ratios),
                adjusted_p: None,
                outcome: Outcome::Unknown { why: String::new() },
                trust: Trust::Valid,
            }
        })
        .collect()
}

/// The family of Holm's correction is every primary figure that the plan asks
/// for. One without a p-value counts as p = 1: what was asked and not answered
/// was asked all the same.
fn correct_and_decide(comparisons: &mut [Comparison]) {
    let family: Vec<usize> = (0..comparisons.len())
        .filter(|&index| comparisons[index].primary)
        .collect();
    let raw: Vec<f64> = family
        .iter()
        .map(|&index| comparisons[index].p.unwrap_or(1.0))
        .collect();
    for (&index, adjusted) in family.iter().zip(holm(&raw)) {
        let comparison = &mut comparisons[index];
        comparison.adjusted_p = comparison.p.map(|_| adjusted);
    }
    for comparison in comparisons {
        let log_ratios: Vec<f64> = comparison.block_ratios.iter().map(|r| r.ln()).collect();
        let question = Question {
            metric: comparison.metric,
            ratio: &comparison.ratio,
            log_ratios: &log_ratios,
            rounds_per_block: comparison.rounds_per_block,
            adjusted_p: comparison.adjusted_p,
            family: if comparison.primary { family.len() } else { 1 },
        };
        comparison.outcome = question.outcome();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::EQUIVALENCE;
    use crate::testing::Run;

    fn primary(run: &Run) -> Comparison {
        let comparisons = compare(&run.plan, &run.slices);
        comparisons.into_iter().find(|c| c.primary).unwrap()
    }

    /// `b` does `ratio` times the work of `a`, with noise of up to ± 1 % a quad.
    fn faster(quads: u32, ratio: f64) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let noise = [0.004, -0.007, 0.009, -0.002, -0.01, 0.001][slice.0.block as usize % 6];
            let share = ratio * (1.0 + noise);
            slice.answers((10_000.0 * share) as u64, 0.000_2 / share);
        });
        run.each_of("a", |slice| slice.answers(10_000, 0.000_2));
        run
    }

    #[test]
    fn a_clear_difference_is_found_with_its_size() {
        let found = primary(&faster(8, 1.123));
        assert_eq!(found.outcome, Outcome::Faster);
        let estimate = found.ratio.estimate().unwrap();
        assert!(estimate.contains(1.123), "{estimate:?}");
        assert!(estimate.high - estimate.low < 0.02, "{estimate:?}");
        assert_eq!(primary(&faster(8, 0.8)).outcome, Outcome::Slower);
    }

    #[test]
    fn a_difference_below_the_noise_floor_is_none_however_sure() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_008, 0.002 / 1.008));
        let found = primary(&run);
        assert!(!found.ratio.estimate().unwrap().contains(1.0));
        assert_eq!(
            found.outcome,
            Outcome::Equivalent {
                within: EQUIVALENCE
            }
        );
    }

    #[test]
    fn lower_latency_is_faster_and_lower_cpu_is_cheaper() {
        let mut run = faster(8, 1.2);
        run.each_of("b", |slice| slice.server_cpu(0.4));
        let comparisons = compare(&run.plan, &run.slices);
        let of = |metric| comparisons.iter().find(|c| c.metric == metric).unwrap();
        assert!(of(Metric::ServiceP50).ratio.value().unwrap() < 1.0);
        assert_eq!(of(Metric::ServiceP50).outcome, Outcome::Faster);
        assert_eq!(of(Metric::ServerCpu).outcome, Outcome::Cheaper);
        assert_eq!(of(Metric::ServerCpu).adjusted_p, None);
    }

    #[test]
    fn an_open_loop_is_decided_by_its_median_response() {
        let run = faster(8, 1.2).open_loop();
        let comparisons = compare(&run.plan, &run.slices);
        assert!(comparisons.iter().all(|c| c.metric != Metric::Throughput));
        let found = primary(&run);
        assert_eq!(found.metric, Metric::ResponseP50);
        assert_eq!(found.outcome, Outcome::Faster);
    }

    #[test]
    fn only_whole_blocks_count() {
        let mut run = faster(8, 1.2);
        run.first_of("b").answers(1, 0.9);
        assert_eq!(primary(&run).block_ratios.len(), 8);
        run.first_of("b").cut_short();
        assert_eq!(primary(&run).block_ratios.len(), 7);
        // Ends after A B B of the seventh quad.
        let run = faster(8, 1.2).interrupted(27);
        assert_eq!(primary(&run).block_ratios.len(), 6);
    }

    #[test]
    fn five_blocks_give_no_interval_and_no_winner() {
        let found = primary(&faster(5, 3.0));
        assert!(found.ratio.value().is_some());
        assert_eq!(found.ratio.estimate(), None);
        assert!(
            matches!(
                found.outcome,
                Outcome::Inconclusive {
                    detectable: None,
                    rounds_needed: Some(12),
                    ..
                }
            ),
            "{:?}",
            found.outcome
        );
    }

    #[test]
    fn a_slice_in_which_nothing_ended_leaves_no_ratio() {
        let mut run = faster(8, 1.2);
        run.first_of("b").answers(0, 0.002);
        let found = primary(&run);
        assert_eq!(found.ratio, Measured::Unknown);
        assert!(matches!(found.outcome, Outcome::Unknown { .. }));
    }

    #[test]
    fn no_block_gives_no_figure() {
        let found = primary(&faster(8, 1.2).interrupted(3));
        assert_eq!(found.ratio, Measured::Unknown);
        assert!(matches!(found.outcome, Outcome::Unknown { .. }));
    }

    #[test]
    fn four_workloads_take_more_blocks_than_one() {
        let four = |quads: u32| {
            let mut run = Run::new(&["a", "b"], &["w", "x", "y", "z"], quads * 2);
            run.each_of("b", |slice| slice.answers(3_000, 0.002 / 3.0));
            compare(&run.plan, &run.slices)
        };
        let six = four(6);
        let clear = |c: &Comparison| c.primary && c.outcome.is_different();
        assert!(!six.iter().any(clear));
        assert!(
            six.iter()
                .any(|c| c.primary && c.adjusted_p == Some(8.0 / 64.0))
        );
        assert_eq!(four(8).iter().filter(|c| clear(c)).count(), 4);
    }

    #[test]
    fn what_only_the_number_of_questions_hides_is_promised_as_it_was_seen() {
        let mut run = Run::new(&["a", "b"], &["w", "x", "y", "z"], 12);
        run.each_of("b", |slice| {
            let share = [1.2, 2.0, 1.5][slice.0.block as usize % 3];
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let mut found = compare(&run.plan, &run.slices).into_iter();
        let found = found.find(|c| c.primary).unwrap();
        assert!(!found.ratio.estimate().unwrap().contains(1.0));
        let Outcome::Inconclusive {
            aim, rounds_needed, ..
        } = found.outcome
        else {
            panic!("{:?}", found.outcome)
        };
        assert!((aim - 0.5).abs() < 0.1, "{aim}");
        // Eight blocks of two rounds are the fewest for four questions.
        assert!(
            (16..40).contains(&rounds_needed.unwrap()),
            "{rounds_needed:?}"
        );
    }

    #[test]
    fn a_third_target_is_compared_with_the_first() {
        // A Williams square of three has six rounds; the last one is not whole.
        let run = Run::new(&["a", "b", "c"], &["get"], 38);
        let comparisons = compare(&run.plan, &run.slices);
        let pairs: Vec<(&str, &str)> = comparisons
            .iter()
            .filter(|c| c.primary)
            .map(|c| (c.baseline.as_str(), c.challenger.as_str()))
            .collect();
        assert_eq!(pairs, [("a", "b"), ("a", "c")]);
        assert!(comparisons.iter().all(|c| c.block_ratios.len() == 6));
    }

    #[test]
    fn unobserved_targets_are_not_compared_by_cpu() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.unobserved());
        let comparisons = compare(&run.plan, &run.slices);
        assert!(comparisons.iter().all(|c| c.metric != Metric::ServerCpu));
    }

    #[test]
    fn drift_does_not_look_like_a_difference() {
        let mut run = Run::pair(8);
        let mut level = 1.0_f64;
        run.each(|slice| {
            slice.answers((10_000.0 * level) as u64, 0.000_2 / level);
            level *= 0.97;
        });
        let found = primary(&run);
        assert!(
            (found.ratio.value().unwrap() - 1.0).abs() < 0.001,
            "{found:?}"
        );
    }
}
