//! Whether one probe meets an objective.

use hdrhistogram::Histogram;
use tenbin_plan::{Limit, Slo};
use tenbin_record::{ErrorClass, OpFigures, Slice, merged};
use tenbin_result::LimitKind;
use tenbin_stats::{CONFIDENCE, Yield, normal_quantile};

/// The limit on the share of errors if the objective has no such limit, 1 %. A rate with more
/// failures does not hold, even if all other responses are fast.
pub const USUAL_ERRORS: f64 = 0.01;
/// Allowed growth of the queue, as a share of the operations due.
const GROWTH: f64 = 0.01;
/// Number of standard deviations by which the operations in flight can grow by chance.
const DEVIATIONS: f64 = 3.0;

/// The judgement of one probe against the objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Whether every limit was met and the target kept up with the rate.
    pub held: bool,
    /// Whether chance may have decided `held`.
    pub borderline: bool,
    /// The outcome of the probe's operations.
    pub ended: Yield,
    /// The judged limits in the order of the objective, followed by the usual limit of errors (if
    /// it applies) and `keeps up`.
    pub limits: Vec<JudgedLimit>,
    /// Operations by which the queue grew beyond the limit `keeps up`; at most 0 if the limit was
    /// kept.
    pub(super) excess: f64,
}

/// The result of one limit in one probe.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedLimit {
    /// The limit as the plan writes it, such as `p99<10ms`, or `keeps up`.
    pub limit: String,
    /// The observed value: seconds for a time, a share for errors, or for `keeps up` the growth of
    /// the queue as a share of the operations due. `None` without a value.
    pub seen: Option<f64>,
    /// The figure that the limit is set on.
    pub kind: LimitKind,
    /// Whether the limit was kept.
    pub kept: bool,
    /// Whether the limit may have been kept or missed by chance.
    pub close: bool,
    /// Where the limit comes from.
    pub origin: Origin,
}

/// Where a limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The objective contains the limit.
    Objective,
    /// The usual limit of errors, which applies if the objective has no limit of errors.
    UsualErrors,
    /// The target must keep up with the rate; this limit applies to every objective.
    KeepsUp,
}

impl Judged {
    /// The limits that were missed.
    pub fn missed(&self) -> impl Iterator<Item = &JudgedLimit> {
        self.limits.iter().filter(|limit| !limit.kept)
    }
}

/// Judges a slice with an offered rate against the objective.
pub fn judge(slice: &Slice, slo: &Slo) -> Judged {
    let seen = Seen::of(slice);
    let mut limits: Vec<JudgedLimit> = slo
        .limits()
        .iter()
        .map(|limit| judged(limit, &seen))
        .collect();
    let names_errors = |limit: &Limit| matches!(limit, Limit::Errors { .. });
    if !slo.limits().iter().any(names_errors) {
        let usual = Limit::Errors {
            below: USUAL_ERRORS,
        };
        limits.push(JudgedLimit {
            origin: Origin::UsualErrors,
            ..judged(&usual, &seen)
        });
    }
    let (keeps_up, excess) = keeps_up(slice);
    limits.push(keeps_up);
    let held = limits.iter().all(|limit| limit.kept);
    // A clearly missed limit decides, even if other limits are close.
    let clearly_missed = limits.iter().any(|limit| !limit.kept && !limit.close);
    Judged {
        held,
        borderline: !clearly_missed && limits.iter().any(|limit| limit.close),
        ended: ended(slice, &seen),
        limits,
        excess,
    }
}

/// The outcome of the operations. A high rate can cause timeouts; if all operations fail in other
/// ways, the rate is not the cause.
fn ended(slice: &Slice, seen: &Seen) -> Yield {
    let timeouts: u64 = slice
        .work()
        .filter_map(|op| op.errors.get(&ErrorClass::Timeout))
        .sum();
    match seen.all() {
        0 if slice.ok() == 0 && slice.backlog == 0 => Yield::Nothing,
        all if all > 0 && seen.failed == all && slice.ok() == 0 && timeouts == 0 => {
            Yield::OnlyFailures
        }
        _ => Yield::Work,
    }
}

/// Response times, number of failures and number of operations that were never sent of a slice.
struct Seen {
    response: Histogram<u64>,
    failed: u64,
    never_sent: u64,
}

impl Seen {
    fn of(slice: &Slice) -> Self {
        let response = merged(slice.work().map(|op| &op.times.response));
        Self {
            response,
            failed: slice.failed(),
            never_sent: slice.work().map(|op| op.counts.unsent).sum(),
        }
    }

