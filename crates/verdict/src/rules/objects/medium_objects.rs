//! Medium objects for which a higher throughput comes with longer waits.

use tenbin_result::{Cause, Finding, Metric, Outcome, Severity, Value, message};

use crate::compare::comparison::Comparison;
use crate::evidence::Evidence;
use crate::figures::size_class::SizeClass;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "medium_objects",
    summary: Texts {
        english: "the target with the higher throughput has the higher p99 latency",
        japanese: "スループットの高いほうのターゲットのほうが、p99 レイテンシも大きい",
    },
    severities: &[Severity::Note],
    explanation: pages!("medium_objects"),
    messages: Messages {
        english: r#"
            opposed =
                compared with { $baseline }, it has { $throughput } times the throughput
                ({ $throughput_low }–{ $throughput_high }), but { $wait } times the 99th percentile of
                service time ({ $wait_low }–{ $wait_high })
            choose =
                choose by what your application needs, throughput or low latency; and compare both
                targets at the same --rate
        "#,
        japanese: r#"
            opposed =
                { $baseline } に比べ、
                スループットは { $throughput } 倍({ $throughput_low }–{ $throughput_high })だが、
                サービス時間の 99 パーセンタイルは { $wait } 倍({ $wait_low }–{ $wait_high })
            choose =
                アプリケーションが求めるのがスループットか短い待ち時間かで選ぶ。
                両者を同じ --rate でも比べる
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let medium = evidence
        .plan
        .workloads
        .iter()
        .filter(|workload| SizeClass::of_transfer(workload) == Some(SizeClass::Medium));
    medium
        .flat_map(|workload| of_workload(evidence, &workload.name))
        .collect()
}

fn of_workload(evidence: &Evidence<'_>, workload: &str) -> Vec<Finding> {
    let by = |metric: Metric| {
        evidence
            .comparisons
            .iter()
            .filter(move |each| each.workload == workload && each.metric == metric)
    };
    by(Metric::Throughput)
        .filter_map(|throughput| {
            let mut tails = by(Metric::SERVICE_P99);
            let tail = tails.find(|tail| tail.challenger == throughput.challenger)?;
            pair(throughput, tail)
        })
        .collect()
}

fn pair(throughput: &Comparison, tail: &Comparison) -> Option<Finding> {
    let opposed = matches!(
        (&throughput.outcome, &tail.outcome),
        (Outcome::Faster, Outcome::Slower) | (Outcome::Slower, Outcome::Faster)
    );
    let (amount, wait) = (throughput.ratio.estimate()?, tail.ratio.estimate()?);
    if !opposed {
        return None;
    }
    let evidence = message!(
        "opposed",
        baseline = &throughput.baseline,
        throughput = Value::Ratio(amount.value),
        throughput_low = Value::Ratio(amount.low),
        throughput_high = Value::Ratio(amount.high),
        wait = Value::Ratio(wait.value),
        wait_low = Value::Ratio(wait.low),
        wait_high = Value::Ratio(wait.high)
    );
    let advice = message!("choose");
    Some(throughput.finding(&RULE, Severity::Note, Cause::Plan, evidence, advice))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;
    use crate::testing::Run;

    fn run(bytes: u64, slow: f64) -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Get, bytes);
        run.each_of("b", |slice| {
            slice.answers(1_300, 0.001);
            let service = &mut slice.0.ops[0].times.service;
            service.record_n((slow * 1e9) as u64, 60).unwrap();
        });
        run
    }

    #[test]
    fn fires_when_throughput_and_tail_disagree() {
        let findings = run(1_000_000, 0.020).findings(&RULE);
        assert_eq!(findings.len(), 1);
        let evidence = &findings[0].evidence;
        assert!(
            evidence.starts_with("compared with a, it has 1.300 times the throughput"),
            "{evidence}"
        );
        assert!(
            evidence.contains("10.0 times the 99th percentile"),
            "{evidence}"
        );
    }

    #[test]
    fn silent_when_they_agree_and_for_other_sizes() {
        assert_eq!(run(1_000_000, 0.001).findings(&RULE), []);
        assert_eq!(run(1_000, 0.020).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
