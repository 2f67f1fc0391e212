//! A clock whose step is large beside the times.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::TIME;

use super::{FEWEST_TIMES, finding, timed};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::{Files, LintFinding};

/// A clock is coarse if its step is more than this share of the median time.
const COARSE: f64 = 0.1;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "coarse_clock",
    summary: Texts {
        english: "the step of the clock is large beside the times",
        japanese: "時計の刻みが、時間に比べて粗い",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("coarse_clock"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = timed(files);
    all.filter_map(|(file, of, single, median)| {
        let step = single.step() as f64 / 1e9;
        (single.requests >= FEWEST_TIMES && step > COARSE * median).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-coarse-clock",
                    "{exact} times are multiples of {step}, and the median is {median}",
                    exact = if single.is_exact() { "all" } else { "almost all" },
                    step = TIME.of(step),
                    median = TIME.of(median)
                )
                .with("exact", single.is_exact()),
                sentence!(
                    "lint-finer-clock",
                    "compare no times that differ by less than a step; use a tool with a finer clock"
                ),
            )
        })
    })
    .collect()
}