    fn all(&self) -> u64 {
        self.response.len() + self.failed + self.never_sent
    }

    /// Number of operations at or above `nanos`. An operation that failed or was never sent counts as
    /// slower than any limit.
    fn not_below(&self, nanos: u64) -> u64 {
        let below = match nanos {
            0 => 0,
            nanos => self.response.count_between(0, nanos - 1),
        };
        self.all() - below
    }
}

fn judged(limit: &Limit, seen: &Seen) -> JudgedLimit {
    let none = JudgedLimit {
        limit: limit.to_string(),
        seen: None,
        kind: match limit {
            Limit::Errors { .. } => LimitKind::Errors,
            Limit::Percentile { .. } | Limit::Mean { .. } => LimitKind::Time,
        },
        kept: false,
        close: false,
        origin: Origin::Objective,
    };
    if seen.all() == 0 {
        return none;
    }
    match *limit {
        Limit::Percentile { percent, below } => {
            let beyond = seen.not_below(nanos(below));
            let allowed = 1.0 - percent / 100.0;
            let share = beyond as f64 / seen.all() as f64;
            JudgedLimit {
                seen: percentile(seen, percent),
                kept: share <= allowed,
                close: beyond > 0 && may_be(beyond, seen.all(), allowed),
                ..none
            }
        }
        Limit::Mean { below } => {
            let count = seen.response.len();
            if count == 0 || seen.never_sent > 0 {
                return none;
            }
            let (mean, limit) = (seen.response.mean() / 1e9, below.as_secs_f64());
            let error = seen.response.stdev() / 1e9 / (count as f64).sqrt();
            JudgedLimit {
                seen: Some(mean),
                kept: mean < limit,
                close: (mean - limit).abs() < z() * error,
                ..none
            }
        }
        Limit::Errors { below } => {
            let share = seen.failed as f64 / seen.all() as f64;
            JudgedLimit {
                seen: Some(share),
                kept: share < below,
                // A probe without failures clearly keeps the limit: no probe can show fewer
                // failures.
                close: seen.failed > 0 && may_be(seen.failed, seen.all(), below),
                ..none
            }
        }
    }
}

/// The percentile of the response time, with operations that failed or were never sent as the slowest
/// responses. `None` if the percentile lies among them.
fn percentile(seen: &Seen, percent: f64) -> Option<f64> {
    let rank = percent / 100.0 * seen.all() as f64;
    let answered = seen.response.len();
    if answered == 0 || rank > answered as f64 {
        return None;
    }
    let nanos = seen.response.value_at_quantile(rank / answered as f64);
    Some(nanos as f64 / 1e9)
}

/// The limit `keeps up`: compares operations due in the window with operations that ended in the
/// window, to detect a growing number of waiting and in-flight operations. Also returns the number
/// of operations by which the queue grew beyond the limit.
fn keeps_up(slice: &Slice) -> (JudgedLimit, f64) {
    let sum = |count: &dyn Fn(&OpFigures) -> u64| slice.requests().map(count).sum::<u64>() as f64;
    let due_answered = sum(&|op| op.times.response.len());
    let failed = sum(&|op| op.failed_count());
    let ended = sum(&|op| op.counts.ok) + failed;
    let unsent = sum(&|op| op.counts.unsent);
    let due = due_answered + failed + unsent + slice.backlog as f64;
    let growth = due - ended;
    let busy: f64 = slice
        .requests()
        .filter(|op| !op.times.response.is_empty())
        .map(|op| op.times.response.mean() / 1e9 * op.times.response.len() as f64)
        .sum();
    let in_flight = match slice.end.seconds {
        seconds if seconds > 0.0 => busy / seconds,
        _ => 0.0,
    };
    // The number of operations in flight at either end of the window is Poisson distributed with
    // mean `in_flight`.
    let chance = DEVIATIONS * (2.0 * in_flight + 1.0).sqrt();
    let allowed = (GROWTH * due).max(chance);
    let judged = JudgedLimit {
        limit: "keeps up".to_owned(),
        kind: LimitKind::Backlog,
        seen: (due > 0.0).then(|| growth / due),
        kept: growth <= allowed,
        close: growth > allowed / 2.0 && growth < allowed * 2.0 && growth > chance / 2.0,
        origin: Origin::KeepsUp,
    };
    (judged, growth - allowed)
}

