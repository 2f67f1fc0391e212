//! Failures that are easy to overlook.

use tenbin_result::Severity;
use tenbin_result::format::{count, percent};

use super::throughput_of_failures::INVALID;
use super::{Files, LintFinding, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "hidden_failures",
    summary: Texts {
        english: "requests failed although the tool ends with success",
        japanese: "リクエストが失敗したのに、ツールは成功として終わっている",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("hidden_failures"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| {
            // The rule `throughput_of_failures` reports failures in the throughput; here, such
            // failures count only if the file claims that nothing failed.
            let denied = of.says_none_failed.as_ref();
            let hidden = of.failures.iter();
            let hidden = hidden.filter(|each| !each.counted || denied.is_some());
            let failed = hidden
                .clone()
                .fold(0_u64, |sum, each| sum.saturating_add(each.count));
            if failed == 0 {
                return None;
            }
            let outside = of.failed().saturating_sub(of.failed_and_counted());
            let all = of
                .ended
                .as_ref()
                .map(|ended| ended.value.saturating_add(outside));
            let share = all
                .filter(|all| *all > 0)
                .map(|all| failed as f64 / all as f64);
            let ended = of.ended.as_ref().map(|ended| ended.value);
            let are_timed = of.samples > ended;
            let what: Vec<String> = hidden
                .clone()
                .map(|each| format!("{} {}", count(each.count), each.what))
                .collect();
            let shown = share.map_or_else(String::new, |share| format!(" ({})", percent(share)));
            Some(LintFinding {
                rule: RULE.name,
                severity: if share.is_none_or(|share| share > INVALID) {
                    Severity::Invalid
                } else {
                    Severity::Suspect
                },
                operation: Some(of.operation.clone()),
                evidence: match denied {
                    Some(_) => format!(
                        "the file says that no request failed, and has {}{shown}",
                        what.join(", ")
                    ),
                    None => format!(
                        "{}{shown} failed; these failures are {} of {}, and the exit code is \
                         still 0",
                        what.join(", "),
                        if are_timed {
                            "not in the rate"
                        } else {
                            "neither in the rate nor in the times"
                        },
                        file.tool,
                    ),
                },
                advice: if are_timed {
                    "read the numbers of failures, not the exit code; the percentiles are \
                         those of failures, too"
                } else {
                    "read the numbers of failures, not the exit code; requests that fail are \
                          often the slowest, and their times are missing from the percentiles"
                }
                .to_owned(),
                quotes: quotes(file, hidden.map(|each| &each.quote).chain(denied)),
            })
        })
        .collect()
}
