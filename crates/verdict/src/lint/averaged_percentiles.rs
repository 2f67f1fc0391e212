//! The lint rule on averaged percentiles.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::TIME;

use super::{Files, LintFinding, Measurement, Reported, measurements, percentile_name, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "averaged_percentiles",
    summary: Texts {
        english: "percentiles are means of percentiles of windows",
        japanese: "パーセンタイルが、区切りごとのパーセンタイルの平均である",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("averaged_percentiles"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    measurements(files)
        .filter_map(|(file, of)| finding(file, of))
        .collect()
}

fn finding(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    let windows = of.windows.as_ref().filter(|said| said.value > 1)?;
    // The percentile that differs most between windows.
    let apart = of
        .percentiles
        .iter()
        .filter(|each| each.time.from > 0.0 && each.time.to > each.time.from)
        .max_by(|one, other| {
            let spread = |each: &super::Percentile| each.time.to / each.time.from;
            spread(one).total_cmp(&spread(other))
        })?;
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Suspect,
        operation: Some(of.operation.clone()),
        evidence: sentence!(
            "lint-averaged",
            "{percentile} of {windows} windows is {low} to {high}; {tool} shows the mean of the windows, \
             which is the percentile of no request, and a short window counts as much as a long one",
            percentile = percentile_name(apart.quantile),
            windows = windows.value,
            low = TIME.of(apart.time.from),
            high = TIME.of(apart.time.to),
            tool = file.tool
        ),
        advice: sentence!(
            "lint-all-requests",
            "take percentiles from all requests: warp writes them into a .csv.zst with --full"
        ),
        quotes: quotes(file, [&windows.quote, &apart.quote]),
    })
}
