//! Files without a usable result.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{TIME, count};

use super::{Files, LintFinding, Measurement, Reported, is_impossible, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

/// Most lines of an aborted run that are quoted.
const MOST_QUOTED: usize = 5;

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "no_result",
    summary: Texts {
        english: "no request succeeded, the measured time is impossible, or the run was aborted",
        japanese: "成功したリクエストがないか、計測時間があり得ないか、実行が中断された",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("no_result"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = measurements(files);
    let of_measurements = all.filter_map(|(file, of)| finding(file, of));
    let aborted = files.all.iter().filter_map(aborted);
    of_measurements.chain(aborted).collect()
}

fn aborted(file: &Reported) -> Option<LintFinding> {
    if file.aborted.is_empty() {
        return None;
    }
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Invalid,
        operation: None,
        evidence: sentence!(
            "lint-aborted",
            "{tool} says that clients or the run were aborted: the figures are those of fewer clients, or of \
             a part of the run",
            tool = file.tool
        ),
        advice: sentence!(
            "lint-why-aborted",
            "find out why the run was aborted, and measure again"
        ),
        quotes: quotes(file, file.aborted.iter().take(MOST_QUOTED)),
    })
}

fn finding(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    let seconds = of.seconds.as_ref();
    let ended = of.ended.as_ref();
    let (evidence, advice, quoted) = if let Some(seconds) =
        seconds.filter(|it| is_impossible(it.value.from))
    {
        let evidence = sentence!(
            "lint-impossible-time",
            "the measured time is {time}, which no run takes",
            time = TIME.of(seconds.value.middle())
        );
        let advice = sentence!(
            "lint-clock-failed",
            "measure again; the tool's clock or its end of the run failed, so the rate is wrong, too"
        );
        (evidence, advice, &seconds.quote)
    } else if of.ok() == Some(0) {
        let ended = ended?;
        let failed = of.failed();
        let evidence = if failed > 0 {
            sentence!(
                "lint-none-succeeded",
                "none of {requests} requests succeeded",
                requests = count(failed.max(ended.value))
            )
        } else {
            sentence!("lint-none-ended", "0 requests ended")
        };
        let advice = sentence!(
            "lint-check-address",
            "check the address and the server, then measure again: without a successful request there is \
             neither a rate nor a time"
        );
        (evidence, advice, &ended.quote)
    } else {
        return None;
    };
    Some(LintFinding {
        rule: RULE.name,
        severity: if has_another_result(file) {
            Severity::Suspect
        } else {
            Severity::Invalid
        },
        operation: Some(of.operation.clone()),
        evidence,
        advice,
        quotes: quotes(file, [quoted]),
    })
}

/// Whether another operation of the file has a result: one that was never sent is no reason to distrust
/// it.
fn has_another_result(file: &Reported) -> bool {
    let mut all = file.measurements.iter();
    all.any(|of| of.ok() > Some(0) && of.elapsed().is_some())
}
