//! The evidence of one probe for the decisions of a search.

use std::time::Duration;

use tenbin_plan::{Limit, Slo};
use tenbin_record::{ProbedSecond, Slice};
use tenbin_stats::{DISTURBED, Purpose, Second, ShareCounts, Vote, Yield};

use super::judge::{Judged, USUAL_ERRORS, judge, nanos};

/// Maximum share of requests that stalls can delay without disturbing a limit on the mean.
const DISTURBED_MEAN: f64 = 0.01;
/// Delay from which a late request can be part of a queue that a stall caused: 4.19 ms, the lower end
/// of a bucket of [`ProbedSecond::late`]. Shorter delays are usual if the target runs on the load
/// generator's machine and keeps its cores busy.
const QUEUED_BY_STALL: Duration = Duration::from_nanos(1 << 22);

/// The evidence that a slice gives to a search, and the judgement of the slice against the
/// objective. `None` unless the slice is a probe that ran its full time.
pub(super) fn probe(slice: &Slice, slo: &Slo) -> Option<(tenbin_stats::Probe, Judged)> {
    let offered = slice.probe.filter(|_| !slice.end.cut_short)?;
    let judged = judge(slice, slo);
    let names_errors = |limit: &Limit| matches!(limit, Limit::Errors { .. });
    let usual = Limit::Errors {
        below: USUAL_ERRORS,
    };
    let has_errors = slo.limits().iter().any(names_errors);
    let limits = slo.limits().iter().chain((!has_errors).then_some(&usual));
    let shares: Vec<ShareCounts> = limits.filter_map(|limit| share(slice, limit)).collect();
    let disturbance = Disturbance::of(slice, slo, judged.excess);
    let ended = match (judged.ended, disturbance) {
        (Yield::Work, Some(cause)) if !judged.held && shares.iter().all(may_be_kept) => {
            cause.voids()
        }
        (ended, _) => ended,
    };
    // Limits on shares are decided from counts per second.
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
        purpose: if offered.proof {
            Purpose::Proof
        } else {
            Purpose::Seek
        },
        shares,
        votes: votes.collect(),
        ended,
        is_disturbed: disturbance.is_some(),
    };
    Some((probe, judged))
}

/// Whether the limit is kept if requests that a stall of the machine may have delayed do not count.
fn may_be_kept(share: &ShareCounts) -> bool {
    let seconds = share.seconds.iter();
    let certain: u64 = seconds.clone().map(|s| s.beyond - s.excused).sum();
    let all: u64 = seconds.map(|s| s.all).sum();
    certain as f64 <= share.allowed * all as f64
}

/// Requests of each second that count against a limit on a percentile or on errors; `None` for a
/// limit on the mean.
fn share(slice: &Slice, limit: &Limit) -> Option<ShareCounts> {
    let (allowed, below) = match *limit {
        Limit::Percentile { percent, below } => (1.0 - percent / 100.0, Some(below)),
        Limit::Errors { below } => (below, None),
        Limit::Mean { .. } => return None,
    };
    let seconds = match &slice.probed {
        Some(probed) => {
            let part = part_of_others(slice);
            let seconds = probed.seconds.iter();
            seconds.map(|s| second(s, below, part, allowed)).collect()
        }
        None => evenly(slice, below.map(nanos)),
    };
    Some(ShareCounts { allowed, seconds })
}

/// The counts of one second for a limit. A failed request counts as slower than any limit.
fn second(of: &ProbedSecond, below: Option<Duration>, part: f64, allowed: f64) -> Second {
    let sum = |times: &[(u64, u64)], least: u64| -> u64 {
        let times = times.iter().filter(|(time, _)| *time >= least);
        times.map(|(_, count)| count).sum()
    };
    let answered = sum(&of.responses, 0);
    let (slow, excused, delayed) = below.map_or((0, 0, 0), |below| {
        let slow = sum(&of.responses, nanos(below));
        let delayed = Delayed::of(of, below / Limit::DELAY_PART, part);
        // A request that was sent late still counts as slow if its service time alone exceeds the
        // limit.
        let slow_service = sum(&of.services, nanos(below)).saturating_sub(delayed.waited);
        let certain = slow
            .saturating_sub(delayed.all())
            .max(slow_service)
            .min(slow);
        (slow, slow - certain, delayed.all())
    });
    let counts = (slow + of.failed, excused, answered + of.failed);
    Second::judged(counts, delayed, allowed)
}

/// Counts per second for a slice without data per second: the total, spread evenly over the
/// seconds.
fn evenly(slice: &Slice, below: Option<u64>) -> Vec<Second> {
    let seconds = (slice.end.seconds.round() as u64).max(1);
    let (mut beyond, mut all) = (slice.failed(), slice.failed());
    for op in slice.work() {
        let slow = below.map(|b| op.times.response.count_between(b, u64::MAX));
        beyond += slow.unwrap_or(0);
        all += op.times.response.len();
    }
    let part = |of: u64, at: u64| of * (at + 1) / seconds - of * at / seconds;
    let each = (0..seconds).map(|at| Second {
        beyond: part(beyond, at),
        all: part(all, at),
        ..Second::default()
    });
    each.collect()
}