/// Whether Wilson's interval for `count` of `n` contains `share` (E. B. Wilson, "Probable
/// inference", 1927).
fn may_be(count: u64, n: u64, share: f64) -> bool {
    let (n, z) = (n as f64, z());
    let seen = count as f64 / n;
    let shrunk = 1.0 + z * z / n;
    let centre = (seen + z * z / (2.0 * n)) / shrunk;
    let half = z / shrunk * (seen * (1.0 - seen) / n + z * z / (4.0 * n * n)).sqrt();
    (centre - half..=centre + half).contains(&share)
}

fn z() -> f64 {
    normal_quantile(f64::midpoint(1.0, CONFIDENCE)).unwrap_or(1.96)
}

pub(super) fn nanos(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    /// A slice with `fast` responses of 2 ms and `slow` responses of 20 ms.
    fn slice(fast: u64, slow: u64) -> Run {
        let mut run = Run::single(1).open_loop();
        run.each(|made| {
            made.answers(fast, 0.002);
            let op = &mut made.0.ops[0];
            op.times.response.record_n(20_000_000, slow).unwrap();
            op.counts.ok += slow;
        });
        run
    }

    fn judge_of(run: &Run, slo: &str) -> Judged {
        judge(&run.slices[0], &slo.parse().unwrap())
    }

    #[test]
    fn limits_are_kept_clearly_closely_or_not() {
        for (slow, held, borderline) in [
            (0, true, false),
            (1, true, false),
            (40, true, true),
            (60, false, true),
            (200, false, false),
        ] {
            let found = judge_of(&slice(5_000 - slow, slow), "p99<10ms");
            assert_eq!((found.held, found.borderline), (held, borderline), "{slow}");
        }
    }

    #[test]
    fn failures_count_as_slow_and_too_many_errors_fail() {
        let mut run = slice(5_000, 0);
        run.first_of("a").fail(ErrorClass::Status, 45);
        assert!(judge_of(&run, "p99<10ms").held);
        let strict = judge_of(&run, "p99<10ms,errors<0.1%");
        assert!(!strict.held && !strict.borderline);
        let missed: Vec<&str> = strict.missed().map(|l| l.limit.as_str()).collect();
        assert_eq!(missed, ["errors<0.1%"]);
        run.first_of("a").fail(ErrorClass::Status, 500);
        let found = judge_of(&run, "p99<10ms");
        let missed: Vec<&str> = found.missed().map(|l| l.limit.as_str()).collect();
        assert_eq!(missed, ["p99<10ms", "errors<1%"]);
        assert_eq!(found.limits[0].seen, None, "no p99 of what has none");
    }

    #[test]
    fn a_growing_queue_is_noticed() {
        let mut run = slice(5_000, 0);
        run.each(|made| made.0.ops[0].counts.ok -= 40);
        assert!(judge_of(&run, "p99<10ms").held, "40 of 5,000");
        run.each(|made| made.backlog(160));
        let found = judge_of(&run, "p99<10ms");
        assert!(!found.held && !found.borderline, "{found:?}");
        assert_eq!(found.missed().next().unwrap().origin, Origin::KeepsUp);
    }

    #[test]
    fn means_have_limits_too() {
        let found = judge_of(&slice(4_000, 1_000), "mean<5ms");
        assert!((found.limits[0].seen.unwrap() - 0.005_6).abs() < 1e-5);
        assert!(!found.held);
        assert!(judge_of(&slice(4_900, 100), "mean<5ms").held);
    }

    #[test]
    fn a_probe_without_operations_does_not_hold() {
        let mut run = slice(1, 0);
        run.each(|made| {
            made.0.ops[0].counts.ok = 0;
            made.0.ops[0].times.response.clear();
        });
        let found = judge_of(&run, "p99<10ms");
        assert!(!found.held && !found.borderline);
        assert_eq!(found.limits[0].seen, None);
        assert_eq!(found.ended, Yield::Nothing);
        run.each(|made| made.backlog(160));
        assert_eq!(judge_of(&run, "p99<10ms").ended, Yield::Work, "too slow");
    }

    #[test]
    fn a_target_that_only_fails_is_distinguished_from_a_late_one() {
        let mut run = slice(0, 0);
        run.first_of("a").fail(ErrorClass::Status, 20);
        assert_eq!(judge_of(&run, "p99<10ms").ended, Yield::OnlyFailures);
        run.first_of("a").fail(ErrorClass::Timeout, 1);
        assert_eq!(judge_of(&run, "p99<10ms").ended, Yield::Work);
        assert_eq!(judge_of(&slice(1, 0), "p99<10ms").ended, Yield::Work);
    }
}
