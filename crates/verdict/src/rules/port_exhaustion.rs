//! Local ports run out.

use tenbin_record::{ErrorClass, Slice};
use tenbin_result::format::{percent, rate};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::machine::Place;

/// What the engine says when the system gives no port.
const NO_PORT: &str = "no local port left";
/// Share of the ports that may be in TIME_WAIT.
const MANY: f64 = 0.50;

const ADVICE: &str = "use keep-alive, several addresses of the server, a lower rate, or a wider \
                      net.ipv4.ip_local_port_range";

/// Local ports run out.
pub(super) struct PortExhaustion;

impl Rule for PortExhaustion {
    fn name(&self) -> &'static str {
        "port_exhaustion"
    }

    fn summary(&self) -> &'static str {
        "local ports ran out or will run out"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("port_exhaustion.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let cells = cells.iter().filter(|cell| cell.target.has_server());
        let finding = cells.filter_map(|cell| {
            let ran_out = self.ran_out(cell);
            ran_out
                .or_else(|| self.are_held(cell))
                .or_else(|| self.will_run_out(cell))
        });
        finding.collect()
    }
}

impl PortExhaustion {
    fn ran_out(&self, cell: &Cell<'_>) -> Option<Finding> {
        let without: u64 = cell.slices.iter().map(|slice| without_port(slice)).sum();
        (without > 0).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Invalid,
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!("{without} times there was no local port left for a connection"),
            advice: ADVICE.to_owned(),
        })
    }

    fn are_held(&self, cell: &Cell<'_>) -> Option<Finding> {
        let place = Place::of_cell(cell, &|slice, machine| {
            let ports = machine.ports?;
            let held = machine.tcp.time_wait_after? as f64 / ports.count as f64;
            // Those of somebody else, or of ports that are soon free again, do no harm.
            let wanted = opened_anew(slice) > 0.0 || slice.ledger.refused > 0;
            Some(if wanted && ports.held_seconds > 1.0 {
                held
            } else {
                0.0
            })
        })?;
        (place.value > MANY).then(|| {
            let told = format!(
                "at the end of a slice {} of the local ports were held by connections in \
                 TIME_WAIT ({})",
                percent(place.value),
                place.basis()
            );
            place.finding(self.name(), Severity::Suspect, Blame::Setup, told, ADVICE)
        })
    }

    /// Opening connections at this rate, a longer run may come to an end.
    fn will_run_out(&self, cell: &Cell<'_>) -> Option<Finding> {
        let share = Place::of_cell(cell, &|slice, machine| {
            let ports = machine.ports?;
            let bearable = ports.count as f64 / ports.held_seconds;
            (slice.seconds > 0.0).then(|| opened_anew(slice) / slice.seconds / bearable)
        })?;
        let opened = Place::of_cell(cell, &|slice, _| {
            (slice.seconds > 0.0).then(|| opened_anew(slice) / slice.seconds)
        })?;
        (share.value > 1.0).then(|| {
            let told = format!(
                "the generator opened connections at {}, {} of what the local ports bear in \
                 the long run ({})",
                rate(opened.value),
                percent(share.value),
                opened.basis()
            );
            opened.finding(self.name(), Severity::Note, Blame::Setup, told, ADVICE)
        })
    }
}

/// Connections opened in the window: each takes the place of one that was closed, and
/// that keeps its port unless the server closed it first.
fn opened_anew(slice: &Slice) -> f64 {
    let ledger = slice.ledger;
    ledger.opened.saturating_sub(ledger.standing) as f64
}

fn without_port(slice: &Slice) -> u64 {
    let ops = slice
        .ops
        .iter()
        .filter(|op| op.errors.contains_key(&ErrorClass::Connect));
    let texts = ops.flat_map(|op| &op.failures);
    let told = texts.filter(|(text, _)| text.starts_with(NO_PORT));
    told.map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// `b` is outside, and the generator opens so many connections a slice of 1 s.
    fn opening(connections: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.standing = 2;
            slice.0.ledger.opened = connections + 2;
            let ports = slice.machine().ports.as_mut().unwrap();
            ports.held_seconds = 60.0;
        });
        run
    }

    #[test]
    fn without_ports_the_numbers_are_void() {
        let mut run = Run::pair(8);
        let text = "no local port left (too many connections in TIME_WAIT)";
        run.first_of("a").fail(ErrorClass::Connect, 7);
        run.first_of("a").failure_text(text, 7);
        let findings = run.findings(&PortExhaustion);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(findings[0].evidence.starts_with("7 times"));
    }

    #[test]
    fn ports_that_are_held_are_suspect_before_they_run_out() {
        let mut run = opening(300);
        run.each_of("b", |slice| {
            slice.machine().tcp.time_wait_after = Some(20_000)
        });
        let findings = run.findings(&PortExhaustion);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(findings[0].evidence.contains("70.8 % of the local ports"));
    }

    #[test]
    fn a_rate_that_the_ports_do_not_bear_is_a_note() {
        let findings = opening(500).findings(&PortExhaustion);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(
            findings[0].evidence.contains("connections at 500/s"),
            "{findings:?}"
        );
        assert!(
            findings[0].evidence.contains("106 %"),
            "28,232 ports for 60 s: 470 a second"
        );
    }

    #[test]
    fn silent_for_fewer_and_on_one_machine_where_ports_are_used_again() {
        assert_eq!(opening(460).findings(&PortExhaustion), []);
        let mut here = opening(5_000);
        here.each(|slice| {
            let machine = slice.machine();
            machine.ports.as_mut().unwrap().held_seconds = 1.0;
            machine.tcp.time_wait_after = Some(25_000);
        });
        assert_eq!(here.findings(&PortExhaustion), []);
        here.each(|slice| slice.machine().ports = None);
        assert_eq!(here.findings(&PortExhaustion), []);
    }
}
