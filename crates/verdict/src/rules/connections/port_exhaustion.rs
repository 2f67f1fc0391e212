//! Runs in which local ports run out.

use tenbin_record::failure::NO_PORT;
use tenbin_record::{ErrorClass, Slice};
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::Place;

/// Share of the local ports that are in TIME_WAIT, above which there is a finding.
const MANY: f64 = 0.50;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "port_exhaustion",
    summary: Texts {
        english: "local ports ran out or will run out",
        japanese: "ローカルポートが尽きた、または尽きる",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("port_exhaustion"),
    messages: Messages {
        english: r#"
            ran-out = for { $connections } connections, no local port was left
            held =
                at the end of a slice, connections in TIME_WAIT held { $share } of the local ports ({ $basis })
            will-run-out =
                the load generator opened connections at { $rate }, which is { $share } of the rate that the
                local ports sustain ({ $basis })
            fewer =
                use keep-alive, several addresses of the server, a lower rate, or a wider
                net.ipv4.ip_local_port_range
        "#,
        japanese: r#"
            ran-out = { $connections } 接続でローカルポートが残っていなかった
            held =
                スライスの終わりに、TIME_WAIT の接続がローカルポートの { $share } を占めていた({ $basis })
            will-run-out =
                負荷生成側が接続を開いた頻度は { $rate } で、ローカルポートで持続できる頻度の { $share }({ $basis })
            fewer =
                keep-alive を使う、サーバーのアドレスを複数にする、レートを下げる、
                net.ipv4.ip_local_port_range を広げる、のいずれか
        "#,
    },
    tier: Tier::Cause,
    // At this severity every connection could be opened: the finding is only a forecast.
    is_circumstance: |finding| finding.severity == Severity::Note,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let cells = cells.iter().filter(|cell| cell.target.has_server());
    let finding = cells.filter_map(|cell| {
        let ran_out = ran_out(cell);
        ran_out
            .or_else(|| are_held(cell))
            .or_else(|| will_run_out(cell))
    });
    finding.collect()
}

fn ran_out(cell: &Cell<'_>) -> Option<Finding> {
    let without: u64 = cell.slices.iter().map(|slice| without_port(slice)).sum();
    (without > 0).then(|| {
        let ran_out = message!("ran-out", connections = Value::Plain(without));
        let (severity, advice) = (Severity::Invalid, message!("fewer"));
        let finding = RULE.finding(severity, Cause::Setup, ran_out, advice);
        finding.on(&cell.workload.name, &cell.target.name)
    })
}

fn are_held(cell: &Cell<'_>) -> Option<Finding> {
    let place = Place::of_cell(cell, &|slice, machine| {
        let ports = machine.ports?;
        let held = machine.tcp.time_wait_after? as f64 / ports.count as f64;
        // Count ports only if the slice opened new connections: otherwise, other programs hold the
        // ports. Ports that the kernel frees within a second do not count either.
        let wanted = opened_anew(slice) > 0.0 || slice.ledger.refused > 0;
        Some(if wanted && ports.held_seconds > 1.0 {
            held
        } else {
            0.0
        })
    })?;
    (place.value > MANY).then(|| {
        let share = Value::Share(place.value);
        let held = message!("held", share, basis = place.basis());
        let (severity, advice) = (Severity::Suspect, message!("fewer"));
        place.finding(&RULE, severity, Cause::Setup, held, advice)
    })
}

/// Finding on a rate of new connections at which a longer run may use up the ports.
fn will_run_out(cell: &Cell<'_>) -> Option<Finding> {
    let share = Place::of_cell(cell, &|slice, machine| {
        let ports = machine.ports?;
        let bearable = ports.count as f64 / ports.held_seconds;
        (slice.end.seconds > 0.0).then(|| opened_anew(slice) / slice.end.seconds / bearable)
    })?;
    let opened = Place::of_cell(cell, &|slice, _| {
        (slice.end.seconds > 0.0).then(|| opened_anew(slice) / slice.end.seconds)
    })?;
    (share.value > 1.0).then(|| {
        let will_run_out = message!(
            "will-run-out",
            rate = Value::Rate(opened.value),
            share = Value::Share(share.value),
            basis = opened.basis()
        );
        let (severity, advice) = (Severity::Note, message!("fewer"));
        opened.finding(&RULE, severity, Cause::Setup, will_run_out, advice)
    })
}

/// Number of connections opened in the window. Each new connection replaces a closed connection,
/// which keeps its port in TIME_WAIT unless the server closed the connection first.
fn opened_anew(slice: &Slice) -> f64 {
    let ledger = slice.ledger;
    ledger.opened.saturating_sub(ledger.already_open) as f64
}

fn without_port(slice: &Slice) -> u64 {
    let ops = slice
        .ops
        .iter()
        .filter(|op| op.errors.contains_key(&ErrorClass::Connect));
    let texts = ops.flat_map(|op| &op.failures);
    let without = texts.filter(|(text, _)| text.starts_with(NO_PORT));
    without.map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run with `b` on another machine, in which the load generator opens `connections`
    /// connections per slice of 1 s.
    fn opening(connections: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.already_open = 2;
            slice.0.ledger.opened = connections + 2;
            let ports = slice.machine().ports.as_mut().unwrap();
            ports.held_seconds = 60.0;
        });
        run
    }

    #[test]
    fn without_ports_the_figures_are_invalid() {
        let mut run = Run::pair(8);
        let text = "no local port left (too many connections in TIME_WAIT)";
        run.first_of("a").fail(ErrorClass::Connect, 7);
        run.first_of("a").failure_text(text, 7);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(findings[0].evidence.starts_with("for 7 connections"));
    }

    #[test]
    fn ports_that_are_held_are_suspect_before_they_run_out() {
        let mut run = opening(300);
        run.each_of("b", |slice| {
            slice.machine().tcp.time_wait_after = Some(20_000)
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(findings[0].evidence.contains("70.8 % of the local ports"));
    }

    #[test]
    fn a_rate_that_the_ports_do_not_sustain_is_a_note() {
        let findings = opening(500).findings(&RULE);
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
        assert_eq!(opening(460).findings(&RULE), []);
        let mut here = opening(5_000);
        here.each(|slice| {
            let machine = slice.machine();
            machine.ports.as_mut().unwrap().held_seconds = 1.0;
            machine.tcp.time_wait_after = Some(25_000);
        });
        assert_eq!(here.findings(&RULE), []);
        here.each(|slice| slice.machine().ports = None);
        assert_eq!(here.findings(&RULE), []);
    }
}
