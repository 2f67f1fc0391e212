//! Hit ratios of caches that differ from the target hit ratio of the plan.

use tenbin_plan::PatternOrder;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::single::cache_of;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::cache::cache_forecast::severity_of;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "cache_share",
    summary: Texts {
        english: "the hit ratio of a cache is not the intended one",
        japanese: "キャッシュのヒット率が意図した値ではない",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("cache_share"),
    messages: Messages {
        english: r#"
            other-hit-ratio =
                for the requests sent to { $target }, the simulated cache has a hit ratio of
                { $forecast }; for { $meant }, it is { $intended }
            intended-requests = requests with the hit ratio of cache_hit
            requests-of = those of { $target }
            order-weighted =
                use --order weighted: { $hosts ->
                    [one]
                        in any other order, the hit ratio does not follow from the size of the cache,
                        and a longer --warmup does not change it
                   *[other]
                        requests go to the { $hosts } hosts of { $target } in turn, so in any other
                        order each host is sent its own part of the patterns again and again; a longer
                        --warmup makes the difference larger
                }
            longer-warmup =
                use a { $hosts ->
                    [one]
                        longer --warmup, so that the cache is full before the first slice, and longer
                        slices
                   *[other]
                        --warmup that is { $hosts } times as long: each of the { $hosts } hosts of
                        { $target } has a cache of its own and is sent only every { $hosts }. request
                }; check whether a target was not sent the same requests (unequal_requests)
            check-size =
                check cache_size and the number of patterns: the requests sent hit the cache more
                often than intended; check whether a target was not sent the same requests
                (unequal_requests)
        "#,
        japanese: r#"
            other-hit-ratio =
                { $target } に送ったリクエストでは、模擬キャッシュのヒット率が { $forecast }。
                { $meant }では { $intended }
            intended-requests = cache_hit の意図するリクエスト
            requests-of = { $target } に送ったリクエスト
            order-weighted =
                --order weighted を使う。{ $hosts ->
                    [1]
                        ほかの順序ではヒット率がキャッシュの大きさから決まらず、
                        --warmup を長くしても変わらない
                   *[other]
                        リクエストは { $target } の { $hosts } 台のホストに順に送られるため、
                        ほかの順序では各ホストが決まったパターンだけを繰り返し受け取る。
                        --warmup を長くすると差はさらに広がる
                }
            longer-warmup =
                { $hosts ->
                    [1]
                        最初のスライスの前にキャッシュが埋まるように --warmup を長くし、スライスも長くする
                   *[other]
                        --warmup を { $hosts } 倍にする。
                        { $target } の { $hosts } 台のホストはそれぞれ別のキャッシュを持ち、
                        { $hosts } 件に 1 件のリクエストしか受け取らない
                }。同じリクエストが送られていないターゲットがないか確認する(unequal_requests)
            check-size =
                cache_size とパターンの数を確認する。
                送ったリクエストは意図したより多くキャッシュに当たっている。
                同じリクエストが送られていないターゲットがないか確認する(unequal_requests)
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let first = |workload: &str| {
        let mut cells = cells.iter();
        let cell = cells.find(|cell| cell.workload.name == workload)?;
        let requests = message!("requests-of", target = &cell.target.name);
        Some((requests, forecast(cell)?))
    };
    cells
        .iter()
        .filter_map(|cell| {
            let meant = intended(cell).or_else(|| first(&cell.workload.name))?;
            of_cell(cell, meant)
        })
        .collect()
}

fn of_cell(cell: &Cell<'_>, (requests, meant): (Message, f64)) -> Option<Finding> {
    let sent = forecast(cell)?;
    let severity = severity_of(sent, meant)?;
    let other = message!(
        "other-hit-ratio",
        target = &cell.target.name,
        forecast = Value::Share(sent),
        meant = requests,
        intended = Value::Share(meant)
    );
    let finding = RULE.finding(severity, Cause::Plan, other, advice(cell, sent < meant));
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// What would help. A longer warm-up helps only if requests are drawn by weight and the cache is
/// not yet full: in any other order, each host of a target is sent its own part of the patterns for
/// ever, and a longer warm-up fills its cache with that part.
fn advice(cell: &Cell<'_>, is_too_low: bool) -> Message {
    let hosts = cell.slices.iter().map(|slice| slice.hosts.len().max(1));
    let hosts = hosts.max().unwrap_or(1);
    let order = cell.workload.patterns().map(|patterns| patterns.order);
    let is_weighted = order.is_none_or(|order| order == PatternOrder::Weighted);
    let target = &cell.target.name;
    if !is_weighted {
        message!("order-weighted", hosts, target)
    } else if is_too_low {
        message!("longer-warmup", hosts, target)
    } else {
        message!("check-size")
    }
}

/// (The requests meant, target hit ratio of the plan); `None` if the plan sets no target hit ratio.
fn intended(cell: &Cell<'_>) -> Option<(Message, f64)> {
    let hit = cell.workload.patterns()?.cache()?.hit?;
    Some((message!("intended-requests"), hit.share()))
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
                slice.0.end.cache = Some(CacheUse {
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
