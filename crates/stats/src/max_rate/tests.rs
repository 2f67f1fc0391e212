mod stalled;

use super::*;
use crate::testing::Dice;

/// A probe in which a limit was clearly met or missed.
fn clear(rate: f64, purpose: Purpose, held: bool) -> Probe {
    let beyond = if held { 0 } else { 900 };
    Probe {
        rate,
        purpose,
        shares: vec![ShareCounts {
            allowed: 0.01,
            seconds: vec![of(beyond, 1_000); 4],
        }],
        votes: vec![Vote {
            kept: held,
            close: false,
        }],
        ended: Yield::Work,
        is_disturbed: false,
    }
}

fn of(beyond: u64, all: u64) -> Second {
    Second {
        beyond,
        all,
        ..Second::default()
    }
}

/// Length of a slice in the simulated runs, seconds.
const SLICE: f64 = 2.0;
/// Unmeasured time per probe, seconds.
const AROUND: f64 = 0.5;

/// The times of the simulated runs, with this time left.
fn times(left: f64) -> ProbeTimes {
    ProbeTimes {
        left,
        overdraft: 0.0,
        around: AROUND,
        shortest: SLICE,
        shortest_proof: 3.0 * SLICE,
        longest: 6.0 * SLICE,
        operations: 1.0,
    }
}

/// Runs a search until it ends or the time is over.
fn search(start: f64, most: f64, server: impl FnMut(f64, Purpose, f64) -> Probe) -> Search {
    finish(Search::new(start), most, server)
}

/// Continues a search until it ends or the time is over.
fn finish(
    mut search: Search,
    most: f64,
    mut server: impl FnMut(f64, Purpose, f64) -> Probe,
) -> Search {
    let mut times = times(most);
    while let Step::Probe {
        rate,
        purpose,
        seconds,
    } = search.next_within(&times)
    {
        assert!(purpose == Purpose::Seek || seconds >= times.shortest_proof);
        let probe = server(rate, purpose, seconds);
        let drain = if probe.votes.iter().all(|vote| vote.kept) {
            0.1
        } else {
            1.0
        };
        times.left -= seconds + AROUND + drain;
        times.overdraft = (times.overdraft + drain).min(2.0 * (times.shortest_proof + AROUND));
        search.learn(probe);
        assert!(search.probes.len() <= MOST_PROBES);
    }
    assert!(times.left >= -4.0 * times.shortest_proof);
    search
}

fn run(start: f64, mut holds: impl FnMut(f64, Purpose) -> bool) -> Search {
    search(start, f64::INFINITY, |rate, purpose, _| {
        clear(rate, purpose, holds(rate, purpose))
    })
}

fn within(search: &Search, truth: f64, share: f64) {
    let found = search.found();
    let rate = found.rate().unwrap_or_else(|| panic!("{found:?}"));
    let off = (rate / truth - 1.0).abs();
    assert!(off <= share, "{rate}, not {truth}: {:?}", search.next());
}

#[test]
fn a_fixed_capacity_is_bracketed_within_the_precision() {
    for (start, capacity) in [(100.0, 1_000.0), (1_000.0, 999.0), (9e3, 37.0), (1.0, 1e6)] {
        let search = run(start, |rate, _| rate <= capacity);
        let MaxRate::Proven {
            rate,
            failed: Some(failed),
        } = search.found()
        else {
            panic!("{:?}", search.found());
        };
        assert!(rate <= capacity && capacity < failed);
        assert!(failed / rate <= 1.0 + SEARCH_PRECISION, "{rate} {failed}");
        let read_again = Search::after(&search.probes).unwrap();
        assert_eq!(read_again.found(), search.found());
        assert_eq!(read_again.next(), Step::Done);
    }
}

#[test]
fn rates_double_until_one_fails() {
    let search = run(100.0, |rate, _| rate <= 450.0);
    let rates: Vec<f64> = search.probes.iter().map(|probe| probe.rate).collect();
    assert_eq!(rates[..4], [100.0, 200.0, 400.0, 800.0]);
    let last = search.probes.last().unwrap();
    assert_eq!(last.purpose, Purpose::Proof);
}

