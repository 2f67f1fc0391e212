//! Times that a tool adds to its measured times.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{TIME, ratio};

use super::little::excess;
use super::{Files, LintFinding, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "filled_in",
    summary: Texts {
        english: "latencies corrected for coordinated omission are reported as measured latencies",
        japanese: "coordinated omission を補正したレイテンシを、測定値として報告している",
    },
    severities: &[Severity::Invalid],
    explanation: pages!("filled_in"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = measurements(files).filter(|(_, of)| of.fills_in);
    all.filter_map(|(file, of)| {
        let (_, printed) = excess(of)?;
        let (connections, rate, mean) = (
            of.connections.as_ref()?,
            of.rate.as_ref()?,
            of.mean.as_ref()?,
        );
        let possible = connections.value as f64 / rate.value.middle();
        Some(LintFinding {
            rule: RULE.name,
            severity: Severity::Invalid,
            operation: Some(of.operation.clone()),
            evidence: sentence!(
                "lint-filled-in",
                "the mean latency is {mean}, but with {connections} connections at this rate it can be at \
                 most {possible}: unless a script sent several requests at once on each connection, {tool} \
                 added latencies for requests that were never sent; the mean is {times} times that maximum",
                mean = TIME.of(mean.value.middle()),
                connections = connections.value,
                possible = TIME.of(possible),
                tool = file.tool,
                times = ratio(printed)
            ),
            advice: sentence!(
                "lint-use-open-loop",
                "do not use the percentiles as measured times; measure with a tool that sends at a rate \
                 and shows response and service times apart, such as wrk2 -U, or tenbin with --rate"
            ),
            quotes: quotes(file, [&connections.quote, &mean.quote, &rate.quote]),
        })
    })
    .collect()
}
