//! Throughput that counts failures.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{RATE, count, percent, plural};

use super::{Files, LintFinding, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

/// Share of failed requests above which the figures are unusable: the limit for incorrect responses
/// in the rule `errors`.
pub(super) const INVALID: f64 = 0.001;

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "throughput_of_failures",
    summary: Texts {
        english: "the throughput counts requests that failed",
        japanese: "スループットに、失敗したリクエストを数えている",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("throughput_of_failures"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| {
            let failed = of.failed_and_counted();
            let (ended, rate) = (of.ended.as_ref()?, of.rate.as_ref()?);
            if failed == 0 || ended.value == 0 {
                return None;
            }
            let share = failed as f64 / ended.value as f64;
            let correct = of
                .speed()
                .map_or_else(|| "unknown".to_owned(), |correct| RATE.of(correct));
            let named = of.failures.iter().filter(|each| each.counted);
            let what: Vec<String> = named
                .clone()
                .map(|each| format!("{} {}", count(each.count), each.what))
                .collect();
            Some(LintFinding {
                rule: RULE.name,
                severity: Severity::Suspect.raised_if(share > INVALID),
                operation: Some(of.operation.clone()),
                evidence: sentence!(
                    "lint-failures-counted",
                    "{failed} of {requests} failed ({share}) and count in {rate}: {failures}; correct \
                     responses: {correct}",
                    failed = count(failed),
                    requests = plural(ended.value, "request"),
                    share = percent(share),
                    rate = RATE.of(rate.value.middle()),
                    failures = what.join(", "),
                    correct
                )
                .with("requests", count(ended.value)),
                advice: sentence!(
                    "lint-use-correct-rate",
                    "use the throughput of correct responses, and find out why requests fail: a failure is \
                     often faster than a correct response"
                ),
                quotes: quotes(file, named.map(|each| &each.quote).chain([&rate.quote])),
            })
        })
        .collect()
}