/// Counts, for each second, the response times of an M/M/1 queue that exceed a limit.
fn one_queue(dice: &mut Dice, rate: f64, service: f64, limit: f64, length: f64) -> Vec<Second> {
    let mut seconds = vec![Second::default(); length.ceil() as usize];
    // The settling time of two seconds is not counted.
    let (mut now, mut free) = (-2.0, -2.0);
    loop {
        now += dice.exponential(1.0 / rate);
        if now >= length {
            return seconds;
        }
        free = f64::max(now, free) + dice.exponential(1.0 / service);
        if now < 0.0 {
            continue;
        }
        let second = &mut seconds[now as usize];
        second.all += 1;
        second.beyond += u64::from(free - now >= limit);
    }
}

#[test]
fn one_queue_of_random_service_is_found_where_theory_puts_it() {
    // M/M/1: the p99 of the response time is ln 100 ÷ (μ − λ). At μ = 1,000, p99 is below 50 ms for
    // λ < 907.9.
    let (service, limit) = (1_000.0, 0.050);
    let truth = service - 100f64.ln() / limit;
    let (mut holds, mut width) = (0, 0.0);
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let search = search(100.0, 300.0, |rate, purpose, length| Probe {
            shares: vec![ShareCounts {
                allowed: 0.01,
                seconds: one_queue(&mut dice, rate, service, limit, length),
            }],
            votes: Vec::new(),
            ..clear(rate, purpose, true)
        });
        let found = search.found();
        let (low, high) = (found.rate().unwrap(), found.failed().unwrap());
        // The rates of the last probes are 2 % apart, which a test on a share of 1 % cannot always
        // distinguish.
        holds += usize::from(low <= truth * 1.02 && truth <= high * 1.02);
        width += (high / low).ln() / 40.0;
    }
    assert!(width < 0.2, "high ÷ low is {} on average", width.exp());
    assert!(holds >= 36, "{holds} of 40 intervals hold the truth");
}

/// A server that pauses for 50 ms once in 4,500 requests and then responds to all waiting requests
/// at once. Requests sent in the first 30 ms of a pause wait for more than 20 ms. The share of
/// these requests is 0.03 s · rate ÷ 4,500, which is 1 % at 1,500/s.
struct Pausing {
    dice: Dice,
    /// Requests until the next pause.
    left: f64,
    /// Whether the number of requests between pauses is random instead of constant.
    random: bool,
    /// Random stalls of the machine per second; each stall blocks all responses for 20 to 80 ms.
    stalls: f64,
}

impl Pausing {
    const LIMIT: f64 = 1_500.0;

    fn next_pause(&mut self) -> f64 {
        if self.random {
            self.dice.exponential(4_500.0)
        } else {
            4_500.0
        }
    }

    fn probe(&mut self, rate: f64, purpose: Purpose, length: f64) -> Probe {
        let mut seconds = vec![Second::default(); length.ceil() as usize];
        let (mut now, mut slow_until) = (0.0, 0.0);
        let (mut stall, mut stalled_until) = (0.0, 0.0);
        let mut stalled = 0;
        loop {
            now += self.dice.exponential(1.0 / rate);
            if now >= length {
                break;
            }
            while self.stalls > 0.0 && stall <= now {
                stalled_until = stall + 0.020 + 0.060 * self.dice.roll();
                stall = stalled_until + self.dice.exponential(1.0 / self.stalls);
            }
            self.left -= 1.0;
            if self.left <= 0.0 {
                self.left += self.next_pause();
                slow_until = now + 0.030;
            }
            let second = &mut seconds[now as usize];
            second.all += 1;
            let is_delayed = now < stalled_until - 0.020;
            second.beyond += u64::from(now < slow_until || is_delayed);
            // Count every request that may have been delayed as excused, corrected below.
            second.excused += u64::from(now < stalled_until);
            stalled += u64::from(now < stalled_until);
        }
        let all: u64 = seconds.iter().map(|s| s.all).sum();
        for second in &mut seconds {
            let delayed = second.excused;
            let counts = (second.beyond, delayed.min(second.beyond), second.all);
            *second = Second::judged(counts, delayed, 0.01);
        }
        Probe {
            shares: vec![ShareCounts {
                allowed: 0.01,
                seconds,
            }],
            is_disturbed: stalled as f64 > 0.005 * all as f64,
            ..clear(rate, purpose, true)
        }
    }
}

