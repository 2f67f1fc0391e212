//! Medium objects for which a higher throughput comes with longer waits.

use tenbin_result::format::ratio;
use tenbin_result::{Cause, Finding, Outcome, Severity};

use crate::compare::comparison::Comparison;
use crate::compare::metric::Metric;
use crate::evidence::Evidence;
use crate::figures::size_class::SizeClass;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "medium_objects",
    summary: "the target with the higher throughput has the higher p99 latency",
    severities: &[Severity::Note],
    explanation: include_str!("medium_objects.md"),
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
    opposed.then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Plan,
        workload: Some(throughput.workload.clone()),
        target: Some(throughput.challenger.clone()),
        evidence: format!(
            "compared with {}, it has {} times the throughput ({}–{}), but {} times the 99th \
             percentile of service time ({}–{})",
            throughput.baseline,
            ratio(amount.value),
            ratio(amount.low),
            ratio(amount.high),
            ratio(wait.value),
            ratio(wait.low),
            ratio(wait.high),
        ),
        advice: "choose by what your application needs, throughput or low latency; and compare \
                 both targets at the same --rate"
            .to_owned(),
    })
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
