use tenbin_plan::Relaunch;
use tenbin_result::{Outcome, Tendency};

use super::*;
use crate::compare::comparison::is_question;
use crate::compare::metric::Measure;
use crate::compare::outcome::{EQUIVALENCE, NOISE_FLOOR, effect};
use crate::expected::expected;
use crate::testing::Run;

fn primary(run: &Run) -> Comparison {
    let comparisons = compare(&run.plan, &run.slices);
    comparisons.into_iter().find(|c| c.primary).unwrap()
}

/// A run in which `b` has `ratio` times the throughput of `a`, with noise of up to ± 1 % per quad.
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

/// Eight ABBA quads of the workloads `kept` and `closed` on one target; `closed` has a fifth of the
/// throughput of `kept`.
fn two_workloads() -> Run {
    let mut run = Run::compared(&["a"], &["kept", "closed"], 16);
    run.each(|slice| {
        let noise = [4, -7, 9, -2, -10, 1][slice.0.block as usize % 6];
        let drift = 10 * i64::from(slice.0.index);
        let answers = 10_000 + noise * 10 + drift;
        let share = if slice.0.workload == "closed" { 5 } else { 1 };
        slice.answers(answers as u64 / share, 0.000_2 * share as f64);
    });
    run
}

#[test]
fn a_workload_is_compared_with_another_on_one_target() {
    let run = two_workloads();
    let Compared {
        targets, workloads, ..
    } = compare_all(&run.plan, &run.slices);
    assert_eq!(targets, [], "there is but one");
    let found = workloads.iter().find(|c| c.primary).unwrap();
    assert_eq!(found.across, Across::Workloads);
    assert_eq!(
        (
            found.workload.as_str(),
            found.baseline.as_str(),
            found.challenger.as_str()
        ),
        ("a", "kept", "closed")
    );
    assert_eq!(found.outcome, Outcome::Slower);
    assert_eq!(found.block_ratios.len(), 8);
    let estimate = found.ratio.estimate().unwrap();
    assert!((estimate.value - 0.2).abs() < 0.001, "{estimate:?}");
    assert!(
        found
            .sentence()
            .starts_with("closed is slower than kept on a (× 0.200"),
        "{}",
        found.sentence()
    );
}

const LEVELS: [&str; 4] = ["get-c1", "get-c2", "get-c4", "get-c8"];

/// Four targets at four levels, with the fewest rounds that the plan requires. From level `from`
/// on, `b` has `ratio` times the throughput of the other targets, with noise of up to ± 1 %.
fn sweep(ratio: f64, from: usize) -> Run {
    let mut run = Run::new(&["a", "b", "c", "d"], &LEVELS, 28);
    for (at, work) in run.plan.workloads.iter_mut().enumerate() {
        work.load.connections = 1 << at;
    }
    run.each(|slice| {
        let level = LEVELS
            .iter()
            .position(|name| *name == slice.0.workload)
            .unwrap();
        let connections = 1 << level;
        let (block, target) = (slice.0.block as usize, slice.0.target.as_bytes()[0]);
        let noise = [4, -7, 9, -2, -10, 1, 6][(block + level + usize::from(target)) % 7];
        let share = if target == b'b' && level >= from {
            ratio
        } else {
            1.0
        };
        let answers = f64::from(10_000 + 10 * noise) * share;
        slice.0.connections = connections;
        slice.answers(answers as u64, connections as f64 / answers);
    });
    run
}

#[test]
fn the_levels_of_a_sweep_are_judged_as_one_question() {
    let run = sweep(1.3, 0);
    assert_eq!(run.plan.hypotheses(), 3);
    assert_eq!(run.plan.fewest_rounds(), Some(28));
    let Compared {
        targets, curves, ..
    } = compare_all(&run.plan, &run.slices);
    let asked = targets.iter().filter(|c| is_question(c)).count();
    assert_eq!((asked, curves.len()), (0, run.plan.hypotheses()));
    let outcome = |name: &str| {
        &curves
            .iter()
            .find(|c| c.challenger == name)
            .unwrap()
            .outcome
    };
    assert_eq!(*outcome("b"), Outcome::Faster);
    assert!(!outcome("c").is_different() && !outcome("d").is_different());
    assert_eq!(curves[0].adjusted_p, Some(3.0 * 2.0 / 128.0));
    assert!(
        curves[0]
            .sentence()
            .starts_with("b is faster than a over all levels of get ("),
        "{}",
        curves[0].sentence()
    );
    for level in targets.iter().filter(|c| c.primary && c.challenger == "b") {
        assert_eq!(level.outcome, Outcome::Faster, "{}", level.workload);
        assert_eq!(level.adjusted_p, None);
    }
}

