//! What one probe contributes to the decisions of a search.

use std::time::Duration;

use tenbin_plan::{Limit, Slo};
use tenbin_record::{ProbedSecond, Slice};
use tenbin_stats::{Purpose, Second, ShareSeen, Vote, Yield};

use super::judge::{Judged, USUAL_ERRORS, judge, nanos};

/// A request that was sent late by this part of the limit counts as late.
const LATE_PART: u32 = 4;
/// The share of late requests that voids a probe, as a part of the share that may be beyond the
/// limit.
const LATE_SHARE: f64 = 0.5;
/// What of all requests may be late where the limit is that of a mean.
const LATE_OF_MEAN: f64 = 0.01;
/// A target whose service times are beyond the limit this many times as often as allowed fails,
/// however late its requests were sent.
const SLOW_ANYWAY: f64 = 2.0;

/// What the search learns of a slice that was offered a rate.
pub(super) fn probe(slice: &Slice, slo: &Slo) -> Option<(tenbin_stats::Probe, Judged)> {
    let offered = slice.probe.filter(|_| !slice.cut_short)?;
    let judged = judge(slice, slo);
    let ended = match judged.ended {
        // Lateness makes response times longer: what holds in spite of it holds.
        Yield::Work if !judged.held && was_late(slice, slo) => Yield::LateGenerator,
        ended => ended,
    };
    let names_errors = |limit: &Limit| matches!(limit, Limit::Errors { .. });
    let usual = Limit::Errors {
        below: USUAL_ERRORS,
    };
    let has_errors = slo.limits().iter().any(names_errors);
    let limits = slo.limits().iter().chain((!has_errors).then_some(&usual));
    let shares = limits.filter_map(|limit| share(slice, limit)).collect();
    // Limits on shares are decided from their seconds.
    let is_share = |at: usize| match slo.limits().get(at) {
        Some(limit) => !matches!(limit, Limit::Mean { .. }),
        None => at + 1 < judged.limits.len(),
    };
    let votes = judged.limits.iter().enumerate();
    let votes = votes
        .filter(|(at, _)| !is_share(*at))
        .map(|(_, limit)| Vote {
            kept: limit.kept,
            close: limit.close,
        });
    let probe = tenbin_stats::Probe {
        rate: offered.rate,
        purpose: match offered.proof {
            true => Purpose::Proof,
            false => Purpose::Seek,
        },
        shares,
        votes: votes.collect(),
        ended,
    };
    Some((probe, judged))
}

/// Requests beyond a limit on a share, by second.
fn share(slice: &Slice, limit: &Limit) -> Option<ShareSeen> {
    let (allowed, below) = match *limit {
        Limit::Percentile { percent, below } => (1.0 - percent / 100.0, Some(nanos(below))),
        Limit::Errors { below } => (below, None),
        Limit::Mean { .. } => return None,
    };
    let seconds = match &slice.probed {
        Some(probed) => probed.seconds.iter().map(|s| second(s, below)).collect(),
        None => evenly(slice, below),
    };
    Some(ShareSeen { allowed, seconds })
}

/// What failed was not answered within any time.
fn second(of: &ProbedSecond, below: Option<u64>) -> Second {
    let answered: u64 = of.responses.iter().map(|(_, count)| count).sum();
    let slow = of
        .responses
        .iter()
        .filter(|(time, _)| below.is_some_and(|b| *time >= b));
    let slow: u64 = slow.map(|(_, count)| count).sum();
    Second {
        beyond: slow + of.failed,
        all: answered + of.failed,
    }
}

/// As if a slice of which nothing finer is known had been the same throughout.
fn evenly(slice: &Slice, below: Option<u64>) -> Vec<Second> {
    let seconds = (slice.seconds.round() as u64).max(1);
    let (mut beyond, mut all) = (slice.failed(), slice.failed());
    for op in slice.work() {
        let slow = below.map(|b| op.response.count_between(b, u64::MAX));
        beyond += slow.unwrap_or(0);
        all += op.response.len();
    }
    let part = |of: u64, at: u64| of * (at + 1) / seconds - of * at / seconds;
    let each = (0..seconds).map(|at| Second {
        beyond: part(beyond, at),
        all: part(all, at),
    });
    each.collect()
}

/// Whether the load generator sent so many requests so late that the probe shows the generator
/// and not the target.
fn was_late(slice: &Slice, slo: &Slo) -> bool {
    let Some(probed) = &slice.probed else {
        return false;
    };
    let all: u64 = slice.requests().map(|op| op.response.len()).sum();
    slo.limits().iter().any(|limit| {
        let (allowed, below): (f64, Duration) = match *limit {
            Limit::Percentile { percent, below } => (1.0 - percent / 100.0, below),
            Limit::Mean { below } => (LATE_OF_MEAN, below),
            Limit::Errors { .. } => return false,
        };
        let late = probed.sent_late(nanos(below / LATE_PART));
        let slow: u64 = slice
            .requests()
            .map(|op| op.service.count_between(nanos(below), u64::MAX))
            .sum();
        let all = all as f64;
        late as f64 > LATE_SHARE * allowed * all && slow as f64 <= SLOW_ANYWAY * allowed * all
    })
}

#[cfg(test)]
mod tests {
    use tenbin_record::{Probed, RateProbe};

    use super::*;
    use crate::testing::Run;

    /// A probe with 1,000 responses a second, for 4 s, and this many slow ones in each second;
    /// this many requests were sent 5 ms late.
    fn probed(slow: [u64; 4], late: u64) -> Run {
        let mut run = Run::single(1).open_loop();
        run.each(|made| {
            made.answers(4_000, 0.002);
            let seconds = slow.iter().map(|slow| ProbedSecond {
                responses: vec![(2_000_000, 1_000 - slow), (50_000_000, *slow)],
                failed: 0,
            });
            // 5 ms are at least 2^22 ns.
            let late = [vec![0; 6], vec![late]].concat();
            made.0.probed = Some(Probed::new(seconds.collect(), late));
            made.0.probe = Some(RateProbe {
                rate: 1_000.0,
                proof: false,
            });
        });
        run
    }

    fn seen(run: &Run) -> tenbin_stats::Probe {
        let slo = "p99<20ms".parse().unwrap();
        probe(&run.slices[0], &slo).unwrap().0
    }

    #[test]
    fn requests_beyond_the_limit_are_counted_by_second() {
        let found = seen(&probed([0, 48, 0, 3], 0));
        let beyond: Vec<u64> = found.shares[0].seconds.iter().map(|s| s.beyond).collect();
        assert_eq!(beyond, [0, 48, 0, 3]);
        assert!((found.shares[0].allowed - 0.01).abs() < 1e-12);
        assert_eq!(found.shares.len(), 2, "1 % of errors is the usual limit");
        assert_eq!(found.votes.len(), 1, "keeps up");
        assert_eq!(found.ended, Yield::Work);
    }

    #[test]
    fn a_late_generator_voids_a_probe_unless_the_target_is_slow_anyway() {
        // Half of 1 % of 4,000 requests.
        assert_eq!(seen(&probed([0, 48, 0, 0], 20)).ended, Yield::Work);
        let mut run = probed([0, 48, 0, 0], 21);
        assert_eq!(
            seen(&run).ended,
            Yield::Work,
            "the limit was kept all the same"
        );
        run.each(|made| made.0.ops[0].response.record_n(50_000_000, 60).unwrap());
        assert_eq!(seen(&run).ended, Yield::LateGenerator);
        run.each(|made| made.0.ops[0].service.record_n(50_000_000, 82).unwrap());
        assert_eq!(seen(&run).ended, Yield::Work);
    }
}