/// The largest share, 0 to 1, of the waits for a core that other programs or the hypervisor may
/// have caused: the CPU time of other programs, plus stolen time, divided by the time waited.
/// Threads of a busy target also wait for each other and for the load generator; such waits do not
/// void a probe. If the CPU time of other programs is unknown, all busy CPU time except the load
/// generator's is used instead.
fn part_of_others(slice: &Slice) -> f64 {
    let seconds = slice.probed.iter().flat_map(|probed| &probed.seconds);
    let waited: u64 = seconds.filter_map(|second| Some(second.stalls?.ns)).sum();
    let taken = slice.machine().and_then(|machine| {
        let stolen = machine.cpu.map_or(0.0, |cpu| cpu.steal);
        let at_most = || Some((machine.cpu?.busy - machine.own_cpu_seconds?).max(0.0));
        Some(machine.others_cpu_seconds.or_else(at_most)? + stolen)
    });
    match taken {
        Some(taken) if waited > 0 => (taken / (waited as f64 / 1e9)).min(1.0),
        _ => 0.0,
    }
}

/// Requests of one second that a stall of the machine may have delayed.
#[derive(Debug, Clone, Copy, Default)]
struct Delayed {
    /// Requests that the load generator sent late.
    late: u64,
    /// Requests that were in the system while a thread of the target or of the load generator
    /// waited for a core, or that woke such a thread.
    waited: u64,
}

impl Delayed {
    /// Requests sent late count from a lateness of `delay` on. `part` is the share of the waits that
    /// is attributed to other programs.
    fn of(second: &ProbedSecond, delay: Duration, part: f64) -> Self {
        let answered: u64 = second.responses.iter().map(|(_, count)| count).sum();
        let stalls = second.stalls.unwrap_or_default();
        // If a request wakes a thread that must wait for a core, the request is in the system
        // during the wait.
        let waited = (answered + second.failed) as f64 * stalls.ns as f64 / 1e9;
        Self {
            late: second.sent_late(nanos(delay)),
            waited: (part * (waited + stalls.count as f64)).round() as u64,
        }
    }

    fn all(self) -> u64 {
        self.late + self.waited
    }
}

/// The kind of machine stall that alone may have caused a missed limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disturbance {
    /// Most delayed requests were sent late.
    LateGenerator,
    /// For most delayed requests, a thread waited for a core.
    WaitedForCore,
}

impl Disturbance {
    /// `None` if the stalls were too short or too rare to cause a missed limit. The queue grew by
    /// `excess` operations more than the limit `keeps up` allows. If `excess` is above 0, stalls must
    /// explain the queue, because a queue delays requests too.
    fn of(slice: &Slice, slo: &Slo, excess: f64) -> Option<Self> {
        let probed = slice.probed.as_ref()?;
        let all: u64 = slice.requests().map(|op| op.times.response.len()).sum();
        let part = part_of_others(slice);
        let delayed_by = |delay: Duration, most: f64| {
            let seconds = probed.seconds.iter();
            let seconds = seconds.map(|second| Delayed::of(second, delay, part));
            let sum = seconds.fold(Delayed::default(), |sum, s| Delayed {
                late: sum.late + s.late,
                waited: sum.waited + s.waited,
            });
            (sum.all() as f64 > most).then_some(sum)
        };
        let delayed = if excess > 0.0 {
            delayed_by(QUEUED_BY_STALL, excess)
        } else {
            slo.limits().iter().find_map(|limit| {
                let most = match *limit {
                    Limit::Percentile { percent, .. } => DISTURBED * (1.0 - percent / 100.0),
                    Limit::Mean { .. } => DISTURBED_MEAN,
                    Limit::Errors { .. } => return None,
                };
                delayed_by(limit.time()? / Limit::DELAY_PART, most * all as f64)
            })
        }?;
        Some(if delayed.late >= delayed.waited {
            Self::LateGenerator
        } else {
            Self::WaitedForCore
        })
    }

