//! The order in which findings are reported.
//!
//! Many readers read only the first findings. The causes of a ratio or a limit therefore come
//! before the conditions of the measurement: closed connections explain why one target has twice
//! the throughput of another; other programs on the machine do not. Severity decides only within a
//! tier, with one exception: findings that make the figures unusable (INVALID) always come first.

use std::cmp::Reverse;

use tenbin_result::{Finding, Severity};

use crate::findings::rule_info::Tier;
use crate::rules::{self, RULES};

/// Whether a finding explains the figures: what limits a target, or why one target is faster than
/// another. Such a finding belongs on the first screen, before those that doubt the figures.
pub fn explains_figures(finding: &Finding) -> bool {
    tier(finding) == Tier::Cause
}

/// The tier of a finding. A rule that this version does not have counts as a cause, so that its
/// findings are not hidden at the end.
pub(crate) fn tier(finding: &Finding) -> Tier {
    match rules::named(&finding.rule) {
        None => Tier::Cause,
        Some(rule) if (rule.is_circumstance)(finding) => Tier::Circumstance,
        Some(rule) => rule.tier,
    }
}

/// Sorts findings into the order of the report.
pub(crate) fn sort(findings: &mut [Finding]) {
    let place = |finding: &Finding| {
        let mut rules = RULES.iter();
        rules.position(|rule| rule.info.name == finding.rule)
    };
    findings.sort_by_key(|finding| {
        (
            finding.severity != Severity::Invalid,
            tier(finding).place(),
            Reverse(finding.severity),
            place(finding),
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::Cause;

    fn finding(rule: &'static str, severity: Severity, place: Option<(&str, &str)>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            cause: Cause::Setup,
            workload: place.map(|(workload, _)| workload.to_owned()),
            target: place.map(|(_, target)| target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
            data: None,
        }
    }

    #[test]
    fn causes_stand_before_circumstances_whatever_their_severity() {
        use Severity::{Invalid, Note, Suspect};
        let mut findings = [
            finding("too_wide", Note, None),
            finding("steal", Suspect, None),
            finding("server_cpu", Note, None),
            finding("others_busy", Suspect, None),
            finding("machine_full", Note, None),
            finding("keep_alive", Note, None),
            finding("send_lag", Invalid, None),
            finding("errors", Suspect, None),
        ];
        sort(&mut findings);
        let order: Vec<&str> = findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect();
        assert_eq!(
            order,
            [
                "send_lag", "errors", "keep_alive", "server_cpu", "steal", "others_busy",
                "machine_full", "too_wide"
            ]
        );
    }

    #[test]
    fn a_generator_that_waits_for_cores_is_named_before_closed_connections() {
        let mut run = Run::single(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.answers(1_000, 0.001);
            slice.0.ledger.opened = 1_000;
            slice.0.ledger.connect_nanos = 1_000_000_000;
            slice.waiting_thread(0.62, 0.35);
            slice.others(0.8);
        });
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect();
        assert_eq!(
            rules[..2],
            ["client_saturated", "keep_alive"],
            "{findings:?}"
        );
        assert!(
            !rules.contains(&"machine_full"),
            "others explain it: {rules:?}"
        );
    }

    #[test]
    fn a_leader_that_others_slow_down_is_named_after_what_slows_the_other() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.others(0.8));
        run.each_of("a", |slice| {
            slice.answers(2_000, 0.001);
            slice.waiting_thread(0.62, 0.35);
        });
        run.each_of("b", |slice| {
            slice.answers(1_000, 0.002);
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 1_000;
        });
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings.iter().map(|f| f.rule.as_str()).collect();
        assert_eq!(rules[0], "keep_alive", "{findings:?}");
        assert!(rules.contains(&"client_saturated"), "{findings:?}");
    }

    #[test]
    fn a_pause_that_the_machine_may_have_caused_is_a_circumstance() {
        let pause = |cause| Finding {
            cause,
            ..finding("stalls", Severity::Suspect, None)
        };
        let mut findings = [
            pause(Cause::Generator),
            finding("server_cpu", Severity::Note, None),
        ];
        sort(&mut findings);
        assert_eq!(findings[0].rule, "server_cpu");
        findings[1] = pause(Cause::Server);
        sort(&mut findings);
        assert_eq!(findings[0].rule, "stalls");
    }

    #[test]
    fn ports_that_may_run_out_are_named_after_what_opens_so_many_connections() {
        let mut findings = [
            finding("port_exhaustion", Severity::Note, None),
            finding("keep_alive", Severity::Note, None),
        ];
        sort(&mut findings);
        assert_eq!(findings[0].rule, "keep_alive");
        findings[1] = finding("port_exhaustion", Severity::Invalid, None);
        sort(&mut findings);
        assert_eq!(findings[0].rule, "port_exhaustion");
    }

    /// Gives 40 % of the machine's CPU time to another program and 3 % to other virtual machines.
    pub(super) fn disturb(run: &mut Run) {
        run.each(|slice| {
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(0.8);
            machine.cpu.as_mut().unwrap().steal = 0.06;
        });
    }

    #[test]
    fn a_target_that_closes_connections_is_named_before_a_busy_machine() {
        let mut run = Run::pair(8);
        disturb(&mut run);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 1_000;
        });
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect();
        assert_eq!(
            rules,
            ["keep_alive", "steal", "others_busy"],
            "{findings:?}"
        );
    }

    #[test]
    fn too_wide_is_reported_once_and_every_comparison_keeps_its_trust() {
        let mut run = Run::new(&["a", "b"], &["get", "put", "list"], 16);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let findings = run.assess().findings;
        let wide: Vec<&Finding> = findings.iter().filter(|f| f.rule == "too_wide").collect();
        assert_eq!(wide.len(), 1, "{wide:?}");
        assert!(wide[0].evidence.ends_with("; likewise put on b, list on b"));

        let mut run = Run::new(&["a", "b"], &["get", "put"], 16);
        run.each(|slice| {
            if slice.0.workload == "put" {
                slice.machine().others_cpu_seconds = Some(0.8);
            }
        });
        let trusts: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        use tenbin_result::Trust::{Suspect, Valid};
        assert_eq!(trusts, [Valid, Suspect]);
    }
}
