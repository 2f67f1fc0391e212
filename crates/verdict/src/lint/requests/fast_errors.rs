//! Failed requests that are much faster than correct ones.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{TIME, count, plural};

use super::{finding, timed};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::{Files, LintFinding};

/// Least share of failed requests that changes a mean.
const FEWEST_FAILED: f64 = 0.01;
/// Errors are fast if their median time is less than this share of that of correct requests.
const FAST: f64 = 0.5;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "fast_errors",
    summary: Texts {
        english: "failed requests are much faster than correct ones, so a mean of both is too good",
        japanese: "失敗は成功よりはるかに速く、両方の平均は良すぎる値になる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("fast_errors"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = timed(files);
    all.filter_map(|(file, of, single, median)| {
        let failed = single.failed_times.as_ref()?;
        let theirs = failed.value_at_quantile(0.5) as f64 / 1e9;
        let share = failed.len() as f64 / single.requests.max(1) as f64;
        (share >= FEWEST_FAILED && theirs < FAST * median).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-fast-errors",
                    "{failed} of {requests} failed, in {theirs} at the median; correct ones took {correct}",
                    failed = count(failed.len()),
                    requests = plural(single.requests as usize, "request"),
                    theirs = TIME.of(theirs),
                    correct = TIME.of(median)
                )
                .with("requests", count(single.requests)),
                sentence!(
                    "lint-correct-times-only",
                    "use the times of correct requests only, as tenbin import does; the tool's own report \
                     often counts both"
                ),
            )
        })
    })
    .collect()
}