    fn voids(self) -> Yield {
        match self {
            Self::LateGenerator => Yield::LateGenerator,
            Self::WaitedForCore => Yield::WaitedForCore,
        }
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::{Probed, RateProbe, Stalls};

    use super::*;
    use crate::testing::Run;

    /// A probe of 4 s with 1,000 responses per second. `slow`: slow responses in each second, with
    /// a short service time. In the second second, `late` requests were sent 5 ms late, and the
    /// target's threads waited `stalls` nanoseconds for a core.
    fn probed(slow: [u64; 4], late: u64, stalls: Option<u64>) -> Run {
        let mut run = Run::single(1).open_loop();
        run.each(|made| {
            let all_slow: u64 = slow.iter().sum();
            made.answers(4_000 - all_slow, 0.002);
            let op = &mut made.0.ops[0];
            op.times.response.record_n(50_000_000, all_slow).unwrap();
            op.counts.ok += all_slow;
            let seconds = slow.iter().map(|slow| ProbedSecond {
                responses: vec![(2_000_000, 1_000 - slow), (50_000_000, *slow)],
                services: vec![(2_000_000, 1_000)],
                ..ProbedSecond::default()
            });
            let mut seconds: Vec<ProbedSecond> = seconds.collect();
            // Bucket 6 counts lags of at least 2^22 ns, which includes 5 ms.
            seconds[1].late = [vec![0; 6], vec![late]].concat();
            seconds[1].stalls = stalls.map(|ns| Stalls { count: 2, ns });
            made.0.probed = Some(Probed { seconds });
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
        let found = seen(&probed([0, 48, 0, 3], 0, None));
        let beyond: Vec<u64> = found.shares[0].seconds.iter().map(|s| s.beyond).collect();
        assert_eq!(beyond, [0, 48, 0, 3]);
        assert!((found.shares[0].allowed - 0.01).abs() < 1e-12);
        assert_eq!(found.shares.len(), 2, "1 % of errors is the usual limit");
        assert_eq!(found.votes.len(), 1, "keeps up");
        assert_eq!((found.ended, found.is_disturbed), (Yield::Work, false));
    }

    #[test]
    fn late_requests_are_exempt_unless_service_times_exceed_the_limit() {
        let excused = |probe: &tenbin_stats::Probe| probe.shares[0].seconds[1].excused;
        // A delay of 20 requests, half of the allowed 1 % of 4,000 requests, does not disturb the
        // probe.
        let found = seen(&probed([0, 48, 0, 0], 20, None));
        assert_eq!((found.ended, found.is_disturbed), (Yield::Work, false));
        assert_eq!(excused(&found), 20);
        let found = seen(&probed([0, 48, 0, 0], 21, None));
        assert_eq!(
            (found.ended, found.is_disturbed),
            (Yield::LateGenerator, true)
        );
        assert_eq!(excused(&found), 21);
        let found = seen(&probed([0, 32, 0, 0], 21, None));
        assert_eq!(found.ended, Yield::Work, "the limit was kept all the same");
        assert!(found.is_disturbed, "though it could have been missed");
        let found = seen(&probed([40, 48, 0, 0], 21, None));
        assert_eq!(found.ended, Yield::Work, "67 of 4,000 were not sent late");
        let mut run = probed([0, 48, 0, 0], 60, None);
        assert_eq!(excused(&seen(&run)), 48);
        run.each(|made| {
            let probed = made.0.probed.as_mut().unwrap();
            probed.seconds[1].services = vec![(2_000_000, 955), (50_000_000, 45)];
        });
        let found = seen(&run);
        assert_eq!((found.ended, excused(&found)), (Yield::Work, 3));
    }

    #[test]
    fn a_queue_does_not_count_if_stalls_may_have_delayed_as_many_requests() {
        let queue = |slo: &str, bucket: usize, late: [u64; 4]| {
            let mut run = probed([0; 4], 0, None);
            run.each(|made| {
                made.backlog(400);
                let seconds = made.0.probed.as_mut().unwrap().seconds.iter_mut();
                for (second, late) in seconds.zip(late) {
                    second.late = [vec![0; bucket], vec![late]].concat();
                }
            });
            let (probe, judged) = probe(&run.slices[0], &slo.parse().unwrap()).unwrap();
            assert!(!judged.held, "{judged:?}");
            (probe.ended, probe.is_disturbed)
        };
        // The limit allows a growth of 44 operations, 1 % of 4,400. Bucket 6 starts at 4.19 ms.
        assert_eq!(queue("p50<20ms", 6, [0, 0, 0, 356]), (Yield::Work, false));
        let voids = (Yield::LateGenerator, true);
        assert_eq!(queue("p50<20ms", 6, [0, 0, 0, 357]), voids);
        assert_eq!(queue("p50<20ms", 6, [0, 200, 0, 157]), voids);
        assert_eq!(queue("p50<20ms", 5, [0, 0, 0, 357]), (Yield::Work, false));
        // More than half of 1 % were late by a quarter of the limit, too few for this queue.
        assert_eq!(queue("p99<16ms", 6, [0, 0, 0, 100]), (Yield::Work, false));
    }

    #[test]
    fn requests_due_while_a_thread_waited_for_a_core_are_exempt() {
        let waited = |slow, others: f64| {
            let mut run = probed(slow, 0, Some(30_000_000));
            run.each(|made| made.others(others));
            seen(&run)
        };
        let found = waited([0, 48, 0, 0], 1.0);
        assert_eq!(
            (found.ended, found.is_disturbed),
            (Yield::WaitedForCore, true)
        );
        let excused: Vec<u64> = found.shares[0].seconds.iter().map(|s| s.excused).collect();
        assert_eq!(excused, [0, 32, 0, 0], "two waits, 30 ms at 1,000/s");
        let found = waited([60, 48, 0, 0], 1.0);
        assert_eq!(found.ended, Yield::Work, "76 of 4,000 have no other cause");
        let found = waited([0, 48, 0, 0], 0.01);
        let excused = found.shares[0].seconds[1].excused;
        assert_eq!(
            (found.ended, excused),
            (Yield::Work, 11),
            "it waited for its own threads"
        );
    }
}