/// Runs 40 searches of two minutes against a server that pauses. Returns the number of intervals
/// that contain the true maximum, the number of intervals with both ends, and the median width of
/// the intervals with both ends.
fn pausing(start: f64, random: bool, stalls: f64) -> (usize, usize, f64) {
    let mut holds = 0;
    let mut widths = Vec::new();
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let mut server = Pausing {
            left: 4_500.0 * dice.roll(),
            dice,
            random,
            stalls,
        };
        let search = search(start, 120.0, |rate, purpose, length| {
            server.probe(rate, purpose, length)
        });
        let found = search.found();
        let (low, high) = (found.rate(), found.failed());
        holds += usize::from(
            low.is_none_or(|low| low <= Pausing::LIMIT)
                && high.is_none_or(|high| Pausing::LIMIT <= high),
        );
        widths.extend(low.zip(high).map(|(low, high)| high / low));
    }
    widths.sort_by(f64::total_cmp);
    let median = widths.get(widths.len() / 2).copied();
    (holds, widths.len(), median.unwrap_or(f64::INFINITY))
}

#[test]
fn rare_pauses_are_found_from_below_and_from_above() {
    for start in [100.0, 5_220.0] {
        let (holds, bounded, width) = pausing(start, false, 0.0);
        assert!(
            holds >= 38,
            "{holds} of 40 intervals hold the limit, from {start}"
        );
        assert!(
            bounded >= 30,
            "{bounded} of 40 have both ends, from {start}"
        );
        assert!(width <= 2.0, "high ÷ low is {width}, from {start}");
    }
}

#[test]
fn pauses_at_random_are_not_taken_for_regular_ones() {
    for start in [100.0, 5_220.0] {
        let (holds, ..) = pausing(start, true, 0.0);
        assert!(
            holds >= 36,
            "{holds} of 40 intervals hold the limit, from {start}"
        );
    }
}

#[test]
fn stalls_of_the_machine_move_no_end_over_the_limit() {
    for stalls in [0.1, 0.5, 2.0] {
        let (holds, bounded, width) = pausing(100.0, false, stalls);
        assert!(
            holds >= 38,
            "{holds} of 40 intervals hold the limit, {bounded} have both ends, {width} wide, at \
             {stalls} stalls a second"
        );
    }
}

#[test]
fn a_stalled_probe_counts_for_the_target_and_not_against_it() {
    let decided = |beyond, excused| {
        let mut search = Search::new(1_000.0);
        let second = Second::judged((beyond, excused, 1_000), excused, 0.01);
        search.learn(Probe {
            shares: vec![ShareCounts {
                allowed: 0.01,
                seconds: vec![second; 4],
            }],
            ended: match beyond {
                0 => Yield::Work,
                _ => Yield::WaitedForCore,
            },
            is_disturbed: true,
            ..clear(1_000.0, Purpose::Seek, true)
        });
        search.decision(1_000.0)
    };
    assert_eq!(decided(50, 0), Some(false), "nothing else explains them");
    assert_eq!(decided(50, 50), None);
    assert_eq!(decided(50, 45), None, "5 of 1,000 are within the limit");
    assert_eq!(
        decided(200, 50),
        Some(false),
        "more than the stalls explain"
    );
    assert_eq!(decided(0, 0), Some(true));
}

#[test]
fn a_probe_without_a_pause_does_not_hold_if_pauses_are_known() {
    let quiet = |all| of(0, all);
    let paused = of(96, 3_200);
    let probe = |rate, seconds| Probe {
        shares: vec![ShareCounts {
            allowed: 0.01,
            seconds,
        }],
        ..clear(rate, Purpose::Seek, true)
    };
    let mut search = Search::new(1_600.0);
    search.learn(probe(1_600.0, vec![quiet(1_600); 3]));
    assert_eq!(search.bracket(), (Some(1_600.0), None));
    search.learn(probe(3_200.0, vec![paused, paused, quiet(3_200), paused]));
    assert_eq!(
        search.bracket().0,
        None,
        "two seconds may lie between two pauses"
    );
    let Step::Probe { rate, seconds, .. } = search.next() else {
        panic!("it is over");
    };
    assert!(rate != 1_600.0 || seconds > 2.0, "{rate} {seconds}");
    search.learn(probe(1_600.0, vec![quiet(1_600); 8]));
    assert_eq!(search.bracket().0, Some(1_600.0));
}

#[test]
fn a_single_disturbance_does_not_stop_the_search() {
    let mut probes = 0;
    let search = run(100.0, |rate, _| {
        probes += 1;
        rate <= 5_000.0 && probes != 3
    });
    within(&search, 5_000.0, SEARCH_PRECISION);
}

