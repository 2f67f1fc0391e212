//! The description of a rule.

use tenbin_result::Severity;

/// Description of a rule for `docs/findings.md`, `tenbin explain` and the reports.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name of the rule in files and reports, for example `client_saturated`.
    pub name: &'static str,
    /// What the rule finds, in one line without a full stop.
    pub summary: &'static str,
    /// The severities that findings of the rule can have, the mildest first.
    pub severities: &'static [Severity],
    /// A page in Markdown: the test, the threshold and its source, why the finding matters, what to
    /// do.
    pub explanation: &'static str,
}
