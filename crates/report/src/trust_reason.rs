//! Why the figures of a run cannot be trusted, in one clause.

use tenbin_result::{Document, Severity, Trust};

/// The evidence of the first finding that determines the trust.
pub(crate) fn why(document: &Document) -> String {
    let severity = match document.trust {
        Trust::Valid => Severity::Note,
        Trust::Suspect => Severity::Suspect,
        Trust::Invalid => Severity::Invalid,
    };
    let mut findings = document.findings.iter();
    let worst = findings.find(|finding| finding.severity == severity);
    worst.map_or_else(
        || "see its findings".to_owned(),
        |finding| format!("{}: {}", finding.rule, finding.evidence),
    )
}
