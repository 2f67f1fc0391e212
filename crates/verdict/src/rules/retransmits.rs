//! Packets get lost on the way.

use super::Rule;
use crate::evidence::Evidence;
use crate::finding::{Blame, Finding, Severity};
use crate::machine::places_above;
use crate::words::percent;

/// Share of the segments sent.
const NOTICEABLE: f64 = 0.001;
/// Segments in a slice; fewer are chance.
const FEW: u64 = 10;

/// Packets get lost on the way.
pub(super) struct Retransmits;

impl Rule for Retransmits {
    fn name(&self) -> &'static str {
        "retransmits"
    }

    fn summary(&self) -> &'static str {
        "many TCP segments had to be sent again"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("retransmits.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, NOTICEABLE, &|_, machine| {
            let (sent, again) = (
                machine.tcp.sent_segments?,
                machine.tcp.retransmitted_segments?,
            );
            (sent > 0).then(|| {
                let enough = again >= FEW;
                if enough {
                    again as f64 / sent as f64
                } else {
                    0.0
                }
            })
        });
        let own: u64 = evidence
            .slices
            .iter()
            .filter_map(|slice| slice.wire)
            .map(|wire| wire.retransmits)
            .sum();
        let mut machines = evidence
            .slices
            .iter()
            .filter_map(|slice| slice.machine.as_ref());
        let all_here = machines.all(|machine| machine.target_here == Some(true));
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "{} of the TCP segments that this machine sent were sent again ({}); {own} of \
                 them in all by the generator's own connections",
                percent(place.value),
                place.basis()
            );
            // On one machine there is no link to lose packets: a queue was full.
            let (blame, advice) = match all_here {
                true => (
                    Blame::Setup,
                    "no network is between generator and target: a queue of this machine was full, \
                     mostly that of connections to be accepted; open fewer connections at a time, \
                     keep them alive, or raise the server's listen backlog; do not trust the high \
                     percentiles",
                ),
                false => (
                    Blame::Network,
                    "look for a full link or switch, a bad cable, or a small receive buffer; a lost \
                     packet costs 200 ms or more, so do not trust the high percentiles",
                ),
            };
            place.finding(self.name(), Severity::Suspect, blame, told, advice)
        });
        finding.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn sent_again(segments: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.machine().tcp.retransmitted_segments = Some(segments);
            slice.wire().retransmits = segments / 2;
            slice.machine().target_here = Some(false);
        });
        run.findings(&Retransmits)
    }

    #[test]
    fn no_cable_is_blamed_on_one_machine() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().tcp.retransmitted_segments = Some(40));
        let findings = run.findings(&Retransmits);
        assert_eq!(findings[0].blame, Blame::Setup);
        assert!(!findings[0].advice.contains("cable"));
    }

    #[test]
    fn fires_above_one_in_a_thousand() {
        let findings = sent_again(40);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].blame, Blame::Network);
        assert!(findings[0].evidence.starts_with("1 % of the TCP segments"));
        assert!(findings[0].evidence.contains("320 of them in all"));
    }

    #[test]
    fn silent_for_a_few_and_where_nothing_is_known() {
        assert_eq!(sent_again(9), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().tcp.retransmitted_segments = None);
        assert_eq!(run.findings(&Retransmits), []);
    }
}
