//! Small objects with a high latency.

use tenbin_result::{Cause, Figure, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency;
use crate::figures::size_class::SizeClass;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Median time of a small object from which the object counts as slow, seconds.
const SLOW: f64 = 0.010;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "small_objects",
    summary: Texts {
        english: "a target takes 10 ms or more for a small object",
        japanese: "小さなオブジェクトに 10 ms 以上かかる",
    },
    severities: &[Severity::Note],
    explanation: pages!("small_objects"),
    messages: Messages {
        english: r#"
            slow-responses =
                half of the responses take { $median } or more; good object stores stay below 10 ms
                for objects of up to 64 KiB
            check-sync =
                check how the target syncs to its disk, or use fewer --connections: requests wait
                for each other
        "#,
        japanese: r#"
            slow-responses =
                応答の半数が { $median } 以上かかる。
                良いオブジェクトストレージなら、64 KiB までのオブジェクトで 10 ms を下回る
            check-sync =
                ターゲットがディスクへ sync する方式を確認する。または --connections を減らす。
                リクエストが互いに待ち合っている
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    if SizeClass::of_transfer(cell.workload) != Some(SizeClass::Small) {
        return None;
    }
    let kind: latency::Kind = if is_closed(cell.workload) {
        |op| &op.times.service
    } else {
        |op| &op.times.response
    };
    let measured = latency::quantile(&cell.full(), 0.5, kind, |op| op.role.is_work());
    let median =
        Figure::of(measured).filter(|_| measured.estimate().is_some_and(|it| it.low >= SLOW))?;
    let slow = message!(
        "slow-responses",
        median = Value::SecondsWithInterval(median)
    );
    let finding = RULE.finding(Severity::Note, Cause::Server, slow, message!("check-sync"));
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;
    use crate::testing::Run;

    fn run(bytes: u64, seconds: f64) -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Put, bytes);
        run.each_of("b", |slice| slice.answers(100, seconds));
        run
    }

    #[test]
    fn fires_for_a_small_object_that_takes_long() {
        let findings = run(1_000, 0.012).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0]
                .evidence
                .starts_with("half of the responses take 12.0 ms")
        );
    }

    #[test]
    fn silent_for_quick_answers_large_objects_and_plain_http() {
        assert_eq!(run(1_000, 0.009).findings(&RULE), []);
        assert_eq!(run(1_000_000, 0.012).findings(&RULE), []);
        let mut http = Run::pair(8);
        http.each(|slice| slice.answers(100, 0.012));
        assert_eq!(http.findings(&RULE), []);
    }
}
