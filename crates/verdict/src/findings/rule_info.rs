//! The description of a rule.

use tenbin_result::Severity;

/// How `docs/findings.md`, `tenbin explain` and the reports describe a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Its name in files and reports, for example `client_saturated`.
    pub name: &'static str,
    /// What it finds, one line without a full stop.
    pub summary: &'static str,
    /// The severities that its findings can have, the mildest first.
    pub severities: &'static [Severity],
    /// A page in Markdown: the test, the threshold and its source, why it matters, what to do.
    pub explanation: &'static str,
}
