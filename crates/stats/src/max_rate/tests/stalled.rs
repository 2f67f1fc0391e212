//! Searches that prove a rate within 0.5 % of the maximum.

use super::*;

/// The maximum rate of the simulated M/M/1 queue: at 1,000 services per second, p99 of the response time
/// is ln 100 ÷ (1,000 − rate), below 50 ms.
const TRUTH: f64 = 1_000.0 - 4.605_170_185_988_092 / LIMIT;
/// The limit on p99, seconds.
const LIMIT: f64 = 0.050;
/// The rate that is proven first, 0.4 % above the maximum.
const FIRST: f64 = 911.5;
/// The rate below that failed, as in a search that doubled the rate.
const FAILED: f64 = 994.0;
/// Length of a proof, seconds.
const PROOF: f64 = 6.0 * SLICE;

/// A probe of 12 s in which `slow` requests are beyond the limit, in two neighbouring seconds.
fn bursts(rate: f64, slow: u64) -> Probe {
    let mut seconds = vec![of(0, rate as u64); 12];
    for second in &mut seconds[5..7] {
        second.beyond = slow / 2;
    }
    Probe {
        shares: vec![ShareCounts {
            allowed: 0.01,
            seconds,
        }],
        ..clear(rate, Purpose::Proof, true)
    }
}

/// The search until the first proof: twice a rate that failed, and rates that held for a short time.
fn until_the_proof() -> Search {
    let probes = [
        (248.0, true),
        (496.0, true),
        (FAILED, false),
        (FAILED, false),
        (FIRST, true),
    ];
    let probes = probes.map(|(rate, held)| clear(rate, Purpose::Seek, held));
    Search::after(&probes).unwrap()
}

fn next(search: &Search, left: f64) -> (f64, Purpose) {
    match search.next_within(&times(left)) {
        Step::Probe { rate, purpose, .. } => (rate, purpose),
        Step::Done => panic!("the search ended after {:#?}", search.probes),
    }
}

#[test]
fn a_stalled_proof_is_left_for_one_lower_and_then_one_higher_rate() {
    let mut search = until_the_proof();
    assert_eq!(next(&search, 15.0), (FIRST, Purpose::Proof));
    search.learn(bursts(FIRST, 150));
    assert_eq!(search.decision(FIRST), None);
    let lower = (828.6, Purpose::Proof);
    assert_eq!(next(&search, 60.0), lower);
    search.learn(bursts(828.6, 0));
    assert_eq!(search.decision(828.6), None, "a burst may be 12 s away");
    for left in [60.0, 13.0] {
        assert_eq!(next(&search, left), lower, "with {left} s left");
    }
    search.learn(bursts(828.6, 0));
    search.learn(bursts(828.6, 0));
    let proven = MaxRate::Proven {
        rate: 828.6,
        failed: Some(FAILED),
    };
    assert_eq!(search.found(), proven);
    assert_eq!(next(&search, 60.0), (951.9, Purpose::Seek));
    search.learn(clear(951.9, Purpose::Seek, false));
    assert_eq!(search.found().failed(), Some(951.9));
    assert_eq!(search.next(), Step::Done);
}

#[test]
fn a_proof_with_a_close_vote_is_repeated() {
    let mut search = until_the_proof();
    let close = Vote {
        kept: true,
        close: true,
    };
    search.learn(Probe {
        votes: vec![close],
        ..clear(FIRST, Purpose::Proof, true)
    });
    assert_eq!(search.decision(FIRST), None);
    assert_eq!(next(&search, 60.0), (FIRST, Purpose::Proof));
}

/// The interval of a search that starts to prove [`FIRST`] with 51 s left; 0 and infinity are open ends.
fn interval(seed: u64) -> (f64, f64) {
    let mut dice = Dice(seed);
    let mut serve = |rate, purpose, length| Probe {
        shares: vec![ShareCounts {
            allowed: 0.01,
            seconds: one_queue(&mut dice, rate, 1_000.0, LIMIT, length),
        }],
        ..clear(rate, purpose, true)
    };
    let mut search = until_the_proof();
    search.learn(serve(FIRST, Purpose::Proof, PROOF));
    let found = finish(search, 51.0 - PROOF - AROUND, serve).found();
    let (low, high) = (found.rate(), found.failed());
    (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY))
}

#[test]
fn a_rate_half_a_percent_off_the_maximum_does_not_use_up_the_search() {
    let intervals: Vec<(f64, f64)> = (0..40).map(interval).collect();
    // No test of this length distinguishes the first rate from the maximum.
    let holds = |(low, high): &&(f64, f64)| *low <= TRUTH * 1.005 && TRUTH <= *high;
    let covered = intervals.iter().filter(holds).count();
    let mut widths: Vec<f64> = intervals.iter().map(|(low, high)| high / low).collect();
    widths.sort_by(f64::total_cmp);
    assert!(covered >= 38, "{covered} of 40 hold {TRUTH}: {intervals:?}");
    assert!(widths[20] <= 1.2, "median of {widths:?}");
    assert!(widths[29] <= 1.33, "three quarters of {widths:?}");
}
