//! Shares of answers from caches that are not those that were meant.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use super::cache_forecast::severity_of;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::single::cache_of;

/// Shares of answers from caches that are not those that were meant.
pub(super) struct CacheShare;

impl Rule for CacheShare {
    fn name(&self) -> &'static str {
        "cache_share"
    }

    fn summary(&self) -> &'static str {
        "the hit ratio of a cache is not the intended one"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("cache_share.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let first = |workload: &str| {
            let mut cells = cells.iter();
            let cell = cells.find(|cell| cell.workload.name == workload)?;
            Some((format!("those of {}", cell.target.name), forecast(cell)?))
        };
        cells
            .iter()
            .filter_map(|cell| {
                let meant = asked_for(cell).or_else(|| first(&cell.workload.name))?;
                self.cell(cell, &meant)
            })
            .collect()
    }
}

impl CacheShare {
    fn cell(&self, cell: &Cell<'_>, (whose, meant): &(String, f64)) -> Option<Finding> {
        let sent = forecast(cell)?;
        let severity = severity_of(sent, *meant)?;
        Some(Finding {
            rule: self.name().to_owned(),
            severity,
            blame: Blame::Question,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "of the requests that were sent to {} a cache has the answers to {}, and of \
                 {whose} to {}",
                cell.target.name,
                percent(sent),
                percent(*meant)
            ),
            advice: "use a longer --warmup, so that the cache is full before the first slice, and \
                     longer slices; and look for a target that was not sent the same requests \
                     (unequal_requests)"
                .to_owned(),
        })
    }
}

/// The share that the plan asks for.
fn asked_for(cell: &Cell<'_>) -> Option<(String, f64)> {
    let hit = cell.workload.patterns()?.cache?.hit?;
    Some(("what cache_hit asks for".to_owned(), hit.share()))
}

/// What a cache of the size that the plan says has of what was sent.
fn forecast(cell: &Cell<'_>) -> Option<f64> {
    cache_of(cell)?.forecast()
}

#[cfg(test)]
mod tests {
    use tenbin_record::CacheUse;

    use super::*;
    use crate::testing::Run;

    fn with(of_a: u64, of_b: u64) -> Run {
        let mut run = Run::pair(8);
        for (target, hits) in [("a", of_a), ("b", of_b)] {
            run.each_of(target, |slice| {
                slice.0.cache = Some(CacheUse {
                    forecast_hits: hits,
                    forecast_lookups: 1_000,
                    hits: None,
                    lookups: None,
                });
            });
        }
        run
    }

    #[test]
    fn fires_when_two_targets_were_not_asked_alike() {
        let findings = with(960, 510).findings(&CacheShare);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "of the requests that were sent to b a cache has the answers to 51 %, and of those of \
             a to 96 %"
        );
        let findings = with(500, 560).findings(&CacheShare);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_they_were_or_nothing_is_known() {
        assert_eq!(with(500, 540).findings(&CacheShare), []);
        assert_eq!(Run::pair(8).findings(&CacheShare), []);
    }
}
