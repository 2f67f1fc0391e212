//! Segments of the generator's own connections that were lost and sent again.

use tenbin_record::{MachineUse, Slice, WireUse};
use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::{Place, places_above};

/// Share of the segments sent.
const NOTICEABLE: f64 = 0.001;
/// Segments in a slice; fewer are chance.
const FEW: u64 = 10;

/// Segments of the generator's own connections that were lost and sent again.
pub(super) struct Retransmits;

impl Rule for Retransmits {
    fn name(&self) -> &'static str {
        "retransmits"
    }

    fn summary(&self) -> &'static str {
        "many TCP segments of the generator's connections were lost and sent again"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("retransmits.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, NOTICEABLE, &|slice, _| share_lost(slice));
        places
            .into_iter()
            .map(|place| self.finding(evidence, place))
            .collect()
    }
}

impl Retransmits {
    fn finding(&self, evidence: &Evidence<'_>, place: Place) -> Finding {
        let here = |slice: &&Slice| place.contains(slice);
        let lost: u64 = evidence
            .slices
            .iter()
            .filter(here)
            .filter_map(|slice| lost(slice.wire?))
            .sum();
        let mut machines = evidence.slices.iter().filter(here).filter_map(machine);
        let is_local = machines.all(|machine| machine.target_here == Some(true));
        let told = format!(
            "{} of the TCP segments that the generator's connections sent were lost and sent again \
             ({}; {} in all)",
            percent(place.value),
            place.basis(),
            plural(usize::try_from(lost).unwrap_or(usize::MAX), "segment")
        );
        // Without a network between them only a queue or a buffer can drop a segment.
        let (blame, advice) = match is_local {
            true => (
                Blame::Setup,
                "no network is between generator and target: a socket buffer or an accept queue of \
                 this machine overflowed, mostly because no CPU was free to empty it; use fewer \
                 connections, keep them alive, raise the server's receive buffer or listen \
                 backlog, or free CPU; do not trust the high percentiles",
            ),
            false => (
                Blame::Network,
                "look for a saturated link or switch, a bad cable, or a small receive buffer at \
                 the target; a lost segment costs 200 ms or more, so do not trust the high \
                 percentiles",
            ),
        };
        place.finding(self.name(), Severity::Suspect, blame, told, advice)
    }
}

fn machine(slice: &Slice) -> Option<&MachineUse> {
    slice.machine.as_ref()
}

/// Of the segments that a slice's connections sent, those that were lost; 0 if they are few.
fn share_lost(slice: &Slice) -> Option<f64> {
    let wire = slice.wire?;
    let (lost, sent) = (lost(wire)?, wire.sent_segments?);
    (sent > 0).then(|| match lost >= FEW {
        true => lost as f64 / sent as f64,
        false => 0.0,
    })
}

/// Segments sent again that the peer had not received before.
fn lost(wire: WireUse) -> Option<u64> {
    Some(wire.retransmits.saturating_sub(wire.unneeded_retransmits?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Of 10,000 segments so many were sent again, and so many of them for nothing.
    fn sent_again(segments: u64, unneeded: u64, here: bool) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let wire = slice.wire();
            wire.sent_segments = Some(10_000);
            wire.retransmits = segments;
            wire.unneeded_retransmits = Some(unneeded);
            slice.machine().target_here = Some(here);
        });
        run.findings(&Retransmits)
    }

    #[test]
    fn one_machine_has_buffers_and_no_cable() {
        let findings = sent_again(40, 0, true);
        assert_eq!(findings[0].blame, Blame::Setup);
        assert!(!findings[0].advice.contains("cable"), "{findings:?}");
        assert!(findings[0].advice.contains("buffer"), "{findings:?}");
    }

    #[test]
    fn fires_above_one_in_a_thousand() {
        let findings = sent_again(40, 0, false);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].blame, Blame::Network);
        assert!(
            findings[0]
                .evidence
                .starts_with("0.4 % of the TCP segments"),
            "{findings:?}"
        );
        assert!(
            findings[0].evidence.contains("; 640 segments in all"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_for_what_the_peer_had_received_already() {
        assert_eq!(sent_again(400, 395, true), []);
        assert_eq!(sent_again(400, 380, false).len(), 1);
    }

    #[test]
    fn silent_for_segments_of_other_connections_of_the_machine() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().tcp.retransmitted_segments = Some(400));
        assert_eq!(run.findings(&Retransmits), []);
    }

    #[test]
    fn silent_for_a_few_and_where_nothing_is_known() {
        assert_eq!(sent_again(9, 0, false), []);
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.wire().retransmits = 400;
            slice.wire().unneeded_retransmits = None;
        });
        assert_eq!(run.findings(&Retransmits), []);
    }
}
