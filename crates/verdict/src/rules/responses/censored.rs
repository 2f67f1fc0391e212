//! Operations without a response.

use tenbin_record::OpFigures;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::target::overload;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "censored",
    summary: Texts {
        english: "operations were still in flight when their slice ended",
        japanese: "スライスの終了時に、操作がまだ処理中だった",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("censored"),
    messages: Messages {
        english: r#"
            no-response =
                { $censored } of { $operations } operations ({ $share }) had no response one timeout
                after the end of their slice{ $unsent ->
                    [true] , or were never sent because all connections stayed in use
                   *[false] {""}
                }: their durations are unknown, and percentiles above { $known } are { $unsent ->
                    [true] unknown
                   *[false] lower bounds
                }
            longer-timeout =
                find out what the target did at that time, or use a longer --timeout
        "#,
        japanese: r#"
            no-response =
                { $operations } 操作中 { $censored } 操作({ $share })は、
                スライス終了からタイムアウト時間が過ぎても応答がなかった{ $unsent ->
                    [true] か、すべての接続が使用中のままで送信されなかった
                   *[false] {""}
                }。所要時間は不明で、{ $known } を超えるパーセンタイルは{ $unsent ->
                    [true] 不明
                   *[false] 下限値
                }
            longer-timeout =
                そのときターゲットが何をしていたかを調べる。または --timeout を長くする
        "#,
    },
    tier: Tier::Work,
    explained_by: &[&overload::RULE],
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| {
            // Full slices only: an interrupted slice does not wait for responses.
            let full = cell.full();
            let work = Waiting::among(full.iter().flat_map(|slice| slice.work()));
            // Sub-requests without a response count even if their transaction did not fail.
            let steps = || Waiting::among(full.iter().flat_map(|slice| slice.requests()));
            let Waiting {
                censored,
                never_sent,
                total,
            } = work.or_else(steps)?;
            let share = censored as f64 / total as f64;
            let seen = message!(
                "no-response",
                censored = Value::Plain(censored),
                operations = Value::Plain(total),
                share = Value::Share(share),
                unsent = never_sent > 0,
                known = Value::Share(1.0 - share)
            );
            let advice = message!("longer-timeout");
            let finding = RULE.finding(Severity::Suspect, Cause::Server, seen, advice);
            Some(finding.on(&cell.workload.name, &cell.target.name))
        })
        .collect()
}

/// Number of operations without a response, how many of these were never sent, and number of all
/// operations.
struct Waiting {
    censored: u64,
    never_sent: u64,
    total: u64,
}

impl Waiting {
    /// `None` if every operation has a response.
    fn among<'a>(ops: impl Iterator<Item = &'a OpFigures>) -> Option<Self> {
        let mut sum = Self {
            censored: 0,
            never_sent: 0,
            total: 0,
        };
        for op in ops {
            sum.censored += op.counts.censored + op.counts.unsent;
            sum.never_sent += op.counts.unsent;
            sum.total += op.counts.ok + op.failed_count() + op.counts.unsent;
        }
        (sum.censored > 0 && sum.total > 0).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_for_operations_without_a_response() {
        let mut run = Run::pair(8);
        run.first_of("b").censor(3);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(findings[0].evidence.starts_with("3 of 16003 operations"));
    }

    #[test]
    fn operations_that_were_never_sent_have_no_response() {
        let mut run = Run::pair(8).open_loop();
        run.first_of("b").0.ops[0].counts.unsent = 3;
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.starts_with("3 of "), "{evidence}");
        assert!(
            evidence.contains(", or were never sent because"),
            "{evidence}"
        );
        assert!(evidence.ends_with(" are unknown"), "{evidence}");
    }

    #[test]
    fn transactions_count_rather_than_sub_requests() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(4));
        run.first_of("b").censor(3);
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.starts_with("3 of 16003 operations"), "{evidence}");
        let mut slice = run.first_of("b");
        slice.fail_wholes(tenbin_record::ErrorClass::Timeout, 1, 5.0);
        slice.0.ops[1].counts.censored = 1;
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.starts_with("1 of 4001 operations"), "{evidence}");
    }

    #[test]
    fn silent_when_the_slice_was_interrupted() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("b");
        slice.censor(3);
        slice.cut_short();
        assert_eq!(run.findings(&RULE), []);
    }
}
