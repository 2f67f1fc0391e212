//! Histories with a known truth, from fixed seeds.

use super::*;
use crate::distribution::normal_quantile;
use crate::testing::Dice;

fn normal(dice: &mut Dice) -> f64 {
    normal_quantile(dice.roll().clamp(1e-12, 1.0 - 1e-12)).unwrap_or(0.0)
}

/// Runs with this deviation between runs and inside each run, at level 0.
fn runs(dice: &mut Dice, count: usize, between: f64, within: f64) -> Vec<RunValue> {
    let of = |_| RunValue {
        log: between * normal(dice) + within * normal(dice),
        variance: Some(within * within),
    };
    (0..count).map(of).collect()
}

fn raised(mut series: Vec<RunValue>, from: usize, by: f64) -> Vec<RunValue> {
    for run in &mut series[from..] {
        run.log += by;
    }
    series
}

/// The cost of the best levels, by trying every division.
fn lowest_by_trial(logs: &[f64], weights: &[f64], penalty: f64) -> f64 {
    let cap = penalty * fit::OUTLIER;
    let cost = |first: usize, end: usize| {
        // The lowest cost lies at the mean of the runs that are not limited, for some level.
        let at = |level: f64| -> f64 {
            let runs = (first..end).map(|at| ((logs[at] - level).powi(2) * weights[at]).min(cap));
            runs.sum()
        };
        let starts = (first..end).flat_map(|at| {
            let reach = (cap / weights[at]).sqrt();
            (-20..=20).map(move |step| logs[at] + reach * f64::from(step) / 20.0)
        });
        let settled = |mut level: f64| {
            for _ in 0..30 {
                let near = (first..end)
                    .filter(|at| (logs[*at] - level).powi(2) * weights[*at] <= cap)
                    .map(|at| (weights[at], weights[at] * logs[at]));
                let (total, moment) = near.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
                if total == 0.0 {
                    break;
                }
                level = moment / total;
            }
            at(level)
        };
        starts.map(settled).fold(f64::INFINITY, f64::min)
    };
    let mut best = vec![-penalty];
    for end in 1..=logs.len() {
        let costs = (0..end).map(|first| best[first] + penalty + cost(first, end));
        best.push(costs.fold(f64::INFINITY, f64::min));
    }
    best[logs.len()]
}

#[test]
fn the_levels_have_the_lowest_cost_of_all_divisions() {
    let mut dice = Dice(3);
    for trial in 0..40 {
        let count = 8 + trial % 9;
        let mut logs: Vec<f64> = (0..count).map(|_| normal(&mut dice)).collect();
        for log in &mut logs[count / 2..] {
            *log += 4.0 * dice.roll();
        }
        let weights: Vec<f64> = (0..count).map(|_| 0.5 + dice.roll()).collect();
        let penalty = 4.0 + 6.0 * dice.roll();
        let starts = fit::fitted(&logs, &weights, penalty);
        let cap = penalty * fit::OUTLIER;
        let ends = starts.iter().skip(1).copied().chain([count]);
        let total: f64 = starts
            .iter()
            .zip(ends)
            .map(|(first, end)| {
                // The best level of the stretch, by the same trial.
                lowest_by_trial(&logs[*first..end], &weights[*first..end], penalty)
            })
            .sum();
        let total = total + penalty * (starts.len() - 1) as f64;
        let best = lowest_by_trial(&logs, &weights, penalty);
        assert!(
            (total - best).abs() < 1e-6,
            "{trial}: {starts:?} costs {total}, not {best}"
        );
        assert!(cap < penalty);
    }
}

#[test]
fn a_history_without_a_change_has_one_in_at_most_one_of_twenty() {
    const HISTORIES: usize = 400;
    for (number, count) in (1..).zip([8, 12, 30, 100]) {
        let mut dice = Dice(number);
        let alarms = (0..HISTORIES)
            .filter(|_| {
                let series = runs(&mut dice, count, 0.02, 0.005);
                !levels(&series).unwrap().changes.is_empty()
            })
            .count();
        // 5 % of 400 are 20; more than 29 have a probability of 2 %.
        assert!(alarms <= 29, "{count} runs: {alarms} of {HISTORIES}");
    }
}

