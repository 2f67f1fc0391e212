//! Request patterns without hits.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Share of requests without hits above which the finding is suspect.
const FEW: f64 = 0.05;
/// Share of requests without hits above which the run measured mostly searches without results.
const MOST: f64 = 0.5;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "no_hits",
    summary: Texts {
        english: "request patterns have no hits",
        japanese: "ヒットのないリクエストのパターンがある",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("no_hits"),
    messages: Messages {
        english: r#"
            host-without-hits =
                host { $host } of { $target } has no hits for any of { $patterns } patterns, unlike its
                other hosts
            load-every-host =
                load the data into every host of the target: a host without hits responds to its
                share of the requests immediately
            patterns-without-hits =
                { $empty } of { $patterns } patterns ({ $share }{ $of_requests ->
                    [true] {" "}of the requests
                   *[false] {""}
                }) have no hits on any target
            check-data =
                a search without hits does almost no work: check that the data is loaded and
                indexed, and use terms that have hits, for example from tenbin search terms
            use-terms-with-hits =
                a search without hits is faster than others: use terms that have hits, for example
                from tenbin search terms
            remove-patterns =
                a search without hits is faster than others: remove such patterns unless your users
                send them, too
        "#,
        japanese: r#"
            host-without-hits =
                { $target } のホスト { $host } は { $patterns } パターンのいずれもヒットがない。
                ほかのホストにはある
            load-every-host =
                ターゲットの全ホストにデータを読み込む。
                ヒットのないホストは、受け持つリクエストに即座に応答してしまう
            patterns-without-hits =
                { $patterns } パターン中 { $empty } パターン({ $of_requests ->
                    [true] リクエストの{" "}
                   *[false] {""}
                }{ $share })は、どのターゲットでもヒットがない
            check-data =
                ヒットのない検索はほとんど処理をしない。データの読み込みと索引付けを確認し、
                ヒットのある語を使う(例: tenbin search terms の出力)
            use-terms-with-hits =
                ヒットのない検索はほかより速い。ヒットのある語を使う(例: tenbin search terms の出力)
            remove-patterns =
                ヒットのない検索はほかより速い。利用者も送るのでなければ、そのパターンを除く
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let workloads = evidence.plan.workloads.iter();
    workloads
        .flat_map(|workload| {
            let hosts = queried_hosts(evidence, &workload.name);
            let slices = evidence.slices.iter();
            let slices = slices.filter(|slice| slice.workload == workload.name);
            let everywhere = everywhere(&hosts, &workload.name, slices);
            let mut findings = idle_hosts(&hosts, &workload.name);
            findings.extend(everywhere);
            findings
        })
        .collect()
}

/// The numbers of hits of one host of a target before the run.
struct Host<'a> {
    target: &'a str,
    name: &'a str,
    hits: BTreeMap<u32, Option<u64>>,
}

impl Host<'_> {
    fn finds_nothing(&self) -> bool {
        // A response without a number is not a response without hits.
        !self.hits.is_empty() && self.hits.values().all(|hits| *hits == Some(0))
    }
}

fn queried_hosts<'a>(evidence: &Evidence<'a>, workload: &str) -> Vec<Host<'a>> {
    let targets = evidence.plan.targets.iter();
    let known = targets.filter_map(|target| {
        let known = evidence.environment.targets.get(&target.name)?;
        Some((target.name.as_str(), known))
    });
    known
        .flat_map(|(target, known)| {
            let hosts = known.hits_before(workload).into_iter();
            hosts.map(move |(name, hits)| Host { target, name, hits })
        })
        .collect()
}

