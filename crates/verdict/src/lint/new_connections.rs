//! The lint rule on a new connection for each request.

use tenbin_plan::sentence;
use tenbin_result::Severity;

use super::{Files, LintFinding, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "new_connections",
    summary: Texts {
        english: "every request was sent on a new connection",
        japanese: "すべてのリクエストを新しい接続で送っている",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("new_connections"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| {
            let kept = of.keep_alive.as_ref().filter(|kept| !kept.value)?;
            Some(LintFinding {
                rule: RULE.name,
                severity: Severity::Suspect,
                operation: Some(of.operation.clone()),
                evidence: match file.tool {
                    "ab" if kept.quote.text.starts_with("Keep-Alive") => sentence!(
                        "lint-not-kept",
                        "no request was sent on a kept connection although keep-alive was on"
                    ),
                    "ab" => sentence!(
                        "lint-ab-connections",
                        "the file has no line \"Keep-Alive requests\": ab used HTTP/1.0 and opened a new \
                         connection for each request, unlike real clients"
                    ),
                    _ => sentence!(
                        "lint-new-connections",
                        "each request was sent on a new connection, unlike the requests of real clients"
                    ),
                },
                advice: match file.tool {
                    "ab" => sentence!(
                        "lint-use-ab-k",
                        "repeat with ab -k, or with a tool that uses HTTP/1.1; the rate here is mostly the \
                         cost of connecting"
                    ),
                    _ => sentence!(
                        "lint-keep-connections",
                        "repeat with connections that are kept; the rate here is mostly the cost of \
                         connecting"
                    ),
                },
                quotes: quotes(file, [&kept.quote]),
            })
        })
        .collect()
}