#[test]
fn a_difference_at_one_level_shows_in_the_curve() {
    let run = sweep(29.7, 3);
    let found = compare_all(&run.plan, &run.slices);
    assert_eq!(found.curves[0].outcome, Outcome::Faster);
    let mut levels = found
        .targets
        .iter()
        .filter(|c| c.primary && c.challenger == "b");
    assert!(levels.any(|c| c.workload == "get-c8" && c.outcome == Outcome::Faster));
}

#[test]
fn no_level_is_called_different_where_the_curve_is_not() {
    // Throughput is 6 % lower on few connections and 6 % higher on many, which cancels over all
    // levels.
    let mut run = sweep(1.0, 0);
    run.each_of("b", |slice| {
        let low = LEVELS[..2].contains(&slice.0.workload.as_str());
        let share = if low { 1.0 / 1.06 } else { 1.06 };
        let answers = 10_000.0 * share + f64::from(slice.0.block % 3);
        slice.answers(answers as u64, slice.0.connections as f64 / answers);
    });
    let found = compare_all(&run.plan, &run.slices);
    assert!(
        !found.curves[0].outcome.is_different(),
        "{:?}",
        found.curves[0]
    );
    let mut levels = found
        .targets
        .iter()
        .filter(|c| c.primary && c.challenger == "b");
    let level = levels.next().unwrap();
    assert!(!level.ratio.estimate().unwrap().contains(1.0));
    assert!(
        matches!(level.outcome, Outcome::Inconclusive { .. }),
        "{level:?}"
    );
    let sentence = level.sentence();
    assert!(
        sentence.contains("the 4 levels of get are one question"),
        "{sentence}"
    );
    assert!(levels.all(|level| !level.outcome.is_different()));
}

