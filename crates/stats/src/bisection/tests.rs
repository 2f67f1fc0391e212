use super::*;
use crate::betting::{Null, evidence_against};
use crate::distribution::normal_quantile;
use crate::testing::Dice;

/// Blocks after which a simulated search ends undecided.
const BUDGET: usize = 400;
const CERTAINTY: f64 = 0.95;

fn normal(dice: &mut Dice) -> f64 {
    normal_quantile(dice.roll().clamp(1e-12, 1.0 - 1e-12)).unwrap()
}

/// Student's distribution with three degrees of freedom.
fn student(dice: &mut Dice) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(dice).powi(2)).sum();
    normal(dice) / (squares / 3.0).sqrt()
}

/// The noise of the log ratio of a block.
type Noise = fn(&mut Dice) -> f64;

const NOISES: [(&str, Noise); 4] = [
    ("normal, 2 %", |dice| 0.02 * normal(dice)),
    ("normal, 4 %", |dice| 0.04 * normal(dice)),
    ("heavy tails, 2 %", |dice| 0.02 * student(dice)),
    ("bursts", |dice| match dice.roll() {
        rare if rare < 0.1 => (0.05 - rare).signum() * 0.4 * dice.roll(),
        _ => 0.02 * normal(dice),
    }),
];

/// Both programs of a block start again, and four of ten starts are slower by 8 %.
fn starts_of_two_speeds(dice: &mut Dice) -> f64 {
    let starts = [dice.roll(), dice.roll()].map(|roll| f64::from(roll < 0.4));
    0.08 * (starts[0] - starts[1]) + 0.02 * normal(dice)
}

/// A simulated search: the most probable commits, their probability, how the search ended, and the
/// blocks that it took.
struct Searched {
    leader: Range<usize>,
    certainty: f64,
    end: Option<Decision>,
    blocks: usize,
}

impl Searched {
    fn is_found(&self) -> bool {
        self.end == Some(Decision::Found)
    }
}

/// Searches for a culprit that makes a figure worse by `change`. Skipped commits are tried in vain.
fn search(
    commits: usize,
    culprit: usize,
    change: f64,
    skipped: &[usize],
    noise: impl FnMut() -> f64,
) -> Searched {
    let worse = |commit: usize| if commit >= culprit { change } else { 0.0 };
    search_among(commits, worse, skipped, noise)
}

/// Searches among commits that are worse than the good end by `worse`.
fn search_among(
    commits: usize,
    worse: impl Fn(usize) -> f64,
    skipped: &[usize],
    mut noise: impl FnMut() -> f64,
) -> Searched {
    let mut bisection = Bisection::new(commits);
    let last = commits - 1;
    let is_proven = |logs: &[f64]| {
        let better: Vec<f64> = logs.iter().map(|log| -log).collect();
        logs.len() >= 5 && evidence_against(Null::AtLeast, 0.0, &better) >= 20.0
    };
    while !is_proven(bisection.observed(last)) {
        assert!(bisection.blocks() < BUDGET, "the ends are not told apart");
        bisection.observe(last, &[worse(last) + noise()]);
    }
    loop {
        let posterior = bisection.posterior();
        let step = match bisection.decide(&posterior, CERTAINTY) {
            Decision::Measure(step) if bisection.blocks() < BUDGET => step,
            end => {
                let (leader, certainty) = bisection.leader(&posterior);
                return Searched {
                    leader,
                    certainty,
                    end: (!matches!(end, Decision::Measure(_))).then_some(end),
                    blocks: bisection.blocks(),
                };
            }
        };
        if skipped.contains(&step.commit) {
            bisection.skip(step.commit);
            continue;
        }
        let centre = worse(step.commit);
        let logs: Vec<f64> = (0..step.blocks).map(|_| centre + noise()).collect();
        bisection.observe(step.commit, &logs);
    }
}

