use tenbin_result::Interval;

use super::*;

fn series(workload: &str, level: f64, values: usize) -> Series {
    let values = (0..values).map(|at| level * (1.0 + 0.001 * at as f64));
    let target = Some("a".to_owned());
    Series::new(workload.to_owned(), target, Measure::Rate, values.collect())
}

fn compared(ratios: &[(&str, f64)], values: usize, changed: &[&str]) -> EarlierRun {
    let before: Vec<Series> = ratios
        .iter()
        .map(|(name, _)| series(name, 100.0, values))
        .collect();
    let after: Vec<Series> = ratios
        .iter()
        .map(|(name, ratio)| series(name, 100.0 * ratio, values))
        .collect();
    let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
    against_earlier(&before, &after, &changed, &[])
}

fn changes(run: &EarlierRun) -> Vec<EarlierOutcome> {
    run.all.iter().map(|each| each.change).collect()
}

#[test]
fn without_controls_a_change_has_no_known_cause() {
    let run = compared(&[("put", 1.2), ("get", 0.8), ("list", 1.0)], 12, &[]);
    assert_eq!(
        changes(&run),
        [
            EarlierOutcome::Differs,
            EarlierOutcome::Differs,
            EarlierOutcome::CannotTell
        ]
    );
    assert_eq!(run.controls, None);
    let ratio = run.all[0].ratio.unwrap();
    assert!((ratio.value - 1.2).abs() < 1e-9, "{ratio:?}");
}

#[test]
fn no_further_than_the_controls_is_drift() {
    let moved = [("list", 1.15), ("put", 1.2), ("get", 0.97)];
    let run = compared(&moved, 12, &["list"]);
    assert_eq!(run.all[0].change, EarlierOutcome::Drift);
    let controls = run.controls.unwrap();
    assert_eq!(controls.count, 2);
    assert!((controls.low - 0.97).abs() < 1e-9, "{controls:?}");
    assert!((controls.high - 1.2).abs() < 1e-9, "{controls:?}");
    let further = compared(&[("list", 1.7), ("put", 1.2), ("get", 0.97)], 12, &["list"]);
    assert_eq!(further.all[0].change, EarlierOutcome::Faster);
    // 1.5 ÷ 1.2 is further than the controls, but not further than two runs of one build can be.
    let near = compared(&[("list", 1.5), ("put", 1.2), ("get", 0.97)], 12, &["list"]);
    assert_eq!(near.all[0].change, EarlierOutcome::Drift);
}

#[test]
fn controls_that_all_moved_one_way_have_their_own_range_and_no_less_drift() {
    let moved = [("list", 1.2), ("put", 1.372), ("get", 1.912)];
    let run = compared(&moved, 12, &["list"]);
    let controls = run.controls.unwrap();
    assert!((controls.low - 1.372).abs() < 1e-9, "{controls:?}");
    assert!((controls.high - 1.912).abs() < 1e-9, "{controls:?}");
    assert_eq!(
        run.all[0].change,
        EarlierOutcome::Drift,
        "between 1 and 1.912"
    );
}

#[test]
fn one_run_each_cannot_tell_whatever_the_ratio() {
    let run = compared(&[("list", 58.0)], 1, &[]);
    assert_eq!(changes(&run), [EarlierOutcome::TooFew]);
    assert!((run.all[0].ratio.unwrap().value - 58.0).abs() < 1e-9);
}

#[test]
fn many_questions_ask_for_more_evidence() {
    // With four values in each run, the smallest p is 2/70: enough for one comparison, too
    // large for two.
    assert_eq!(
        changes(&compared(&[("put", 2.0)], 4, &[])),
        [EarlierOutcome::Differs]
    );
    let two = compared(&[("put", 2.0), ("get", 2.0)], 4, &[]);
    assert_eq!(changes(&two), [EarlierOutcome::TooFew; 2]);
}

#[test]
fn only_what_both_have_is_compared() {
    let before = [series("put", 1.0, 8)];
    let after = [series("put", 1.0, 8), series("get", 1.0, 8)];
    assert_eq!(against_earlier(&before, &after, &[], &[]).all.len(), 1);
}

/// Two runs with the targets `new` and `old`, where `old` is shared. In the second run, the speed
/// of the machine is multiplied by `machine`, and the ratio `new`/`old` by `factor`.
fn with_shared_target(machine: f64, factor: f64, noise: f64) -> EarlierRun {
    judged(machine, factor, noise, None, &[])
}

fn judged(
    machine: f64,
    factor: f64,
    noise: f64,
    run_to_run: Option<RunSpread>,
    doubts: &[Withheld],
) -> EarlierRun {
    let run = |machine: f64, factor: f64| {
        let block = |at: usize| 1.0 + noise * [0.3, -1.0, 0.7, 0.1, -0.4, 0.9, -0.6, 0.2][at % 8];
        let drift: Vec<f64> = (0..8)
            .map(|at| machine * (1.0 - 0.04 * at as f64))
            .collect();
        let target = |name: &str| Some(name.to_owned());
        let mut old = Series::new(
            "get".to_owned(),
            target("old"),
            Measure::Rate,
            drift.clone(),
        );
        old.shared = true;
        let new = drift.iter().enumerate();
        let new: Vec<f64> = new.map(|(at, level)| level * factor * block(at)).collect();
        let relative = new.iter().zip(&drift).map(|(new, old)| new / old).collect();
        let mut new = Series::new("get".to_owned(), target("new"), Measure::Rate, new);
        new.relative = Some(relative);
        new.run_to_run = run_to_run;
        [old, new]
    };
    let (before, after) = (run(100.0, 1.0), run(100.0 * machine, factor));
    against_earlier(&before, &after, &[], doubts)
}

