//! Operations that never ended.

use super::Rule;
use crate::evidence::Evidence;
use crate::finding::{Blame, Finding, Severity};
use crate::words::percent;

/// Operations that never ended.
pub(super) struct Censored;

impl Rule for Censored {
    fn name(&self) -> &'static str {
        "censored"
    }

    fn summary(&self) -> &'static str {
        "operations were still out when their slice had to end"
    }

    fn explanation(&self) -> &'static str {
        include_str!("censored.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells
            .iter()
            .filter_map(|cell| {
                // An interrupted slice does not wait for what is out: no finding.
                let full = cell.full();
                let ops = full.iter().flat_map(|slice| &slice.ops);
                let censored: u64 = ops.map(|op| op.censored).sum();
                let total: u64 = full.iter().map(|slice| slice.ok() + slice.failed()).sum();
                (censored > 0 && total > 0).then(|| Finding {
                    rule: self.name(),
                    severity: Severity::Suspect,
                    blame: Blame::Server,
                    workload: Some(cell.workload.name.clone()),
                    target: Some(cell.target.name.clone()),
                    evidence: format!(
                        "{censored} of {total} operations ({}) were unanswered one timeout after \
                         their slice: how long they would have taken is unknown, and percentiles \
                         above {} are lower bounds",
                        percent(censored as f64 / total as f64),
                        percent(1.0 - censored as f64 / total as f64),
                    ),
                    advice: "find out what the target did with them, or use a longer timeout"
                        .to_owned(),
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
    fn fires_when_answers_never_came() {
        let mut run = Run::pair(8);
        run.first_of("b").censor(3);
        let findings = run.findings(&Censored);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(findings[0].evidence.starts_with("3 of 16003 operations"));
    }

    #[test]
    fn silent_when_the_slice_was_interrupted() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("b");
        slice.censor(3);
        slice.cut_short();
        assert_eq!(run.findings(&Censored), []);
    }
}
