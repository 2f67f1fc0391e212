//! Whether an INVALID run still decides its conditions.

use tenbin_result::{Document, Expectation, Finding, GateOutcome, Metric, Severity, Trust};

use crate::findings::trust::{only_slows, spares_server_cpu};

/// Whether what a run was meant to decide is decided although figures of the run are INVALID: each
/// finding that makes them INVALID leaves the deciding figure unchanged, or can only have made that figure
/// worse.
pub fn is_decided_all_the_same(document: &Document) -> bool {
    let all_invalid = |harmless: fn(&Finding) -> bool| {
        let findings = document.findings.iter();
        let mut invalid = findings.filter(|it| it.severity == Severity::Invalid);
        invalid.all(harmless)
    };
    let slows_or_spares = |it: &Finding| only_slows(it) || spares_server_cpu(it);
    if let Some(gate) = &document.gate {
        return gate.outcome != GateOutcome::Invalid
            && document.expectations.iter().all(is_decided)
            && all_invalid(slows_or_spares);
    }
    if !document.expectations.is_empty() {
        return document.expectations.iter().all(is_decided) && all_invalid(slows_or_spares);
    }
    if !document.searches.is_empty() {
        return document
            .searches
            .iter()
            .all(|it| it.trust != Trust::Invalid)
            && all_invalid(only_slows);
    }
    let mut questions = document.questions().peekable();
    questions.peek().is_some()
        && questions.all(|it| it.metric == Metric::ServerCpu && it.trust != Trust::Invalid)
        && all_invalid(spares_server_cpu)
}

/// Whether the figures of a condition were good enough to judge it. A `--fail-if` that is not proven
/// needs figures that can be trusted.
fn is_decided(expectation: &Expectation) -> bool {
    let is_untrusted = expectation
        .data
        .as_ref()
        .is_some_and(|why| matches!(why.id.as_str(), "not-trusted" | "not-trusted-because"));
    !expectation.is_undecided() && !is_untrusted
}