/// Five percent among 32 commits: the right one is found in 19 of 20 searches at least, and a search
/// that claims 95 % is wrong in at most one of twenty.
#[test]
fn a_commit_that_costs_five_percent_is_found_among_thirty_two() {
    for (number, (name, noise)) in NOISES.iter().enumerate() {
        let mut dice = Dice(number as u64 + 1);
        let (searches, mut right, mut wrong) = (40, 0, 0);
        let mut blocks = Vec::new();
        for _ in 0..searches {
            let culprit = (dice.roll() * 32.0) as usize;
            let searched = search(32, culprit, 0.05_f64.ln_1p(), &[], || noise(&mut dice));
            let is_right = searched.leader == (culprit..culprit + 1);
            right += u32::from(is_right && searched.is_found());
            wrong += u32::from(!is_right && searched.is_found());
            blocks.push(searched.blocks);
        }
        blocks.sort_unstable();
        let shares = format!(
            "{name}: {right} of {searches} right, {wrong} wrong, blocks {} (median), {} (most)",
            blocks[blocks.len() / 2],
            blocks[blocks.len() - 1]
        );
        eprintln!("{shares}");
        assert!(right * 20 >= searches * 19, "{shares}");
        assert!(wrong <= 4, "{shares}");
        assert!(blocks[blocks.len() / 2] < 100, "{shares}");
    }
}

/// Blocks whose starts differ by more than the change: the right commit is found in nine of ten searches
/// at least, and with fewer blocks than noise of the same variance without modes would take.
#[test]
fn a_commit_that_costs_less_than_a_slow_start_is_found() {
    let mut dice = Dice(41);
    let (searches, mut right, mut wrong) = (60, 0, 0);
    let mut blocks = Vec::new();
    for _ in 0..searches {
        let culprit = (dice.roll() * 32.0) as usize;
        let noise = || starts_of_two_speeds(&mut dice);
        let searched = search(32, culprit, 0.05_f64.ln_1p(), &[], noise);
        let is_right = searched.leader == (culprit..culprit + 1);
        right += u32::from(is_right && searched.is_found());
        wrong += u32::from(!is_right && searched.is_found());
        blocks.push(searched.blocks);
    }
    blocks.sort_unstable();
    let median = blocks[blocks.len() / 2];
    let shares = format!("{right} of {searches} right, {wrong} wrong, blocks {median} (median)");
    eprintln!("{shares}");
    assert!(right * 10 >= searches * 9, "{shares}");
    // Three are expected, and more than six of sixty happen by chance in one of thirty.
    assert!(wrong <= 6, "{shares}");
    assert!(median < 80, "{shares}");
}

/// Between two changes, commits lie between both ends, and noise moves them to either: a search may end
/// without a commit, or name one of the two, but no other.
#[test]
fn no_commit_between_two_changes_is_found() {
    let each = 0.05_f64.ln_1p();
    let worse = |commit: usize| each * [8, 24].iter().filter(|at| commit >= **at).count() as f64;
    let (searches, mut innocent) = (25, 0);
    for (number, (name, noise)) in NOISES.iter().enumerate() {
        let mut dice = Dice(number as u64 + 21);
        let (mut changes, mut several) = (0, 0);
        for _ in 0..searches {
            let searched = search_among(32, worse, &[], || noise(&mut dice));
            let is_change = [8..9, 24..25].contains(&searched.leader);
            innocent += u32::from(searched.is_found() && !is_change);
            changes += u32::from(searched.is_found() && is_change);
            several += u32::from(searched.end == Some(Decision::Several));
        }
        eprintln!("{name}: {changes} of {searches} found a change, {several} several");
    }
    assert!(innocent <= 5, "{innocent} of 100 name an innocent commit");
}

/// The build of the good end is faster by 1 %, so that all ratios are worse than the commits are, as if
/// the first commit were the culprit.
#[test]
fn the_build_of_the_good_end_is_no_change() {
    let mut dice = Dice(31);
    let worse = |commit: usize| if commit >= 20 { 0.02 } else { 0.01 };
    for _ in 0..10 {
        let searched = search_among(32, worse, &[], || 0.005 * normal(&mut dice));
        let (leader, end) = (searched.leader, searched.end);
        assert!(
            end != Some(Decision::Found) || leader == (20..21),
            "{leader:?}"
        );
    }
}

