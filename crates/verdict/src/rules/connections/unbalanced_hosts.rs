//! Hosts of one target that do not receive their planned shares of the load.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::connections::HostLoad;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// Largest accepted ratio of requests per weight between the busiest and the least busy host.
const TIMES: f64 = 1.2;

/// Number of requests by which a host may miss its share in each slice and thread: threads assign
/// hosts independently, and a slice can start and end anywhere in the order of hosts.
const ROUNDING: f64 = 2.0;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unbalanced_hosts",
    summary: Texts {
        english: "the hosts of a target did not share the load by their weights",
        japanese: "ターゲットのホストが、重みどおりに負荷を分担しなかった",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("unbalanced_hosts"),
    messages: Messages {
        english: r#"
            unbalanced =
                { $busiest } got { $most } and { $idlest } got { $least } of all requests{ $times }
            times = , by weight { $times } times as many
            find-out =
                find out whether a host refused connections or accepted them slowly: the figures are not those
                of a target with all its hosts
        "#,
        japanese: r#"
            unbalanced =
                全リクエストのうち { $busiest } が { $most }、{ $idlest } が { $least } を受けた{ $times }
            times = 。重みで補正すると { $times } 倍
            find-out =
                接続を拒否したホストや受け付けの遅いホストがないか調べる。
                数値は全ホストがそろったターゲットのものではない
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let threads = evidence.plan.threads;
    let found = cells.iter().filter_map(|cell| of_cell(cell, threads));
    found.collect()
}

fn of_cell(cell: &Cell<'_>, threads: usize) -> Option<Finding> {
    let loads = HostLoad::of(cell);
    let busiest = loads
        .iter()
        .max_by(|a, b| a.by_weight().total_cmp(&b.by_weight()))?;
    let idlest = loads
        .iter()
        .min_by(|a, b| a.by_weight().total_cmp(&b.by_weight()))?;
    let total: u64 = loads.iter().map(|load| load.requests).sum();
    let weights: f64 = loads.iter().map(HostLoad::weight).sum();
    let fair = total as f64 / weights;
    let rounding = ROUNDING * (cell.slices.len() * threads.max(1)) as f64;
    let more = (busiest.by_weight() - rounding / busiest.weight()).max(fair);
    let less = (idlest.by_weight() + rounding / idlest.weight()).min(fair);
    // Without a request there is no load to share.
    if total == 0 || more <= TIMES * less {
        return None;
    }
    let times = busiest.by_weight() / idlest.by_weight();
    let share = |load: &HostLoad<'_>| Value::Share(load.requests as f64 / total as f64);
    let times = times.is_finite().then_some(times);
    let unbalanced = message!(
        "unbalanced",
        busiest = tame(busiest.host),
        most = share(busiest),
        idlest = tame(idlest.host),
        least = share(idlest),
        times = times.map(|times| message!("times", times = Value::Ratio(times)))
    );
    let (severity, advice) = (Severity::Suspect, message!("find-out"));
    let finding = RULE.finding(severity, Cause::Server, unbalanced, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::Host;
    use tenbin_record::HostFigures;

    use super::*;
    use crate::testing::Run;

    fn run(loads: &[(u64, u32)]) -> Run {
        let mut run = Run::pair(8);
        let names: Vec<String> = (1..=loads.len()).map(|n| format!("db{n}")).collect();
        for ((_, weight), name) in loads.iter().zip(&names) {
            run.plan.targets[1].connect.hosts.push(Host {
                url: format!("http://{name}/").parse().unwrap(),
                weight: *weight,
            });
        }
        run.each_of("b", |slice| {
            for ((ok, _), name) in loads.iter().zip(&names) {
                let mut host = HostFigures::new(name);
                host.ok = *ok;
                slice.0.hosts.push(host);
            }
        });
        run
    }

    #[test]
    fn fires_when_one_host_gets_more_than_its_share() {
        let findings = run(&[(500, 1), (300, 1), (200, 1)]).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "db1 got 50 % and db3 got 20 % of all requests, by weight 2.50 times as many"
        );
        let findings = run(&[(1_000, 1), (0, 1)]).findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "db1 got 100 % and db2 got 0 % of all requests"
        );
    }

    #[test]
    fn silent_when_each_gets_what_its_weight_says_or_there_is_one() {
        assert_eq!(run(&[(500, 1), (450, 1)]).findings(&RULE), []);
        assert_eq!(run(&[(750, 3), (250, 1)]).findings(&RULE), []);
        // A thousand requests are too few for a host with a share of one in 1,001.
        assert_eq!(run(&[(1_000, 1_000), (0, 1)]).findings(&RULE), []);
        assert_eq!(run(&[(9, 90), (1, 1)]).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(run(&[(0, 1), (0, 1)]).findings(&RULE), []);
    }
}
