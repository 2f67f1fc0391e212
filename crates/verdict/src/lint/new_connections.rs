//! The lint rule on a new connection for each request.

use tenbin_result::Severity;

use super::{Files, LintFinding, measurements, quotes};
use crate::findings::rule_info::RuleInfo;

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "new_connections",
    summary: "every request was sent on a new connection",
    severities: &[Severity::Suspect],
    explanation: include_str!("new_connections.md"),
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| {
            let kept = of.keep_alive.as_ref().filter(|kept| !kept.value)?;
            let is_said = kept.quote.text.starts_with("Keep-Alive");
            Some(LintFinding {
                rule: RULE.name,
                severity: Severity::Suspect,
                operation: Some(of.operation.clone()),
                evidence: match is_said {
                    true => "no request was sent on a kept connection although keep-alive was on"
                        .to_owned(),
                    false => "the file has no line of Keep-Alive requests: each request was sent \
                              with HTTP/1.0 on a connection of its own, which real clients do not do"
                        .to_owned(),
                },
                advice: "repeat with ab -k, or with a tool that uses HTTP/1.1; the rate here is \
                         mostly the cost of connecting"
                    .to_owned(),
                quotes: quotes(file, [&kept.quote]),
            })
        })
        .collect()
}
