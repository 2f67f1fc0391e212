//! Which figures the fault that a rule finds can distort, and in which direction.
//!
//! A late load generator adds its delay to response times, and never takes time away: a response time
//! that is short enough with the delay is short enough without it. A condition can therefore hold
//! although the exact figure is not known.

use tenbin_result::{Finding, Metric, Severity, Trust};

use crate::rules;

/// The direction in which a fault can distort a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// The fault does not change the figure.
    None,
    /// The fault can only make the figure worse: a time longer, a throughput smaller, errors more
    /// frequent.
    Worse,
    /// The fault can make the figure better or worse.
    Any,
}

/// What the fault that a rule finds does to figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distortion {
    /// What it does to throughput, bandwidth, latency and the share of errors.
    speed: Direction,
    /// What it does to the CPU time of the server per operation.
    server_cpu: Direction,
}

impl Distortion {
    /// Nothing is certain about the direction: the default of a rule.
    pub(crate) const ANY: Self = Self {
        speed: Direction::Any,
        server_cpu: Direction::Any,
    };

    /// The load generator is late. The server does the same work for a request, only later.
    pub(crate) const LATE_GENERATOR: Self = Self {
        speed: Direction::Worse,
        server_cpu: Direction::None,
    };

    /// The load generator, the target or both lack CPU time or memory. Processes that take turns on
    /// a core also displace each other's caches, so that the CPU time of an operation changes too.
    pub(crate) const BUSY_MACHINE: Self = Self {
        speed: Direction::Worse,
        server_cpu: Direction::Any,
    };

    /// What the fault does to a figure.
    fn of(self, quantity: Quantity) -> Direction {
        match quantity {
            Quantity::Speed => self.speed,
            Quantity::ServerCpu => self.server_cpu,
            Quantity::Other => Direction::Any,
        }
    }
}

/// The kinds of figures between which [`Distortion`] distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Throughput, bandwidth, latency, or the share of errors.
    Speed,
    /// CPU time of the server per operation.
    ServerCpu,
    /// Another figure, such as memory.
    Other,
}

impl From<Metric> for Quantity {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Throughput | Metric::Bandwidth | Metric::Service(_) | Metric::Response(_) => {
                Self::Speed
            }
            Metric::ServerCpu => Self::ServerCpu,
            Metric::ServerMemory => Self::Other,
        }
    }
}

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

/// Whether a finding can make the speed of a target only worse: throughput smaller, times longer. What
/// is fast enough in spite of it, is fast enough.
pub fn only_slows(finding: &Finding) -> bool {
    direction(finding, Quantity::Speed) == Direction::Worse
}

/// Whether a finding says nothing about the CPU time of the server per operation.
pub fn spares_server_cpu(finding: &Finding) -> bool {
    direction(finding, Quantity::ServerCpu) == Direction::None
}

#[cfg(test)]
mod tests {
    use tenbin_result::Cause;

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
