//! Throughput that counts failures.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{RATE, count, percent, plural};

use super::stopped_at_deadline::is_stopped;
use super::{Failed, Files, LintFinding, measurements, quotes};
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
            let is_meant = |each: &&Failed| each.counted && !is_stopped(file, of, each);
            let named: Vec<&Failed> = of.failures.iter().filter(is_meant).collect();
            let counts = named.iter().map(|each| each.count);
            let failed = counts.fold(0, u64::saturating_add);
            let (ended, rate) = (of.ended.as_ref()?, of.rate.as_ref()?);
            if failed == 0 || ended.value == 0 {
                return None;
            }
            let share = failed as f64 / ended.value as f64;
            let printed = RATE.of(rate.value.middle());
            let correct = of
                .speed()
                .map_or_else(|| "unknown".to_owned(), |correct| RATE.of(correct));
            let another = (correct != printed).then(|| {
                sentence!(
                    "lint-rate-of-correct",
                    "; correct responses: {correct}",
                    correct
                )
            });
            let correct = another.unwrap_or_default();
            let what: Vec<String> = named
                .iter()
                .map(|each| format!("{} {}", count(each.count), each.what))
                .collect();
            Some(LintFinding {
                rule: RULE.name,
                severity: Severity::Suspect.raised_if(share > INVALID),
                operation: Some(of.operation.clone()),
                evidence: sentence!(
                    "lint-failures-counted",
                    "{failed} of {requests} failed ({share}) and count in {rate}: {failures}{correct}",
                    failed = count(failed),
                    requests = plural(ended.value, "request"),
                    share = percent(share),
                    rate = printed,
                    failures = what.join(", "),
                    correct
                )
                .with("requests", count(ended.value)),
                advice: sentence!(
                    "lint-use-correct-rate",
                    "use the throughput of correct responses, and find out why requests fail: a failure is \
                     often faster than a correct response"
                ),
                quotes: quotes(
                    file,
                    named.iter().map(|each| &each.quote).chain([&rate.quote]),
                ),
            })
        })
        .collect()
}
