//! A percentile nobody can know.

use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::{Evidence, is_closed};
use crate::latency::samples;

const QUANTILE: f64 = 0.99;

/// Answers below which chance alone moves a rate by a fifth: 1/√n is its relative standard
/// error where answers come by Poisson's law.
const HARDLY_ANY: u64 = 30;

/// A percentile nobody can know.
pub(super) struct TooFewSamples;

impl Rule for TooFewSamples {
    fn name(&self) -> &'static str {
        "too_few_samples"
    }

    fn summary(&self) -> &'static str {
        "too few operations for a 99th percentile, or for any figure"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("too_few_samples.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let Some(fewest) = tenbin_stats::fewest_samples(QUANTILE) else {
            return Vec::new();
        };
        let cells = evidence.cells();
        cells
            .iter()
            .filter_map(|cell| {
                let full = cell.full();
                let n = if is_closed(cell.workload) {
                    samples(&full, |op| &op.service)
                } else {
                    samples(&full, |op| &op.response)
                };
                // Without a single answer the errors have been told already.
                (1..fewest).contains(&n).then(|| Finding {
                    rule: self.name().to_owned(),
                    severity: if n < HARDLY_ANY {
                        Severity::Suspect
                    } else {
                        Severity::Note
                    },
                    blame: Blame::Setup,
                    workload: Some(cell.workload.name.clone()),
                    target: Some(cell.target.name.clone()),
                    evidence: format!(
                        "{} in {}; a 99th percentile takes {fewest}",
                        plural(n as usize, "correct answer"),
                        plural(full.len(), "slice")
                    ),
                    advice: "use longer slices, more rounds or more connections".to_owned(),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_below_368_answers() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(22, 0.09));
        let findings = run.findings(&TooFewSamples);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .starts_with("352 correct answers in 16 slices")
        );
    }

    #[test]
    fn a_handful_of_answers_is_suspect_as_a_whole() {
        let mut run = Run::single(1);
        run.each(|slice| slice.answers(5, 0.4));
        assert_eq!(run.findings(&TooFewSamples)[0].severity, Severity::Suspect);
        run.each(|slice| slice.answers(30, 0.06));
        assert_eq!(run.findings(&TooFewSamples)[0].severity, Severity::Note);
    }

    #[test]
    fn silent_from_368_answers_on() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(23, 0.09));
        assert_eq!(run.findings(&TooFewSamples), []);
    }
}
