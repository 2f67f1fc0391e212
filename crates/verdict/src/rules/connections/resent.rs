//! Requests that a target left unprocessed, and that were sent again.

use tenbin_record::Ledger;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Share of the operations above which requests that were sent again are a finding.
const NOTICEABLE: f64 = 0.001;

/// Share of refused streams above which the latencies include much time of refused attempts.
const LARGE: f64 = 0.01;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "resent",
    summary: Texts {
        english: "the target left requests unprocessed, and they were sent again",
        japanese: "ターゲットが処理しなかったリクエストを再送した",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("resent"),
    messages: Messages {
        english: r#"
            sent-again =
                the target did not process { $total } requests, and they were sent again, for { $operations }
                operations ({ $share }): { $causes }; each counts once and is timed from its first start
            refused-stream = REFUSED_STREAM ×{ $count }
            goaway = GOAWAY ×{ $count }
            closed-connection = closed connection ×{ $count }
            fewer-streams =
                use fewer --streams, or raise the target's limits: a client that does not repeat refused
                streams sees these requests as errors
            raise-limit =
                if a comparison depends on it, raise the target's limit of requests per connection (in nginx:
                keepalive_requests)
        "#,
        japanese: r#"
            sent-again =
                ターゲットが { $total } リクエストを処理しなかったため
                再送した({ $operations } 操作、{ $share }): { $causes }。
                いずれも 1 操作と数え、最初の開始から計測している
            refused-stream = REFUSED_STREAM ×{ $count }
            goaway = GOAWAY ×{ $count }
            closed-connection = 接続の切断 ×{ $count }
            fewer-streams =
                --streams を減らすか、ターゲットの上限を上げる。拒否されたストリームを再送しないクライアントでは、
                これらはエラーになる
            raise-limit =
                比較に影響するなら、ターゲットの接続あたりのリクエスト数の上限を上げる
                (nginx では keepalive_requests)
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    evidence.cells().iter().filter_map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let mut sum = Ledger::default();
    let mut operations = 0;
    for slice in &cell.slices {
        sum += slice.ledger;
        operations += slice
            .requests()
            .map(|op| op.counts.ok + op.failed_count())
            .sum::<u64>();
    }
    let causes = [
        (sum.resent_refused, message!("refused-stream")),
        (sum.resent_goaway, message!("goaway")),
        (sum.resent_closed, message!("closed-connection")),
    ];
    let total: u64 = causes.iter().map(|(count, _)| count).sum();
    let share = |count: u64| count as f64 / operations.max(1) as f64;
    if share(total) <= NOTICEABLE {
        return None;
    }
    let causes = causes.into_iter().filter(|(count, _)| *count > 0);
    let causes: Vec<Message> = causes
        .map(|(count, cause)| cause.with("count", Value::Plain(count)))
        .collect();
    let sent_again = message!(
        "sent-again",
        total = Value::Plain(total),
        operations = Value::Plain(operations),
        share = Value::Share(share(total)),
        causes
    );
    let (severity, advice) = if share(sum.resent_refused) > LARGE {
        (Severity::Suspect, message!("fewer-streams"))
    } else {
        (Severity::Note, message!("raise-limit"))
    };
    let finding = RULE.finding(severity, Cause::Server, sent_again, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// 16,000 operations on each target; the first slice of `b` has requests that were sent again.
    fn with(change: fn(&mut Ledger)) -> Vec<Finding> {
        let mut run = Run::pair(8);
        change(&mut run.first_of("b").0.ledger);
        run.findings(&RULE)
    }

    #[test]
    fn refused_streams_are_counted_with_their_share() {
        let findings = with(|ledger| {
            ledger.resent_refused = 1_600;
            ledger.resent_goaway = 16;
        });
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "the target did not process 1616 requests, and they were sent again, for 16000 \
             operations (10.1 %): REFUSED_STREAM ×1600, GOAWAY ×16; each counts once and is timed \
             from its first start"
        );
    }

    #[test]
    fn connections_that_end_by_plan_of_the_server_are_a_note() {
        let findings = with(|ledger| ledger.resent_goaway = 400);
        assert_eq!(findings[0].severity, Severity::Note);
        let findings = with(|ledger| ledger.resent_closed = 400);
        assert!(findings[0].evidence.contains("closed connection ×400"));
    }

    #[test]
    fn silent_below_one_in_a_thousand() {
        assert_eq!(with(|ledger| ledger.resent_refused = 16), []);
    }
}
