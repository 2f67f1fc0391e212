//! Medium objects for which more in all means longer for some.

use tenbin_result::format::ratio;
use tenbin_result::{Blame, Finding, Outcome, Severity};

use super::Rule;
use crate::comparison::Comparison;
use crate::evidence::Evidence;
use crate::metric::Metric;
use crate::size_class::SizeClass;

/// Medium objects for which more in all means longer for some.
pub(super) struct MediumObjects;

impl Rule for MediumObjects {
    fn name(&self) -> &'static str {
        "medium_objects"
    }

    fn summary(&self) -> &'static str {
        "the target with more throughput keeps some requests waiting longer"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("medium_objects.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let medium = evidence
            .plan
            .workloads
            .iter()
            .filter(|workload| SizeClass::of_transfer(workload) == Some(SizeClass::Medium));
        medium
            .flat_map(|workload| self.workload(evidence, &workload.name))
            .collect()
    }
}

impl MediumObjects {
    fn workload(&self, evidence: &Evidence<'_>, workload: &str) -> Vec<Finding> {
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
                self.pair(throughput, tail)
            })
            .collect()
    }

    fn pair(&self, throughput: &Comparison, tail: &Comparison) -> Option<Finding> {
        let opposed = matches!(
            (&throughput.outcome, &tail.outcome),
            (Outcome::Faster, Outcome::Slower) | (Outcome::Slower, Outcome::Faster)
        );
        let (amount, wait) = (throughput.ratio.estimate()?, tail.ratio.estimate()?);
        opposed.then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Question,
            workload: Some(throughput.workload.clone()),
            target: Some(throughput.challenger.clone()),
            evidence: format!(
                "against {} it has {} times the throughput ({}–{}), and {} times the 99th \
                 percentile of service time ({}–{})",
                throughput.baseline,
                ratio(amount.value),
                ratio(amount.low),
                ratio(amount.high),
                ratio(wait.value),
                ratio(wait.low),
                ratio(wait.high),
            ),
            advice: "choose by what the work needs: much in all, or no long waits; and compare at \
                     an equal --rate"
                .to_owned(),
        })
    }
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
            let service = &mut slice.0.ops[0].service;
            service.record_n((slow * 1e9) as u64, 60).unwrap();
        });
        run
    }

    #[test]
    fn fires_when_throughput_and_tail_disagree() {
        let findings = run(1_000_000, 0.020).findings(&MediumObjects);
        assert_eq!(findings.len(), 1);
        let evidence = &findings[0].evidence;
        assert!(
            evidence.starts_with("against a it has 1.300 times the throughput"),
            "{evidence}"
        );
        assert!(
            evidence.contains("10.0 times the 99th percentile"),
            "{evidence}"
        );
    }

    #[test]
    fn silent_when_they_agree_and_for_other_sizes() {
        assert_eq!(run(1_000_000, 0.001).findings(&MediumObjects), []);
        assert_eq!(run(1_000, 0.020).findings(&MediumObjects), []);
        assert_eq!(Run::pair(8).findings(&MediumObjects), []);
    }
}
