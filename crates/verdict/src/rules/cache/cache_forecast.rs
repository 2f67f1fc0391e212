//! Caches whose hit ratio differs from the forecast for the sent requests.

use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::single::cache_of;
use crate::findings::rule_info::RuleInfo;

/// Difference of two hit ratios above which there is a finding.
const APART: f64 = 0.05;
/// Difference of two hit ratios above which the run measured a different experiment.
const ANOTHER: f64 = 0.20;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "cache_forecast",
    summary: "the hit ratio of a cache differs from the forecast for these requests",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("cache_forecast.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| {
            let cache = cache_of(cell)?;
            if cache.forecast_lookups > 0 && cache.lookups == Some(0) {
                return Some(counters_unchanged(cell, cache.forecast_lookups));
            }
            let (forecast, observed) = (cache.forecast()?, cache.observed()?);
            let severity = severity_of(observed, forecast)?;
            Some(Finding {
                rule: RULE.name.to_owned(),
                severity,
                cause: Cause::Setup,
                workload: Some(cell.workload.name.clone()),
                target: Some(cell.target.name.clone()),
                evidence: format!(
                    "the cache of {} had a hit ratio of {} by its own counters, but {} was \
                     forecast for the requests that were sent",
                    cell.target.name,
                    percent(observed),
                    percent(forecast)
                ),
                advice: "check the size of its cache and what it caches, whether data was \
                         written during the run, and whether other clients use the server"
                    .to_owned(),
            })
        })
        .collect()
}

/// The finding that cache counters did not change although requests were sent.
fn counters_unchanged(cell: &Cell<'_>, sent: u64) -> Finding {
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Setup,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "the cache counters of {} did not change, although {} were sent that the cache \
             could have answered",
            cell.target.name,
            plural(usize::try_from(sent).unwrap_or(usize::MAX), "request")
        ),
        advice: "check that cache_counters names the right page of this server, and that the \
                 server caches such requests"
            .to_owned(),
    }
}

/// The severity of a difference between two hit ratios that should be equal; `None` for a small
/// difference.
pub(crate) fn severity_of(one: f64, other: f64) -> Option<Severity> {
    match (one - other).abs() {
        apart if apart > ANOTHER => Some(Severity::Invalid),
        apart if apart > APART => Some(Severity::Suspect),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::CacheUse;

    use super::*;
    use crate::testing::Run;

    fn with(observed: Option<u64>) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.cache = Some(CacheUse {
                forecast_hits: 500,
                forecast_lookups: 1_000,
                hits: observed,
                lookups: Some(1_000),
            });
        });
        run
    }

    #[test]
    fn more_than_five_points_are_suspect_and_far_more_invalid() {
        for (observed, severity) in [
            (440, Severity::Suspect),
            (560, Severity::Suspect),
            (10, Severity::Invalid),
        ] {
            let findings = with(Some(observed)).findings(&RULE);
            assert_eq!(findings.len(), 1, "{observed}");
            assert_eq!(findings[0].severity, severity, "{observed}");
            assert_eq!(findings[0].target.as_deref(), Some("b"));
        }
        assert_eq!(
            with(Some(440)).findings(&RULE)[0].evidence,
            "the cache of b had a hit ratio of 44 % by its own counters, but 50 % was forecast \
             for the requests that were sent"
        );
    }

    #[test]
    fn a_count_that_stands_still_is_none() {
        let mut run = with(Some(0));
        run.each_of("b", |slice| {
            let cache = slice.0.cache.as_mut().expect("a cache");
            cache.lookups = Some(0);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_they_agree_or_nothing_is_known() {
        for observed in [Some(460), Some(500), Some(540), None] {
            assert_eq!(with(observed).findings(&RULE), [], "{observed:?}");
        }
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
