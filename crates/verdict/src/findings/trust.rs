//! The trust in figures of one kind, after findings of which some leave these figures alone or can only
//! have made them worse.

use tenbin_result::{Finding, Severity, Trust};

use super::distortion::{Direction, Distortion, Quantity};
use crate::rules;

/// What the fault of a finding does to a figure. A rule that this version does not have can do
/// anything.
fn direction(finding: &Finding, quantity: Quantity) -> Direction {
    let rule = rules::named(&finding.rule);
    let distorts = rule.map_or(Distortion::ANY, |rule| rule.distorts);
    distorts.of(quantity)
}

/// The trust in figures of one kind after these findings: findings that do not change them do not
/// count.
pub(crate) fn trust_in<'a>(
    quantity: impl Into<Quantity>,
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Trust {
    let quantity = quantity.into();
    let findings = findings.into_iter();
    Trust::after(findings.filter(|it| direction(it, quantity) != Direction::None))
}

/// What the faults that make figures of one kind INVALID do to them; `None` if none is INVALID.
pub(crate) fn of_invalid<'a>(
    quantity: Quantity,
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Option<Direction> {
    let findings = findings.into_iter();
    let invalid = findings.filter(|it| it.severity == Severity::Invalid);
    let directions = invalid.map(|it| direction(it, quantity));
    directions.filter(|it| *it != Direction::None).max()
}

/// The first finding that makes figures of one kind INVALID.
pub(crate) fn first_invalid<'a>(
    quantity: Quantity,
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Option<&'a Finding> {
    let mut findings = findings.into_iter();
    findings
        .find(|it| it.severity == Severity::Invalid && direction(it, quantity) != Direction::None)
}

/// Whether a finding can make the speed of a target only worse: throughput smaller, times longer. A target
/// that is fast enough despite such a finding is fast enough.
pub(crate) fn only_slows(finding: &Finding) -> bool {
    direction(finding, Quantity::Speed) == Direction::Worse
}

/// Whether the fault of a finding does not change the CPU time of the server per operation.
pub(crate) fn spares_server_cpu(finding: &Finding) -> bool {
    direction(finding, Quantity::ServerCpu) == Direction::None
}

#[cfg(test)]
mod tests {
    use tenbin_result::{Cause, Metric};

    use super::*;

    fn invalid(rule: &str) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity: Severity::Invalid,
            cause: Cause::Generator,
            workload: None,
            target: None,
            evidence: String::new(),
            advice: String::new(),
            data: None,
        }
    }

    #[test]
    fn a_late_generator_slows_and_spares_the_servers_cpu() {
        for rule in ["send_lag", "client_saturated", "agent_saturated"] {
            let finding = invalid(rule);
            assert!(
                only_slows(&finding) && spares_server_cpu(&finding),
                "{rule}"
            );
            assert_eq!(trust_in(Metric::ServerCpu, [&finding]), Trust::Valid);
            assert_eq!(trust_in(Metric::Throughput, [&finding]), Trust::Invalid);
            assert_eq!(trust_in(Metric::ServerMemory, [&finding]), Trust::Invalid);
        }
        for rule in ["others_busy", "steal", "throttled", "swapping"] {
            let finding = invalid(rule);
            assert!(
                only_slows(&finding) && !spares_server_cpu(&finding),
                "{rule}"
            );
        }
    }

    #[test]
    fn nothing_is_certain_of_wrong_answers_survivors_and_unknown_rules() {
        for rule in [
            "errors", "censored", "unequal_answers", "little", "incomplete", "of-later",
        ] {
            let finding = invalid(rule);
            assert!(
                !only_slows(&finding) && !spares_server_cpu(&finding),
                "{rule}"
            );
            assert_eq!(
                of_invalid(Quantity::Speed, [&finding]),
                Some(Direction::Any)
            );
        }
        let both = [invalid("send_lag"), invalid("errors")];
        assert_eq!(of_invalid(Quantity::Speed, &both), Some(Direction::Any));
        assert_eq!(
            of_invalid(Quantity::Speed, &both[..1]),
            Some(Direction::Worse)
        );
        assert_eq!(of_invalid(Quantity::ServerCpu, &both[..1]), None);
    }
}