#[test]
fn the_change_of_a_shared_target_is_divided_out() {
    let run = with_shared_target(0.82, 1.0, 0.01);
    assert_eq!(run.all[0].part, EarlierPart::Control);
    let raw = run.all[1].ratio.unwrap().interval.unwrap();
    assert!(raw.high < 1.0, "the machine is slower: {raw:?}");
    assert!((run.all[1].divided.unwrap().value - 1.0).abs() < 0.02);
    assert_eq!(run.all[1].change, EarlierOutcome::Drift, "{:?}", run.all[1]);
    assert_eq!(
        run.all[1].p, None,
        "no p from the slices of two single runs"
    );

    let faster = with_shared_target(0.9, 1.6, 0.01);
    assert_eq!(faster.all[1].change, EarlierOutcome::Faster);
    let divided = faster.all[1].divided.unwrap();
    let ends = divided.interval.unwrap();
    assert!(ends.low <= 1.6 && 1.6 <= ends.high, "{divided:?}");
    assert!(ends.high / ends.low > 1.7, "one run is one observation");
    let slower = with_shared_target(1.1, 0.6, 0.01);
    assert_eq!(slower.all[1].change, EarlierOutcome::Slower);
    let near = with_shared_target(0.99, 1.25, 0.001);
    assert_eq!(
        near.all[1].change,
        EarlierOutcome::Drift,
        "as two starts can differ"
    );
}

#[test]
fn a_change_is_attributed_only_between_valid_runs_on_a_machine_that_changed_little() {
    for machine in [0.32, 0.79, 1.27, 3.0] {
        for factor in [0.3, 2.61, 8.0] {
            let run = with_shared_target(machine, factor, 0.01);
            assert_eq!(run.all[1].change, EarlierOutcome::Differs, "{machine}");
            let [Withheld::ControlMoved { ratio, .. }] = run.withheld.as_slice() else {
                panic!("{:?}", run.withheld);
            };
            assert!((ratio - machine).abs() < 1e-9);
        }
        let same = with_shared_target(machine, 1.0, 0.001);
        assert!(!matches!(
            same.all[1].change,
            EarlierOutcome::Equivalent | EarlierOutcome::Faster | EarlierOutcome::Slower
        ));
    }
    for doubt in [
        Withheld::NotValid("a".into()),
        Withheld::Unjudged("b".into()),
    ] {
        let run = judged(1.0, 3.0, 0.01, None, std::slice::from_ref(&doubt));
        assert_eq!(run.all[1].change, EarlierOutcome::Differs);
        assert_eq!(run.withheld, [doubt]);
    }
    let moved = [("list", 3.0), ("put", 1.3), ("get", 0.97)];
    let by_workload = compared(&moved, 12, &["list"]);
    assert_eq!(by_workload.all[0].change, EarlierOutcome::Differs);
}

#[test]
fn earlier_runs_that_agree_let_two_runs_show_a_small_change() {
    let known = |deviation: f64| {
        let spread = RunSpread {
            deviation,
            freedom: Some(9),
        };
        let run = judged(1.0, 1.2, 0.001, Some(spread), &[]);
        let shown = run.all[1].run_to_run.unwrap();
        assert_eq!((shown.deviation, shown.freedom), (deviation, Some(9)));
        run.all[1].change
    };
    assert_eq!(known(0.01), EarlierOutcome::Faster);
    assert_eq!(known(0.1), EarlierOutcome::Drift);
    let same = RunSpread {
        deviation: 0.005,
        freedom: Some(9),
    };
    let run = judged(1.0, 1.0, 0.001, Some(same), &[]);
    assert_eq!(run.all[1].change, EarlierOutcome::Equivalent);
}

/// The printed interval decides the verdict and includes Bonferroni's correction.
#[test]
fn a_verdict_needs_an_interval_without_one() {
    for (factor, values) in [(1.02, 5), (1.2, 5), (1.004, 12), (0.5, 12), (1.0, 12)] {
        for changed in [&[][..], &["list"][..]] {
            let run = compared(
                &[("list", factor), ("put", 1.1), ("get", 0.98)],
                values,
                changed,
            );
            for each in run
                .all
                .iter()
                .filter(|each| each.part != EarlierPart::Control)
            {
                let shown = each.divided.or(each.ratio).unwrap();
                let outside = |ends: Interval| 1.0 < ends.low || ends.high < 1.0;
                let different =
                    shown.interval.is_some_and(outside) && effect(shown.value) > NOISE_FLOOR;
                let word = match each.divided {
                    Some(_) => {
                        matches!(each.change, EarlierOutcome::Faster | EarlierOutcome::Slower)
                    }
                    None => each.change == EarlierOutcome::Differs,
                };
                assert_eq!(word, different, "{each:?}");
            }
        }
    }
}
