//! Small objects that come slowly.

use tenbin_result::format::TIME;
use tenbin_result::{Blame, Figure, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::latency;
use crate::size_class::SizeClass;

/// Median time from which on a small object is slow, seconds.
const SLOW: f64 = 0.010;

/// Small objects that come slowly.
pub(super) struct SmallObjects;

impl Rule for SmallObjects {
    fn name(&self) -> &'static str {
        "small_objects"
    }

    fn summary(&self) -> &'static str {
        "a target takes 10 ms or more for a small object"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("small_objects.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl SmallObjects {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        if SizeClass::of_transfer(cell.workload) != Some(SizeClass::Small) {
            return None;
        }
        let kind: latency::Kind = if is_closed(cell.workload) {
            |op| &op.service
        } else {
            |op| &op.response
        };
        let median = latency::quantile(&cell.full(), 0.5, kind, |op| op.role.is_work());
        (median.estimate()?.low >= SLOW).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "half of the responses take {} or more; below 10 ms is good for objects of up to \
                 64 KiB",
                TIME.with_interval(Figure::of(median))
            ),
            advice: "look at how the target syncs to its disk, or use fewer --connections: each \
                     waits behind the others"
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;
    use crate::testing::Run;

    fn run(bytes: u64, seconds: f64) -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Put, bytes);
        run.each_of("b", |slice| slice.answers(100, seconds));
        run
    }

    #[test]
    fn fires_for_a_small_object_that_takes_long() {
        let findings = run(1_000, 0.012).findings(&SmallObjects);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0]
                .evidence
                .starts_with("half of the responses take 12.0 ms")
        );
    }

    #[test]
    fn silent_for_quick_answers_large_objects_and_plain_http() {
        assert_eq!(run(1_000, 0.009).findings(&SmallObjects), []);
        assert_eq!(run(1_000_000, 0.012).findings(&SmallObjects), []);
        let mut http = Run::pair(8);
        http.each(|slice| slice.answers(100, 0.012));
        assert_eq!(http.findings(&SmallObjects), []);
    }
}
