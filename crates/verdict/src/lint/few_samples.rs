//! Percentiles of few requests.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{TIME, count};
use tenbin_stats::fewest_samples;

use super::{Files, LintFinding, Measurement, Percentile, Reported};
use super::{measurements, percentile_name, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "few_samples",
    summary: Texts {
        english: "a percentile has too few requests behind it",
        japanese: "パーセンタイルを求めるにはリクエストが少なすぎる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("few_samples"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| finding(file, of))
        .collect()
}

fn finding(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    let samples = of.sampled()?;
    let is_short =
        |each: &&Percentile| fewest_samples(each.quantile).is_some_and(|fewest| samples < fewest);
    let short: Vec<&Percentile> = of.percentiles.iter().filter(is_short).collect();
    let first = *short.first()?;
    let names: Vec<String> = short
        .iter()
        .map(|each| percentile_name(each.quantile))
        .collect();
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Suspect,
        operation: Some(of.operation.clone()),
        evidence: sentence!(
            "lint-few-samples",
            "{percentiles} of {requests} requests: {percentile} ({time}) needs {fewest}",
            percentiles = names.join(", "),
            requests = count(samples),
            percentile = percentile_name(first.quantile),
            time = TIME.of(first.time.middle()),
            fewest = count(fewest_samples(first.quantile)?)
        ),
        advice: sentence!(
            "lint-leave-out-percentiles",
            "leave these percentiles out, or measure longer: they are little more than the slowest \
             requests of this one run"
        ),
        quotes: quotes(
            file,
            short
                .iter()
                .map(|each| &each.quote)
                .chain(of.ended.as_ref().map(|ended| &ended.quote)),
        ),
    })
}
