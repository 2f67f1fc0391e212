//! Caches that did not hit as often as the sequence of requests lets expect.

use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::single::cache_of;

/// Difference between the shares of hits that is worth a word.
const APART: f64 = 0.05;
/// The same beyond which it is another experiment.
const ANOTHER: f64 = 0.20;

/// Caches that did not hit as often as the sequence of requests lets expect.
pub(super) struct CacheForecast;

impl Rule for CacheForecast {
    fn name(&self) -> &'static str {
        "cache_forecast"
    }

    fn summary(&self) -> &'static str {
        "the hit ratio of a cache differs from the forecast for these requests"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("cache_forecast.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells
            .iter()
            .filter_map(|cell| {
                let cache = cache_of(cell)?;
                if cache.forecast_lookups > 0 && cache.lookups == Some(0) {
                    return Some(self.stood_still(cell, cache.forecast_lookups));
                }
                let (forecast, observed) = (cache.forecast()?, cache.observed()?);
                let severity = severity_of(observed, forecast)?;
                Some(Finding {
                    rule: self.name().to_owned(),
                    severity,
                    blame: Blame::Setup,
                    workload: Some(cell.workload.name.clone()),
                    target: Some(cell.target.name.clone()),
                    evidence: format!(
                        "the cache of {} had {} of the answers by its own count, and {} were \
                         expected of the sequence that was sent",
                        cell.target.name,
                        percent(observed),
                        percent(forecast)
                    ),
                    advice: "look at the size of its cache and at what it caches, whether data \
                             were written meanwhile, and whether anybody else asks it"
                        .to_owned(),
                })
            })
            .collect()
    }
}

impl CacheForecast {
    /// The counters did not change although requests were sent.
    fn stood_still(&self, cell: &Cell<'_>, sent: u64) -> Finding {
        Finding {
            rule: self.name().to_owned(),
            severity: Severity::Suspect,
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "the cache counters of {} did not change, although {} were sent that the cache \
                 could have answered",
                cell.target.name,
                plural(usize::try_from(sent).unwrap_or(usize::MAX), "request")
            ),
            advice: "check that cache_counters names the right page of this server, and that it \
                     caches such requests at all"
                .to_owned(),
        }
    }
}

/// What it means that two shares of hits, which should be the same, are that far apart;
/// nothing if they are close.
pub(super) fn severity_of(one: f64, other: f64) -> Option<Severity> {
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
            let findings = with(Some(observed)).findings(&CacheForecast);
            assert_eq!(findings.len(), 1, "{observed}");
            assert_eq!(findings[0].severity, severity, "{observed}");
            assert_eq!(findings[0].target.as_deref(), Some("b"));
        }
        assert_eq!(
            with(Some(440)).findings(&CacheForecast)[0].evidence,
            "the cache of b had 44 % of the answers by its own count, and 50 % were expected of \
             the sequence that was sent"
        );
    }

    #[test]
    fn a_count_that_stands_still_is_none() {
        let mut run = with(Some(0));
        run.each_of("b", |slice| {
            let cache = slice.0.cache.as_mut().expect("a cache");
            cache.lookups = Some(0);
        });
        let findings = run.findings(&CacheForecast);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_they_agree_or_nothing_is_known() {
        for observed in [Some(460), Some(500), Some(540), None] {
            assert_eq!(with(observed).findings(&CacheForecast), [], "{observed:?}");
        }
        assert_eq!(Run::pair(8).findings(&CacheForecast), []);
    }
}