#[test]
fn a_search_without_noise_takes_a_step_for_each_halving() {
    for culprit in 0..32 {
        let searched = search(32, culprit, 0.5, &[], || 0.0);
        assert!(searched.is_found(), "{culprit}: {:?}", searched.end);
        assert_eq!(searched.leader, culprit..culprit + 1);
        // The ends take five blocks, and five halvings two each.
        assert!(
            searched.blocks <= 5 + 2 * 6,
            "{culprit}: {}",
            searched.blocks
        );
    }
}

#[test]
fn commits_that_cannot_be_measured_join_the_next() {
    let mut dice = Dice(5);
    let mut noise = || 0.02 * normal(&mut dice);
    let skipped = [10, 11, 12, 20];
    for (culprit, group) in [
        (9, 9..10),
        (10, 10..14),
        (12, 10..14),
        (13, 10..14),
        (14, 14..15),
    ] {
        let searched = search(32, culprit, 0.1, &skipped, &mut noise);
        assert_eq!(searched.leader, group, "culprit {culprit}");
        assert!(searched.is_found(), "culprit {culprit}: {:?}", searched.end);
    }
    // Between two ends of which nothing is left to measure.
    let searched = search(4, 1, 0.1, &[0, 1, 2], &mut noise);
    assert_eq!((searched.leader, searched.certainty), (0..4, 1.0));
    let only = search(1, 0, 0.1, &[], &mut noise);
    assert_eq!((only.leader, only.certainty), (0..1, 1.0));
}

#[test]
fn the_size_of_the_change_lies_in_its_interval() {
    let mut dice = Dice(11);
    let (searches, change) = (200, 0.05);
    let mut inside = 0;
    for _ in 0..searches {
        let mut bisection = Bisection::new(8);
        for commit in 0..8 {
            let centre = if commit >= 5 { change } else { 0.0 };
            let logs: Vec<f64> = (0..8).map(|_| centre + 0.02 * normal(&mut dice)).collect();
            bisection.observe(commit, &logs);
        }
        let posterior = bisection.posterior();
        let (low, high) = posterior.interval;
        assert!(low < posterior.change && posterior.change < high);
        assert!((0.01..0.04).contains(&posterior.noise), "{posterior:?}");
        inside += u32::from(low <= change && change <= high);
    }
    assert!(inside >= 180, "{inside} of {searches}");
}

#[test]
fn a_commit_between_both_ends_is_a_second_change() {
    let mut dice = Dice(3);
    let measured = |middle: f64, dice: &mut Dice| {
        let mut bisection = Bisection::new(8);
        for (commit, centre) in [(7, 0.10), (2, 0.0), (4, middle)] {
            let logs: Vec<f64> = (0..8).map(|_| centre + 0.01 * normal(dice)).collect();
            bisection.observe(commit, &logs);
        }
        bisection.misfits(&bisection.posterior())
    };
    assert_eq!(measured(0.05, &mut dice), [4]);
    let false_alarms = (0..100).map(|at| measured(if at % 2 == 0 { 0.0 } else { 0.10 }, &mut dice));
    assert_eq!(false_alarms.filter(|found| !found.is_empty()).count(), 0);
}

#[test]
fn nothing_is_known_before_the_first_block() {
    let bisection = Bisection::new(4);
    let posterior = bisection.posterior();
    for probability in &posterior.commits {
        assert!((probability - 0.25).abs() < 1e-9, "{posterior:?}");
    }
    assert!((posterior.bits() - 2.0).abs() < 1e-9);
    let Decision::Measure(step) = bisection.decide(&posterior, CERTAINTY) else {
        panic!("{posterior:?}");
    };
    assert_eq!(step.commit, 3, "first the ends");
}
