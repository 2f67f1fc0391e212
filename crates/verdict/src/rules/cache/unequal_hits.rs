//! Targets with different numbers of hits for the same patterns.

use std::collections::BTreeMap;

use tenbin_plan::{HitSource, Workload};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::figures::hits::compare_hits;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::pattern_name;

/// Share of patterns without a number of hits above which too few patterns were compared.
const WITHOUT_NUMBER: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_hits",
    summary: Texts {
        english: "two targets reported different numbers of hits for the same patterns",
        japanese: "同じパターンに対するヒット数が 2 つのターゲットで異なる",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("unequal_hits"),
    messages: Messages {
        english: r#"
            without-number =
                { $target } gave no number of hits for { $without } of { $patterns } patterns
                ({ $share })
            check-format =
                look at such a response, and check that hits in the plan names the format in which
                this target reports its hits
            hosts-differ =
                the hosts of { $target } reported different numbers of hits for { $different } of
                { $patterns } patterns, the first of them { $pattern }: { $hits } from { $host },
                { $other_hits } from { $other_host }
            load-all-hosts =
                load the same data into all hosts of the target: requests go to the hosts in turn,
                and a request must be the same work on each
            load-same-data =
                load the same data into both, with the same indexes, tokenizers and normalizers, and
                send both the same searches; if you accept the difference, set hits_tolerance
            remove-patterns =
                these patterns are not the same work on both targets: for an exact comparison,
                remove them from the list
        "#,
        japanese: r#"
            without-number =
                { $target } は { $patterns } パターン中 { $without } パターンでヒット数を返さなかった({ $share })
            check-format =
                該当する応答を調べ、プランの hits がこのターゲットのヒット数の形式と合っているか確認する
            hosts-differ =
                { $target } のホスト間で { $patterns } パターン中 { $different } パターンのヒット数が異なる。
                最初は { $pattern }: { $host } で { $hits }、{ $other_host } で { $other_hits }
            load-all-hosts =
                ターゲットの全ホストに同じデータを読み込む。
                リクエストは各ホストに順番に送られるので、どこでも同じ処理にならなければならない
            load-same-data =
                両方に同じデータを、同じ索引、トークナイザー、ノーマライザーで読み込み、同じ検索を送る。
                差を許容するなら hits_tolerance を設定する
            remove-patterns =
                これらのパターンは両ターゲットで同じ処理ではない。厳密に比べるなら一覧から除く
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let workloads = evidence.plan.workloads.iter();
    workloads
        .flat_map(|workload| at(evidence, workload))
        .collect()
}

/// The numbers of hits of one target before the run.
struct Found<'a> {
    target: &'a str,
    /// Number of hits of each pattern (by position), for each host.
    hosts: Vec<(&'a str, BTreeMap<u32, Option<u64>>)>,
}

fn at(evidence: &Evidence<'_>, workload: &Workload) -> Vec<Finding> {
    // By default, only responses with an exact number are compared.
    let must_report = workload.hits() != Some(&HitSource::Auto);
    let work = workload;
    let workload = workload.name.as_str();
    let all: Vec<Found<'_>> = evidence
        .plan
        .targets
        .iter()
        .filter_map(|target| {
            let known = evidence.environment.targets.get(&target.name)?;
            let hosts = known.hits_before(workload);
            (!hosts.is_empty()).then_some(Found {
                target: &target.name,
                hosts,
            })
        })
        .collect();
    let labels = evidence.environment.patterns.get(workload);
    let labels = labels.map_or(&[][..], Vec::as_slice);
    let finding = |severity, target: &str, seen, advice| {
        let finding = RULE.finding(severity, Cause::Setup, seen, advice);
        finding.on(workload, target)
    };
    let mut findings = Vec::new();
    for found in &all {
        if let Some(seen) = found.without_number().filter(|_| must_report) {
            let advice = message!("check-format");
            findings.push(finding(Severity::Suspect, found.target, seen, advice));
        }
        if let Some(seen) = found.among_hosts(labels) {
            let advice = message!("load-all-hosts");
            findings.push(finding(Severity::Invalid, found.target, seen, advice));
        }
    }
    let baseline = evidence.plan.baseline().map(|target| &target.name);
    let is_baseline = |found: &&Found<'_>| Some(found.target) == baseline.map(String::as_str);
    let Some(baseline) = all.iter().find(is_baseline) else {
        return findings;
    };
    for other in all.iter().filter(|found| !is_baseline(found)) {
        let (known, first) = (evidence.environment, baseline.target);
        let Some(compared) = compare_hits(work, known, first, other.target) else {
            continue;
        };
        if compared.different.is_empty() {
            continue;
        }
        let seen = compared.message(work, known, first, other.target);
        let (severity, advice) = if compared.too_many {
            (Severity::Invalid, message!("load-same-data"))
        } else {
            (Severity::Note, message!("remove-patterns"))
        };
        findings.push(finding(severity, other.target, seen, advice));
    }
    findings
}

impl Found<'_> {
    fn without_number(&self) -> Option<Message> {
        let all: BTreeMap<u32, bool> = self.hosts.iter().flat_map(|(_, hits)| hits).fold(
            BTreeMap::new(),
            |mut known, (pattern, hits)| {
                *known.entry(*pattern).or_insert(true) &= hits.is_some();
                known
            },
        );
        let without_number = all.values().filter(|known| !**known).count();
        let share = without_number as f64 / all.len().max(1) as f64;
        (share > WITHOUT_NUMBER).then(|| {
            message!(
                "without-number",
                target = self.target,
                without = Value::Plain(without_number as u64),
                patterns = Value::Plain(all.len() as u64),
                share = Value::Share(share)
            )
        })
    }

    /// Compares each host of the target with the first host that received the same pattern.
    fn among_hosts(&self, labels: &[String]) -> Option<Message> {
        let mut first: BTreeMap<u32, (&str, u64)> = BTreeMap::new();
        let mut unequal: BTreeMap<u32, [(&str, u64); 2]> = BTreeMap::new();
        for (host, hits) in &self.hosts {
            for (&pattern, hits) in hits {
                let Some(mine) = *hits else { continue };
                let other = *first.entry(pattern).or_insert((host, mine));
                if mine != other.1 {
                    unequal.entry(pattern).or_insert([other, (host, mine)]);
                }
            }
        }
        let (pattern, [one, other]) = unequal.first_key_value()?;
        Some(message!(
            "hosts-differ",
            target = self.target,
            different = Value::Plain(unequal.len() as u64),
            patterns = Value::Plain(first.len() as u64),
            pattern = pattern_name(*pattern, labels),
            hits = Value::Plain(one.1),
            host = one.0,
            other_hits = Value::Plain(other.1),
            other_host = other.0
        ))
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::TargetEnvironment;

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    fn found(a: &[Option<u64>], b: &[Option<u64>]) -> Run {
        let mut run = Run::pair(8);
        for (target, hits) in [("a", a), ("b", b)] {
            let mut known = TargetEnvironment::default();
            known.hits.insert("get".to_owned(), hits.to_vec());
            run.environment.targets.insert(target.to_owned(), known);
        }
        let labels = ["GET /d/select?query=tea", "GET /d/select?query=rice"];
        let labels = labels.map(str::to_owned).to_vec();
        run.environment.patterns.insert("get".to_owned(), labels);
        run
    }

    #[test]
    fn different_numbers_of_hits_are_invalid() {
        let run = found(&[Some(5), Some(7)], &[Some(5), Some(6)]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "the numbers of hits differ for 1 of 2 patterns: GET /d/select?query=rice: 6 from b, \
             7 from a"
        );
        let trust: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        assert_eq!(trust, [Trust::Invalid]);
    }

    /// Of ten terms, one term has 90 hits instead of 100, and another term has 50 instead of 100.
    #[test]
    fn the_tolerance_applies_to_numbers_and_to_the_share_of_patterns() {
        let mut a = vec![Some(100); 10];
        let mut b = a.clone();
        b[3] = Some(90);
        b[7] = Some(50);
        let judged = |a: &[Option<u64>], b: &[Option<u64>], tolerance: &str| {
            let mut run = found(a, b);
            run.draw_patterns("get", tolerance);
            let findings = run.findings(&RULE);
            findings
                .first()
                .map(|found| (found.severity, found.evidence.clone()))
        };
        let (severity, seen) = judged(&a, &b, "10%").unwrap();
        assert_eq!(severity, Severity::Note);
        assert_eq!(
            seen,
            "the numbers of hits differ for 1 of 10 patterns by more than the tolerance of 10%: \
             pattern 8: 50 from b, 100 from a"
        );
        assert_eq!(judged(&a, &b, "9%").unwrap().0, Severity::Invalid);
        assert_eq!(judged(&a, &b, "0%").unwrap().0, Severity::Invalid);
        assert_eq!(judged(&a, &b, "50%"), None);
        a[1] = Some(0);
        let (severity, seen) = judged(&a, &b, "10%").unwrap();
        assert_eq!(severity, Severity::Invalid);
        assert!(
            seen.contains("d/select?query=rice: 100 from b, 0 from a; pattern 8"),
            "{seen}"
        );
    }

    #[test]
    fn patterns_without_a_number_are_suspect_and_not_compared() {
        let findings = found(&[Some(5), Some(7)], &[Some(5), None]).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "b gave no number of hits for 1 of 2 patterns (50 %)"
        );
    }

    #[test]
    fn hosts_with_different_hits_make_the_run_invalid() {
        let mut run = found(&[Some(5), Some(7)], &[Some(5), Some(7)]);
        run.ask("b", "one", &[Some(5), Some(7)], None);
        run.ask("b", "two", &[Some(0), Some(7)], None);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "the hosts of b reported different numbers of hits for 1 of 2 patterns, the first of \
             them GET /d/select?query=tea: 5 from one, 0 from two"
        );
    }

    #[test]
    fn silent_for_equal_hits_or_without_hits() {
        let same = [Some(5), Some(0)];
        assert_eq!(found(&same, &same).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
