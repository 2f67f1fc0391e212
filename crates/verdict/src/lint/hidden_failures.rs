//! Failures that are easy to overlook.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{count, percent};

use super::stopped_at_deadline::is_stopped;
use super::throughput_of_failures::INVALID;
use super::{Failed, Files, LintFinding, Measurement, Reported, measurements, quotes};
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
    let all = measurements(files);
    all.filter_map(|(file, of)| of_share(file, of).or_else(|| of_number(file, of)))
        .collect()
}

fn severity(share: f64) -> Severity {
    Severity::Suspect.raised_if(share > INVALID)
}

/// Failures of which the file has only the share.
fn of_share(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    let said = of.failed_share.as_ref()?;
    // A share that prints as 0 has 0 in its range.
    if said.value.from <= 0.0 {
        return None;
    }
    let share = said.value.middle();
    Some(LintFinding {
        rule: RULE.name,
        severity: severity(share),
        operation: Some(of.operation.clone()),
        evidence: sentence!(
            "lint-share-failed",
            "{share} of the requests failed, and {tool} does not say how many requests there were",
            share = percent(share),
            tool = file.tool
        ),
        advice: sentence!(
            "lint-why-fail",
            "find out why requests fail, and measure again: a request that fails is often much faster or \
             much slower than a correct one"
        ),
        quotes: quotes(file, [&said.quote]),
    })
}

/// Number of requests that the figures are about, if the file says it or it follows from the rate.
fn requests(of: &Measurement) -> Option<f64> {
    if let Some(ended) = &of.ended {
        let outside = of.failed().saturating_sub(of.failed_and_counted());
        return Some(ended.value.saturating_add(outside) as f64);
    }
    let rate = of.rate.as_ref().filter(|_| of.rate_counts_requests())?;
    Some(rate.value.middle() * of.seconds.as_ref()?.value.middle())
}

fn of_number(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    // The rule `throughput_of_failures` reports failures in the throughput of a known number of
    // requests; here, such failures count only if the file claims that nothing failed.
    let denied = of.says_none_failed.as_ref();
    let is_hidden = |each: &&Failed| {
        let is_untold = !each.counted || denied.is_some() || of.ended.is_none();
        is_untold && !is_stopped(file, of, each)
    };
    let hidden: Vec<&Failed> = of.failures.iter().filter(is_hidden).collect();
    let failed = hidden
        .iter()
        .fold(0_u64, |sum, each| sum.saturating_add(each.count));
    if failed == 0 {
        return None;
    }
    let all = requests(of).filter(|all| *all > 0.0);
    let share = all.map(|all| (failed as f64 / all).min(1.0));
    let ended = of.ended.as_ref().map(|ended| ended.value);
    let are_timed = of.samples > ended;
    let are_counted = hidden.iter().all(|each| each.counted);
    let what: Vec<String> = hidden
        .iter()
        .map(|each| format!("{} {}", count(each.count), each.what))
        .collect();
    let shown = share.map_or_else(String::new, |share| format!(" ({})", percent(share)));
    Some(LintFinding {
        rule: RULE.name,
        severity: share.map_or(Severity::Invalid, severity),
        operation: Some(of.operation.clone()),
        evidence: match denied {
            Some(_) => sentence!(
                "lint-failures-denied",
                "the file says that no request failed, and has {failures}{share}",
                failures = what.join(", "),
                share = shown
            ),
            None => {
                let (counted, place) = match (are_counted, are_timed) {
                    (true, _) => ("both", "in the rate and in the times"),
                    (false, true) => ("times", "not in the rate"),
                    (false, false) => ("none", "neither in the rate nor in the times"),
                };
                let hidden = sentence!(
                    "lint-failures-hidden",
                    "{failures}{share} failed; these failures are {counted} of {tool}, and the exit code is \
                     still 0",
                    failures = what.join(", "),
                    share = shown,
                    counted = place,
                    tool = file.tool
                );
                hidden.with("counted", counted)
            }
        },
        advice: if denied.is_none() && are_counted {
            sentence!(
                "lint-correct-rate-unknown",
                "read the numbers of failures, not the exit code, and find out why requests fail: the rate \
                 of correct responses is unknown"
            )
        } else if are_timed {
            sentence!(
                "lint-times-of-failures",
                "read the numbers of failures, not the exit code; the percentiles are those of failures, too"
            )
        } else {
            sentence!(
                "lint-failures-untimed",
                "read the numbers of failures, not the exit code; requests that fail are often the slowest, \
                 and their times are missing from the percentiles"
            )
        },
        quotes: quotes(file, hidden.iter().map(|each| &each.quote).chain(denied)),
    })
}
