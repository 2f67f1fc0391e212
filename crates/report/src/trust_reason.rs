//! Why the figures of a run cannot be trusted, in one clause.

use tenbin_result::{Document, Finding, Language, Message, Severity, Trust, message};

use crate::language::say_in;

/// The evidence of the first finding that determines the trust, in English.
pub(crate) fn why(document: &Document) -> String {
    worst(document).map_or_else(
        || say_in(Language::English, &without_finding()),
        |finding| format!("{}: {}", finding.rule, finding.evidence),
    )
}

/// The reason if no finding determines the trust.
pub(crate) fn without_finding() -> Message {
    message!("see-findings")
}

/// The first finding that determines the trust.
pub(crate) fn worst(document: &Document) -> Option<&Finding> {
    let severity = match document.trust {
        Trust::Valid => Severity::Note,
        Trust::Suspect => Severity::Suspect,
        Trust::Invalid => Severity::Invalid,
    };
    let mut findings = document.findings.iter();
    findings.find(|finding| finding.severity == severity)
}