#[test]
fn a_rate_at_the_limit_stays_undecided_and_inside_the_interval() {
    let search = search(100.0, f64::INFINITY, |rate, purpose, _| {
        let at_limit = (930.0..1_070.0).contains(&rate);
        let mut probe = clear(rate, purpose, rate <= 1_000.0);
        if at_limit {
            probe.shares[0].seconds = vec![of(10, 1_000); 4];
            probe.votes[0] = Vote {
                kept: true,
                close: false,
            };
        }
        probe
    });
    let found = search.found();
    let MaxRate::Proven {
        rate,
        failed: Some(failed),
    } = found
    else {
        panic!("{found:?}");
    };
    assert!(rate < 930.0 && failed > 1_070.0, "{found:?}");
    let undecided = search.undecided();
    assert!(!undecided.is_empty());
    assert!(failed / rate < 1.35, "{found:?}");
    let tries = search.probes.iter().filter(|p| p.rate == undecided[0]);
    assert_eq!(tries.count(), MOST_TRIES);
}

#[test]
fn a_late_generator_decides_nothing_and_ends_the_search() {
    let late = |rate, purpose| {
        let mut probe = Probe {
            ended: Yield::LateGenerator,
            is_disturbed: true,
            ..clear(rate, purpose, false)
        };
        for second in &mut probe.shares[0].seconds {
            let counts = (second.beyond, second.beyond, second.all);
            *second = Second::judged(counts, second.beyond, 0.01);
        }
        probe
    };
    let mut times = 0;
    let once = search(100.0, f64::INFINITY, |rate, purpose, _| {
        times += 1;
        match times % 4 {
            0 => late(rate, purpose),
            _ => clear(rate, purpose, rate <= 1_000.0),
        }
    });
    within(&once, 1_000.0, SEARCH_PRECISION);
    assert!(!once.is_late());
    let above = search(100.0, f64::INFINITY, |rate, purpose, _| {
        if rate > 500.0 {
            late(rate, purpose)
        } else {
            clear(rate, purpose, true)
        }
    });
    assert!(above.is_late());
    assert_eq!(
        above.found(),
        MaxRate::AtLeast {
            rate: 400.0,
            failed: None
        }
    );
    assert_eq!(above.probes.len(), 3 + MOST_LATE);
}

#[test]
fn a_proof_that_fails_steps_back() {
    let mut proofs = Vec::new();
    let search = run(100.0, |rate, purpose| match purpose {
        Purpose::Seek => rate <= 1_000.0 && proofs.iter().all(|p| rate < *p),
        Purpose::Proof => {
            proofs.push(rate);
            rate <= 930.0
        }
    });
    assert!(proofs.len() >= 2, "{proofs:?}");
    let MaxRate::Proven { rate, failed } = search.found() else {
        panic!("{:?}", search.found());
    };
    assert!(
        rate <= 930.0 && failed.unwrap() > 930.0,
        "{rate} {failed:?}"
    );
}

/// A queue that grows slowly passes short probes: rates above the capacity fail only in proofs.
#[test]
fn a_search_without_time_for_many_proofs_ends_with_a_proven_rate() {
    for most in (90..=130).map(f64::from) {
        for (capacity, briefly) in [(330.0, 1.06), (400.0, 1.06), (450.0, 1.06), (400.0, 1.25)] {
            let search = search(50.0, most, |rate, purpose, _| {
                let passes = match purpose {
                    Purpose::Seek => capacity * briefly,
                    Purpose::Proof => capacity,
                };
                clear(rate, purpose, rate <= passes)
            });
            let found = search.found();
            let MaxRate::Proven { rate, failed } = found else {
                panic!("{most} s, {capacity}/s: {found:?} {:#?}", search.probes);
            };
            let is_near = rate <= capacity && capacity * 0.7 < rate;
            assert!(is_near, "{most} s, {capacity}/s: {found:?}");
            let is_above = failed.is_none_or(|failed| capacity < failed);
            assert!(is_above, "{most} s, {capacity}/s: {found:?}");
        }
    }
}

/// A search with these probes: rate, purpose, whether it held, and whether the vote was close.
fn with(probes: &[(f64, Purpose, bool, bool)]) -> Search {
    let probes: Vec<Probe> = probes
        .iter()
        .map(|&(rate, purpose, kept, close)| Probe {
            votes: vec![Vote { kept, close }],
            ..clear(rate, purpose, true)
        })
        .collect();
    Search::after(&probes).unwrap()
}