#[test]
fn five_percent_more_is_found_and_dated() {
    const HISTORIES: usize = 200;
    let mut dice = Dice(5);
    let (mut found, mut covered, mut dated) = (0, 0, 0);
    for _ in 0..HISTORIES {
        let series = raised(runs(&mut dice, 30, 0.01, 0.005), 20, 1.05_f64.ln());
        let levels = levels(&series).unwrap();
        if let [change] = levels.changes.as_slice() {
            found += 1;
            covered += usize::from(change.low <= 1.05_f64.ln() && 1.05_f64.ln() <= change.high);
            dated += usize::from(change.earliest <= 20 && 20 <= change.latest);
        }
    }
    assert!(found >= 190, "{found}");
    assert!(covered * 100 >= found * 91, "{covered} of {found}");
    assert!(dated * 100 >= found * 91, "{dated} of {found}");
}

#[test]
fn a_single_spike_is_an_outlier_and_no_change() {
    for at in [0, 7, 15, 28, 29] {
        let mut series = runs(&mut Dice(9), 30, 0.01, 0.005);
        series[at].log += 0.5;
        let levels = levels(&series).unwrap();
        assert_eq!(levels.changes, [], "at {at}");
        assert_eq!(levels.outliers, [at]);
        assert!(levels.stretches[0].log.abs() < 0.01, "the level ignores it");
    }
}

#[test]
fn two_spikes_inside_are_no_change_and_a_change_that_lasts_is_one() {
    let mut series = runs(&mut Dice(11), 30, 0.01, 0.005);
    series[10].log -= 0.4;
    series[11].log -= 0.4;
    assert_eq!(levels(&series).unwrap().changes, []);
    let lasting = raised(runs(&mut Dice(11), 30, 0.01, 0.005), 26, 0.3);
    let changes = levels(&lasting).unwrap().changes;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].first, 26);
}

#[test]
fn precise_runs_count_more() {
    // The imprecise run lies between; the precise ones show the change.
    let mut series: Vec<RunValue> = runs(&mut Dice(13), 24, 0.002, 0.002);
    for (at, run) in series.iter_mut().enumerate() {
        if at % 6 == 0 {
            run.variance = Some(0.01);
            run.log += 0.1 * if at % 4 == 0 { 1.0 } else { -1.0 };
        }
    }
    let found = levels(&raised(series, 12, 0.03)).unwrap();
    assert_eq!(found.changes.len(), 1, "{found:?}");
    assert!((11..=13).contains(&found.changes[0].first));
}

#[test]
fn values_that_do_not_vary_or_are_too_few_have_no_change() {
    let equal = vec![
        RunValue {
            log: 0.1,
            variance: None
        };
        20
    ];
    let found = levels(&equal).unwrap();
    assert_eq!((found.changes.len(), found.stretches.len()), (0, 1));
    assert_eq!(levels(&equal[..FEWEST_RUNS - 1]), None);
    let mut broken = equal.clone();
    broken[3].log = f64::NAN;
    assert_eq!(levels(&broken), None);
    broken[3].log = 1e300;
    assert_eq!(levels(&broken), None);
    broken[3].log = 700.0;
    broken[3].variance = Some(1e300);
    assert!(levels(&broken).is_some_and(|it| it.changes.is_empty()));
    // Equal before and equal after: the step is all there is.
    let step = raised(equal, 10, 0.05);
    assert_eq!(levels(&step).unwrap().changes.len(), 1);
}

#[test]
fn ten_thousand_runs_take_less_than_a_second() {
    let started = std::time::Instant::now();
    let mut series = runs(&mut Dice(17), 10_000, 0.02, 0.01);
    for run in &mut series[6_000..] {
        run.log += 0.02;
    }
    let found = levels(&series).unwrap();
    assert_eq!(found.changes.len(), 1);
    assert!((5_950..=6_050).contains(&found.changes[0].first));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
