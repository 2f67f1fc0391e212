//! Hit ratios of caches that differ from the target hit ratio of the plan.

use tenbin_result::format::percent;
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::single::cache_of;
use crate::findings::rule_info::RuleInfo;
use crate::rules::cache::cache_forecast::severity_of;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "cache_share",
    summary: "the hit ratio of a cache is not the intended one",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("cache_share.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let first = |workload: &str| {
        let mut cells = cells.iter();
        let cell = cells.find(|cell| cell.workload.name == workload)?;
        Some((format!("those of {}", cell.target.name), forecast(cell)?))
    };
    cells
        .iter()
        .filter_map(|cell| {
            let meant = intended(cell).or_else(|| first(&cell.workload.name))?;
            of_cell(cell, &meant)
        })
        .collect()
}

fn of_cell(cell: &Cell<'_>, (whose, meant): &(String, f64)) -> Option<Finding> {
    let sent = forecast(cell)?;
    let severity = severity_of(sent, *meant)?;
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity,
        cause: Cause::Plan,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "for the requests sent to {}, the simulated cache has a hit ratio of {}; for \
             {whose}, it is {}",
            cell.target.name,
            percent(sent),
            percent(*meant)
        ),
        advice: "use a longer --warmup, so that the cache is full before the first slice, and \
                 longer slices; check whether a target was not sent the same requests \
                 (unequal_requests)"
            .to_owned(),
    })
}

/// (Words for a finding, target hit ratio of the plan); `None` if the plan sets no target hit
/// ratio.
fn intended(cell: &Cell<'_>) -> Option<(String, f64)> {
    let hit = cell.workload.patterns()?.cache?.hit?;
    Some((
        "requests with the hit ratio of cache_hit".to_owned(),
        hit.share(),
    ))
}

/// The hit ratio of a simulated cache of the planned size for the requests sent; `None` if unknown.
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
    fn fires_when_two_targets_have_different_hit_ratios() {
        let findings = with(960, 510).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "for the requests sent to b, the simulated cache has a hit ratio of 51 %; for those \
             of a, it is 96 %"
        );
        let findings = with(500, 560).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_they_were_or_nothing_is_known() {
        assert_eq!(with(500, 540).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
