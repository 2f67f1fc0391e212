//! Hosts of one target with different service times.

use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::{CONFIDENCE, ratio};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::{middle, tame};

/// A finding requires that the whole interval of the ratio slowest ÷ fastest host lies above this
/// value.
const TIMES: f64 = 1.25;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "uneven_hosts",
    summary: Texts {
        english: "the hosts of a target have different service times",
        japanese: "ターゲットのホストどうしでサービス時間が異なる",
    },
    severities: &[Severity::Note],
    explanation: pages!("uneven_hosts"),
    messages: Messages {
        english: r#"
            uneven =
                the mean service time of { $slowest } is { $long }, that of { $fastest } is { $short }:
                { $times } times as long ({ $low }–{ $high })
            check =
                requests go to the hosts in turn, so the slowest host slows the others: check its data, its
                settings and other programs on it
        "#,
        japanese: r#"
            uneven =
                平均サービス時間は { $slowest } が { $long }、{ $fastest } が { $short }。
                { $times } 倍({ $low }–{ $high })
            check =
                リクエストは各ホストに順番に送られるため、最も遅いホストがほかのホストを遅らせる。
                そのホストのデータ、設定、ほかのプログラムを確認する
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

/// Mean service time of one host in every full slice, seconds.
struct HostTimes<'a> {
    host: &'a str,
    each: Vec<f64>,
    middle: f64,
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let hosts = hosts(cell);
    let slowest = hosts.iter().max_by(|a, b| a.middle.total_cmp(&b.middle))?;
    let fastest = hosts.iter().min_by(|a, b| a.middle.total_cmp(&b.middle))?;
    if slowest.each.len() != fastest.each.len() {
        return None;
    }
    let pairs = slowest.each.iter().zip(&fastest.each);
    let logs: Vec<f64> = pairs.map(|(slow, fast)| (slow / fast).ln()).collect();
    let found = ratio(&logs, CONFIDENCE);
    let found = found.estimate().filter(|found| found.low > TIMES)?;
    let uneven = message!(
        "uneven",
        slowest = tame(slowest.host),
        long = Value::Seconds(slowest.middle),
        fastest = tame(fastest.host),
        short = Value::Seconds(fastest.middle),
        times = Value::Ratio(found.value),
        low = Value::Ratio(found.low),
        high = Value::Ratio(found.high)
    );
    let finding = RULE.finding(Severity::Note, Cause::Server, uneven, message!("check"));
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// The hosts with responses in every full slice.
fn hosts<'a>(cell: &Cell<'a>) -> Vec<HostTimes<'a>> {
    let full = cell.full();
    let first = full.first().map_or(&[][..], |slice| &slice.hosts);
    let of_host = |host: &'a str| {
        let each = full.iter().map(|slice| {
            let mut hosts = slice.hosts.iter();
            let found = hosts.find(|found| found.name == host)?;
            let is_known = !found.service.is_empty();
            is_known.then(|| found.service.mean() / 1e9)
        });
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        Some(HostTimes {
            host,
            middle: middle(each.iter().copied())?,
            each,
        })
    };
    let hosts = first.iter().filter_map(|host| of_host(&host.name));
    hosts.collect()
}

#[cfg(test)]
mod tests {
    use tenbin_record::HostFigures;

    use super::*;
    use crate::testing::Run;

    fn run(millis: &[u64]) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            for (at, millis) in millis.iter().enumerate() {
                let mut host = HostFigures::new(&format!("db{}", at + 1));
                host.ok = 100;
                host.service.record_n(millis * 1_000_000, 100).unwrap();
                slice.0.hosts.push(host);
            }
        });
        run
    }

    #[test]
    fn fires_when_one_host_takes_longer() {
        let findings = run(&[2, 3, 2]).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .starts_with("the mean service time of db2 is 3.00 ms, that of db1 is 2.00 ms"),
            "{}",
            findings[0].evidence
        );
    }

    #[test]
    fn silent_when_they_are_alike_or_too_little_is_known() {
        assert_eq!(run(&[20, 21, 22]).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut few = run(&[2, 9]);
        few.slices.truncate(4);
        assert_eq!(few.findings(&RULE), []);
        let mut silent = run(&[2, 9]);
        silent.first_of("b").0.hosts[1].service.clear();
        assert_eq!(silent.findings(&RULE), []);
    }
}
