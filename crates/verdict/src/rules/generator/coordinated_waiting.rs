//! Requests that a closed loop did not send during a pause.

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::{printable_percentile, uncoordinated_quantile};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

const QUANTILE: f64 = 0.99;

/// Length above which a wait counts as a pause, seconds.
const PAUSE: f64 = 0.100;

/// Ratio of the estimated open-loop percentile to the measured percentile above which there is a
/// finding.
const TIMES: f64 = 2.0;

const NANOS_PER_SECOND: f64 = 1e9;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "coordinated_waiting",
    summary: Texts {
        english: "a target paused, and the closed loop sent no requests meanwhile",
        japanese: "ターゲットが停止し、その間クローズドループはリクエストを送らなかった",
    },
    severities: &[Severity::Note],
    explanation: pages!("coordinated_waiting"),
    messages: Messages {
        english: r#"
            paused =
                for up to { $longest }, no response arrived, and a waiting connection sends
                nothing: the 99th percentile of service time is { $seen }; in an open loop at the
                same rate, it would be about { $unseen } (an estimate)
            use-rate =
                to measure the response times that users would see, run with a --rate somewhat
                below this throughput
        "#,
        japanese: r#"
            paused =
                最長 { $longest } の間、応答が届かず、待っている接続は何も送らなかった。
                サービス時間の 99 パーセンタイルは { $seen } だが、同じレートのオープンループなら約 { $unseen } になる(推定)
            use-rate =
                利用者から見た応答時間を測るには、このスループットよりやや低い --rate で実行する
        "#,
    },
    tier: Tier::Question,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let closed = cells.iter().filter(|cell| is_closed(cell.workload));
    closed.filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let full = cell.full();
    let answers = cell.request_times()?;
    let longest = seconds(answers.max());
    if longest < PAUSE || !printable_percentile(QUANTILE, answers.len()) {
        return None;
    }
    let seen = seconds(answers.value_at_quantile(QUANTILE));
    let samples: Vec<(f64, u64)> = answers
        .iter_recorded()
        .map(|step| (seconds(step.value_iterated_to()), step.count_at_value()))
        .collect();
    let unseen = uncoordinated_quantile(&samples, interval(&full, cell)?, QUANTILE)?;
    let is_hidden = unseen >= TIMES * seen && unseen >= PAUSE;
    if !is_hidden {
        return None;
    }
    let paused = message!(
        "paused",
        longest = Value::Seconds(longest),
        seen = Value::Seconds(seen),
        unseen = Value::Seconds(unseen)
    );
    // The rule `stalls` reports the cause of the pause, which can be the machine.
    let finding = RULE.finding(Severity::Note, Cause::Plan, paused, message!("use-rate"));
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// Mean time between two consecutive requests of a slot, seconds. The number of slots is the number
/// of requests that can be in flight at once.
fn interval(slices: &[&Slice], cell: &Cell<'_>) -> Option<f64> {
    let requests = slices.iter().flat_map(|slice| slice.requests());
    let ended: u64 = requests.map(|op| op.counts.ok + op.failed_count()).sum();
    let load = &cell.workload.load;
    let at_once = (load.connections * load.depth) as f64;
    let seconds: f64 = slices.iter().map(|slice| slice.end.seconds).sum();
    (ended > 0).then(|| at_once * seconds / ended as f64)
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / NANOS_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run with slices of 1 s; in `in_slices` slices of `b`, both connections pause for half a
    /// second.
    fn pausing(in_slices: u32) -> Run {
        let mut run = Run::pair(8);
        let mut left = in_slices;
        run.each_of("b", |slice| {
            if left > 0 {
                left -= 1;
                slice.answers(500, 0.002);
                slice.0.ops[0]
                    .times
                    .service
                    .record_n(500_000_000, 2)
                    .unwrap();
            }
        });
        run
    }

    #[test]
    fn fires_when_a_pause_hides_unsent_requests() {
        let findings = pausing(8).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        let evidence = &findings[0].evidence;
        assert!(
            evidence.starts_with("for up to 500 ms, no response arrived")
                && evidence.contains("service time is 2.00 ms")
                && evidence.ends_with("(an estimate)"),
            "{evidence}"
        );
    }

    #[test]
    fn silent_without_pauses_and_for_one_that_hides_little() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        // A pause of 10 ms stands for only five operations.
        let mut short = Run::pair(8);
        short.each(|slice| {
            slice.0.ops[0]
                .times
                .service
                .record_n(10_000_000, 2)
                .unwrap();
        });
        assert_eq!(short.findings(&RULE), []);
        // A pause of 150 ms in one slice of sixteen affects 0.5 % of the requests of an open loop.
        let mut once = Run::pair(8);
        let slice = once.first_of("b");
        slice.0.ops[0]
            .times
            .service
            .record_n(150_000_000, 1)
            .unwrap();
        assert_eq!(once.findings(&RULE), []);
        assert_eq!(pausing(8).open_loop().findings(&RULE), []);
    }

    #[test]
    fn silent_when_long_answers_are_the_rule() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.answers(40, 0.5));
        assert_eq!(run.findings(&RULE), []);
    }
}
