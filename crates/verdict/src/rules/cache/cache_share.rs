//! Hit ratios of caches that differ from the target hit ratio of the plan.

use tenbin_plan::PatternOrder;
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
        advice: advice(cell, sent < *meant),
    })
}

/// What would help. A longer warm-up helps only if requests are drawn by weight and the cache is
/// not yet full: in any other order, each host of a target is sent its own part of the patterns for
/// ever, and a longer warm-up fills its cache with that part.
fn advice(cell: &Cell<'_>, is_too_low: bool) -> String {
    let hosts = cell.slices.iter().map(|slice| slice.hosts.len().max(1));
    let hosts = hosts.max().unwrap_or(1);
    let order = cell.workload.patterns().map(|patterns| patterns.order);
    let is_weighted = order.is_none_or(|order| order == PatternOrder::Weighted);
    match (is_weighted, hosts) {
        (false, 1) => "use --order weighted: in any other order, the hit ratio does not follow \
                       from the size of the cache, and a longer --warmup does not change it"
            .to_owned(),
        (false, hosts) => format!(
            "use --order weighted: requests go to the {hosts} hosts of {} in turn, so in any \
             other order each host is sent its own part of the patterns again and again; a longer \
             --warmup makes the difference larger",
            cell.target.name
        ),
        (true, hosts) if is_too_low && hosts > 1 => format!(
            "use a --warmup that is {hosts} times as long: each of the {hosts} hosts of {} has a \
             cache of its own and is sent only every {hosts}. request; check whether a target was \
             not sent the same requests (unequal_requests)",
            cell.target.name
        ),
        (true, _) if is_too_low => "use a longer --warmup, so that the cache is full before the \
                                    first slice, and longer slices; check whether a target was \
                                    not sent the same requests (unequal_requests)"
            .to_owned(),
        (true, _) => "check cache_size and the number of patterns: the requests sent hit the \
                      cache more often than intended; check whether a target was not sent the \
                      same requests (unequal_requests)"
            .to_owned(),
    }
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
    use tenbin_plan::WorkloadKind;
    use tenbin_record::{CacheUse, HostFigures};

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
    fn the_advice_fits_the_cause() {
        let advice = |order: PatternOrder, hosts: usize, of_b: u64| {
            let mut run = with(500, of_b);
            run.draw_patterns("get", "0%");
            for work in &mut run.plan.workloads {
                if let WorkloadKind::Http(http) = &mut work.kind
                    && let Some(patterns) = &mut http.patterns
                {
                    patterns.order = order;
                }
            }
            run.each_of("b", |slice| {
                let names = (0..hosts).map(|at| format!("h{at}"));
                slice.0.hosts = names.map(|name| HostFigures::new(&name)).collect();
            });
            run.findings(&RULE)[0].advice.clone()
        };
        let too_high = advice(PatternOrder::Sequential, 3, 960);
        assert!(too_high.contains("--order weighted"), "{too_high}");
        assert!(too_high.contains("larger"), "{too_high}");
        let filling = advice(PatternOrder::Weighted, 3, 100);
        assert!(filling.contains("3 times as long"), "{filling}");
        let plain = advice(PatternOrder::Weighted, 0, 100);
        assert!(plain.contains("a longer --warmup"), "{plain}");
        let wrong_size = advice(PatternOrder::Weighted, 0, 960);
        assert!(!wrong_size.contains("--warmup"), "{wrong_size}");
    }

    #[test]
    fn silent_when_they_were_or_nothing_is_known() {
        assert_eq!(with(500, 540).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
