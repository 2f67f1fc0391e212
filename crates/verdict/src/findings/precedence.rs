//! The order in which findings are reported.
//!
//! Many readers read only the first findings. The causes of a ratio or a limit therefore come
//! before the conditions of the measurement: closed connections explain why one target has twice
//! the throughput of another; other programs on the machine do not. Severity decides only within a
//! tier, with one exception: findings that make the figures unusable (INVALID) always come first.

use std::cmp::Reverse;

use tenbin_result::{Cause, Finding, Severity};

use crate::rules::RULES;

/// The subject of a finding, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// Whether the work was done, was equal for all targets, and was counted correctly.
    Work,
    /// The cause of a ratio or a limit: a property of a target, of the load or of the route.
    Cause,
    /// Conditions on the machines, which add noise and shift absolute figures.
    Circumstance,
    /// Whether there are enough slices and samples for a conclusion.
    Precision,
    /// The result that the run was meant to find.
    Result,
}

/// The rules of each tier. Findings of equal tier and severity are in the order of [`RULES`].
const TIERS: &[(Tier, &[&str])] = &[
    (
        Tier::Work,
        &[
            "errors",
            "read_back",
            "left_behind",
            "mixed_responses",
            "suspicious_response",
            "content_under_load",
            "unequal_answers",
            "stream_limit",
            "unequal_hits",
            "unequal_requests",
            "no_hits",
            "literal_template",
            "changed_answers",
            "unchecked_content",
            "cache_forecast",
            "cache_share",
            "little",
            "censored",
            "changed_record",
            "incomplete",
            "process_ended",
            "outage",
            "dead_hosts",
        ],
    ),
    (
        Tier::Cause,
        &[
            "port_exhaustion",
            "client_saturated",
            "throttled",
            "network_latency",
            "bandwidth",
            "accept_queue",
            "overload",
            "resent",
            "sustained",
            "keep_alive",
            "proxy_hop",
            "unequal_paths",
            "unbalanced_hosts",
            "uneven_hosts",
            "tail_signature",
            "slow_stage",
            "worker_limit",
            "server_cpu",
            "backend_cpu",
            "stalls",
            "storage_pressure",
            "uneven_workers",
            "too_few_connections",
            "rate_too_low",
            "coordinated_waiting",
            "quantised",
        ],
    ),
    (
        Tier::Circumstance,
        &[
            "send_lag",
            "start_skew",
            "agents_differ",
            "agents_disagree",
            "agent_saturated",
            "agent_far",
            "agents_unlike",
            "agent_lost",
            "failed_start",
            "swapping",
            "retransmits",
            "steal",
            "busy_idle_target",
            "short_slices",
            "cpu_frequency",
            "disk_space",
            "warm_up",
            "carry_over",
            "twin",
            "flagged_slices",
            "slowing",
            "drift",
            "shared_cores",
            "absolute_figures",
            "machine_full",
            "others_busy",
            "bare_line_feeds",
        ],
    ),
    (
        Tier::Precision,
        &["too_few_samples", "too_wide", "one_start", "unobserved"],
    ),
    (
        Tier::Result,
        &[
            "optimum_concurrency",
            "sweep_optimum",
            "hysteresis",
            "highest_rate",
            "small_objects",
            "medium_objects",
            "large_objects",
        ],
    ),
];

/// The rules of the tier of causes that ask for another load, and so do not explain the figures.
const QUESTIONS: [&str; 4] = [
    "too_few_connections",
    "rate_too_low",
    "coordinated_waiting",
    "quantised",
];

/// Whether a finding explains the figures: what limits a target, or why one target is faster than
/// another. Such a finding belongs on the first screen, before those that doubt the figures.
pub fn explains_figures(finding: &Finding) -> bool {
    tier(finding) == Tier::Cause && !QUESTIONS.contains(&finding.rule.as_str())
}

/// The tier of the finding's rule, with two exceptions: pauses that the target did not cause, and
/// forecasts of port exhaustion, are circumstances.
pub(crate) fn tier(finding: &Finding) -> Tier {
    match (finding.rule.as_str(), finding.cause) {
        ("stalls", Cause::Generator) => Tier::Circumstance,
        // At severity note, every connection could be opened and the finding is only a forecast.
        ("port_exhaustion", _) if finding.severity == Severity::Note => Tier::Circumstance,
        (rule, _) => tier_of(rule),
    }
}

/// The tier of a rule. A rule without an entry counts as a cause, so that its findings are not
/// hidden at the end.
fn tier_of(rule: &str) -> Tier {
    let found = TIERS.iter().find(|(_, rules)| rules.contains(&rule));
    found.map_or(Tier::Cause, |(tier, _)| *tier)
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
            tier(finding),
            Reverse(finding.severity),
            place(finding),
        )
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Cause;

    #[test]
    fn every_rule_has_one_tier() {
        let placed: Vec<&str> = TIERS
            .iter()
            .flat_map(|(_, rules)| rules.iter().copied())
            .collect();
        let once: BTreeSet<&str> = placed.iter().copied().collect();
        assert_eq!(once.len(), placed.len());
        let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.info.name).collect();
        assert_eq!(rules, once);
    }

    fn finding(rule: &'static str, severity: Severity, place: Option<(&str, &str)>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            cause: Cause::Setup,
            workload: place.map(|(workload, _)| workload.to_owned()),
            target: place.map(|(_, target)| target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
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
                "send_lag",
                "errors",
                "keep_alive",
                "server_cpu",
                "steal",
                "others_busy",
                "machine_full",
                "too_wide"
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