/// A finding for each host without hits for any pattern, if other hosts of the same target have
/// hits.
fn idle_hosts(hosts: &[Host<'_>], workload: &str) -> Vec<Finding> {
    let finds = |target| {
        let mut own = hosts.iter().filter(move |host| host.target == target);
        own.any(|host| !host.finds_nothing())
    };
    let idle = hosts
        .iter()
        .filter(|host| host.finds_nothing() && finds(host.target));
    idle.map(|host| {
        let without_hits = message!(
            "host-without-hits",
            host = host.name,
            target = host.target,
            patterns = Value::Plain(host.hits.len() as u64)
        );
        let advice = message!("load-every-host");
        let finding = RULE.finding(Severity::Invalid, Cause::Setup, without_hits, advice);
        finding.on(workload, host.target)
    })
    .collect()
}

/// Finding on patterns without hits on any target, by the share of requests that use such patterns.
fn everywhere<'a>(
    hosts: &[Host<'_>],
    workload: &str,
    slices: impl Iterator<Item = &'a Slice>,
) -> Option<Finding> {
    let mut is_empty: BTreeMap<u32, bool> = BTreeMap::new();
    for (pattern, hits) in hosts.iter().flat_map(|host| &host.hits) {
        // A response without a number is not a response without hits.
        *is_empty.entry(*pattern).or_insert(true) &= *hits == Some(0);
    }
    let empty = is_empty.values().filter(|empty| **empty).count();
    if empty == 0 {
        return None;
    }
    let of_patterns = empty as f64 / is_empty.len() as f64;
    let of_requests = share_of_requests(&is_empty, slices);
    let share = of_requests.unwrap_or(of_patterns);
    let (severity, advice) = match share {
        share if share > MOST => (Severity::Invalid, message!("check-data")),
        share if share > FEW => (Severity::Suspect, message!("use-terms-with-hits")),
        _ => (Severity::Note, message!("remove-patterns")),
    };
    let without_hits = message!(
        "patterns-without-hits",
        empty = Value::Plain(empty as u64),
        patterns = Value::Plain(is_empty.len() as u64),
        share = Value::Share(share),
        of_requests = of_requests.is_some()
    );
    let finding = RULE.finding(severity, Cause::Setup, without_hits, advice);
    Some(finding.of_workload(workload))
}

/// Share of requests that use a pattern without hits, over all targets. Only requests of patterns
/// in `is_empty` count. `None` if the numbers of requests per pattern are unknown.
fn share_of_requests<'a>(
    is_empty: &BTreeMap<u32, bool>,
    slices: impl Iterator<Item = &'a Slice>,
) -> Option<f64> {
    let singles = slices.filter_map(|slice| slice.end.singles.as_deref());
    let (mut all, mut without_hits) = (0, 0);
    for count in singles.flat_map(|singles| &singles.patterns) {
        let requests = count.ok + count.failed;
        match is_empty.get(&count.pattern) {
            None => continue,
            Some(true) => without_hits += requests,
            Some(false) => {}
        }
        all += requests;
    }
    (all > 0).then(|| without_hits as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use tenbin_record::{RecordedPattern, RecordedSamples, TargetEnvironment};

    use super::*;
    use crate::testing::Run;

    fn run(a: &[Option<u64>], b: &[Option<u64>]) -> Run {
        let mut run = Run::pair(8);
        for (target, hits) in [("a", a), ("b", b)] {
            let mut known = TargetEnvironment::default();
            known.hits.insert("get".to_owned(), hits.to_vec());
            run.environment.targets.insert(target.to_owned(), known);
        }
        run
    }

    /// Hits of `all` patterns, of which the first `empty` have no hits.
    fn without_hits(empty: usize, all: usize) -> Vec<Option<u64>> {
        (0..all)
            .map(|at| Some(if at < empty { 0 } else { 7 }))
            .collect()
    }

    #[test]
    fn more_than_a_few_are_suspect_and_more_than_half_are_no_search() {
        for (empty, severity) in [
            (1, Severity::Note),
            (5, Severity::Note),
            (6, Severity::Suspect),
            (50, Severity::Suspect),
            (51, Severity::Invalid),
            (100, Severity::Invalid),
        ] {
            let hits = without_hits(empty, 100);
            let found = run(&hits, &hits).findings(&RULE);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].severity, severity, "{empty} of 100");
            assert_eq!(
                found[0].evidence,
                format!("{empty} of 100 patterns ({empty} %) have no hits on any target")
            );
        }
    }

    /// One pattern of ten has no hits, and every second request uses this pattern.
    #[test]
    fn what_counts_is_the_share_of_the_requests() {
        let mut run = run(&without_hits(1, 10), &without_hits(1, 10));
        let count = |pattern: u32| RecordedPattern {
            pattern,
            ok: if pattern == 0 { 9 } else { 1 },
            failed: 0,
            sum_ns: 1,
            min_ns: 1,
            max_ns: 1,
        };
        for slice in &mut run.slices {
            // The hits of the last pattern were not requested.
            slice.end.singles = Some(Box::new(RecordedSamples {
                patterns: (0..11).map(count).collect(),
                ..RecordedSamples::default()
            }));
        }
        let found = run.findings(&RULE);
        assert_eq!(found[0].severity, Severity::Suspect);
        assert_eq!(
            found[0].evidence,
            "1 of 10 patterns (50 % of the requests) have no hits on any target"
        );
    }

    #[test]
    fn one_host_of_several_that_finds_nothing_voids_the_run() {
        let mut run = run(&[Some(5), Some(7)], &[Some(5), Some(7)]);
        run.ask("b", "one", &[Some(5), Some(7)], None);
        run.ask("b", "two", &[Some(0), Some(0)], None);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "host two of b has no hits for any of 2 patterns, unlike its other hosts"
        );
    }

    #[test]
    fn silent_when_one_target_has_hits_or_none_reports_them() {
        assert_eq!(run(&[Some(0)], &[Some(3)]).findings(&RULE), []);
        assert_eq!(run(&[None], &[Some(0)]).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
