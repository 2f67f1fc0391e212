//! Servers that drop connection attempts because their accept queue is full.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "accept_queue",
    summary: Texts {
        english: "a server rejected connections because its accept queue was full",
        japanese: "accept キューが満杯で、サーバーが接続を受け付けなかった",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("accept_queue"),
    messages: Messages {
        english: r#"
            dropped =
                { $attempts } connection attempts in { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                } were dropped because the accept queue of a server on this machine was full; a
                dropped attempt is repeated after 1 s
            raise-backlog =
                increase the server's listen backlog and net.core.somaxconn, or its number of
                workers; or use keep-alive, so that fewer connections are opened
        "#,
        japanese: r#"
            dropped =
                このマシンのサーバーの accept キューが満杯で、{ $slices } スライスで { $attempts } 件の接続要求が破棄された。
                破棄された要求は 1 秒後に再送される
            raise-backlog =
                サーバーの listen backlog と net.core.somaxconn、またはワーカー数を増やす。
                または keep-alive を使い、新しい接続を減らす
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let here = cell.slices.iter().filter_map(|slice| slice.machine());
    let overflows: Vec<u64> = here
        .filter(|machine| machine.target_here == Some(true))
        .filter_map(|machine| machine.tcp.listen_overflows)
        .collect();
    let turned_away: u64 = overflows.iter().sum();
    if turned_away == 0 {
        return None;
    }
    let dropped = message!(
        "dropped",
        attempts = Value::Plain(turned_away),
        slices = overflows.len()
    );
    let advice = message!("raise-backlog");
    let finding = RULE.finding(Severity::Suspect, Cause::Server, dropped, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_a_connection_was_dropped() {
        let mut run = Run::pair(8);
        run.first_of("b").machine().tcp.listen_overflows = Some(70);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Server);
        assert!(
            findings[0]
                .evidence
                .starts_with("70 connection attempts in 16 slices")
        );
    }

    #[test]
    fn silent_when_the_server_is_elsewhere() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let machine = slice.machine();
            machine.tcp.listen_overflows = Some(70);
            machine.target_here = None;
        });
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.machine().tcp.listen_overflows = None);
        assert_eq!(run.findings(&RULE), []);
    }
}
