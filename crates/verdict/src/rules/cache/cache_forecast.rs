//! Caches whose hit ratio differs from the forecast for the sent requests.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::single::cache_of;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Difference of two hit ratios above which there is a finding.
const APART: f64 = 0.05;
/// Difference of two hit ratios above which the run measured a different experiment.
const ANOTHER: f64 = 0.20;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "cache_forecast",
    summary: Texts {
        english: "the hit ratio of a cache differs from the forecast for these requests",
        japanese: "キャッシュのヒット率が、送ったリクエストからの予測と異なる",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("cache_forecast"),
    messages: Messages {
        english: r#"
            other-hit-ratio =
                the cache of { $target } had a hit ratio of { $observed } by its own counters, but
                { $forecast } was forecast for the requests that were sent
            check-cache =
                check the size of its cache and what it caches, whether data was written during the
                run, and whether other clients use the server
            counters-unchanged =
                the cache counters of { $target } did not change, although { $requests ->
                    [one] 1 request
                   *[other] { $requests } requests
                } were sent that the cache could have answered
            check-counters =
                check that cache_counters names the right page of this server, and that the server
                caches such requests
        "#,
        japanese: r#"
            other-hit-ratio =
                { $target } のキャッシュのヒット率は自身のカウンターで { $observed } だが、
                送ったリクエストからの予測は { $forecast }
            check-cache =
                キャッシュのサイズと対象、実行中の書き込みの有無、ほかのクライアントの利用の有無を確認する
            counters-unchanged =
                キャッシュが応答できる { $requests } リクエストを送ったのに、
                { $target } のキャッシュのカウンターが変わらなかった
            check-counters =
                cache_counters がこのサーバーの正しいページを指しているか、
                サーバーがこの種のリクエストをキャッシュするかを確認する
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells
        .iter()
        .filter_map(|cell| Some(of_cell(cell)?.on(&cell.workload.name, &cell.target.name)));
    found.collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let cache = cache_of(cell)?;
    let target = &cell.target.name;
    // Cache counters that did not change although requests were sent.
    if cache.forecast_lookups > 0 && cache.lookups == Some(0) {
        let unchanged = message!(
            "counters-unchanged",
            target,
            requests = cache.forecast_lookups
        );
        let advice = message!("check-counters");
        return Some(RULE.finding(Severity::Suspect, Cause::Setup, unchanged, advice));
    }
    let (forecast, observed) = (cache.forecast()?, cache.observed()?);
    let severity = severity_of(observed, forecast)?;
    let other = message!(
        "other-hit-ratio",
        target,
        observed = Value::Share(observed),
        forecast = Value::Share(forecast)
    );
    Some(RULE.finding(severity, Cause::Setup, other, message!("check-cache")))
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
            slice.0.end.cache = Some(CacheUse {
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
            let cache = slice.0.end.cache.as_mut().expect("a cache");
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
