//! The server turns connections away.

use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;

/// The server turns connections away.
pub(super) struct AcceptQueue;

impl Rule for AcceptQueue {
    fn name(&self) -> &'static str {
        "accept_queue"
    }

    fn summary(&self) -> &'static str {
        "a server turned connections away because its accept queue was full"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("accept_queue.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl AcceptQueue {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
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
            rule: self.name().to_owned(),
            severity: Severity::Suspect,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{turned_away} times in {} a connection was turned away because the accept queue \
                 of a server on this machine was full; who is turned away tries again after 1 s",
                plural(overflows.len(), "slice")
            ),
            advice: "raise the server's listen backlog and net.core.somaxconn, or let it accept \
                     in more workers; or keep connections alive, so that fewer are opened"
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_a_connection_was_turned_away() {
        let mut run = Run::pair(8);
        run.first_of("b").machine().tcp.listen_overflows = Some(70);
        let findings = run.findings(&AcceptQueue);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].blame, Blame::Server);
        assert!(findings[0].evidence.starts_with("70 times in 16 slices"));
    }

    #[test]
    fn silent_when_the_server_is_elsewhere() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let machine = slice.machine();
            machine.tcp.listen_overflows = Some(70);
            machine.target_here = None;
        });
        assert_eq!(run.findings(&AcceptQueue), []);
        run.each(|slice| slice.machine().tcp.listen_overflows = None);
        assert_eq!(run.findings(&AcceptQueue), []);
    }
}
