//! Servers that drop connection attempts because their accept queue is full.

use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "accept_queue",
    summary: "a server rejected connections because its accept queue was full",
    severities: &[Severity::Suspect],
    explanation: include_str!("accept_queue.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let here = cell
        .slices
        .iter()
        .filter_map(|slice| slice.machine.as_ref());
    let overflows: Vec<u64> = here
        .filter(|machine| machine.target_here == Some(true))
        .filter_map(|machine| machine.tcp.listen_overflows)
        .collect();
    let turned_away: u64 = overflows.iter().sum();
    (turned_away > 0).then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Server,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "{turned_away} connection attempts in {} were dropped because the accept queue of a \
             server on this machine was full; a dropped attempt is repeated after 1 s",
            plural(overflows.len(), "slice")
        ),
        advice: "increase the server's listen backlog and net.core.somaxconn, or its number of \
                 workers; or use keep-alive, so that fewer connections are opened"
            .to_owned(),
    })
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
