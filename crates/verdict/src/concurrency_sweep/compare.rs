//! Comparison of targets at their maximum throughput, each target with its best number of
//! connections.

use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_result::{ConcurrencySweep, ConcurrencySweepComparison, Figure, Metric};
use tenbin_stats::{CONFIDENCE, confidence_of_each, ratio};

use super::{SweepStep, family, peak_of, sentence, steps};
use crate::compare::outcome::{Question, Scale};
use crate::findings::messages::Messages;

/// Compares every challenger with the baseline for each concurrency sweep in the plan. Both peaks
/// are maxima over the same number of levels, so the upward bias of a maximum affects both targets
/// equally. These comparisons are a family separate from the hypotheses of the plan and share an
/// error of 5 % (Bonferroni), in intervals and verdicts. The trust of a comparison is the lower
/// trust of the two sweeps.
pub fn compare_concurrency_sweeps(
    plan: &Plan,
    slices: &[Slice],
    concurrency_sweeps: &[ConcurrencySweep],
) -> Vec<ConcurrencySweepComparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let mut comparisons = Vec::new();
    let sweeps = plan.concurrency_sweeps();
    let together = (plan.challengers().count() * sweeps.len()).max(1);
    let confidence = confidence_of_each(CONFIDENCE, together);
    for sweep in sweeps {
        let workloads: Vec<&Workload> = sweep.iter().map(|&at| &plan.workloads[at]).collect();
        let of_baseline = steps(&workloads, baseline, slices);
        for challenger in plan.challengers() {
            let of_challenger = steps(&workloads, challenger, slices);
            let (Some(a), Some(b)) = (peak(&of_baseline), peak(&of_challenger)) else {
                continue;
            };
            let logs = log_ratios(a, b);
            let ratio = ratio(&logs, confidence);
            let question = Question {
                metric: Metric::Throughput,
                ratio: &ratio,
                log_ratios: &logs,
                rounds_per_block: plan.rounds_per_block() as usize,
                family: together,
                scale: Scale::of(plan),
            };
            let sides = [&baseline.name, &challenger.name];
            let family = family(&workloads);
            let both = concurrency_sweeps
                .iter()
                .filter(|it| it.family == family && sides.contains(&&it.target));
            let mut found = ConcurrencySweepComparison {
                baseline: baseline.name.clone(),
                baseline_connections: a.connections() as u64,
                challenger: challenger.name.clone(),
                challenger_connections: b.connections() as u64,
                outcome: question.outcome(),
                block_ratios: logs.iter().map(|log| log.exp()).collect(),
                ratio: Figure::of(ratio),
                trust: both.map(|it| it.trust).max().unwrap_or_default(),
                sentence: String::new(),
                family,
            };
            found.sentence = Messages::NONE.in_english(&sentence::of_comparison(&found));
            comparisons.push(found);
        }
    }
    comparisons
}

fn peak<'s, 'a>(steps: &'s [SweepStep<'a>]) -> Option<&'s SweepStep<'a>> {
    let complete = steps.iter().all(|step| step.throughput().value().is_some());
    peak_of(steps).filter(|_| complete)
}

fn log_ratios(a: &SweepStep<'_>, b: &SweepStep<'_>) -> Vec<f64> {
    let baseline = a.by_block(Slice::throughput);
    let challenger = b.by_block(Slice::throughput);
    let logs = challenger.iter().filter_map(|(block, theirs)| {
        let (_, ours) = baseline.iter().find(|(known, _)| known == block)?;
        let log = (theirs / ours).ln();
        log.is_finite().then_some(log)
    });
    logs.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn each_target_is_compared_at_its_best_level() {
        let run = run(&[("a", 4), ("b", 8)], 8);
        let found = compare_concurrency_sweeps(&run.plan, &run.slices, &[]).remove(0);
        assert_eq!(found.baseline_connections, 4);
        assert_eq!(found.challenger_connections, 8);
        assert_eq!(found.outcome, tenbin_result::Outcome::Faster);
        let ratio = found.ratio.unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-9, "{ratio:?}");
        assert_eq!(
            found.sentence,
            "the maximum throughput of b is higher than that of a at get (× 2.00, 96 % \
             interval 2.00–2.00, 8 connections against 4)"
        );
    }

    #[test]
    fn several_targets_share_the_five_percent() {
        // Three comparisons need at least seven blocks to show a difference.
        for (blocks, differs) in [(6, false), (7, true)] {
            let run = run(&[("a", 4), ("b", 8), ("c", 8), ("d", 8)], blocks);
            let found = compare_concurrency_sweeps(&run.plan, &run.slices, &[]);
            assert_eq!(found.len(), 3);
            for each in found {
                assert_eq!(each.outcome.is_different(), differs, "{blocks}: {each:?}");
                assert_eq!(each.ratio.unwrap().interval.is_some(), differs);
            }
        }
    }

    #[test]
    fn the_baseline_of_the_plan_is_the_base_and_its_twin_is_no_challenger() {
        let mut run = run(&[("a", 4), ("b", 8), ("b-twin", 8)], 8);
        run.plan.comparing.baseline = 1;
        run.plan.comparing.twin = Some(2);
        let found = compare_concurrency_sweeps(&run.plan, &run.slices, &[]);
        let pairs: Vec<[&str; 2]> = found
            .iter()
            .map(|each| [each.baseline.as_str(), each.challenger.as_str()])
            .collect();
        assert_eq!(pairs, [["b", "a"]]);
    }

    #[test]
    fn what_is_missing_is_not_compared() {
        let mut run = run(&[("a", 4), ("b", 8)], 8);
        run.slices.retain(|slice| slice.workload != "get-c32");
        assert_eq!(compare_concurrency_sweeps(&run.plan, &run.slices, &[]), []);
    }
}