#[test]
fn short_probes_do_not_outvote_a_proof() {
    use Purpose::{Proof, Seek};
    let twice = [(103.0, Seek, true, true), (103.0, Seek, true, true)];
    let search = with(&[&twice[..], &[(103.0, Proof, false, false)]].concat());
    assert_eq!(search.decision(103.0), Some(false));
    assert_eq!(search.found().rate(), None);
    let search = with(&[&twice[..], &[(103.0, Proof, false, true)]].concat());
    assert_eq!(search.decision(103.0), None, "one close proof");
}

#[test]
fn a_proof_at_a_lower_rate_counts_if_a_proof_did_not_decide() {
    use Purpose::{Proof, Seek};
    let search = with(&[
        (412.0, Seek, true, false),
        (424.0, Seek, true, false),
        (424.0, Proof, false, true),
        (385.5, Proof, true, false),
    ]);
    assert_eq!(search.decision(424.0), None);
    let found = search.found();
    assert!(
        matches!(found, MaxRate::Proven { rate: 385.5, .. }),
        "{found:?}"
    );
}

#[test]
fn short_probes_are_no_proof_once_a_proof_failed() {
    use Purpose::{Proof, Seek};
    let thrice = [(430.0, Seek, true, false); 3];
    let held = with(&thrice).found();
    assert!(
        matches!(held, MaxRate::Proven { rate: 430.0, .. }),
        "{held:?}"
    );
    let failed = [(470.0, Seek, true, false), (470.0, Proof, false, false)];
    let found = with(&[&thrice[..], &failed].concat()).found();
    assert!(matches!(found, MaxRate::Disproven { .. }), "{found:?}");
}

#[test]
fn the_last_proof_is_below_every_rate_that_failed() {
    use Purpose::{Proof, Seek};
    let search = with(&[
        (283.0, Seek, true, false),
        (415.0, Seek, true, false),
        (415.0, Proof, false, false),
        (390.0, Seek, false, false),
        (330.0, Seek, false, false),
    ]);
    let Step::Probe { rate, purpose, .. } = search.next_within(&times(7.0)) else {
        panic!("there is time for one proof");
    };
    assert_eq!((rate, purpose), (283.0, Proof));
}

#[test]
fn a_rate_that_cannot_be_proven_is_not_claimed() {
    let search = run(100.0, |rate, purpose| {
        purpose == Purpose::Seek && rate <= 1_000.0
    });
    assert_eq!(search.found().rate(), None, "{:?}", search.found());
    assert!(matches!(search.found(), MaxRate::Disproven { .. }));
    let never = run(100.0, |_, _| false);
    assert!(matches!(never.found(), MaxRate::Below { .. }));
    assert!(never.probes.len() <= 12, "{}", never.probes.len());
}

/// Runs a search in which all probes have the outcome `ended`; returns the tried rates and the
/// result.
fn all_end_in(ended: Yield) -> (Vec<f64>, MaxRate) {
    let search = search(8.0, f64::INFINITY, |rate, purpose, _| Probe {
        ended,
        ..clear(rate, purpose, false)
    });
    let rates = search.probes.iter().map(|probe| probe.rate).collect();
    (rates, search.found())
}

#[test]
fn a_target_that_always_fails_gets_no_lower_rates() {
    let (rates, found) = all_end_in(Yield::OnlyFailures);
    assert_eq!(rates, [8.0, 4.0]);
    assert_eq!(found, MaxRate::Futile { tried: 8.0 });
    let (rates, found) = all_end_in(Yield::Work);
    assert!(rates.len() > 8, "{rates:?}");
    assert!(matches!(found, MaxRate::Below { .. }));
}

#[test]
fn a_probe_in_which_nothing_ended_decides_nothing() {
    let (rates, found) = all_end_in(Yield::Nothing);
    assert_eq!(rates, [8.0; MOST_EMPTY]);
    assert_eq!(found, MaxRate::Unknown);
}

#[test]
fn an_interrupted_search_says_at_least() {
    let search = run(100.0, |rate, _| rate <= 1_000.0);
    let cut = |count: usize| Search::after(&search.probes[..count]).unwrap().found();
    assert_eq!(
        cut(3),
        MaxRate::AtLeast {
            rate: 400.0,
            failed: None
        }
    );
    assert!(Search::after(&[]).is_none());
}

#[test]
fn rates_have_four_digits() {
    for (rate, expected) in [
        (123_456.0, 123_500.0),
        (0.012_344, 0.012_34),
        (999.96, 1_000.0),
        (100.0, 100.0),
    ] {
        assert_eq!(rounded(rate), expected);
    }
}