#[test]
fn of_workloads_only_whole_blocks_count_and_nothing_is_compared_unasked() {
    let mut run = two_workloads();
    run.slices[5].end.cut_short = true;
    let workloads = compare_all(&run.plan, &run.slices).workloads;
    let found = workloads.iter().find(|c| c.primary).unwrap();
    assert_eq!(found.block_ratios.len(), 7);
    run.plan.comparing.workloads.clear();
    assert_eq!(compare_all(&run.plan, &run.slices).workloads, []);
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
fn lower_latency_is_faster_and_lower_cpu_costs_less() {
    let mut run = faster(8, 1.2);
    run.each_of("b", |slice| slice.server_cpu(0.4));
    let comparisons = compare(&run.plan, &run.slices);
    let of = |metric| comparisons.iter().find(|c| c.metric == metric).unwrap();
    assert!(of(Metric::SERVICE_P50).ratio.value().unwrap() < 1.0);
    assert_eq!(of(Metric::SERVICE_P50).outcome, Outcome::Faster);
    assert_eq!(of(Metric::ServerCpu).outcome, Outcome::CostsLess);
    assert_eq!(of(Metric::ServerCpu).adjusted_p, None);
}

#[test]
fn the_plan_chooses_the_figure_that_decides() {
    let with_metric = |name: &str| {
        let mut run = faster(8, 1.2);
        run.each_of("b", |slice| slice.server_cpu(2.4));
        run.plan.comparing.decide = Some(tenbin_plan::Figure::named(name).unwrap());
        run
    };
    let run = with_metric("cpu");
    let comparisons = compare(&run.plan, &run.slices);
    let primary: Vec<_> = comparisons.iter().filter(|c| c.primary).collect();
    assert_eq!(primary.len(), 1);
    assert_eq!(primary[0].metric, Metric::ServerCpu);
    assert_eq!(primary[0].outcome, Outcome::CostsMore);
    assert!(primary[0].adjusted_p.is_some());
    assert!(comparisons.iter().any(|c| c.metric == Metric::Throughput));
    let run = with_metric("p95");
    let comparisons = compare(&run.plan, &run.slices);
    let primary: Vec<_> = comparisons.iter().filter(|c| c.primary).collect();
    assert_eq!(primary[0].metric.to_string(), "service_p95");
    assert_eq!(
        primary[0].metric.phrase(),
        "95th percentile of service time"
    );
    assert_eq!(primary[0].outcome, Outcome::Faster);
    assert_eq!(comparisons[0], *primary[0], "it comes first");
}

#[test]
fn a_cost_that_decides_and_is_not_observed_is_unknown_and_not_left_out() {
    let mut run = faster(8, 1.2);
    run.each_of("b", |slice| slice.unobserved());
    run.plan.comparing.decide = Some(tenbin_plan::Figure::Cpu);
    assert!(matches!(primary(&run).outcome, Outcome::Unknown { .. }));
}

#[test]
fn an_open_loop_is_decided_by_its_median_response() {
    let run = faster(8, 1.2).open_loop();
    let comparisons = compare(&run.plan, &run.slices);
    assert!(comparisons.iter().all(|c| c.metric != Metric::Throughput));
    let found = primary(&run);
    assert_eq!(found.metric, Metric::RESPONSE_P50);
    assert_eq!(found.outcome, Outcome::Faster);
}

#[test]
fn only_whole_blocks_count() {
    let mut run = faster(8, 1.2);
    run.first_of("b").answers(1, 0.9);
    assert_eq!(primary(&run).block_ratios.len(), 8);
    run.first_of("b").cut_short();
    assert_eq!(primary(&run).block_ratios.len(), 7);
    // The run ends after three slices (A, B, B) of the seventh quad.
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
fn a_large_difference_in_too_few_blocks_is_likely_with_its_confidence() {
    let likely = |run: &Run| *primary(run).outcome.likely().expect("likely");
    let found = likely(&faster(5, 1.0 / 3.0));
    assert_eq!(found.tendency, Tendency::Slower);
    assert_eq!(
        (found.confidence, found.blocks_missing),
        (1.0 - 2.0 / 32.0, 1)
    );
    assert!(found.high < 0.34 && found.low > 0.32, "{found:?}");
    // The run ends in the sixth quad.
    let stopped = likely(&faster(8, 12.0).interrupted(22));
    assert_eq!(
        (stopped.tendency, stopped.blocks_missing),
        (Tendency::Faster, 1)
    );
    assert!(
        primary(&faster(5, 12.0)).sentence().ends_with(
            "is likely faster than a at get: throughput (× 12.0, 93 % interval 11.9–12.1, 10 \
             rounds): below the usual confidence of 95 %, for which 2 rounds are missing"
        ),
        "{}",
        primary(&faster(5, 12.0)).sentence()
    );
    // Five blocks for two comparisons: 1 − 2 × 2/32.
    let mut both = Run::new(&["a", "b"], &["get", "put"], 10);
    both.each_of("b", |slice| slice.answers(3_000, 0.002 / 3.0));
    let found = likely(&both);
    assert_eq!((found.confidence, found.blocks_missing), (0.875, 2));
}

#[test]
fn too_few_blocks_are_not_likely_without_agreement_or_confidence() {
    let is_likely = |run: &Run| primary(run).outcome.likely().is_some();
    assert!(is_likely(&faster(4, 12.0)), "87.5 %");
    assert!(!is_likely(&faster(3, 12.0)), "75 %");
    assert!(!is_likely(&faster(5, 1.005)), "below the noise floor");
    let mut mixed = faster(5, 12.0);
    mixed.each_of("b", |slice| {
        if slice.0.block == 2 {
            slice.answers(900, 0.002 / 0.9);
        }
    });
    assert!(!is_likely(&mixed));
    let mut one_start = faster(5, 1.03);
    one_start.plan.rounds.relaunch = Relaunch::Never;
    assert!(!is_likely(&one_start), "two starts may differ by as much");
    assert!(!is_likely(&faster(8, 12.0)), "a verdict");
}

#[test]
fn a_wide_spread_gets_no_absurd_advice() {
    // The ratios of the blocks lie between 0.01 and 2: their centre is near 0.16.
    let mut run = Run::pair(8);
    run.each_of("b", |slice| {
        let shares = [0.01, 0.02, 0.3, 2.0, 1.5, 0.05, 0.2, 1.2];
        let share = shares[slice.0.block as usize % 8];
        slice.answers((1_000.0 * share) as u64, 0.002 / share);
    });
    let found = primary(&run);
    let Outcome::Inconclusive {
        aim, rounds_needed, ..
    } = found.outcome
    else {
        panic!("{:?}", found.outcome);
    };
    assert!(aim > 1.0, "the observed difference, not 5 %: {aim}");
    assert!(
        rounds_needed.is_none_or(|rounds| rounds <= 100),
        "{rounds_needed:?}"
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
    assert_eq!(
        found.ratio.estimate(),
        None,
        "six blocks have none for four"
    );
    let sentence = found.sentence();
    assert!(sentence.contains("b is likely faster"), "{sentence}");
    assert!(
        sentence.contains("for all 4 comparisons together"),
        "{sentence}"
    );
    let Outcome::Inconclusive {
        aim, rounds_needed, ..
    } = found.outcome
    else {
        panic!("{:?}", found.outcome)
    };
    assert!((aim - 0.5).abs() < 0.1, "{aim}");
    // Four comparisons need at least eight blocks of two rounds.
    assert!(
        (16..40).contains(&rounds_needed.unwrap()),
        "{rounds_needed:?}"
    );
}

#[test]
fn a_third_target_is_compared_with_the_first() {
    // A Williams square of three targets has six rounds; the last square is incomplete.
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
fn the_cpu_of_a_whole_host_is_no_match_for_that_of_processes() {
    let of = |run: &Run| {
        let comparisons = compare(&run.plan, &run.slices);
        comparisons.iter().any(|c| c.metric == Metric::ServerCpu)
    };
    let mut run = Run::pair(8);
    run.each_of("b", |slice| slice.of_whole_host());
    assert!(!of(&run));
    run.each_of("a", |slice| slice.of_whole_host());
    assert!(of(&run), "both are of the same kind");
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

/// A run with baseline `a`, challenger `b` and the twin `a-twin`, which is `noise` times as fast as
/// `a` in every second block.
fn with_twin(ratio: f64, noise: f64) -> Run {
    let mut run = Run::new(&["a", "b", "a-twin"], &["get"], 48);
    run.plan.comparing.twin = Some(2);
    run.each_of("b", |slice| {
        slice.answers((100_000.0 * ratio) as u64, 0.000_02 / ratio);
    });
    run.each_of("a", |slice| slice.answers(100_000, 0.000_02));
    run.each_of("a-twin", |slice| {
        let share = if slice.0.block % 2 == 0 {
            noise
        } else {
            1.0 / noise
        };
        slice.answers((100_000.0 * share) as u64, 0.000_02 / share);
    });
    run
}

#[test]
fn a_twin_is_no_question_and_its_interval_is_the_floor() {
    let run = with_twin(1.03, 1.04);
    let comparisons = compare(&run.plan, &run.slices);
    let questions: Vec<&Comparison> = comparisons.iter().filter(|c| c.primary).collect();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].challenger, "b");
    assert!(
        (0.03..0.05).contains(&questions[0].floor()),
        "{questions:?}"
    );
    assert!(!questions[0].ratio.estimate().unwrap().contains(1.0));
    assert!(
        !questions[0].outcome.is_different(),
        "{:?}",
        questions[0].outcome
    );
    let quiet = primary(&with_twin(1.03, 1.001));
    assert_eq!(quiet.outcome, Outcome::Faster);
    assert_eq!(quiet.floor(), NOISE_FLOOR);
    assert_eq!(primary(&with_twin(1.10, 1.04)).outcome, Outcome::Faster);
}

#[test]
fn what_the_twin_hides_is_not_promised_and_takes_more_rounds() {
    let found = primary(&with_twin(1.06, 1.08));
    let Outcome::Inconclusive {
        detectable: Some(detectable),
        aim,
        rounds_needed,
        ..
    } = found.outcome
    else {
        panic!("{:?}", found.outcome);
    };
    assert_eq!((detectable, aim), (found.floor(), EQUIVALENCE));
    // The floor must drop from 8 % to 5 %, which needs 8 × (ln 1.08 / ln 1.05)² = 20 squares.
    assert_eq!(rounds_needed, Some(20 * 6));
}

#[test]
fn the_margin_is_the_plans() {
    let mut run = faster(8, 1.015);
    run.plan.comparing.margin = "10%".parse().unwrap();
    assert_eq!(primary(&run).outcome, Outcome::Faster);
    let mut run = Run::pair(8);
    run.each_of("b", |slice| slice.answers(1_004, 0.002 / 1.004));
    assert!(matches!(primary(&run).outcome, Outcome::Equivalent { within } if within == 0.05));
    run.plan.comparing.margin = "0.3%".parse().unwrap();
    assert_eq!(primary(&run).outcome, Outcome::Faster);
    run.plan.comparing.margin = "0.5%".parse().unwrap();
    assert!(matches!(primary(&run).outcome, Outcome::Equivalent { within } if within == 0.005));
}

#[test]
fn another_baseline_turns_the_ratio_round() {
    let mut run = faster(8, 1.25);
    run.plan.comparing.baseline = 1;
    let found = primary(&run);
    assert_eq!(
        (found.baseline.as_str(), found.challenger.as_str()),
        ("b", "a")
    );
    assert_eq!(found.outcome, Outcome::Slower);
    assert!(found.ratio.estimate().unwrap().contains(0.8));
}

#[test]
fn the_ratio_is_also_told_without_flagged_slices() {
    let mut run = faster(8, 1.12);
    assert_eq!(primary(&run).without_flagged, None);
    run.first_of("b")
        .fail(tenbin_record::ErrorClass::Reset, 500);
    let found = primary(&run);
    assert_eq!(found.block_ratios.len(), 8);
    assert_eq!(found.without_flagged.map(|ratio| ratio.n), Some(7));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 24,
        max_shrink_iters: 16,
        failure_persistence: None,
        ..Default::default()
    })]

    /// For all figures, the printed interval decides the outcome.
    #[test]
    fn the_interval_shown_is_the_one_that_decides(
        effects in proptest::collection::vec(-12..13_i32, 1..6),
        noise in proptest::collection::vec(-60..61_i32, 6 * 12),
        quads in 6..13_u32,
        size in 1..12_i32,
    ) {
        let names: Vec<String> = (0..effects.len()).map(|at| format!("w{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut run = Run::new(&["a", "b"], &names, quads * 2);
        run.plan.comparing.expect = vec![tenbin_plan::Expectation {
            demand: tenbin_plan::Demand::Expect,
            target: None,
            workload: None,
            figure: tenbin_plan::Figure::Throughput,
            relation: tenbin_plan::Relation::Above,
            bound: tenbin_plan::Bound::Baseline(1.0),
        }];
        run.each_of("b", |slice| {
            let at = names.iter().position(|name| *name == slice.0.workload).unwrap();
            let noise = noise[at * 12 + slice.0.block as usize] * size;
            let share = (f64::from(effects[at]) / 50.0 + f64::from(noise) / 5_000.0).exp();
            slice.answers((100_000.0 * share) as u64, 0.000_02 / share);
        });
        run.each_of("a", |slice| slice.answers(100_000, 0.000_02));
        let comparisons = compare(&run.plan, &run.slices);
        let expected = expected(&run.plan, &run.slices, &comparisons, &[]);
        for each in &comparisons {
            let estimate = each.ratio.estimate();
            let excludes_one = estimate.is_some_and(|found| !found.contains(1.0));
            let large = each.ratio.value().is_some_and(|it| effect(it) > each.floor());
            let different = each.outcome.is_different();
            proptest::prop_assert_eq!(different, excludes_one && large, "{:?}", each);
            let inside = estimate.is_some_and(|it| it.low >= 1.0 / 1.05 && it.high <= 1.05);
            let equivalent = matches!(each.outcome, Outcome::Equivalent { .. });
            proptest::prop_assert_eq!(equivalent, inside && !different, "{:?}", each);
            let says_why = each.sentence().contains("noise floor");
            proptest::prop_assert_eq!(says_why, excludes_one && !large, "{}", each.sentence());
            if each.primary {
                let holds = each.adjusted_p.unwrap() <= 0.05;
                proptest::prop_assert_eq!(holds, excludes_one, "{:?}", each);
                let has_interval = estimate.is_some() || each.outcome.likely().is_some();
                let said = each.sentence().contains("together");
                proptest::prop_assert_eq!(said, names.len() > 1 && has_interval);
                let mut figures = expected.iter();
                let figure = figures.find(|it| it.workload == each.workload).unwrap().figure;
                proptest::prop_assert_eq!(figure, each.found.ratio);
            }
        }
    }
}
