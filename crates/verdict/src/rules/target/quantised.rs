//! Service times that are multiples of a timer tick.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use hdrhistogram::Histogram;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Common timer ticks, nanoseconds, the longest first: Windows, Linux kernels at 100 Hz and 250 Hz,
/// and the unit of many timeouts.
const TICKS: [u64; 4] = [15_625_000, 10_000_000, 4_000_000, 1_000_000];

/// Minimum mean resultant length for a finding. Times are directions on a circle of one tick: the
/// length is 0 for evenly spread times and 1 for times that are whole ticks apart.
const CONCENTRATED: f64 = 0.90;

/// Minimum number of ticks that each contain [`SHARE_OF_A_TICK`] of the samples. Times within a
/// single tick, as of a fast server, show no pattern.
const FEWEST_TICKS: usize = 3;
const SHARE_OF_A_TICK: f64 = 0.05;

/// Minimum number of samples to show a pattern.
const FEWEST_SAMPLES: u64 = 1_000;

/// Number of ticks up to which a histogram with three digits resolves a tenth of a tick.
const RESOLVED_TICKS: f64 = 100.0;

/// Minimum share of samples of at most [`RESOLVED_TICKS`] ticks.
const RESOLVED: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "quantised",
    summary: Texts {
        english: "times are multiples of a timer tick",
        japanese: "時間がタイマーの tick の倍数になっている",
    },
    severities: &[Severity::Note],
    explanation: pages!("quantised"),
    messages: Messages {
        english: r#"
            multiples =
                service times cluster at multiples of { $tick } ({ $concentration } on a scale from
                0 % for an even spread to 100 % for exact multiples; { $samples } samples): a timer
                decides when responses are sent
            find-timer =
                look for a sleep, a poll with a timeout, or a scheduler tick in the target;
                differences smaller than a tick mean nothing
        "#,
        japanese: r#"
            multiples =
                サービス時間が { $tick } の倍数に集中している(均等な分布を 0 %、
                正確な倍数を 100 % とする尺度で { $concentration }、標本 { $samples } 個)。
                タイマーが応答の送信時刻を決めている
            find-timer =
                ターゲットの sleep、タイムアウト付きの poll、スケジューラーの tick を調べる。
                tick より小さい差に意味はない
        "#,
    },
    tier: Tier::Question,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let times = cell.request_times()?;
    let (tick, found) = TICKS
        .iter()
        .find_map(|tick| Some((*tick, concentration(&times, *tick)?)))?;
    let multiples = message!(
        "multiples",
        tick = Value::Seconds(tick as f64 / 1e9),
        concentration = Value::Share(found),
        samples = Value::Plain(times.len())
    );
    let advice = message!("find-timer");
    let finding = RULE.finding(Severity::Note, Cause::Server, multiples, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// The mean resultant length of circular statistics (Mardia and Jupp), with the same weight for
/// each tick. `None` if the length is too small or too few ticks occur.
fn concentration(times: &Histogram<u64>, tick: u64) -> Option<f64> {
    let resolved: Vec<(f64, f64)> = times
        .iter_recorded()
        .map(|step| {
            let nanos = times.median_equivalent(step.value_iterated_to());
            (nanos as f64 / tick as f64, step.count_at_value() as f64)
        })
        .filter(|(ticks, _)| *ticks <= RESOLVED_TICKS)
        .collect();
    let total = times.len() as f64;
    let seen: f64 = resolved.iter().map(|(_, count)| count).sum();
    if times.len() < FEWEST_SAMPLES || seen < RESOLVED * total {
        return None;
    }
    let phase = Direction::of(resolved.iter()).phase();
    let mut met: BTreeMap<i64, Vec<(f64, f64)>> = BTreeMap::new();
    for (ticks, count) in resolved {
        let nearest = (ticks - phase).round() as i64;
        met.entry(nearest).or_default().push((ticks, count));
    }
    let often: Vec<Direction> = met
        .values()
        .map(|samples| Direction::of(samples.iter()))
        .filter(|direction| direction.count >= SHARE_OF_A_TICK * total)
        .collect();
    let length = mean_length(&often);
    (often.len() >= FEWEST_TICKS && length >= CONCENTRATED).then_some(length)
}

/// The vector sum of samples as directions on a circle of one tick.
struct Direction {
    cosines: f64,
    sines: f64,
    count: f64,
}

impl Direction {
    /// Sums `samples` of (time in ticks, count).
    fn of<'s>(samples: impl Iterator<Item = &'s (f64, f64)>) -> Self {
        let mut sum = Self {
            cosines: 0.0,
            sines: 0.0,
            count: 0.0,
        };
        for (ticks, count) in samples {
            let (sine, cosine) = (ticks * TAU).sin_cos();
            sum.cosines += cosine * count;
            sum.sines += sine * count;
            sum.count += count;
        }
        sum
    }

    /// The angle of the sum, in ticks, −0.5 to 0.5.
    fn phase(&self) -> f64 {
        self.sines.atan2(self.cosines) / TAU
    }
}

fn mean_length(directions: &[Direction]) -> f64 {
    let sum = |part: fn(&Direction) -> f64| {
        let parts = directions.iter().map(|each| part(each) / each.count);
        parts.sum::<f64>() / directions.len() as f64
    };
    f64::hypot(sum(|each| each.cosines), sum(|each| each.sines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run in which `nanos` gives the service time of each request to `b`, nanoseconds.
    fn run(nanos: impl Fn(u64) -> u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let service = &mut slice.0.ops[0].times.service;
            service.clear();
            (0..1_000).for_each(|i| service.record(nanos(i)).unwrap());
        });
        run
    }

    #[test]
    fn fires_for_answers_on_the_ticks_of_a_kernel() {
        // Ticks of 4 ms, plus up to 300 µs of running time.
        let findings = run(|i| (1 + i % 5) * 4_000_000 + i % 7 * 50_000).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0]
                .evidence
                .starts_with("service times cluster at multiples of 4.00 ms"),
            "{findings:?}"
        );
        let findings = run(|i| (1 + i % 5) * 10_000_000 + i % 7 * 50_000).findings(&RULE);
        assert!(findings[0].evidence.contains("multiples of 10.0 ms"));
    }

    #[test]
    fn silent_for_times_that_are_spread_alike_or_fall_on_two_values() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(run(|i| 1_000_000 + i * 9_000).findings(&RULE), []);
        let modes = run(|i| [1_000_000, 9_000_000][i as usize % 2]);
        assert_eq!(modes.findings(&RULE), []);
        // A fast server with a long tail: most of its times are shorter than a tick of any clock.
        let tailed = run(|i| {
            if i < 800 {
                150_000 + i * 100
            } else {
                200_000 + (i - 800) * 60_000
            }
        });
        assert_eq!(tailed.findings(&RULE), []);
        let fast = run(|i| [1_650_000, 1_790_000, 2_150_000, 5_730_000][i as usize / 300]);
        assert_eq!(fast.findings(&RULE), []);
        // For times of two seconds, a histogram resolves only two milliseconds.
        let slow = run(|i| 2_000_000_000 + i * 1_000_000);
        assert_eq!(slow.findings(&RULE), []);
    }
}
