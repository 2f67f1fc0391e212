//! What `cargo xtask statistics gate` compares gates with: the usual gates, and recorded noise.

#[path = "../examples/statistics/gates/recorded.rs"]
mod recorded;
#[path = "../examples/statistics/gates/usual.rs"]
mod usual;

use recorded::{RECORDINGS, Recorded, Resampled};
use tenbin_plan::rng::Rng;
use usual::{Sequence, Usual};

/// Independent noise of 2 %, and a candidate of this relative speed.
fn independent(seed: u64, speed: f64) -> Sequence {
    let mut rng = Rng::new(seed, &[]);
    let mut run = |speed: f64| -> Vec<f64> {
        let mut noise = || (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        (0..8).map(|_| speed * (1.0 + 0.02 * noise())).collect()
    };
    Sequence {
        base: (0..20).map(|_| run(1.0)).collect(),
        candidate: (0..10).map(|_| run(speed)).collect(),
    }
}

/// Runs of one slice each.
fn single(base: &[f64], candidate: &[f64]) -> Usual {
    let runs = |values: &[f64]| values.iter().map(|value| vec![*value; 3]).collect();
    Usual::of(&Sequence {
        base: runs(base),
        candidate: runs(candidate),
    })
}

#[test]
fn on_independent_noise_each_test_keeps_its_error_and_finds_ten_percent() {
    let of = |speed: f64| -> Vec<Usual> {
        let seeds = 0..1_000;
        seeds
            .map(|seed| Usual::of(&independent(seed, speed)))
            .collect()
    };
    let (equal, slower, faster) = (of(1.0), of(1.0 / 1.1), of(1.1));
    let count =
        |all: &[Usual], is_hit: fn(&Usual) -> bool| all.iter().filter(|it| is_hit(it)).count();
    // Two-sided tests at 5 % find half of their errors on the slower side: 25 ± 10 of 1,000.
    for is_hit in [|it: &Usual| it.t_test, |it: &Usual| it.benchstat] {
        let alarms = count(&equal, is_hit);
        assert!((12..=40).contains(&alarms), "{alarms}");
        assert!(count(&slower, is_hit) >= 990);
        assert_eq!(count(&faster, is_hit), 0);
    }
    assert!(count(&equal, |it| it.change_point) <= 50);
    assert!(count(&slower, |it| it.change_point) >= 990);
    assert_eq!(count(&faster, |it| it.change_point), 0);
    assert_eq!(count(&slower, |it| it.threshold), 0);
    let threshold = Usual::of(&independent(1, 0.45)).threshold;
    assert!(threshold, "more than twice as long");
}

#[test]
fn the_rank_test_has_the_printed_critical_value() {
    // Of two samples of ten, U = 23 is significant and 24 is not (Siegel, Nonparametric Statistics,
    // table K). Each candidate above `n` values of the base adds n to U.
    let base: Vec<f64> = (0..10).map(|i| f64::from(i) + 101.0).collect();
    let with_u = |each: [u32; 10]| {
        let candidate: Vec<f64> = each
            .iter()
            .zip(0..)
            .map(|(above, i)| 100.5 + f64::from(*above) + f64::from(i) / 100.0)
            .collect();
        single(&base, &candidate).benchstat
    };
    assert!(with_u([0, 1, 2, 2, 2, 2, 2, 3, 4, 5]));
    assert!(!with_u([0, 1, 2, 2, 2, 2, 2, 3, 4, 6]));
}

#[test]
fn the_t_test_has_the_printed_critical_value() {
    // Fourteen degrees of freedom: 2.145. The standard error of these samples is √(2/7).
    let run = |middle: f64| -> Vec<f64> {
        let sides = [-1.0, 1.0].iter().cycle().take(8);
        sides.map(|side| middle + side).collect()
    };
    let fails = |t: f64| {
        let sequence = Sequence {
            base: vec![run(100.0)],
            candidate: vec![run(100.0 - t * (2.0_f64 / 7.0).sqrt())],
        };
        Usual::of(&sequence).t_test
    };
    assert!(fails(2.17));
    assert!(!fails(2.13));
}

#[test]
fn a_change_before_the_candidate_is_not_its_fault() {
    let noisy = |level: f64, seed: u64| {
        let mut rng = Rng::new(seed, &[]);
        (0..10).map(|_| level + rng.unit()).collect::<Vec<f64>>()
    };
    let history = |older: f64, newer: f64, candidate: f64| {
        let base = [noisy(older, 1), noisy(newer, 2)].concat();
        single(&base, &noisy(candidate, 3)).change_point
    };
    assert!(history(100.0, 100.0, 90.0));
    assert!(!history(100.0, 90.0, 90.0));
    assert!(history(110.0, 100.0, 90.0));
    assert!(!history(100.0, 100.0, 100.0));
}

#[test]
fn resampled_slices_keep_their_neighbours_and_the_level_of_the_recording() {
    for beside in RECORDINGS {
        let slices = beside.slices();
        assert!(slices.len() >= 200, "{beside:?}: {}", slices.len());
        for figure in [|it: &Recorded| it.speed, |it: &Recorded| it.cpu] {
            let mean = slices.iter().map(figure).sum::<f64>() / slices.len() as f64;
            assert!(mean.abs() < 1e-9, "{beside:?}: {mean}");
        }
        let mut resampled = Resampled::new(beside, 5);
        let stretches: Vec<Vec<Recorded>> = (0..6)
            .map(|_| (0..40).map(|_| resampled.next()).collect())
            .collect();
        for stretch in &stretches {
            let mut windows = slices.windows(40);
            assert!(windows.any(|window| window == stretch), "{beside:?}");
        }
        assert_ne!(stretches[0], stretches[1], "at random places");
    }
}
